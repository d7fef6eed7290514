// Another language for a while, on one thread (language.h).
#pragma once

#include <string>

namespace tilestep::problem {
class Translation;
}  // namespace tilestep::problem

namespace tilestep {

// As long as it exists, its thread has that language instead of the current one: for texts that are
// kept in several languages, or in another one than the window's. English if there is no such
// language.
class InLanguage {
 public:
  explicit InLanguage(const std::string& tag);
  ~InLanguage();
  InLanguage(const InLanguage&) = delete;
  InLanguage& operator=(const InLanguage&) = delete;
  InLanguage(InLanguage&&) = delete;
  InLanguage& operator=(InLanguage&&) = delete;

 private:
  bool was_own_;
  const problem::Translation* before_;
};

}  // namespace tilestep

// Tells a scene from every other one, also from those of another workspace: side 2 of a comparison
// gets a workspace of its own each time, and what panels remember outlives it.
#pragma once

#include <memory>

namespace tilestep::workspace {

class Generation {
 public:
  Generation() = default;  // of no scene
  [[nodiscard]] static Generation next() {
    Generation made;
    made.mark_ = std::make_shared<const char>();
    return made;
  }
  friend bool operator==(const Generation&, const Generation&) = default;

 private:
  std::shared_ptr<const char> mark_;  // no other mark gets its address while this one is kept
};

}  // namespace tilestep::workspace

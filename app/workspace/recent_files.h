// The files that were opened or saved last, kept from start to start: the user's state, beside the
// sessions (docs/formats.md, "Sessions and recent files").
#pragma once

#include "problem/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::workspace {

class RecentFiles {
 public:
  static constexpr std::size_t kMost = 12;

  // An empty folder keeps them for this process alone. A list that cannot be read is an empty one.
  explicit RecentFiles(const std::filesystem::path& user_state);

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  // To the top, where it may have been. Another window's additions are kept. A list that cannot be
  // written is no reason to stop anybody.
  void add(const std::string& path);
  void drop(const std::string& path);

 private:
  void read();
  void write() const;

  std::filesystem::path list_;
  std::vector<std::string> files_;
};

}  // namespace tilestep::workspace

// What the window looked like when it was closed, kept from start to start.
//
// A session is a scene (state/scene_text.h) in a file. It is written beside itself and renamed, at
// most every few seconds and at the end. A file that cannot be read, or that a newer Tilestep has
// written, is put aside under another name and told of: nothing of it is lost.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "state/app_state.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

struct Restored {
  std::optional<state::AppState> state;  // nothing: there is no session, or it cannot be read
  std::optional<problem::LaunchSpec> kernel{};  // that a scene brought, and no file has
  std::string sentence;                         // why it cannot, and where it was put; else empty
};
[[nodiscard]] Restored restore_session(const std::filesystem::path& file);

class SessionKeeper {
 public:
  static constexpr double kPause = 3.0;  // seconds from one writing to the next

  // An empty path keeps nothing.
  SessionKeeper(std::filesystem::path file, const state::AppState& state);
  // Writes where something has changed since and the pause is over, or `at_once`. `own`: the kernel
  // of the state where a scene brought it. Fails with a sentence, once: a full disk is not told of
  // every three seconds.
  Result<void> keep(const state::AppState& state, double now, bool at_once = false,
                    const problem::LaunchSpec* own = nullptr);

 private:
  std::filesystem::path file_;
  state::AppState kept_;
  double latest_ = -1e9;
  bool has_failed_ = false;
};

// The file of a session by its name; "" is the one that is kept where none is named. Nothing where
// there is no folder for it; fails for names with other characters than letters, digits, "-" and
// "_".
[[nodiscard]] Result<std::filesystem::path> session_file(const std::filesystem::path& user_state,
                                                         const std::string& name);
// Names of those that are there, sorted.
[[nodiscard]] std::vector<std::string> session_names(const std::filesystem::path& user_state);

// The files that were opened or saved last, kept from start to start: the user's state, beside the
// sessions (docs/formats.md, "Sessions and recent files").
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

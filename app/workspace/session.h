// The state of the window, kept across starts.
//
// A session is a scene (state/scene.h) in a file, written to a temporary file and renamed, at
// most every few seconds and at the end. A file that cannot be read, or that a newer Tilestep has
// written, is renamed and reported: nothing of it is lost.
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

// A session that was read from its file.
struct Restored {
  std::optional<state::AppState> state;  // nullopt: there is no session, or it cannot be read
  std::optional<problem::LaunchSpec> kernel{};  // from a scene, without a file
  std::string sentence;  // why it cannot be read, and its new name; else empty
};
[[nodiscard]] Restored restore_session(const std::filesystem::path& file);

// Writes the session of a window.
class SessionKeeper {
 public:
  static constexpr double kPause = 3.0;  // seconds between two writes

  // An empty path saves nothing.
  SessionKeeper(std::filesystem::path file, const state::AppState& state);
  // Writes if something has changed and the pause is over, or `at_once`. `own`: the state's kernel
  // if a scene brought it. Fails with a sentence only once: a full disk is not reported every three
  // seconds.
  Result<void> keep(const state::AppState& state, double now, bool at_once = false,
                    const problem::LaunchSpec* own = nullptr);

 private:
  std::filesystem::path file_;
  state::AppState kept_;
  double latest_ = -1e9;
  bool has_failed_ = false;
};

// The file of a session by its name; "" is the default session. Empty if there is no folder for it;
// fails for names with other characters than letters, digits, "-" and "_".
[[nodiscard]] Result<std::filesystem::path> session_file(const std::filesystem::path& user_state,
                                                         const std::string& name);
// The existing names, sorted.
[[nodiscard]] std::vector<std::string> session_names(const std::filesystem::path& user_state);

// The files that were opened or saved last, kept across starts with the sessions
// (docs/formats/scene.md).
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 12;

  // With an empty folder the list exists only in this process. An unreadable list counts as empty.
  explicit RecentFiles(const std::filesystem::path& user_state);

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  // Moves the path to the top. Another window's additions are kept. A failure to write is ignored.
  void add(const std::string& path);
  void drop(const std::string& path);

 private:
  void read();
  void write() const;

  std::filesystem::path list_;
  std::vector<std::string> files_;
};

}  // namespace tilestep::workspace

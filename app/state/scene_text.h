// A state as a text that can be kept and sent: what differs from a fresh start, as TOML or as one
// line for a shell, a mail or a chat. docs/formats.md, "Scene".
#pragma once

#include "problem/launch/launch.h"
#include "state/app_state.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::state {

// Of the form that is written. A text with a higher one is refused.
inline constexpr int kSceneVersion = 1;

// Without what is of the moment: playing, open lists and fields.
[[nodiscard]] AppState without_moment(AppState state);

// "version = 1", then the fields that differ, one a line, then `own`: the kernel, where no catalog
// has it, with its text, what that includes, its description and data. Its path is not in the text.
[[nodiscard]] std::string scene_toml(const AppState& state,
                                     const problem::LaunchSpec* own = nullptr);

struct SceneText {
  AppState state;
  // Where the text holds one. Its id is the state's `kernel`: other texts have other ids.
  std::optional<problem::LaunchSpec> kernel;
};
// Fails with `file`, line and what is wrong: also a text of a newer Tilestep. Files that it names
// are not read.
[[nodiscard]] Result<SceneText> read_scene(const std::string& toml, const std::string& file);
// Whether a scene's text brought this kernel: no file has it.
[[nodiscard]] bool is_of_scene(const std::string& kernel);

// "tilestep:version=1&kernel=%22naive%22&step=40": the lines of scene_toml(), in which everything
// but letters, digits and "-._~=,:" is percent-encoded (RFC 3986, 2.1) and a line's end is "&". It
// survives quotes, blanks and brackets around it.
[[nodiscard]] std::string scene_link(const AppState& state,
                                     const problem::LaunchSpec* own = nullptr);
// A longer one is cut off by shells, mails and chats.
inline constexpr std::size_t kLongestLink = 8000;  // characters
[[nodiscard]] bool looks_like_link(std::string_view text);
[[nodiscard]] Result<SceneText> read_link(const std::string& link);

}  // namespace tilestep::state

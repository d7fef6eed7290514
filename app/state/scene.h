// A state as text that can be kept and sent: its differences from a fresh start, as TOML or as one
// line for a shell, a mail or a chat. docs/formats/scene.md.
#pragma once

#include "problem/describe/toml_reader.h"
#include "problem/launch/launch.h"
#include "state/app_state.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::state {

// The written version. A text with a higher version is refused.
inline constexpr int kSceneVersion = 1;

// The state without momentary fields: playing, open lists and input fields.
[[nodiscard]] AppState without_moment(AppState state);

// "version = 1", then the fields that differ, one per line, then `own`: a kernel that is in no
// catalog, with its text, included files, description and data. The text does not contain its path.
[[nodiscard]] std::string scene_toml(const AppState& state,
                                     const problem::LaunchSpec* own = nullptr);

// A scene's state, and its kernel if the text contains one.
struct SceneText {
  AppState state;
  // The kernel that the text contains, if any. Its id is the state's `kernel`; other texts have
  // other ids.
  std::optional<problem::LaunchSpec> kernel;
};
// Errors name `file`, the line and the mistake; a text of a newer Tilestep is an error. Files that
// it names are not read.
[[nodiscard]] Result<SceneText> read_scene(const std::string& toml, const std::string& file);
// Whether the kernel is from a scene's text, so that no file contains it.
[[nodiscard]] bool is_of_scene(const std::string& kernel);

// "tilestep:version=1&kernel=%22naive%22&step=40": the lines of scene_toml() with everything but
// letters, digits and "-._~=,:" percent-encoded (RFC 3986, 2.1) and "&" for line ends. Quotes,
// blanks and brackets around the link do not break it.
[[nodiscard]] std::string scene_link(const AppState& state,
                                     const problem::LaunchSpec* own = nullptr);
// Shells, mail programs and chats cut longer links off.
inline constexpr std::size_t kLongestLink = 8000;  // characters
// Also an address of the browser edition, which ends with a link: https://…/#tilestep:….
[[nodiscard]] bool looks_like_link(std::string_view text);
[[nodiscard]] Result<SceneText> read_link(const std::string& link);

// An AppState as TOML, the form of a lesson's scenes; docs/formats/lesson.md, documents the
// keys.
//
// One list of fields (state_fields.h) serves the reader and the writer. TOML is the only form,
// because people write scenes by hand and want comments; a second form would be another list to
// keep up to date.

// Writes every field.
[[nodiscard]] std::string to_toml(const AppState& state);
// Missing keys keep the field's default. Errors name `file`, the line and the mistake: an unknown
// key or an invalid value.
[[nodiscard]] Result<AppState> from_toml(const std::string& toml, const std::string& file);

// The Setup that `compare = "name"` refers to; nullopt if the name is unknown.
using SetupNamed = std::function<std::optional<Setup>(const std::string& name)>;

// Reads like from_toml, for a table that also has keys of the caller.
void read_fields(problem::TomlReader& reader, const toml::table& table,
                 const std::vector<std::string_view>& other_keys, AppState& state,
                 const SetupNamed& setup_named = {});

}  // namespace tilestep::state

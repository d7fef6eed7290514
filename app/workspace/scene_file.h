// Scenes as files and links (docs/formats.md, "Scene"): what is read along with one, and what of
// the stage is saved in one.
#pragma once

#include "problem/result.h"
#include "state/scene_text.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <optional>
#include <string>

namespace tilestep::workspace {

// A link, or a scene's file. The files that it names are looked for beside it: its kernel's .cu, a
// matrix, values of a buffer.
[[nodiscard]] Result<state::SceneText> load_scene(const std::string& link_or_file);

// The kernel of the state where the catalog does not ship it: as its file has it, or had it when it
// was put on stage. Nothing: it ships, or it cannot be found any more.
[[nodiscard]] std::optional<problem::LaunchSpec> own_kernel(const FrameView& view,
                                                            const state::AppState& state);

// Where a scene is proposed to be saved: a free name in the user's documents.
[[nodiscard]] std::filesystem::path proposed_scene(const Paths& paths, const FrameView& view,
                                                   const state::AppState& state);
// A path as it was typed: "~/" is the home folder, a name alone is in the documents.
[[nodiscard]] std::filesystem::path typed_path(const Paths& paths, const std::string& text);
// Writes it beside and renames. Another file than a scene is not overwritten. Fails with a
// sentence; else the file's path.
[[nodiscard]] Result<std::filesystem::path> save_scene(const std::filesystem::path& file,
                                                       const state::AppState& state,
                                                       const problem::LaunchSpec* own);

}  // namespace tilestep::workspace

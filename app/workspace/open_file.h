// Opens a file from the window, depending on its kind.
//
//   .cu    a kernel                        .csv   a matrix, which becomes the input
//   .toml  its description, or a scene     .json  a data set of timings
//   .md    a lesson
#pragma once

#include "lesson/lesson.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/scene.h"
#include "timing/dataset.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::workspace {

// The content of an opened file; exactly the members for its kind are set.
struct OpenedFile {
  std::optional<problem::LaunchSpec> kernel;  // to add to the catalog
  std::string select;                         // a kernel to select, by its id or path; empty: none
  std::optional<state::AppState> scene;       // to show
  std::optional<lesson::Lesson> lesson;       // to open
  std::optional<timing::DataSet> dataset;     // to plot
  std::optional<problem::InputSpec> input;
  std::string notice;  // a sentence for the user
};

// Reads it and the files that it names. `infer` may be empty. Fails with a sentence if it is none
// of these files, or broken.
[[nodiscard]] Result<OpenedFile> open_file(const std::string& path, const problem::InputSpec& input,
                                           const Infer& infer);

// Scenes as files and links (docs/formats/scene.md): the files read with a scene, and what a
// scene saves.

// A link, or a scene's file. Looks beside it for the files that it names: its kernel's .cu, a
// matrix, values of a buffer.
[[nodiscard]] Result<state::SceneText> load_scene(const std::string& link_or_file);

// The state's kernel if the catalog does not ship it: from its file, or as it was when it was put
// on stage. Nullopt: it is shipped, or can no longer be found.
[[nodiscard]] std::optional<problem::LaunchSpec> own_kernel(const FrameView& view,
                                                            const state::AppState& state);

// The proposed path of a new scene: a free name in the user's documents.
[[nodiscard]] std::filesystem::path proposed_scene(const Paths& paths, const FrameView& view,
                                                   const state::AppState& state);
// A typed path: "~/" is the home folder; a name without a folder is in the documents.
[[nodiscard]] std::filesystem::path typed_path(const Paths& paths, const std::string& text);
// Writes a temporary file and renames it. Overwrites no file that is not a scene. Returns the
// file's path, or fails with a sentence.
[[nodiscard]] Result<std::filesystem::path> save_scene(const std::filesystem::path& file,
                                                       const state::AppState& state,
                                                       const problem::LaunchSpec* own);

// The destinations of exported files: the user's own folders, under free names.

// The folder for pictures and films, or for data: XDG_PICTURES_DIR or XDG_DOCUMENTS_DIR from the
// environment, else from user-dirs.dirs (xdg-user-dirs), else ~/Pictures or ~/Documents. Without a
// home, the folder for temporary files.
[[nodiscard]] std::filesystem::path export_folder(state::ExportOf of);

// The value of `key` in the text of a user-dirs.dirs: `XDG_PICTURES_DIR="$HOME/Bilder"`. Empty if
// it is missing, or neither absolute nor below $HOME.
[[nodiscard]] std::filesystem::path user_directory(std::string_view text, std::string_view key,
                                                   const std::filesystem::path& home);

// `folder`/`name`, or with "-2", "-3", … before the extension: the first that does not exist.
[[nodiscard]] std::filesystem::path free_path(const std::filesystem::path& folder,
                                              const std::string& name);

// Expands "~/x.png" as a shell does.
[[nodiscard]] std::filesystem::path from_home(const std::string& typed);

// Creates the folder of `file`. Fails with a sentence: the folder cannot be made, the path is a
// folder, or the file exists and must not be replaced.
enum class Existing { Keep, Replace };
[[nodiscard]] Result<void> make_ready(const std::filesystem::path& file, Existing existing);

}  // namespace tilestep::workspace

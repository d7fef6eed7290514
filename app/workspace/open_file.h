// A file that is opened from the window, by what it is.
//
//   .cu    a kernel                        .csv   a matrix, which becomes the input
//   .toml  its description, or a scene     .json  a data set of timings
//   .md    a lesson
#pragma once

#include "lesson/lesson.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/scene_text.h"
#include "timing/dataset.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::workspace {

struct OpenedFile {
  std::optional<problem::LaunchSpec> kernel;  // joins the catalog
  std::string select;                         // a kernel by its id or path; empty: none
  std::optional<state::AppState> scene;       // is shown
  std::optional<lesson::Lesson> lesson;       // is opened
  std::optional<timing::DataSet> dataset;     // is plotted
  std::optional<problem::InputSpec> input;
  std::string notice;  // a sentence
};

// Reads it, and what it names beside it. `infer` may be empty. Fails with a sentence for what is
// none of these files, or a broken one.
[[nodiscard]] Result<OpenedFile> open_file(const std::string& path, const problem::InputSpec& input,
                                           const Infer& infer);

// Scenes as files and links (docs/formats.md, "Scene"): what is read along with one, and what of
// the stage is saved in one.

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

// Where exported files go: the user's own folders, under names that are free.

// The folder for pictures and films, or the one for data: XDG_PICTURES_DIR or XDG_DOCUMENTS_DIR of
// the environment, else of user-dirs.dirs (xdg-user-dirs), else ~/Pictures or ~/Documents. Without
// a home the folder for temporary files.
[[nodiscard]] std::filesystem::path export_folder(state::ExportOf of);

// The value of `key` in the text of a user-dirs.dirs: `XDG_PICTURES_DIR="$HOME/Bilder"`. Empty
// where it has none, or one that is neither absolute nor below $HOME.
[[nodiscard]] std::filesystem::path user_directory(std::string_view text, std::string_view key,
                                                   const std::filesystem::path& home);

// `folder`/`name`, or with "-2", "-3", … before the ending: the first that no file has.
[[nodiscard]] std::filesystem::path free_path(const std::filesystem::path& folder,
                                              const std::string& name);

// "~/x.png" as a shell reads it.
[[nodiscard]] std::filesystem::path from_home(const std::string& typed);

// Its folder is there when this returns. Fails with a sentence: the folder cannot be made, the path
// is one, or a file has that name and is not to be replaced.
enum class Existing { Keep, Replace };
[[nodiscard]] Result<void> make_ready(const std::filesystem::path& file, Existing existing);

}  // namespace tilestep::workspace

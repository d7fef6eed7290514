// Where exported files go: the user's own folders, under names that are free.
#pragma once

#include "problem/result.h"
#include "state/app_state.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tilestep::workspace {

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

// Where a user keeps documents and pictures.
#pragma once

#include <filesystem>
#include <string>

namespace tilestep::workspace {

// `kind`: "DOCUMENTS", "PICTURES", … as the XDG user directories name them: the variable
// XDG_DOCUMENTS_DIR, or its line in ~/.config/user-dirs.dirs; where neither says it,
// ~/Documents (`usual`) if it is there, else the home folder. Empty: there is no home.
[[nodiscard]] std::filesystem::path user_folder(const std::string& kind, const std::string& usual);

}  // namespace tilestep::workspace

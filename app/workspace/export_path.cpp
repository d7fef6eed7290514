#include "workspace/export_path.h"

#include "problem/file.h"
#include "problem/tr.h"
#include "state/exporting.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHomeVariable = "$HOME";

fs::path variable_path(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

fs::path user_directory(std::string_view text, std::string_view key, const fs::path& home) {
  std::istringstream lines{std::string(text)};
  fs::path found;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view all(line);
    const std::size_t begin = all.find_first_not_of(" \t");
    const std::size_t from = all.find('"');
    const std::size_t to = all.rfind('"');
    if (begin == std::string_view::npos || !all.substr(begin).starts_with(key) || from == to ||
        all.substr(begin + key.size(), from - begin - key.size()) != "=") {
      continue;
    }
    const std::string_view value = all.substr(from + 1, to - from - 1);
    if (value.starts_with('/')) {
      found = fs::path(value);
    } else if (value.starts_with(kHomeVariable) && !home.empty()) {
      const std::string_view below = value.substr(kHomeVariable.size());
      found = home / fs::path(below.substr(below.starts_with('/') ? 1 : 0));
    }
  }
  return found;
}

fs::path export_folder(state::ExportOf of) {
  const bool picture = state::is_picture(of);
  const char* const key = picture ? "XDG_PICTURES_DIR" : "XDG_DOCUMENTS_DIR";
  if (const fs::path set = variable_path(key); set.is_absolute()) {
    return set;
  }
  const fs::path home = variable_path("HOME");
  const fs::path config = variable_path("XDG_CONFIG_HOME");
  const fs::path file = (config.is_absolute() ? config : home / ".config") / "user-dirs.dirs";
  if (const auto text = problem::read_file(file)) {
    if (fs::path found = user_directory(*text, key, home); !found.empty()) {
      return found;
    }
  }
  std::error_code none;
  return home.empty() ? fs::temp_directory_path(none) : home / (picture ? "Pictures" : "Documents");
}

fs::path free_path(const fs::path& folder, const std::string& name) {
  const fs::path first = folder / name;
  fs::path file = first;
  std::error_code ignored;
  for (int number = 2; fs::exists(file, ignored); ++number) {
    file =
        folder / fmt::format("{}-{}{}", first.stem().string(), number, first.extension().string());
  }
  return file;
}

fs::path from_home(const std::string& typed) {
  const fs::path home = variable_path("HOME");
  return typed.starts_with("~/") && !home.empty() ? home / typed.substr(2) : fs::path(typed);
}

Result<void> make_ready(const fs::path& file, Existing existing) {
  if (!file.is_absolute() || !file.has_filename()) {
    return fail(tr(
        "'{}' is not the full path of a file. Write one that begins with / or ~/ and ends in the "
        "file's name.",
        file.string()));
  }
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return fail(tr("{} is a folder. Add the file's name.", file.string()));
  }
  if (existing == Existing::Keep && fs::exists(file, error)) {
    return fail(tr("{} is there already. Replace it, or choose another name.", file.string()));
  }
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return fail(tr("The folder {} cannot be created: {}. Choose another.",
                   file.parent_path().string(), error.message()));
  }
  return {};
}

}  // namespace tilestep::workspace

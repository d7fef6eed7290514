#include "workspace/user_folder.h"

#include "problem/file.h"
#include "problem/text.h"

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

// XDG_DOCUMENTS_DIR="$HOME/Documents": the value is below the home, or absolute; nothing else is
// allowed.
fs::path from_line(std::string_view value, const fs::path& home) {
  constexpr std::string_view kHome = "$HOME/";
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
    return {};
  }
  value = value.substr(1, value.size() - 2);
  fs::path folder = value.starts_with(kHome) ? home / value.substr(kHome.size()) : fs::path(value);
  return folder.is_absolute() ? folder : fs::path();
}

fs::path from_file(const std::string& variable, const fs::path& home) {
  const fs::path config = folder_of("XDG_CONFIG_HOME");
  const auto text =
      problem::read_file((config.is_absolute() ? config : home / ".config") / "user-dirs.dirs");
  std::istringstream lines(text ? *text : std::string());
  for (std::string line; std::getline(lines, line);) {
    const std::string_view wanted = trimmed(line);
    if (wanted.starts_with(variable + "=")) {
      return from_line(trimmed(wanted.substr(variable.size() + 1)), home);
    }
  }
  return {};
}

}  // namespace

fs::path user_folder(const std::string& kind, const std::string& usual) {
  const fs::path home = folder_of("HOME");
  const std::string variable = "XDG_" + kind + "_DIR";
  const fs::path set = folder_of(variable.c_str());
  if (set.is_absolute()) {
    return set;
  }
  if (home.empty()) {
    return {};
  }
  if (fs::path named = from_file(variable, home); !named.empty()) {
    return named;
  }
  std::error_code ignored;
  return fs::is_directory(home / usual, ignored) ? home / usual : home;
}

}  // namespace tilestep::workspace

#include "workspace/paths.h"

#include "problem/file.h"
#include "problem/text.h"

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

// Four times the size of the shipped data set's launches.
constexpr std::uint64_t kMostAnswers = 32ULL << 20;  // bytes

fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

// XDG Base Directory Specification: the variable if it is absolute, else the default under HOME.
fs::path xdg(const char* variable, const char* below_home) {
  const fs::path set = from_environment(variable);
  if (set.is_absolute()) {
    return set / "tilestep";
  }
  const fs::path home = from_environment("HOME");
  return home.empty() ? fs::path() : home / below_home / "tilestep";
}

fs::path share_directory() {
  fs::path set = from_environment("TILESTEP_SHARE");
  if (!set.empty()) {
    return set;
  }
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  return executable.parent_path().parent_path() / "share" / "tilestep";
}

fs::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

// XDG_DOCUMENTS_DIR="$HOME/Documents": the value must be below the home, or absolute.
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

// `kind`: "DOCUMENTS", "PICTURES", … as the XDG user directories name them: the variable
// XDG_DOCUMENTS_DIR, or its line in ~/.config/user-dirs.dirs; if both are missing, ~/Documents
// (`usual`) if it exists, else the home folder. Empty: there is no home.
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

}  // namespace

Paths find_paths() {
  const fs::path share = share_directory();
  Paths paths;
  paths.kernels = share / "kernels";
  paths.assets = share;
  paths.shaders = share / "shaders";
  paths.ptx_cache = share / "ptx-cache";
  paths.answers = share / "answers";
  paths.user_cache = compile::default_cache_directory();
  const fs::path cache = xdg("XDG_CACHE_HOME", ".cache");
  paths.user_answers = cache.empty() ? fs::path() : cache / "answers";
  paths.user_data = xdg("XDG_DATA_HOME", ".local/share");
  paths.user_state = xdg("XDG_STATE_HOME", ".local/state");
  paths.documents = user_folder("DOCUMENTS", "Documents");
  return paths;
}

std::filesystem::path shipped_timings(const Paths& paths) {
  return paths.assets / "timings" / "h200.json";
}

compile::CacheOptions cache_options(const Paths& paths) {
  return {paths.user_cache, {paths.ptx_cache}};
}

compile::CacheOptions answer_options(const Paths& paths) {
  return {paths.user_answers, {paths.answers}, kMostAnswers};
}

}  // namespace tilestep::workspace

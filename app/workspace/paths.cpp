#include "workspace/paths.h"

#include "workspace/user_folder.h"
#include "workspace/workspace.h"

#include <cstdlib>
#include <system_error>

namespace tilestep::workspace {

namespace {

namespace fs = std::filesystem;

// Four times what the launches of the shipped data set take.
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

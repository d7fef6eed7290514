#include "compile/nvrtc_search.h"

#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <re2/re2.h>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;

constexpr int kNewestMajor = 14;
constexpr int kOldestMajor = 12;  // the first with -std=c++20

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    found.push_back(it->path());
  }
  std::sort(found.begin(), found.end(), std::greater<>());  // newer versions first
  return found;
}

// libnvrtc.so, libnvrtc.so.13, … in a folder; not its builtins.
void add_libraries(const fs::path& folder, std::vector<std::string>& candidates) {
  static const RE2 name(R"(libnvrtc\.so(\.\d+)*)", RE2::Latin1);
  for (const fs::path& file : entries(folder)) {
    if (RE2::FullMatch(file.filename().string(), name)) {
      candidates.push_back(file.string());
    }
  }
}

void add_toolkit(const fs::path& root, std::vector<std::string>& candidates) {
  for (const char* folder : {"lib64", "targets/x86_64-linux/lib", "lib"}) {
    add_libraries(root / folder, candidates);
  }
}

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots{"/usr/local/cuda"};
  for (const fs::path& folder : entries("/usr/local")) {
    if (folder.filename().string().starts_with("cuda-")) {
      roots.push_back(folder);
    }
  }
  return roots;
}

}  // namespace

fs::path user_cache_root() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/')) {
    return cache;  // the XDG specification: a relative path is to be ignored
  }
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

fs::path default_cache_directory() {
  const fs::path root = user_cache_root();
  return root.empty() ? root : root / "tilestep" / "ptx";
}

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> candidates;
  if (const std::string chosen = environment("TILESTEP_NVRTC"); !chosen.empty()) {
    std::error_code ignored;
    if (!fs::is_directory(chosen, ignored)) {
      return {chosen};
    }
    add_libraries(chosen, candidates);
    return candidates;
  }
  for (int major = kNewestMajor; major >= kOldestMajor; --major) {
    candidates.push_back(fmt::format("libnvrtc.so.{}", major));
  }
  for (const fs::path& root : toolkit_roots()) {
    add_toolkit(root, candidates);
  }
  if (const fs::path cache = user_cache_root(); !cache.empty()) {
    add_libraries(cache / TILESTEP_NVRTC_FOLDER, candidates);
  }
  return candidates;
}

fs::path toolkit_include(const fs::path& library) {
  std::error_code ignored;
  const fs::path real = fs::canonical(library, ignored);
  std::vector<fs::path> roots{real.parent_path().parent_path()};
  for (const fs::path& root : toolkit_roots()) {
    roots.push_back(root);
  }
  for (const fs::path& root : roots) {
    if (fs::exists(root / "include" / "cuda_fp16.h", ignored)) {
      return root / "include";
    }
  }
  return {};
}

}  // namespace tilestep::compile

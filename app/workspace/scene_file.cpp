#include "workspace/scene_file.h"

#include "problem/describe/data_files.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSceneEnding = ".toml";
constexpr int kMostNames = 1000;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

// "tiled", whatever the title or the path has in it.
std::string file_stem_of(const std::string& kernel) {
  std::string stem = fs::path(kernel).stem().string();
  std::ranges::replace_if(
      stem,
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x80 && std::isalnum(byte) == 0 && c != '-' && c != '_';
      },
      '-');
  return stem.empty() ? "scene" : stem;
}

// Whether these bytes may be replaced by a scene.
bool is_scene(const fs::path& file) {
  const Result<std::string> text = problem::read_file(file);
  return text && (text->empty() || state::read_scene(*text, file.string()).has_value());
}

Result<void> read_along(state::SceneText& scene, const fs::path& folder) {
  if (const auto read = problem::read_data_file(scene.state.input, folder); !read) {
    return read;
  }
  if (scene.kernel) {
    return problem::read_data_files(*scene.kernel, folder);
  }
  const fs::path beside = folder / scene.state.kernel;
  const bool is_file = scene.state.kernel.find('.') != std::string::npos;
  if (is_file && is_there(beside)) {
    scene.state.kernel = beside.string();
  }
  return {};
}

}  // namespace

Result<state::SceneText> load_scene(const std::string& link_or_file) {
  if (state::looks_like_link(link_or_file)) {
    return state::read_link(link_or_file);
  }
  const Result<std::string> text = problem::read_file(link_or_file);
  if (!text) {
    return tl::unexpected(text.error());
  }
  auto scene = state::read_scene(*text, link_or_file);
  if (!scene) {
    return scene;
  }
  if (const auto read = read_along(*scene, fs::path(link_or_file).parent_path()); !read) {
    return fail(fmt::format("{}: {}", link_or_file, read.error().message));
  }
  return scene;
}

std::optional<problem::LaunchSpec> own_kernel(const FrameView& view, const state::AppState& state) {
  const auto& kernels = view.catalog->kernels;
  const auto shipped = kernels.begin() + static_cast<std::ptrdiff_t>(view.shipped_kernels);
  if (std::any_of(kernels.begin(), shipped,
                  [&](const problem::LaunchSpec& spec) { return spec.id == state.kernel; })) {
    return std::nullopt;
  }
  if (view.scene != nullptr && view.scene->kernel_id == state.kernel) {
    problem::LaunchSpec own = view.scene->spec;
    own.source = view.scene->unedited;
    return own;
  }
  auto found = problem::find_spec(*view.catalog, state.kernel);
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

fs::path proposed_scene(const Paths& paths, const FrameView& view, const state::AppState& state) {
  const auto own = own_kernel(view, state);
  const std::string stem = file_stem_of(own ? own->source_name : state.kernel);
  for (int i = 1; i < kMostNames; ++i) {
    const std::string number = i == 1 ? "" : fmt::format("-{}", i);
    fs::path file = paths.documents / fmt::format("{}-scene{}{}", stem, number, kSceneEnding);
    if (!is_there(file)) {
      return file;
    }
  }
  return paths.documents / fmt::format("{}-scene{}", stem, kSceneEnding);
}

fs::path typed_path(const Paths& paths, const std::string& text) {
  const char* const home = std::getenv("HOME");
  fs::path path =
      home != nullptr && text.starts_with("~/") ? fs::path(home) / text.substr(2) : fs::path(text);
  return path.is_relative() ? paths.documents / path : path;
}

Result<fs::path> save_scene(const fs::path& file, const state::AppState& state,
                            const problem::LaunchSpec* own) {
  fs::path to = file;
  if (to.extension() != kSceneEnding) {
    to += kSceneEnding;
  }
  if (is_there(to) && !is_scene(to)) {
    return fail(tr("{} exists and is no scene, so it is not overwritten. Choose another name.",
                   to.string()));
  }
  std::error_code ignored;
  fs::create_directories(to.parent_path(), ignored);
  const auto written = problem::write_file(to, state::scene_toml(state, own));
  return written ? Result<fs::path>(std::move(to)) : tl::unexpected(written.error());
}

}  // namespace tilestep::workspace

#include "workspace/open_file.h"

#include "problem/describe/catalog.h"
#include "problem/describe/description.h"
#include "problem/describe/toml_reader.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "problem/values/matrix_file.h"
#include "problem/words.h"
#include "state/exporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr Message kUnknownFile =
    "{}: Tilestep does not open files of this kind. It opens kernels (.cu), descriptions and "
    "scenes (.toml), lessons (.md), timing data sets (.json) and matrices (.csv, .npy).";

// Succeeds if the source of `spec` contains a kernel; else the sentence why not.
Result<void> check_kernel_text(const problem::LaunchSpec& spec, const std::string& path) {
  const auto has_kernel = [](const std::string& text) {
    return text.find("__global__") != std::string::npos;
  };
  if (const std::size_t zero = spec.source.find('\0'); zero != std::string::npos) {
    return fail(tr("{}: byte {} is 0, so this is not text. Open the kernel's source.", path, zero));
  }
  if (spec.source.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(tr("{}: the kernel's text is empty. Write a __global__ function into it.", path));
  }
  const bool found =
      has_kernel(spec.source) || std::ranges::any_of(spec.headers, [&](const auto& header) {
        return has_kernel(header.second);
      });
  return found
             ? Result<void>()
             : fail(tr("{}: the text has no __global__ function. Open a file that has one.", path));
}

// Fails if the launch is unknown: the open kernel stays, because nothing could run in its place.
Result<OpenedFile> open_kernel(const std::string& path, const Infer& infer) {
  const auto text = problem::load_source(path);
  TILESTEP_RETURN_IF_ERROR(text);
  TILESTEP_RETURN_IF_ERROR(check_kernel_text(*text, path));
  OpenedFile opened;
  opened.select = path;
  if (auto inferred = infer ? infer(path) : std::nullopt) {
    opened.select = inferred->spec.id;
    opened.notice = std::move(inferred->notice);
    opened.kernel = std::move(inferred->spec);
  } else if (const auto described = problem::load_kernel_file(path); !described) {
    return tl::unexpected(described.error());
  }
  return opened;
}

Result<OpenedFile> open_scene(const std::string& link_or_file) {
  auto scene = load_scene(link_or_file);
  TILESTEP_RETURN_IF_ERROR(scene);
  OpenedFile opened;
  opened.scene = std::move(scene->state);
  opened.kernel = std::move(scene->kernel);
  return opened;
}

// A description names a kernel's entry, a scene does not.
Result<OpenedFile> open_toml(const std::string& path) {
  const auto text = problem::read_file(path);
  const auto table = text ? problem::parse_toml(*text, path) : tl::unexpected(text.error());
  TILESTEP_RETURN_IF_ERROR(table);
  OpenedFile opened;
  if (table->contains("entry")) {
    const auto described = problem::load_kernel_file(path);
    const auto is_kernel =
        described
            ? check_kernel_text(*described,
                                (fs::path(path).parent_path() / described->source_name).string())
            : tl::unexpected(described.error());
    TILESTEP_RETURN_IF_ERROR(is_kernel);
    opened.select = path;
    return opened;
  }
  return open_scene(path);
}

Result<OpenedFile> open_lesson(const std::string& path) {
  auto lesson = lesson::load_lesson(path);
  TILESTEP_RETURN_IF_ERROR(lesson);
  OpenedFile opened;
  opened.lesson = std::move(*lesson);
  return opened;
}

Result<OpenedFile> open_dataset(const std::string& path) {
  auto data = timing::load_dataset(path);
  TILESTEP_RETURN_IF_ERROR(data);
  OpenedFile opened;
  opened.notice = tr("Data set {}: {} points.", data->name, data->points.size());
  opened.dataset = std::move(*data);
  return opened;
}

// A NumPy matrix as text for the state: every number exactly.
Result<std::string> npy_as_csv(const std::string& bytes, const std::string& name) {
  const auto array = problem::parse_npy(bytes, name);
  TILESTEP_RETURN_IF_ERROR(array);
  constexpr std::uint64_t kMostRows = 1U << 20U;
  if (array->shape.size() != 2 || array->shape[0] > kMostRows || array->shape[1] > kMostRows) {
    return fail(
        tr("{}: the array has {} dimensions, but a matrix has two. Save a matrix: numpy.save(name, "
           "a.reshape(rows, columns)).",
           name, array->shape.size()));
  }
  const auto rows = static_cast<int>(array->shape[0]);
  const auto cols = static_cast<int>(array->shape[1]);
  const auto elements = problem::elements_of(*array, rows, cols, problem::ElementType::F64, name);
  TILESTEP_RETURN_IF_ERROR(elements);
  std::string text;
  for (std::size_t i = 0; i < elements->size() / sizeof(double); ++i) {
    double value = 0.0;
    std::memcpy(&value, elements->data() + i * sizeof value, sizeof value);
    const bool ends_row = (i + 1) % static_cast<std::size_t>(cols) == 0;
    text += fmt::format("{}{}", value, ends_row ? '\n' : ',');
  }
  return text;
}

Result<OpenedFile> open_matrix(const std::string& path, problem::InputSpec input) {
  input.csv_name = fs::path(path).filename().string();
  Result<std::string> text = problem::read_file(path);
  if (text && path.ends_with(".npy")) {
    text = npy_as_csv(*text, input.csv_name);
  } else if (text) {
    TILESTEP_RETURN_IF_ERROR(problem::parse_matrices(*text, input.csv_name));
  }
  TILESTEP_RETURN_IF_ERROR(text);
  input.pattern = problem::Pattern::Csv;
  input.csv = std::move(*text);
  OpenedFile opened;
  opened.input = std::move(input);
  return opened;
}

constexpr const char* kSceneEnding = ".toml";
constexpr int kMostNames = 1000;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

// "tiled", whatever the title or the path contains.
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

// Whether this file may be overwritten with a scene.
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

constexpr std::string_view kHomeVariable = "$HOME";

fs::path variable_path(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

Result<OpenedFile> open_file(const std::string& path, const problem::InputSpec& input,
                             const Infer& infer) {
  if (state::looks_like_link(path)) {
    return open_scene(path);
  }
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".cu") {
    return open_kernel(path, infer);
  }
  if (ending == ".toml") {
    return open_toml(path);
  }
  if (ending == ".md") {
    return open_lesson(path);
  }
  if (ending == ".json") {
    return open_dataset(path);
  }
  if (ending == ".csv" || ending == ".npy") {
    return open_matrix(path, input);
  }
  return fail(fmt::format(fmt::runtime(kUnknownFile.text()), path));
}

Result<state::SceneText> load_scene(const std::string& link_or_file) {
  if (state::looks_like_link(link_or_file)) {
    return state::read_link(link_or_file);
  }
  const Result<std::string> text = problem::read_file(link_or_file);
  TILESTEP_RETURN_IF_ERROR(text);
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
  const auto& kernels = view.kernels.catalog->kernels;
  const auto shipped = kernels.begin() + static_cast<std::ptrdiff_t>(view.kernels.shipped);
  if (std::any_of(kernels.begin(), shipped,
                  [&](const problem::LaunchSpec& spec) { return spec.id == state.kernel; })) {
    return std::nullopt;
  }
  if (view.run.scene != nullptr && view.run.scene->kernel_id == state.kernel) {
    problem::LaunchSpec own = view.run.scene->spec;
    own.source = view.run.scene->unedited;
    return own;
  }
  auto found = problem::find_spec(*view.kernels.catalog, state.kernel);
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
    return fail(tr("{} exists and is not a scene, so it is not overwritten. Choose another name.",
                   to.string()));
  }
  std::error_code ignored;
  fs::create_directories(to.parent_path(), ignored);
  const auto written = problem::write_file(to, state::scene_toml(state, own));
  return written ? Result<fs::path>(std::move(to)) : tl::unexpected(written.error());
}

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
    return fail(tr("{} already exists. Replace it, or choose another name.", file.string()));
  }
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return fail(tr("The folder {} cannot be created: {}. Choose another.",
                   file.parent_path().string(), error.message()));
  }
  return {};
}

}  // namespace tilestep::workspace

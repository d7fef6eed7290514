#include "workspace/open_file.h"

#include "problem/describe/catalog.h"
#include "problem/describe/toml_reader.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "problem/values/csv.h"
#include "problem/values/npy.h"
#include "problem/words.h"
#include "workspace/scene_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr Message kUnknownFile =
    "{}: Tilestep does not open files of this kind. It opens kernels (.cu), descriptions and "
    "scenes (.toml), lessons (.md), timing data sets (.json) and matrices (.csv, .npy).";

// What `spec` starts is a text with a kernel in it; else the sentence why not.
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

// Refused where its launch is not known: what is open stays, as nothing could run in its place.
Result<OpenedFile> open_kernel(const std::string& path, const Infer& infer) {
  const auto text = problem::load_source(path);
  if (!text) {
    return tl::unexpected(text.error());
  }
  if (const auto is_kernel = check_kernel_text(*text, path); !is_kernel) {
    return tl::unexpected(is_kernel.error());
  }
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

// A description names a kernel's entry, which no scene does.
Result<OpenedFile> open_toml(const std::string& path) {
  const auto text = problem::read_file(path);
  const auto table = text ? problem::parse_toml(*text, path) : tl::unexpected(text.error());
  if (!table) {
    return tl::unexpected(table.error());
  }
  OpenedFile opened;
  if (table->contains("entry")) {
    const auto described = problem::load_kernel_file(path);
    const auto is_kernel =
        described
            ? check_kernel_text(*described,
                                (fs::path(path).parent_path() / described->source_name).string())
            : tl::unexpected(described.error());
    if (!is_kernel) {
      return tl::unexpected(is_kernel.error());
    }
    opened.select = path;
    return opened;
  }
  auto scene = load_scene(path);
  if (!scene) {
    return tl::unexpected(scene.error());
  }
  opened.scene = std::move(scene->state);
  opened.kernel = std::move(scene->kernel);
  return opened;
}

Result<OpenedFile> open_lesson(const std::string& path) {
  auto lesson = lesson::load_lesson(path);
  if (!lesson) {
    return tl::unexpected(lesson.error());
  }
  OpenedFile opened;
  opened.lesson = std::move(*lesson);
  return opened;
}

Result<OpenedFile> open_dataset(const std::string& path) {
  auto data = timing::load_dataset(path);
  if (!data) {
    return tl::unexpected(data.error());
  }
  OpenedFile opened;
  opened.notice = tr("Data set {}: {} points.", data->name, data->points.size());
  opened.dataset = std::move(*data);
  return opened;
}

// A matrix of NumPy's as the text that the state holds: every number exactly.
Result<std::string> npy_as_csv(const std::string& bytes, const std::string& name) {
  const auto array = problem::parse_npy(bytes, name);
  if (!array) {
    return tl::unexpected(array.error());
  }
  constexpr std::uint64_t kMostRows = 1U << 20U;
  if (array->shape.size() != 2 || array->shape[0] > kMostRows || array->shape[1] > kMostRows) {
    return fail(
        tr("{}: the array has {} dimensions, a matrix has two. Save a matrix: numpy.save(name, "
           "a.reshape(rows, columns)).",
           name, array->shape.size()));
  }
  const auto rows = static_cast<int>(array->shape[0]);
  const auto cols = static_cast<int>(array->shape[1]);
  const auto elements = problem::elements_of(*array, rows, cols, problem::ElementType::F64, name);
  if (!elements) {
    return tl::unexpected(elements.error());
  }
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
    if (const auto matrices = problem::parse_matrices(*text, input.csv_name); !matrices) {
      return tl::unexpected(matrices.error());
    }
  }
  if (!text) {
    return tl::unexpected(text.error());
  }
  input.pattern = problem::Pattern::Csv;
  input.csv = std::move(*text);
  OpenedFile opened;
  opened.input = std::move(input);
  return opened;
}

}  // namespace

Result<OpenedFile> open_file(const std::string& path, const problem::InputSpec& input,
                             const Infer& infer) {
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

}  // namespace tilestep::workspace

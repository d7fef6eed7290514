#include "problem/describe/description.h"
#include "problem/file.h"
#include "problem/source/cuda_text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;

// Links and `..` resolved.
fs::path resolved(const fs::path& file) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(file.empty() ? fs::path(".") : file, error);
  return error ? file : path;
}

bool is_under(const fs::path& file, const fs::path& folder) {
  const fs::path inside = resolved(file).lexically_relative(resolved(folder));
  return !inside.empty() && *inside.begin() != "..";
}

bool is_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

class IncludeReader {
 public:
  explicit IncludeReader(const IncludeFolders& folders) : folders_(folders) {}

  Result<void> read(const std::string& source, const std::string& name, const fs::path& folder) {
    for (const Included& one : includes_of(source)) {
      const Result<void> read = read_one(one, fmt::format("{}:{}", name, one.line), folder);
      if (!read) {
        return read;
      }
    }
    return {};
  }

  std::map<std::string, std::string> headers;

 private:
  Result<void> read_one(const Included& one, const std::string& place, const fs::path& folder) {
    if (one.name.empty()) {
      return fail(
          tr("{}: this #include names its file through a macro, but Tilestep does not expand "
             "macros here. Write the file's name in quotes.",
             place));
    }
    if (headers.contains(one.name)) {
      return {};
    }
    if (fs::path(one.name).is_absolute()) {
      return fail(tr(
          "{}: #include \"{}\" is an absolute path, which is not read. Write \"{}\" and give its "
          "folder: --include {}",
          place, one.name, fs::path(one.name).filename().string(),
          fs::path(one.name).parent_path().string()));
    }
    fs::path outside;
    for (const fs::path& candidate : candidates(one, folder)) {
      if (!is_file(candidate)) {
        continue;
      }
      if (is_allowed(candidate)) {
        return read_file_of(one, candidate);
      }
      outside = outside.empty() ? candidate : outside;
    }
    if (!outside.empty() && !is_host_header(one.name)) {
      return fail(
          tr("{}: #include \"{}\" is outside the kernel's folder and the include folders, so it is "
             "not read. Give its folder: --include {}, or `include` in the description.",
             place, one.name, fs::proximate(resolved(outside).parent_path()).string()));
    }
    return {};
  }

  [[nodiscard]] std::vector<fs::path> candidates(const Included& one,
                                                 const fs::path& folder) const {
    std::vector<fs::path> files;
    if (one.is_quoted) {
      files = {folder / one.name, folders_.kernel / one.name};
    }
    for (const fs::path& given : folders_.given) {
      files.push_back(given / one.name);
    }
    return files;
  }

  [[nodiscard]] bool is_allowed(const fs::path& file) const {
    return is_under(file, folders_.kernel) ||
           std::any_of(folders_.given.begin(), folders_.given.end(),
                       [&](const fs::path& given) { return is_under(file, given); });
  }

  Result<void> read_file_of(const Included& one, const fs::path& file) {
    Result<std::string> text = read_file(file);
    TILESTEP_RETURN_IF_ERROR(text);
    const std::string& kept = headers[one.name] = std::move(*text);
    return read(kept, one.name, file.parent_path());
  }

  const IncludeFolders& folders_;
};

}  // namespace

Result<void> read_data_file(InputSpec& input, const std::filesystem::path& folder) {
  const bool is_file = input.pattern == Pattern::Csv || input.pattern == Pattern::Npy;
  if (!is_file || !input.csv.empty()) {
    return {};
  }
  Result<std::string> text = read_file(folder / input.csv_name);
  TILESTEP_RETURN_IF_ERROR(text);
  input.csv = std::move(*text);
  return {};
}

Result<void> read_data_files(LaunchSpec& spec, const std::filesystem::path& folder) {
  for (std::vector<BufferSpec>* const some : {&spec.buffers, &spec.variables}) {
    for (BufferSpec& buffer : *some) {
      for (InputSpec* const input : {buffer.input ? &*buffer.input : nullptr,
                                     buffer.expected ? &buffer.expected->values : nullptr}) {
        const Result<void> read =
            input == nullptr ? Result<void>() : read_data_file(*input, folder);
        if (!read) {
          return read;
        }
      }
    }
  }
  return {};
}

Result<std::map<std::string, std::string>> read_included(const std::string& source,
                                                         const std::string& source_name,
                                                         const IncludeFolders& folders) {
  for (const fs::path& given : folders.given) {
    std::error_code ignored;
    if (!fs::is_directory(given, ignored)) {
      return fail(
          tr("{}: the include folder {} {}. Correct --include, or `include` in the description.",
             source_name, given.string(),
             fs::exists(given, ignored) ? tr("is a file, not a folder") : tr("does not exist")));
    }
  }
  IncludeReader reader(folders);
  TILESTEP_RETURN_IF_ERROR(reader.read(source, source_name, folders.kernel));
  return std::move(reader.headers);
}

}  // namespace tilestep::problem

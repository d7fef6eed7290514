// What belongs together by its file names.
#include "problem/describe/catalog.h"

#include "problem/describe/data_files.h"
#include "problem/describe/description.h"
#include "problem/describe/guess.h"
#include "problem/describe/includes.h"
#include "problem/file.h"
#include "problem/source/cuda_text.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <algorithm>
#include <string_view>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;

// Everything that a description refers to by file name; values are beside the description, and
// include folders of its own relative to it. `include`: folders from the command line.
Result<void> read_files(LaunchSpec& spec, const fs::path& cu_file, const fs::path& data_folder,
                        const std::vector<fs::path>& include = {}) {
  Result<std::string> source = read_file(cu_file);
  if (!source) {
    return tl::make_unexpected(source.error());
  }
  spec.source = std::move(*source);
  spec.source_name = cu_file.filename().string();
  IncludeFolders folders{cu_file.parent_path(), include};
  for (const std::string& folder : spec.include) {
    folders.given.push_back(data_folder / folder);
  }
  auto headers = read_included(spec.source, spec.source_name, folders);
  if (!headers) {
    return tl::make_unexpected(headers.error());
  }
  spec.headers = std::move(*headers);
  return read_data_files(spec, data_folder);
}

// `source` is for a description that is opened itself. Beside a kernel it may repeat that one's
// name; another one's would be ignored.
Result<void> check_source(const LaunchSpec& spec, const fs::path& source_file,
                          const fs::path& description) {
  const fs::path named = fs::path(spec.source_name).filename();
  if (spec.source_name.empty() || named == source_file.filename()) {
    return {};
  }
  return fail(
      tr("{}: source = {} has no effect, because the kernel that is opened is {}. "
         "Open {} itself, or remove source.",
         description.string(), toml_quoted(spec.source_name), source_file.string(),
         description.string()));
}

Result<LaunchSpec> guess_for(const fs::path& cu_file) {
  const Result<std::string> source = read_file(cu_file);
  if (!source) {
    return tl::make_unexpected(source.error());
  }
  Result<LaunchSpec> guess = guess_launch(*source);
  if (!guess) {
    return fail(
        tr("{}: cannot guess its launch, because {}. Write {} beside it with at least "
           "entry, grid, block, buffers and arguments. `tilestep describe {} --out {}` "
           "proposes one; docs/formats.md has examples.",
           cu_file.string(), guess.error().message,
           fs::path(cu_file).replace_extension(".toml").filename().string(), cu_file.string(),
           fs::path(cu_file).replace_extension(".toml").string()));
  }
  return guess;
}

Result<LaunchSpec> description_for(const fs::path& cu_file, const fs::path& toml_file) {
  std::error_code ignored;
  if (!fs::exists(toml_file, ignored)) {
    return guess_for(cu_file);
  }
  const Result<std::string> text = read_file(toml_file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  return parse_description(*text, toml_file.string());
}

// Whether a [[kernel]] with this text may be the one that is called `kernel`, an instance of it or
// a variation. Where nobody can tell, it may.
bool may_be(std::string_view table, std::string_view kernel) {
  constexpr std::string_view kId = "\nid = \"";
  const std::size_t at = table.find(kId);
  if (at == std::string_view::npos) {
    return true;
  }
  const std::string_view id = table.substr(at + kId.size());
  const std::string_view name = id.substr(0, id.find('"'));
  return kernel.starts_with(name) &&
         (kernel.size() == name.size() || kernel[name.size()] == '_' || kernel[name.size()] == ':');
}

// A catalog's text with empty lines where other kernels are, so that every other line keeps its
// number. Reading all of them costs ten times what reading one does.
std::string text_about(std::string_view text, std::string_view kernel) {
  std::string about;
  for (bool is_wanted = true; !text.empty();) {
    const std::string_view table = text.substr(0, text.find("\n[[", 1));
    if (table.starts_with("\n[[kernel]]")) {
      is_wanted = may_be(table, kernel);
    } else if (!table.starts_with("\n[[kernel.")) {
      is_wanted = true;
    }
    about += is_wanted ? std::string(table) : std::string(std::ranges::count(table, '\n'), '\n');
    text.remove_prefix(table.size());
  }
  return about;
}

Result<void> read_catalog_files(LaunchSpec& kernel, const fs::path& catalog) {
  if (kernel.id.empty() || kernel.source_name.empty()) {
    return fail(tr("{}: kernel '{}' needs an id and a source.", catalog.string(),
                   kernel.id.empty() ? kernel.entry : kernel.id));
  }
  const fs::path dir = catalog.parent_path();
  if (const Result<void> read = read_files(kernel, dir / kernel.source_name, dir); !read) {
    return fail(tr("{}: kernel '{}': {}", catalog.string(), kernel.id, read.error().message));
  }
  return {};
}

// The table of winners, where there is one.
Result<void> read_best(Catalog& catalog, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return {};
  }
  const Result<std::string> text = read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<BestTable> table = parse_best(*text, file.string());
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  catalog.best = std::move(*table);
  return check_winners(catalog, file.string());
}

}  // namespace

Result<Catalog> load_catalog(const fs::path& dir, const std::string& wanted) {
  const fs::path file = dir / "catalog.toml";
  const Result<std::string> text = read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<Catalog> catalog =
      parse_descriptions(wanted.empty() ? *text : text_about(*text, wanted), file.string());
  if (!catalog) {
    return catalog;
  }
  if (!wanted.empty() && !names_file(wanted) && catalog->find(wanted) == nullptr) {
    return load_catalog(dir);  // best_by_size, or the ids for whoever mistyped one
  }
  for (std::vector<LaunchSpec>* const list : {&catalog->kernels, &catalog->candidates}) {
    for (LaunchSpec& kernel : *list) {
      if (const Result<void> read = read_catalog_files(kernel, file); !read) {
        return tl::make_unexpected(read.error());
      }
    }
  }
  for (Preset& preset : catalog->presets) {
    const Result<void> read = preset.input ? read_data_file(*preset.input, dir) : Result<void>();
    if (!read) {
      return fail(tr("{}: preset '{}': {}", file.string(), preset.id, read.error().message));
    }
  }
  if (wanted.empty()) {
    if (const Result<void> read = read_best(*catalog, dir / "best_by_size.toml"); !read) {
      return tl::make_unexpected(read.error());
    }
  }
  return catalog;
}

Result<LaunchSpec> load_source(const fs::path& cu_file, const std::vector<fs::path>& include) {
  LaunchSpec spec;
  if (const Result<void> read = read_files(spec, cu_file, cu_file.parent_path(), include); !read) {
    return tl::make_unexpected(read.error());
  }
  spec.id = spec.title = cu_file.stem().string();
  return spec;
}

Result<LaunchSpec> load_kernel_file(const fs::path& source_file, const fs::path& description,
                                    const std::vector<fs::path>& include) {
  const Result<std::string> text = read_file(description);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<LaunchSpec> spec = parse_description(*text, description.string());
  if (!spec) {
    return spec;
  }
  if (const Result<void> same = check_source(*spec, source_file, description); !same) {
    return tl::make_unexpected(same.error());
  }
  if (const Result<void> read = read_files(*spec, source_file, description.parent_path(), include);
      !read) {
    return tl::make_unexpected(read.error());
  }
  spec->id = spec->id.empty() ? source_file.stem().string() : spec->id;
  spec->title = spec->title.empty() ? spec->id : spec->title;
  return spec;
}

Result<LaunchSpec> load_kernel_file(const fs::path& cu_file, const std::vector<fs::path>& include) {
  const bool from_toml = cu_file.extension() == ".toml";
  const fs::path toml_file = fs::path(cu_file).replace_extension(".toml");
  fs::path source_file = fs::path(cu_file).replace_extension(".cu");
  if (!from_toml) {
    source_file = cu_file;
  }
  Result<LaunchSpec> spec = description_for(source_file, toml_file);
  if (!spec) {
    return spec;
  }
  if (from_toml && !spec->source_name.empty()) {
    source_file = toml_file.parent_path() / spec->source_name;
  }
  if (const Result<void> same = check_source(*spec, source_file, toml_file); !same) {
    return tl::make_unexpected(same.error());
  }
  if (const Result<void> read = read_files(*spec, source_file, toml_file.parent_path(), include);
      !read) {
    return tl::make_unexpected(read.error());
  }
  if (spec->id.empty()) {
    spec->id = source_file.stem().string();
  }
  if (spec->title.empty()) {
    spec->title = spec->id;
  }
  return spec;
}

}  // namespace tilestep::problem

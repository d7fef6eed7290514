// Paths of files that belong together by name.
#include "problem/describe/catalog.h"

#include "problem/describe/description.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;

// Reads every file that a description names: values from beside the description, and its own
// include folders relative to it. `include`: folders from the command line.
Result<void> read_files(LaunchSpec& spec, const fs::path& cu_file, const fs::path& data_folder,
                        const std::vector<fs::path>& include = {}) {
  Result<std::string> source = read_file(cu_file);
  TILESTEP_RETURN_IF_ERROR(source);
  spec.source = std::move(*source);
  spec.source_name = cu_file.filename().string();
  IncludeFolders folders{cu_file.parent_path(), include};
  for (const std::string& folder : spec.include) {
    folders.given.push_back(data_folder / folder);
  }
  auto headers = read_included(spec.source, spec.source_name, folders);
  TILESTEP_RETURN_IF_ERROR(headers);
  spec.headers = std::move(*headers);
  return read_data_files(spec, data_folder);
}

// `source` is for a description that is opened itself. A description beside a kernel may repeat
// that kernel's name; another name would be ignored.
Result<void> check_source(const LaunchSpec& spec, const fs::path& source_file,
                          const fs::path& description) {
  const fs::path named = fs::path(spec.source_name).filename();
  if (spec.source_name.empty() || named == source_file.filename()) {
    return {};
  }
  return fail(
      tr("{}: `source` = {} has no effect, because the kernel that is opened is {}. Open {} "
         "itself, or remove `source`.",
         description.string(), toml_quoted(spec.source_name), source_file.string(),
         description.string()));
}

Result<LaunchSpec> guess_for(const fs::path& cu_file) {
  const Result<std::string> source = read_file(cu_file);
  TILESTEP_RETURN_IF_ERROR(source);
  Result<LaunchSpec> guess = guess_launch(*source);
  if (!guess) {
    return fail(
        tr("{}: Tilestep cannot guess its launch, because {}. Write {} in the same folder, with at "
           "least entry, grid, block, buffers and arguments. `tilestep describe {} --out {}` "
           "proposes one; docs/formats/launch.md has examples.",
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
  TILESTEP_RETURN_IF_ERROR(text);
  return parse_description(*text, toml_file.string());
}

// Whether a [[kernel]] with this text may be `kernel`, an instance of it or a variation. True if
// that is undecidable.
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

// A catalog's text with other kernels replaced by empty lines, so that line numbers are unchanged.
// Reading all kernels costs ten times what reading one does.
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

// Reads the table of winners, if there is one.
Result<void> read_best(Catalog& catalog, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return {};
  }
  const Result<std::string> text = read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  Result<BestTable> table = parse_best(*text, file.string());
  TILESTEP_RETURN_IF_ERROR(table);
  catalog.best = std::move(*table);
  return check_winners(catalog, file.string());
}

// BLOCK_SIZEs of kernels that are not timed: small ones for every lane count, then common choices.
// Timed kernels need every BLOCK_SIZE, because every point of a plot opens on the stage.
constexpr std::array kUsualBlockSizes{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, kLargestBlockSize};

std::vector<int> shipped_block_sizes(const LaunchSpec& spec) {
  if (!spec.timed) {
    return {kUsualBlockSizes.begin(), kUsualBlockSizes.end()};
  }
  std::vector<int> all(kLargestBlockSize);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

template <class Entry>
const Entry* find_by_id(const std::vector<Entry>& entries, const std::string& id) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.id == id; });
  return found == entries.end() ? nullptr : &*found;
}

template <class Entry>
std::string ids_of(const std::vector<Entry>& entries) {
  std::string known;
  for (const Entry& entry : entries) {
    known += (known.empty() ? "" : ", ") + entry.id;
  }
  return known;
}

}  // namespace

Result<Catalog> load_catalog(const fs::path& dir, const std::string& wanted,
                             Expressions expressions) {
  const fs::path file = dir / "catalog.toml";
  const Result<std::string> text = read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  Result<Catalog> catalog = parse_descriptions(wanted.empty() ? *text : text_about(*text, wanted),
                                               file.string(), expressions);
  if (!catalog) {
    return catalog;
  }
  if (!wanted.empty() && !names_file(wanted) && catalog->find(wanted) == nullptr) {
    // best_by_size, or a mistyped id whose error lists all ids
    return load_catalog(dir, "", expressions);
  }
  for (std::vector<LaunchSpec>* const list : {&catalog->kernels, &catalog->candidates}) {
    for (LaunchSpec& kernel : *list) {
      TILESTEP_RETURN_IF_ERROR(read_catalog_files(kernel, file));
    }
  }
  for (Preset& preset : catalog->presets) {
    const Result<void> read = preset.input ? read_data_file(*preset.input, dir) : Result<void>();
    if (!read) {
      return fail(tr("{}: preset '{}': {}", file.string(), preset.id, read.error().message));
    }
  }
  if (wanted.empty()) {
    TILESTEP_RETURN_IF_ERROR(read_best(*catalog, dir / "best_by_size.toml"));
  }
  return catalog;
}

Result<LaunchSpec> load_source(const fs::path& cu_file, const std::vector<fs::path>& include) {
  LaunchSpec spec;
  TILESTEP_RETURN_IF_ERROR(read_files(spec, cu_file, cu_file.parent_path(), include));
  spec.id = spec.title = cu_file.stem().string();
  return spec;
}

Result<LaunchSpec> load_kernel_file(const fs::path& source_file, const fs::path& description,
                                    const std::vector<fs::path>& include) {
  const Result<std::string> text = read_file(description);
  TILESTEP_RETURN_IF_ERROR(text);
  Result<LaunchSpec> spec = parse_description(*text, description.string());
  if (!spec) {
    return spec;
  }
  TILESTEP_RETURN_IF_ERROR(check_source(*spec, source_file, description));
  TILESTEP_RETURN_IF_ERROR(read_files(*spec, source_file, description.parent_path(), include));
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
  TILESTEP_RETURN_IF_ERROR(check_source(*spec, source_file, toml_file));
  TILESTEP_RETURN_IF_ERROR(read_files(*spec, source_file, toml_file.parent_path(), include));
  if (spec->id.empty()) {
    spec->id = source_file.stem().string();
  }
  if (spec->title.empty()) {
    spec->title = spec->id;
  }
  return spec;
}

const LaunchSpec* Catalog::find(const std::string& id) const {
  const LaunchSpec* const kernel = find_by_id(kernels, id);
  return kernel != nullptr ? kernel : find_by_id(candidates, id);
}

const std::vector<std::string>* Catalog::contrast_of(const std::string& id) const {
  const auto found = std::ranges::find_if(contrasts, [&](const std::vector<std::string>& ids) {
    return std::ranges::find(ids, id) != ids.end();
  });
  return found == contrasts.end() ? nullptr : &*found;
}

const Preset* Catalog::find_preset(const std::string& id) const {
  return find_by_id(presets, id);
}

bool names_file(const std::string& kernel) {
  return kernel.find_first_of("./") != std::string::npos;
}

Result<LaunchSpec> find_spec(const Catalog& catalog, const std::string& kernel,
                             const std::vector<std::filesystem::path>& include) {
  if (const LaunchSpec* spec = catalog.find(kernel)) {
    return *spec;
  }
  if (names_file(kernel)) {
    return load_kernel_file(kernel, include);
  }
  return fail(tr(
      "Kernel '{}' does not exist. Choose from the catalog ({}), or write the path of a .cu file.",
      kernel, ids_of(catalog.kernels)));
}

Result<Preset> find_preset(const Catalog& catalog, const std::string& id) {
  if (const Preset* preset = catalog.find_preset(id)) {
    return *preset;
  }
  return fail(
      tr("Preset '{}' does not exist. Choose from the catalog: {}.", id, ids_of(catalog.presets)));
}

std::vector<Family> families(const Catalog& catalog) {
  std::vector<Family> all;
  for (std::size_t i = 0; i < catalog.kernels.size(); ++i) {
    const std::string& name = catalog.kernels[i].family;
    auto family = std::find_if(all.begin(), all.end(),
                               [&](const Family& known) { return known.name == name; });
    if (family == all.end()) {
      family = all.insert(all.end(), Family{name, {}});
    }
    family->kernels.push_back(i);
  }
  return all;
}

std::vector<std::string> timed_kernels(const Catalog& catalog) {
  std::vector<std::string> ids;
  for (const LaunchSpec& spec : catalog.kernels) {
    if (spec.timed) {
      ids.push_back(spec.id);
    }
  }
  return ids;
}

std::vector<const LaunchSpec*> rivals(const Catalog& catalog) {
  const auto competes = [](const LaunchSpec& spec) {
    return spec.timed && !spec.values.empty() && spec.arithmetic.empty();
  };
  std::vector<const LaunchSpec*> all;
  for (const LaunchSpec& spec : catalog.kernels) {
    if (!competes(spec)) {
      continue;
    }
    all.push_back(&spec);
    for (const LaunchSpec& candidate : catalog.candidates) {
      if (competes(candidate) && candidate.id.starts_with(spec.id + ":")) {
        all.push_back(&candidate);
      }
    }
  }
  return all;
}

std::vector<Launch> shipped_launches(const Catalog& catalog, const LaunchSpec& spec) {
  std::vector<Launch> launches;
  for (const int block_size : shipped_block_sizes(spec)) {
    std::vector<Problem> sizes{spec.default_problem.value_or(Problem{})};
    for (const Preset& preset : catalog.presets) {
      sizes.push_back(preset.problem);
    }
    sizes.push_back({block_size, block_size, block_size});
    for (const Problem& size : sizes) {
      if (Result<Launch> launch = evaluate_shape(spec, {size, block_size})) {
        launches.push_back(std::move(*launch));
      }
    }
  }
  return launches;
}

}  // namespace tilestep::problem

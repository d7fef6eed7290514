// Looking things up in a catalog that has been read.
#include "problem/describe/catalog.h"
#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tilestep::problem {
namespace {

// Sweeps take every BLOCK_SIZE, and every point of a plot opens on the stage; otherwise these will
// do: a small one for every lane count, then those that people choose.
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

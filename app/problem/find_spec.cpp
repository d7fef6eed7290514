#include "problem/catalog.h"

#include <fmt/format.h>

namespace tilestep::problem {

Result<LaunchSpec> find_spec(const Catalog& catalog, const std::string& kernel) {
  if (const LaunchSpec* spec = catalog.find(kernel)) {
    return *spec;
  }
  if (kernel.find('.') != std::string::npos || kernel.find('/') != std::string::npos) {
    return load_kernel_file(kernel);
  }
  std::string known;
  for (const LaunchSpec& spec : catalog.kernels) {
    known += (known.empty() ? "" : ", ") + spec.id;
  }
  return fail(fmt::format(
      "There is no kernel '{}'. Name one of the catalog ({}) or the path of a .cu file.", kernel,
      known));
}

}  // namespace tilestep::problem

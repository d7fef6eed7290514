#include "timing/drift.h"

#include "loading/arguments.h"
#include "loading/loader.h"

#include <algorithm>
#include <array>

namespace tilestep::timing {

std::optional<DriftReference> DriftReference::make(gpu::Device& device, compile::Compiler& compiler,
                                                   const problem::Catalog& catalog) {
  const problem::LaunchSpec* const spec = catalog.find("tiled");
  if (spec == nullptr) {
    return std::nullopt;
  }
  const auto shape = problem::evaluate_shape(*spec, {{1024, 1024, 1024}, 16});
  if (!shape) {
    return std::nullopt;
  }
  const auto kernel = loading::load_kernel(compiler, *shape, compile::Build::Fast);
  if (!kernel) {
    return std::nullopt;
  }
  auto code = device.load(kernel->output.ptx, kernel->output.entry);
  if (!code) {
    return std::nullopt;
  }
  DriftReference reference(device);
  std::vector<std::uint64_t> addresses;
  for (const problem::Buffer& buffer : shape->buffers) {
    reference.buffers_.push_back(device.make_buffer(problem::byte_count(buffer)));
    reference.buffers_.back().fill(std::byte{0});
    addresses.push_back(reference.buffers_.back().address());
  }
  auto arguments = loading::pack_arguments(*kernel, *shape, addresses, device.tensor_map_maker());
  if (!arguments) {
    return std::nullopt;
  }
  reference.arguments_ = std::move(*arguments);
  reference.kernel_.emplace(std::move(*code));
  reference.shape_ = {shape->grid, shape->block, shape->dynamic_shared_bytes};
  device.launch(*reference.kernel_, reference.shape_, reference.arguments_);  // loads its code
  return reference;
}

double DriftReference::time() {
  std::array<double, 3> times{};
  for (double& milliseconds : times) {
    milliseconds = device_->time(*kernel_, shape_, arguments_);
  }
  std::sort(times.begin(), times.end());
  return times[1];
}

}  // namespace tilestep::timing

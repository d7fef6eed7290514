#include "gpu/parameters.h"

namespace tilestep::gpu {

std::vector<void*> parameters_of(const DriverApi& api, CuFunction function,
                                 std::span<const std::byte> packed) {
  std::vector<void*> places;
  if (api.func_get_param_info == nullptr) {
    return places;
  }
  // The first begins behind 0 where an alignment of 64 bytes asks for it.
  std::size_t first = 0;
  for (std::size_t end = 0; end < packed.size();) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    if (api.func_get_param_info(function, places.size(), &offset, &bytes) != kCudaSuccess) {
      return {};
    }
    first = places.empty() ? offset : first;
    places.push_back(const_cast<std::byte*>(packed.data()) + (offset - first));
    end = offset - first + bytes;
  }
  return places;
}

}  // namespace tilestep::gpu

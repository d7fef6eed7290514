#include "loading/program.h"

#include "loading/arguments.h"

#include <cstdint>
#include <vector>

namespace tilestep::loading {

Result<std::shared_ptr<const simt::Program>> make_program(const Kernel& kernel,
                                                          const problem::Launch& launch,
                                                          int warp_size) {
  const simt::Program::PackParameters pack = [&](const std::vector<std::uint64_t>& addresses) {
    return pack_arguments(kernel, launch, addresses, machine_tensor_map);
  };
  return simt::Program::make(kernel.module, kernel.entry, launch, pack, warp_size);
}

}  // namespace tilestep::loading

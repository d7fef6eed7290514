#include "ptx/loader.h"
#include "simt/machine.h"

namespace tilestep::simt {

Result<std::shared_ptr<const Program>> Program::make(const ptx::Kernel& kernel,
                                                     const ptx::Kernel* debug,
                                                     const problem::Launch& launch, int warp_size) {
  const PackParameters pack = [&](const std::vector<std::uint64_t>& addresses) {
    return ptx::pack_arguments(kernel, debug, launch, addresses);
  };
  return make(kernel.module, kernel.entry, launch, pack, warp_size);
}

}  // namespace tilestep::simt

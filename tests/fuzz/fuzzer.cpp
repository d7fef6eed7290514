// libFuzzer's entry; TILESTEP_FUZZ_TARGET names the function.
#include "targets.h"

namespace tilestep::fuzz {
void TILESTEP_FUZZ_TARGET(Bytes bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilestep::fuzz::TILESTEP_FUZZ_TARGET({data, size});
  return 0;
}

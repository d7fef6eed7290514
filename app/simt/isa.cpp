#include "simt/isa.h"

namespace tilestep::simt {

Isa best_isa() {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("f16c");
  return has_avx2 ? avx2::isa() : baseline::isa();
}

}  // namespace tilestep::simt

#include "simt/exec/isa.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace tilestep::simt {

#ifdef __x86_64__

namespace {

// Only newer compilers' __builtin_cpu_supports knows these two (Intel SDM volume 2, CPUID).
bool has_lzcnt_and_f16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has_lzcnt = __get_cpuid(0x80000001U, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
  return has_lzcnt && __get_cpuid(1U, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace

Isa best_isa() {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("popcnt") && has_lzcnt_and_f16c();
  return has_avx2 ? avx2::isa() : baseline::isa();
}

#else

Isa best_isa() {
  return baseline::isa();
}

#endif

}  // namespace tilestep::simt

// The host's rounding mode for as long as an instruction with directed rounding executes.
#pragma once

#include "ptx/model/instruction.h"

#include <cfenv>

namespace tilestep::simt {

[[nodiscard]] inline int host_mode(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::Rz:
    case ptx::Rounding::Rzi:
      return FE_TOWARDZERO;
    case ptx::Rounding::Rm:
    case ptx::Rounding::Rmi:
      return FE_DOWNWARD;
    case ptx::Rounding::Rp:
    case ptx::Rounding::Rpi:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// The calls are opaque to the compiler and the lanes are memory, so no operation on them can move
// out of the scope; what is computed inside must come from lanes, not from constants.
class RoundingMode {
 public:
  explicit RoundingMode(ptx::Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(host_mode(rounding));
  }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
  RoundingMode(RoundingMode&&) = delete;
  RoundingMode& operator=(RoundingMode&&) = delete;

 private:
  int before_;
};

}  // namespace tilestep::simt

// A kernel's closed forms (problem::ClosedForm) beside what was counted.
#pragma once

#include "insight/count/profile.h"
#include "problem/launch/launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

struct ComparedForm {
  std::string quantity;  // "loads of A"
  std::string formula;   // "ceil_div(N, BLOCK_SIZE) * M * K"
  std::int64_t expected = 0;
  std::uint64_t counted = 0;

  [[nodiscard]] bool agrees() const {
    return expected >= 0 && static_cast<std::uint64_t>(expected) == counted;
  }
};

// Those of `spec`, in its order; none where the launch breaks a requirement (Launch::not_on_gpu):
// then accesses may be out of range, and those are not counted.
[[nodiscard]] Result<std::vector<ComparedForm>> compare_closed_forms(
    const problem::LaunchSpec& spec, const simt::Program& program, const Profile& profile);

}  // namespace tilestep::insight

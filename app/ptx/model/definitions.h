// Private to app/ptx: where the registers of a function get their values.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

// What tells a register of a function from all others.
[[nodiscard]] constexpr std::uint64_t register_key(Register reg) {
  return (static_cast<std::uint64_t>(reg.cls) << 32U) | reg.index;
}

class Definitions {
 public:
  explicit Definitions(const Function& function);

  // The one instruction that writes `reg`. Nothing when several do, none does, or it does so under
  // a predicate.
  [[nodiscard]] std::optional<std::uint32_t> only_write(Register reg) const;
  // Whether `pc` is reached by a branch, and not only from the instruction before it.
  [[nodiscard]] bool is_branch_target(std::uint32_t pc) const { return branch_targets_[pc]; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> writes_;  // kNoPc: several
  std::vector<bool> branch_targets_;                         // per pc, and one past the end
};

}  // namespace tilestep::ptx

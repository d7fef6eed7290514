// Which registers an instruction finds with values that some path from there may read.
#pragma once

#include "ptx/model/module.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::ptx {

class Liveness {
 public:
  // Of the whole function, once. It must outlive this.
  explicit Liveness(const Function& function);

  // Where control comes to `pc`, these may be read before they are written: a write under a guard
  // does not count as one.
  [[nodiscard]] std::vector<Register> at(std::uint32_t pc) const;

 private:
  const Function& function_;
  std::vector<std::vector<std::uint64_t>> live_;  // by pc; a bit for each of Function::registers
};

}  // namespace tilestep::ptx

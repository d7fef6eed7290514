// What an instruction says about the order of memory accesses (PTX ISA, "Memory Consistency
// Model"): as far as other blocks see it, so what is of scope .cta says nothing.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

struct MemoryOrder {
  bool strong = false;   // an access that others may meet: an atomic, .volatile, .relaxed, …
  bool release = false;  // a fence, or an access with one in front of it
};

// Of every instruction of a module.
class MemoryOrders {
 public:
  explicit MemoryOrders(const ptx::Module& module);

  [[nodiscard]] MemoryOrder of(std::uint32_t function, std::uint32_t pc) const {
    return orders_[function][pc];
  }

 private:
  std::vector<std::vector<MemoryOrder>> orders_;  // by function and instruction
};

}  // namespace tilestep::insight

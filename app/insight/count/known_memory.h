// What a proof knows of memory: how values that were stored change from block to block.
#pragma once

#include "insight/count/block_domain.h"

#include <cstdint>
#include <map>
#include <utility>

namespace tilestep::insight {

// By owner (the thread of local memory, one for shared memory) and address.
class KnownMemory {
 public:
  [[nodiscard]] bool empty() const { return values_.empty(); }
  void clear() { values_.clear(); }
  // Whatever these bytes held is forgotten; a form that is not `known` is not kept.
  void store(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes, const Form& form);
  // Not `known` where nothing was stored, or something of another width.
  [[nodiscard]] Form load(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes) const;

 private:
  struct Value {
    std::uint32_t bytes = 0;
    Form form;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Value> values_;
};

}  // namespace tilestep::insight

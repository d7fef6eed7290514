// Whether each element of the launch's buffers is stored by one block at most, and no block reads
// what another one stores: then blocks cannot race, and any of them can be executed by itself.
#pragma once

#include "insight/count/block_meter.h"
#include "simt/machine/program.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

class ExclusiveStores {
 public:
  // One bit for each element of a buffer.
  explicit ExclusiveStores(const simt::Program& program);

  // What the blocks of a range touch whose first one was watched by `meter`.
  void add(const BlockMeter& meter, const BlockRange& range);
  // Why it is not so; empty: it is, as far as was added.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // Some block stores each of the buffer's elements.
  [[nodiscard]] bool covers(std::size_t buffer) const;

 private:
  void store(std::size_t buffer, const BlockMeter::Footprint& footprint, const BlockRange& range);
  // False: one of them was there.
  [[nodiscard]] static bool set_bits(std::vector<std::uint64_t>& bits, std::size_t first,
                                     std::size_t count);

  const simt::Program& program_;
  std::vector<std::vector<std::uint64_t>> stored_;  // by buffer; a bit an element, pitch included
  std::vector<bool> read_;                          // by buffer: by somebody else than its storer
  std::string failure_;
};

}  // namespace tilestep::insight

// A launch's counters from its accesses.
//
// Most accesses have a shape that was seen before: they are only numbered here, by shape, and added
// up when somebody asks.
#pragma once

#include "insight/count/access_shape.h"
#include "insight/count/counters.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

[[nodiscard]] std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program);

class AccessTally {
 public:
  explicit AccessTally(const simt::Program& program);
  ~AccessTally() = default;
  AccessTally(const AccessTally&) = delete;
  AccessTally& operator=(const AccessTally&) = delete;
  AccessTally(AccessTally&&) = delete;
  AccessTally& operator=(AccessTally&&) = delete;

  // Counts a global or shared access; its shape is valid until the next call.
  Shape& note(const simt::StepInfo& info, const simt::MemoryEvent& event) {
    Shape& shape = shapes_.find(info, event);
    const bool shared = event.space == ptx::Space::Shared;
    if (!shape.one_window || event.is_arrival || event.agent != simt::AccessAgent::Thread ||
        ptx::is_mbarrier(*info.instruction)) [[unlikely]] {
      note_apart(info, event, shape);
    } else if (shared && !shape.skips_l1) {
      ++shape.uses[0];
    } else {
      const std::uint32_t sectors = ShapeCache::sectors(shape, event);
      ++shape.uses[first_address(event) / 4 % 8];
      // A copy that only stores zeros loads nothing: add() will count its sectors all the same.
      counters_.global_loads.sectors -= shared && !copy_loads_ ? sectors : 0;
    }
    copy_loads_ = event.skips_l1 && !shared;
    return shape;
  }

  // As many loads of a run as go through one register: their shape is the first one's, a constant
  // number of whole words further on (see is_word_groups). Shared memory only.
  Shape& note_run(const simt::StepInfo& info, const simt::MemoryEvent& first, std::uint64_t count) {
    Shape& shape = shapes_.find(info, first);
    shape.uses[0] += count;
    return shape;
  }

  // Adds up. A word of several elements counts as all of them. warp_instructions is not known here.
  [[nodiscard]] const Counters& counters() {
    shapes_.for_each([this](Shape& shape) { add(shape); });
    return counters_;
  }

 private:
  // Lanes that reach several buffers, through pointers chosen by lane; copies that arrive; what
  // units access; mbarriers, which from compute capability 9.0 on are no access of the load/store
  // unit: Nsight Compute counts neither a request nor a wavefront for them
  // (docs/reports/counters.md).
  void note_apart(const simt::StepInfo& info, const simt::MemoryEvent& event, Shape& shape);
  void add(Shape& shape);
  void add_elements(simt::AccessKind kind, std::uint64_t window, std::uint32_t bytes,
                    std::uint64_t accesses);

  ShapeCache shapes_;
  std::vector<std::uint32_t> element_bytes_;  // by launch buffer
  Counters counters_;
  bool copy_loads_ = false;  // the access before was the load of a copy past the L1 cache
};

}  // namespace tilestep::insight

// What a launch costs, counted from executed instructions. Defined as Nsight Compute defines them
// (docs/insight/counters.md).
#pragma once

#include "insight/count/access_layout.h"
#include "simt/machine/machine.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::insight {

struct AccessCounters {
  std::uint64_t requests = 0;    // warp-wide instructions with at least one active lane
  std::uint64_t elements = 0;    // per-lane accesses
  std::uint64_t sectors = 0;     // global: distinct 32-byte sectors, summed over requests
  std::uint64_t wavefronts = 0;  // shared: passes through the 32 banks, summed over requests
  std::uint64_t bytes = 0;
};

struct BufferCounters {
  std::uint64_t loads = 0;  // per-lane element accesses
  std::uint64_t stores = 0;
};

struct Counters {
  std::uint64_t warp_instructions = 0;
  AccessCounters global_loads, global_stores, global_atomics;
  AccessCounters shared_loads, shared_stores, shared_atomics;
  std::vector<BufferCounters> buffers;  // by launch buffer
};

// Attach one to any run of a launch. It cannot see instructions: whoever runs sets
// warp_instructions.
class Counter : public simt::Observer {
 public:
  explicit Counter(const simt::Program& program);
  ~Counter() override;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  Counter(Counter&&) = delete;
  Counter& operator=(Counter&&) = delete;

  void on_memory(const simt::StepInfo&, const simt::MemoryEvent&) override;
  void on_load_run(const simt::StepInfo&, const simt::LoadRun&, simt::MemoryEvent&) override;
  [[nodiscard]] const Counters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Executes a launch to its end and counts. Cancelled: what was counted so far.
[[nodiscard]] Counters count(const std::shared_ptr<const simt::Program>& program,
                             const std::atomic<bool>* cancel = nullptr);

// Distinct 32-byte sectors of one access.
[[nodiscard]] std::uint32_t count_sectors(const simt::MemoryEvent& event);

// Sectors of a copy that passes the L1 cache by, from its store to shared memory: what Nsight
// Compute counts there are the 32-byte pieces of shared memory that each eight lanes fill, not
// those of global memory that they come from (docs/reports/counters.md).
[[nodiscard]] std::uint32_t count_copy_sectors(const simt::MemoryEvent& event);

// The lanes that shared memory serves together, as masks. 64-bit accesses are served by half warps,
// 128-bit ones by quarters (CUDA C++ Programming Guide, "Shared Memory" of the compute
// capabilities); the two halves, or the two quarters of a half, go together where each lane has the
// address of its neighbour (lane xor 1), or each that of the next but one (xor 2). The last is no
// documented rule: with it the counts of Nsight Compute on an H200 come out
// (docs/reports/counters.md).
[[nodiscard]] std::vector<std::uint32_t> lanes_served_together(const simt::MemoryEvent& event);
// Passes through the 32 banks of 4 bytes that these lanes need: the most distinct words in one
// bank. Lanes that read the same word share a pass.
[[nodiscard]] std::uint32_t bank_passes(const simt::MemoryEvent& event, std::uint32_t lanes);
// Shared-memory wavefronts of one access: the passes of all its groups.
[[nodiscard]] std::uint32_t count_wavefronts(const simt::MemoryEvent& event);

}  // namespace tilestep::insight

// What a launch costs, counted from executed instructions. Defined as Nsight Compute defines them
// (docs/insight.md, "Counters").
#pragma once

#include "simt/machine.h"

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
  [[nodiscard]] const Counters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Executes a launch to its end and counts. Cancelled: what was counted so far.
[[nodiscard]] Counters count(const std::shared_ptr<const simt::Program>& program,
                             const std::atomic<bool>* cancel = nullptr);

// Distinct 32-byte sectors / shared-memory wavefronts (32 banks of 4 bytes) of one access. Lanes
// that read the same word share a pass; 64-bit accesses are served by half warps, 128-bit ones by
// quarters (CUDA C++ Programming Guide, "Shared Memory" of the compute capabilities).
[[nodiscard]] std::uint32_t count_sectors(const simt::MemoryEvent& event);
[[nodiscard]] std::uint32_t count_wavefronts(const simt::MemoryEvent& event);

}  // namespace tilestep::insight

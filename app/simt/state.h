// The state of a machine: everything a copy has to copy.
#pragma once

#include "simt/aligned_buffer.h"
#include "simt/machine.h"
#include "simt/program_impl.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tilestep::simt {

// Lanes that walk together. The last path of a warp runs; a path below it waits, either for its
// turn or, as a join, at the place where the paths above it come together again. A path ends when
// it arrives at `reconverge`: its lanes are in the join's mask already.
struct Path {
  std::uint32_t pc = 0;
  std::uint32_t reconverge = ptx::kNoPc;
  std::uint32_t mask = 0;
  std::uint32_t depth = 0;  // of the frame it runs in

  friend bool operator==(const Path&, const Path&) = default;
};

struct Frame {
  std::uint32_t function = 0;
  std::uint32_t call_pc = ptx::kNoPc;  // in the frame below
  std::uint32_t offset = 0;            // in the warp's stack
  std::uint32_t local = 0;             // in a lane's local memory

  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Warp {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t existing = 0;  // lanes that have a thread
  std::uint32_t live = 0;      // … that has not exited
  std::uint32_t carry = 0;     // condition code of add.cc and its relatives, one bit a lane
  std::uint32_t barrier = 0;   // AtBarrier: which, where, and the lanes that arrived
  std::uint32_t barrier_pc = 0;
  std::uint32_t barrier_lanes = 0;
  std::vector<Path> paths;
  std::vector<Frame> frames;

  friend bool operator==(const Warp&, const Warp&) = default;
};

inline constexpr std::size_t kBarriers = 16;

struct Barrier {
  std::uint32_t arrived = 0;   // threads, counted by whole warps
  std::uint32_t expected = 0;  // threads; 0: all of the block that have not exited
  std::uint32_t ones = 0;      // bar.red: threads whose predicate holds
  std::uint32_t voters = 0;    // bar.red: threads that brought one

  friend bool operator==(const Barrier&, const Barrier&) = default;
};

// A running block.
struct Block {
  std::uint32_t index = 0;
  std::uint32_t live_warps = 0;  // neither exited nor stopped
  std::uint32_t exited_warps = 0;
  bool has_fault = false;  // a warp was stopped
  std::vector<Warp> warps;
  std::array<Barrier, kBarriers> barriers{};
  // Block rows, shared memory, then each warp's frames and local memory.
  std::uint32_t stack_bytes = 0;  // of one warp
  std::uint32_t local_bytes = 0;  // of one lane
  std::uint32_t shared_offset = 0;
  std::uint32_t warps_offset = 0;
  AlignedBuffer storage;

  [[nodiscard]] std::size_t warp_bytes() const {
    return stack_bytes + std::size_t{local_bytes} * kLanes;
  }
  [[nodiscard]] std::byte* stack(std::uint32_t warp) {
    return storage.data() + warps_offset + warp * warp_bytes();
  }
  [[nodiscard]] const std::byte* stack(std::uint32_t warp) const {
    return storage.data() + warps_offset + warp * warp_bytes();
  }
  [[nodiscard]] std::byte* local(std::uint32_t warp) { return stack(warp) + stack_bytes; }
  [[nodiscard]] const std::byte* local(std::uint32_t warp) const {
    return stack(warp) + stack_bytes;
  }
};

// A buffer or variable. It is the program's own initial contents until the first store.
struct GlobalWindow {
  const std::byte* data = nullptr;
  std::byte* writable = nullptr;  // nullptr: not stored to yet
  std::uint64_t bytes = 0;
  bool read_only = false;
};

struct MachineState {
  std::shared_ptr<const Program> program;
  std::vector<GlobalWindow> windows;
  std::vector<std::vector<std::byte>> stored;  // windows that were stored to
  std::vector<std::unique_ptr<Block>> blocks;  // running ones
  std::vector<BlockStatus> statuses;
  std::uint32_t unfinished = 0;
  std::uint64_t steps = 0;
  std::unique_ptr<Block> spare;  // storage of an ended block, for the next one
  MemoryEvent event;             // room for the one being told

  explicit MachineState(std::shared_ptr<const Program> p);
  MachineState(const MachineState& other);
  MachineState& operator=(const MachineState&) = delete;
  MachineState(MachineState&&) = delete;
  MachineState& operator=(MachineState&&) = delete;
  ~MachineState() = default;

  [[nodiscard]] const Program::Impl& impl() const { return program->impl(); }
  Block& start_block(std::uint32_t block);
  // The block runs no more; what it holds stays readable until release_block.
  void end_block(std::uint32_t block, BlockStatus status);
  void release_block(std::uint32_t block);
  // Gives a window contents of its own.
  void make_writable(std::uint32_t window);
};

struct Machine::Impl {
  explicit Impl(std::shared_ptr<const Program> program) : state(std::move(program)) {}

  MachineState state;
};

// Room for `stack` bytes of frames and `local` bytes of local memory a lane in every warp.
void grow_block(Block& block, std::uint32_t stack, std::uint32_t local);

}  // namespace tilestep::simt

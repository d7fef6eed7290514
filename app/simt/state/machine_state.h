// The state of a machine: everything that a copy contains.
#pragma once

#include "simt/state/bound.h"
#include "simt/state/storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::simt {

// States of warps and blocks.

enum class WarpStatus : std::uint8_t { Ready, AtBarrier, Exited, Stopped /* by a fault */ };
enum class BlockStatus : std::uint8_t { NotStarted, Running, Ended, Stopped };

// The wait of a path at its pc: for other lanes of the warp to arrive at a warp-wide exchange, or
// for the block's barrier to complete.
enum class PathWait : std::uint32_t { None, Warp, Barrier };

// Converged lanes. The last path of a warp runs; a path below it waits for its turn or, as a join,
// at the place where the paths above it reconverge. A path ends when it arrives at `reconverge`:
// its lanes are in the join's mask already.
struct Path {
  std::uint32_t pc = 0;
  std::uint32_t reconverge = ptx::kNoPc;
  std::uint32_t mask = 0;
  std::uint32_t frame = 0;  // index into Warp::frames
  PathWait wait = PathWait::None;
  std::uint32_t arrived = 0;  // waiting: the lanes that execute the instruction
  std::uint32_t members = 0;  // PathWait::Warp: the participating lanes; Barrier: its number

  friend bool operator==(const Path&, const Path&) = default;
};

inline constexpr std::uint32_t kNoFunction = 0xffffffffU;

// A call, of all lanes that made it together. Paths in different calls have separate frames.
struct Frame {
  std::uint32_t function = 0;          // kNoFunction: a free entry of Warp::frames
  std::uint32_t call_pc = ptx::kNoPc;  // in the caller's frame
  std::uint32_t offset = 0;            // in the warp's stack
  std::uint32_t local = 0;             // in a lane's local memory
  std::uint32_t caller = 0;            // index into Warp::frames
  std::uint32_t depth = 0;             // calls below it

  friend bool operator==(const Frame&, const Frame&) = default;
};

// One cp.async of a warp that has not arrived in shared memory yet.
struct AsyncCopy {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;
  std::array<std::uint64_t, kLanes> from{};
  std::array<std::uint64_t, kLanes> to{};
  std::array<std::uint8_t, kLanes> given{};   // bytes that are read; zeros fill the rest
  std::array<std::uint32_t, kLanes> group{};  // by lane, its group

  friend bool operator==(const AsyncCopy&, const AsyncCopy&) = default;
};

// One cp.async.bulk of a thread that has not been performed yet. `map` is the generic address of a
// tensor map; 0: a copy of `bytes` consecutive bytes.
struct BulkCopy {
  WarpId issuer;
  std::uint32_t lane = 0;
  std::uint32_t function = 0;
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;
  bool to_shared = true;
  std::uint64_t shared = 0;  // generic
  std::uint64_t global = 0;
  std::uint64_t map = 0;
  std::array<std::int32_t, 2> at{};  // column, row of the box's first element
  std::uint32_t bytes = 0;
  std::uint64_t mbarrier = 0;  // generic; it counts the bytes; 0: a group waits for them
  std::uint32_t group = 0;     // of the thread

  friend bool operator==(const BulkCopy&, const BulkCopy&) = default;
};

// One wgmma of a warp that it has not waited for yet, with its reads of shared memory.
struct WarpgroupProduct {
  std::uint32_t pc = 0;
  std::uint32_t group = 0;
  std::array<std::uint64_t, 2> descriptors{};  // of A and B; A: 0 if it is in registers
  std::uint32_t columns = 0;                   // of B

  friend bool operator==(const WarpgroupProduct&, const WarpgroupProduct&) = default;
};

// The instructions of the kernel that would only repeat their last writes (bind_shared_work.cpp),
// by bit. Machines that differ in this alone are equal.
struct Settled {
  std::uint64_t bits = 0;

  friend bool operator==(const Settled&, const Settled&) { return true; }
};

// The fields of a warp and a block except their vectors: plain words for packing.
struct WarpHead {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t existing = 0;  // lanes that have a thread
  std::uint32_t live = 0;      // existing lanes that have not exited
  std::uint32_t carry = 0;     // condition code of add.cc and its relatives, one bit per lane
  std::uint32_t barrier = 0;   // AtBarrier: which, where, and the lanes that arrived
  std::uint32_t barrier_pc = 0;
  std::uint32_t barrier_lanes = 0;
  std::uint32_t polls = 0;        // polls in a row that saw nothing new (executors_atomic.cpp)
  std::uint32_t yields = 0;       // times that it had nothing to do but poll
  std::uint32_t vain_yields = 0;  // yields since a poll last saw something new
  std::uint32_t same_yields = 0;  // vain yields in a row with unchanged registers and paths
  std::uint32_t turns = 0;        // turns of its paths in a row that only polled
  std::uint32_t arrivals = 0;     // at barriers that it waits at
  // Lanes that have stored something since they diverged from the rest of the warp; lanes that have
  // exited stay.
  std::uint32_t stored_apart = 0;
  std::uint32_t product_groups = 0;       // wgmma: groups committed
  std::array<std::uint64_t, 8> polled{};  // what the last polls saw, by pc and lanes
  std::uint64_t standing = 0;             // hash of its registers and paths at the last vain yield
  Settled settled;

  friend bool operator==(const WarpHead&, const WarpHead&) = default;
};

struct Warp : WarpHead {
  std::vector<Path> paths;
  std::vector<Frame> frames;
  std::vector<AsyncCopy> copies;           // cp.async: under way
  std::vector<std::uint32_t> copy_groups;  // by lane, groups committed; empty: none ever
  std::vector<std::uint32_t> bulk_groups;  // the same for cp.async.bulk
  std::vector<WarpgroupProduct> products;  // wgmma: under way

  friend bool operator==(const Warp&, const Warp&) = default;
};

inline constexpr std::size_t kBarriers = 16;

struct Barrier {
  std::uint32_t arrived = 0;   // threads, counted by whole warps
  std::uint32_t expected = 0;  // threads; 0: all of the block that have not exited
  std::uint32_t ones = 0;      // bar.red: threads whose predicate is true
  std::uint32_t voters = 0;    // bar.red: threads with a predicate
  std::uint32_t passers = 0;   // bar.arrive: warps that do not wait

  friend bool operator==(const Barrier&, const Barrier&) = default;
};

struct BlockHead {
  std::uint32_t index = 0;
  std::uint32_t live_warps = 0;  // neither exited nor stopped
  std::uint32_t exited_warps = 0;
  bool has_fault = false;  // a warp was stopped
  std::array<Barrier, kBarriers> barriers{};
  // Layout: block rows, shared memory, then each warp's frames and local memory.
  std::uint32_t stack_bytes = 0;  // per warp
  std::uint32_t local_bytes = 0;  // per lane
  std::uint32_t shared_offset = 0;
  std::uint32_t warps_offset = 0;
};

// A running block.
struct Block : BlockHead {
  std::vector<Warp> warps;
  std::vector<BulkCopy> bulk_copies;  // under way
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

// A buffer or variable. Until the first store it is the program's own initial contents.
struct GlobalWindow {
  const std::byte* data = nullptr;
  std::byte* writable = nullptr;  // nullptr: not stored to yet
  std::uint64_t bytes = 0;
  bool read_only = false;
  bool is_zero = false;  // all zeros, until the first store
  bool is_heap = false;  // only memory from malloc() exists: MachineState::heap
};

// A piece of memory from malloc(), as offsets in its window. At least 16 bytes separate two pieces,
// so that an access just past one is in none.
struct HeapPiece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const HeapPiece&, const HeapPiece&) = default;
};

struct MachineState {
  std::shared_ptr<const ProgramData> program;
  std::vector<GlobalWindow> windows;
  std::vector<std::vector<std::byte>> stored;  // windows that were stored to
  std::vector<ZeroedBytes> stored_on_zeros;    // stored windows that were zero before
  BlockTable<CopyOnWrite<Block>> blocks;       // running ones
  BlockTable<BlockStatus> statuses;            // of the blocks that the machine runs
  std::vector<HeapPiece> heap;                 // by place
  std::uint32_t unfinished = 0;
  std::uint64_t steps = 0;
  bool leaves_out_products = false;  // Machine::leave_out_products()
  std::shared_ptr<Block> spare;      // storage of an ended block, for the next one
  MemoryEvent event;                 // reused for the access being reported
  // Packed (Machine::packed): the running blocks; `blocks` is empty then.
  std::vector<std::uint32_t> packed;

  enum class Form { Plain, Packed };
  MachineState(std::shared_ptr<const ProgramData> p, BlockPart part);
  MachineState(const MachineState& other) : MachineState(other, Form::Plain) {}
  // Converts between the forms. Precondition: `other` or `form` is Plain.
  MachineState(const MachineState& other, Form form);
  MachineState& operator=(const MachineState&) = delete;
  MachineState(MachineState&&) = delete;
  MachineState& operator=(MachineState&&) = delete;
  ~MachineState() = default;

  [[nodiscard]] const ProgramData& data() const { return *program; }
  Block& start_block(std::uint32_t block);
  // The block no longer runs; its contents stay readable until release_block.
  void end_block(std::uint32_t block, BlockStatus status);
  void release_block(std::uint32_t block);
  // malloc() and free(): an address, or 0 if there is no space left; whether it was allocated.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  [[nodiscard]] bool release(std::uint64_t address);
  // Whether [offset, offset + bytes) of the heap's window is inside one piece from malloc().
  [[nodiscard]] bool is_allocated(std::uint64_t offset, std::uint64_t bytes) const;
  // Gives a window its own contents.
  void make_writable(std::uint32_t window);
};

// Size of a block, before calls deeper than those in the program's text.
[[nodiscard]] std::uint64_t block_bytes(const ProgramData& program);

// Packs a block into few words, and unpacks it. The block must stay in place until the next one has
// been packed or unpacked.
void pack_block(WordPacker& packer, const Block& block);
[[nodiscard]] std::shared_ptr<Block> unpack_block(WordUnpacker& unpacker, std::size_t warps);

// Makes room for `stack` bytes of frames and, per lane, `local` bytes of local memory in every
// warp.
void grow_block(Block& block, std::uint32_t stack, std::uint32_t local);

}  // namespace tilestep::simt

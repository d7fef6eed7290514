#include "simt/state/machine_state.h"

#include "problem/problem.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

namespace tilestep::simt {
namespace {

[[nodiscard]] std::uint32_t rows_up(std::uint64_t bytes, std::uint32_t align) {
  return static_cast<std::uint32_t>(align_up(bytes, align));
}

void lay_out(Block& block, const ProgramData& program) {
  block.shared_offset = kBlockRows;
  block.warps_offset = rows_up(kBlockRows + program.memory.shared_room(), kLongRow);
  block.stack_bytes = rows_up(program.stack_bytes, kLongRow);
  block.local_bytes = rows_up(program.local_bytes, 16);
}

void start_warp(Warp& warp, const ProgramData& program, std::uint32_t number) {
  warp.status = WarpStatus::Ready;
  warp.existing = program.existing_lanes(number);
  warp.live = warp.existing;
  warp.carry = 0;
  warp.barrier = 0;
  warp.barrier_pc = 0;
  warp.barrier_lanes = 0;
  warp.polls = 0;
  warp.yields = 0;
  warp.vain_yields = 0;
  warp.same_yields = 0;
  warp.standing = 0;
  warp.turns = 0;
  warp.arrivals = 0;
  warp.stored_apart = 0;
  warp.product_groups = 0;
  warp.polled = {};
  warp.settled = {};
  warp.copies.clear();
  warp.copy_groups.clear();
  warp.bulk_groups.clear();
  warp.products.clear();
  warp.paths.assign(1, Path{0, ptx::kNoPc, warp.existing, 0, PathWait::None, 0, 0});
  warp.frames.assign(1, Frame{program.entry, ptx::kNoPc, 0, 0, 0, 0});
}

void fill_block_rows(Block& block, const ProgramData& program) {
  const problem::Dim3 index = program.launch.grid.at(block.index);
  const std::uint32_t values[] = {index.x, index.y, index.z, block.index};
  std::uint32_t rows[4][kLanes];
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::uint32_t& lane : rows[k]) {
      lane = values[k];
    }
  }
  std::memcpy(block.storage.data(), rows, sizeof rows);
}

// The derived types have no members in their tail padding.
static_assert(sizeof(BlockHead) == offsetof(BlockHead, warps_offset) + sizeof(std::uint32_t));
static_assert(sizeof(WarpHead) == offsetof(WarpHead, settled) + sizeof(Settled));

template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
[[nodiscard]] std::span<std::byte> bytes_of(T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_writable_bytes(std::span(&value, 1));
}

template <class T>
void pack(WordPacker& packer, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  packer.add(std::as_bytes(std::span(values)));
}

template <class T>
void unpack(WordUnpacker& unpacker, std::vector<T>& values) {
  values.resize(unpacker.next_bytes() / sizeof(T));
  unpacker.next(std::as_writable_bytes(std::span(values)));
}

}  // namespace

MachineState::MachineState(std::shared_ptr<const ProgramData> p, BlockPart part)
    : program(std::move(p)),
      stored(data().memory.windows().size()),
      stored_on_zeros(stored.size()),
      blocks(part),
      statuses(part, BlockStatus::Ended),
      unfinished(part.count()) {
  for (const InitialWindow& window : data().memory.windows()) {
    windows.push_back({window.contents.data(), nullptr, window.contents.size(), window.read_only,
                       window.is_zero, windows.size() == data().memory.heap_window()});
  }
}

MachineState::MachineState(const MachineState& other, Form form)
    : program(other.program),
      windows(other.windows),
      stored(other.stored),
      stored_on_zeros(stored.size()),
      blocks(form == Form::Packed ? BlockPart{} : other.statuses.part()),
      statuses(other.statuses),
      heap(other.heap),
      unfinished(other.unfinished),
      steps(other.steps) {
  for (std::size_t w = 0; w < windows.size(); ++w) {
    if (windows[w].writable != nullptr) {
      if (other.stored_on_zeros[w].size() != 0) {
        stored[w].assign(other.windows[w].data, other.windows[w].data + other.windows[w].bytes);
      }
      windows[w].writable = stored[w].data();
      windows[w].data = stored[w].data();
    }
  }
  const bool was_packed = other.blocks.part() != other.statuses.part();
  assert(!was_packed || form == Form::Plain);
  WordPacker packer;
  WordUnpacker unpacker(other.packed);
  for (std::uint32_t b = statuses.part().first; b < statuses.part().last; ++b) {
    if (statuses[b] != BlockStatus::Running) {
      continue;
    }
    if (was_packed) {
      blocks.at(b) = CopyOnWrite(unpack_block(unpacker, data().warps));
    } else if (form == Form::Packed) {
      pack_block(packer, *other.blocks[b]);
    } else {
      blocks.at(b) = other.blocks[b];
    }
  }
  packed = packer.take();
}

void MachineState::make_writable(std::uint32_t window) {
  GlobalWindow& w = windows[window];
  if (w.writable != nullptr) {
    return;
  }
  if (w.is_zero) {
    stored_on_zeros[window] = ZeroedBytes(w.bytes);
    w.writable = stored_on_zeros[window].data();
  } else {
    stored[window].assign(w.data, w.data + w.bytes);
    w.writable = stored[window].data();
  }
  w.data = w.writable;
}

std::uint64_t MachineState::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kAlign = 16;
  const std::uint32_t window = data().memory.heap_window();
  if (bytes == 0 || bytes > kHeapBytes || window == kNoWindow) {
    return 0;
  }
  // A piece's size with the gap behind it.
  const auto room = [](std::uint64_t size) {
    return (size + kAlign - 1) / kAlign * kAlign + kAlign;
  };
  const std::uint64_t size = room(bytes);
  std::uint64_t begin = 0;
  auto next = heap.begin();
  while (next != heap.end() && next->begin - begin < size) {
    begin = next->begin + room(next->end - next->begin);
    ++next;
  }
  if (kHeapBytes - begin < size) {
    return 0;
  }
  heap.insert(next, {begin, begin + bytes});
  std::vector<std::byte>& store = stored[window];
  store.resize(std::max<std::size_t>(store.size(), begin + size));
  windows[window].data = store.data();
  windows[window].writable = store.data();
  windows[window].bytes = store.size();
  return kGlobalWindow + window * kWindowBytes + begin;
}

bool MachineState::is_allocated(std::uint64_t offset, std::uint64_t bytes) const {
  const auto next = std::ranges::upper_bound(heap, offset, {}, &HeapPiece::begin);
  return next != heap.begin() && offset + bytes <= std::prev(next)->end;
}

bool MachineState::release(std::uint64_t address) {
  const std::uint64_t base = kGlobalWindow + data().memory.heap_window() * kWindowBytes;
  const auto piece =
      std::ranges::find_if(heap, [&](const HeapPiece& p) { return base + p.begin == address; });
  if (piece == heap.end()) {
    return false;
  }
  heap.erase(piece);
  return true;
}

Block& MachineState::start_block(std::uint32_t block) {
  const ProgramData& source = data();
  std::shared_ptr<Block> fresh = spare ? std::move(spare) : std::make_shared<Block>();
  const bool reused = fresh->storage.size() != 0;
  if (!reused) {
    lay_out(*fresh, source);
    fresh->storage = AlignedBuffer(block_bytes(source));
    fresh->warps.resize(source.warps);
  } else {
    std::memset(fresh->storage.data(), 0, fresh->storage.size());
  }
  fresh->index = block;
  fresh->live_warps = source.warps;
  fresh->exited_warps = 0;
  fresh->has_fault = false;
  fresh->barriers = {};
  for (std::uint32_t number = 0; number < source.warps; ++number) {
    start_warp(fresh->warps[number], source, number);
  }
  fill_block_rows(*fresh, source);
  statuses.at(block) = BlockStatus::Running;
  Block& started = *fresh;
  blocks.at(block) = CopyOnWrite(std::move(fresh));
  return started;
}

void MachineState::end_block(std::uint32_t block, BlockStatus status) {
  statuses.at(block) = status;
  --unfinished;
}

void MachineState::release_block(std::uint32_t block) {
  spare = blocks.at(block).release();
}

std::uint64_t block_bytes(const ProgramData& program) {
  Block block;
  lay_out(block, program);
  return block.warps_offset + program.warps * block.warp_bytes();
}

void grow_block(Block& block, std::uint32_t stack, std::uint32_t local) {
  if (stack <= block.stack_bytes && local <= block.local_bytes) {
    return;
  }
  Block larger;
  larger.stack_bytes = block.stack_bytes;
  larger.local_bytes = block.local_bytes;
  larger.warps_offset = block.warps_offset;
  while (larger.stack_bytes < stack) {
    larger.stack_bytes = std::max(2 * larger.stack_bytes, kLongRow);
  }
  while (larger.local_bytes < local) {
    larger.local_bytes = std::max(2 * larger.local_bytes, 64U);
  }
  const std::size_t warps = block.warps.size();
  larger.storage = AlignedBuffer(larger.warps_offset + warps * larger.warp_bytes());
  std::memcpy(larger.storage.data(), block.storage.data(), block.warps_offset);
  for (std::uint32_t number = 0; number < warps; ++number) {
    std::memcpy(larger.stack(number), block.stack(number), block.stack_bytes);
    std::memcpy(larger.local(number), block.local(number), std::size_t{block.local_bytes} * kLanes);
  }
  block.stack_bytes = larger.stack_bytes;
  block.local_bytes = larger.local_bytes;
  block.storage = std::move(larger.storage);
}

// Blocks as words: their plain fields unchanged, vectors with their lengths.

void pack_block(WordPacker& packer, const Block& block) {
  packer.add(bytes_of<BlockHead>(block));
  packer.add(block.storage.bytes());
  pack(packer, block.bulk_copies);
  for (const Warp& warp : block.warps) {
    packer.add(bytes_of<WarpHead>(warp));
    pack(packer, warp.paths);
    pack(packer, warp.frames);
    pack(packer, warp.copies);
    pack(packer, warp.copy_groups);
    pack(packer, warp.bulk_groups);
    pack(packer, warp.products);
  }
}

std::shared_ptr<Block> unpack_block(WordUnpacker& unpacker, std::size_t warps) {
  auto block = std::make_unique<Block>();
  unpacker.next(bytes_of<BlockHead>(*block));
  block->storage = AlignedBuffer::for_overwrite(unpacker.next_bytes());
  unpacker.next(block->storage.bytes());
  unpack(unpacker, block->bulk_copies);
  block->warps.resize(warps);
  for (Warp& warp : block->warps) {
    unpacker.next(bytes_of<WarpHead>(warp));
    unpack(unpacker, warp.paths);
    unpack(unpacker, warp.frames);
    unpack(unpacker, warp.copies);
    unpack(unpacker, warp.copy_groups);
    unpack(unpacker, warp.bulk_groups);
    unpack(unpacker, warp.products);
  }
  return block;
}

}  // namespace tilestep::simt

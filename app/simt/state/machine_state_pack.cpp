// Blocks as words: their plain parts as they are, vectors with their lengths.
#include "simt/state/machine_state.h"

#include <cstddef>
#include <type_traits>

namespace tilestep::simt {
namespace {

// Nothing of what inherits from them lies in their last bytes.
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

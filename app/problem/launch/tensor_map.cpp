#include "problem/launch/tensor_map.h"

#include "problem/tr.h"

#include <cstring>
#include <type_traits>

namespace tilestep::problem {
namespace {

constexpr std::uint64_t kMark = 0x70614d726f736e54ULL;  // "TnsorMap"
constexpr std::uint32_t kLargestBox = 256;              // per dimension
constexpr std::uint64_t kPiece = 16;                    // bytes that the swizzle moves together

static_assert(std::is_trivially_copyable_v<TensorMap>);
static_assert(sizeof(kMark) + sizeof(TensorMap) <= kTensorMapBytes);

}  // namespace

std::uint32_t TensorMap::box_bytes() const {
  return static_cast<std::uint32_t>(box_rows * box_cols * byte_size(type));
}

std::uint64_t swizzled(std::uint64_t address, std::uint32_t swizzle) {
  const std::uint64_t pieces = swizzle / kPiece;  // that the swizzle permutes: 0, 2, 4, 8
  return pieces == 0 ? address : address ^ ((address >> 7 & (pieces - 1)) << 4);
}

std::string mistake_in(const TensorMap& map) {
  const std::uint64_t row = map.box_cols * byte_size(map.type);
  if (map.row_bytes % kPiece != 0) {
    return tr(
        "rows are {} bytes apart. A tensor map needs a multiple of 16: choose N and K as multiples "
        "of {}.",
        map.row_bytes, kPiece / byte_size(map.type));
  }
  if (map.box_rows < 1 || map.box_cols < 1 || map.box_rows > kLargestBox ||
      map.box_cols > kLargestBox) {
    return tr("the box has {} × {} elements. Choose 1 to 256 in each direction.", map.box_rows,
              map.box_cols);
  }
  if (row % kPiece != 0) {
    return tr("a row of the box has {} bytes. Choose a multiple of 16.", row);
  }
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128) {
    return tr("swizzle is {}. Choose 0, 32, 64 or 128.", map.swizzle);
  }
  // A narrower row is allowed, but an H100 then stores outside the box.
  if (map.swizzle != 0 && row != map.swizzle) {
    return tr("a row of the box has {} bytes. Make it as long as the swizzle: {}.", row,
              map.swizzle);
  }
  return {};
}

TensorMapBytes to_bytes(const TensorMap& map) {
  TensorMapBytes bytes{};
  std::memcpy(bytes.data(), &kMark, sizeof kMark);
  std::memcpy(bytes.data() + sizeof kMark, &map, sizeof map);
  return bytes;
}

std::optional<TensorMap> tensor_map_of(std::span<const std::byte> bytes) {
  if (bytes.size() < kTensorMapBytes || std::memcmp(bytes.data(), &kMark, sizeof kMark) != 0) {
    return std::nullopt;
  }
  TensorMap map;
  std::memcpy(&map, bytes.data() + sizeof kMark, sizeof map);
  return map;
}

}  // namespace tilestep::problem

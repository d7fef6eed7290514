#include "gpu/tensor_map.h"

#include "problem/tr.h"

#include <array>
#include <bit>

namespace tilestep::gpu {
namespace {

using problem::ElementType;

// CUtensorMapDataType (CUDA Driver API); it has no signed byte or 16-bit integer: only how many
// bytes an element has matters to a copy.
[[nodiscard]] int data_type(ElementType type) {
  switch (type) {
    case ElementType::S8:
    case ElementType::U8:
      return 0;
    case ElementType::S16:
    case ElementType::U16:
      return 1;
    case ElementType::U32:
      return 2;
    case ElementType::S32:
      return 3;
    case ElementType::U64:
      return 4;
    case ElementType::S64:
      return 5;
    case ElementType::F16:
      return 6;
    case ElementType::F32:
      return 7;
    case ElementType::F64:
      return 8;
    case ElementType::BF16:
      return 9;
  }
  return 7;
}

// CUtensorMapSwizzle: none, 32, 64, 128 bytes.
[[nodiscard]] int swizzle_of(std::uint32_t bytes) {
  return bytes == 0 ? 0 : std::countr_zero(bytes) - 4;
}

}  // namespace

Result<problem::TensorMapBytes> encode_tensor_map(const DriverApi& api,
                                                  const problem::TensorMap& map) {
  if (api.tensor_map_encode_tiled == nullptr) {
    return fail(tr(
        "The CUDA driver is too old for tensor maps: it lacks cuTensorMapEncodeTiled. Update the "
        "NVIDIA driver to one of CUDA 12 or later."));
  }
  constexpr int kPromoteTo256 = 3;  // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
  constexpr std::uint32_t kRank = 2;
  const std::array<std::uint64_t, kRank> sizes{map.cols, map.rows};
  const std::array<std::uint64_t, kRank - 1> strides{map.row_bytes};
  const std::array<std::uint32_t, kRank> box{map.box_cols, map.box_rows};
  const std::array<std::uint32_t, kRank> every{1, 1};
  alignas(64) problem::TensorMapBytes bytes{};
  const CuResult result = api.tensor_map_encode_tiled(
      bytes.data(), data_type(map.type), kRank, std::bit_cast<void*>(map.address), sizes.data(),
      strides.data(), box.data(), every.data(), 0, swizzle_of(map.swizzle), kPromoteTo256, 0);
  if (result != kCudaSuccess) {
    return fail(describe(api, result, "cuTensorMapEncodeTiled"));
  }
  return bytes;
}

}  // namespace tilestep::gpu

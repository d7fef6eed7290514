// Address spaces of a simulated launch.
//
// Generic addresses are 64-bit. Every buffer of the launch, every module variable in global or
// const space, the shared memory of a block and the local memory of a thread lie in windows of
// their own, so that an address says where it belongs and one outside its allocation is caught and
// named. Allocations start 256-byte aligned, as cudaMalloc's do (sector counts depend on it).
//
//   generic address = window << 32 | offset
//   shared, local, param space: an address in the space itself is the offset
//   global, const space:        an address in the space itself is the generic address
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/model/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::simt {

inline constexpr std::uint64_t kParamWindow = 0x7a00ULL << 32;   // the kernel's parameters
inline constexpr std::uint64_t kCodeWindow = 0x7b00ULL << 32;    // + index into Module::functions
inline constexpr std::uint64_t kLocalWindow = 0x7c00ULL << 32;   // every thread sees its own
inline constexpr std::uint64_t kSharedWindow = 0x7d00ULL << 32;  // every block sees its own
// Buffers of the launch, one window each, in their order; then global and const variables.
inline constexpr std::uint64_t kGlobalWindow = 0x7f00ULL << 32;
inline constexpr std::uint64_t kWindowBytes = 1ULL << 32;

// Heap: what malloc() gives out. ReservedShared: see kReservedShared.
enum class AllocationKind {
  Buffer,
  GlobalVariable,
  ConstVariable,
  Heap,
  ReservedShared,
  Shared,
  Local,
  Param
};

// The system reserves this much shared memory of every block, below the block's own arrays; the
// libraries of the toolkit keep their barriers there (cooperative groups: tiles of several warps).
// A launch has it where the kernel asks for its place (%reserved_smem_offset_…; PTX
// ISA 9.0, 10.31). Sizes and places as an H100 gives them (driver 580): it begins at offset 0, as
// does part 1 of it.
inline constexpr std::uint64_t kReservedShared = 1024;
inline constexpr std::uint64_t kReservedSharedInUse = 288;

struct Allocation {
  AllocationKind kind = AllocationKind::Buffer;
  std::string name;        // "A", "As"
  std::uint64_t base = 0;  // generic address
  std::uint64_t bytes = 0;
  std::uint32_t launch_buffer = 0;    // Buffer: index into Launch::buffers
  std::uint32_t module_variable = 0;  // is_variable(): index into Module::variables

  // Declared by the kernel's text, so it has a type.
  [[nodiscard]] bool is_variable() const {
    return kind == AllocationKind::GlobalVariable || kind == AllocationKind::ConstVariable ||
           kind == AllocationKind::Shared;
  }
};

inline constexpr std::uint32_t kNoAllocation = 0xffffffffU;

// What memory is called and shown as: an allocation, or a view, an array that the kernel has made
// of its dynamic shared memory (machine/shared_views.h), under the name of the pointer to it. What
// is in range is the allocation's concern.
struct Array : Allocation {
  std::uint32_t allocation = kNoAllocation;  // that it is, or lies in
  // A view: what its pointer points to, of `float (*As)[8][68]` float[8][68]; else kNoType. An
  // index into Module::types.
  ptx::TypeId element = ptx::kNoType;
  [[nodiscard]] bool is_view() const { return element != ptx::kNoType; }
};

// Where an address points. `inside` is false for an access that starts or ends outside;
// `allocation` then names the nearest one (the one the pointer was most likely derived from).
struct Place {
  std::uint32_t allocation = kNoAllocation;
  std::int64_t offset = 0;  // bytes from its base; may be negative or too large
  bool inside = false;
};

// Part of a block's shared memory that belongs to none of its arrays.
struct SharedGap {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

}  // namespace tilestep::simt

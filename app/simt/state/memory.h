// Address spaces of a simulated launch.
//
// Generic addresses are 64-bit. Every buffer of the launch, every module variable in global or
// const space, the shared memory of a block and the local memory of a thread have separate windows.
// So an address shows where it belongs, and one outside its allocation is detected and named.
// Allocations start 256-byte aligned, like those of cudaMalloc (sector counts depend on it).
//
//   generic address = window << 32 | offset
//   shared, local, param space: an address in the space itself is the offset
//   global, const space:        an address in the space itself is the generic address
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/instruction.h"
#include "ptx/model/module.h"
#include "simt/state/storage.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilestep::simt {

inline constexpr std::uint64_t kParamWindow = 0x7a00ULL << 32;   // the kernel's parameters
inline constexpr std::uint64_t kCodeWindow = 0x7b00ULL << 32;    // + index into Module::functions
inline constexpr std::uint64_t kLocalWindow = 0x7c00ULL << 32;   // each thread sees its own
inline constexpr std::uint64_t kSharedWindow = 0x7d00ULL << 32;  // each block sees its own
// Buffers of the launch, one window each, in their order; then global and const variables.
inline constexpr std::uint64_t kGlobalWindow = 0x7f00ULL << 32;
inline constexpr std::uint64_t kWindowBytes = 1ULL << 32;

// Heap: memory from malloc(). ReservedShared: see kReservedShared.
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
// A launch has it only if the kernel reads its address (%reserved_smem_offset_…; PTX ISA 9.0,
// 10.31). Sizes and addresses as on an H100 (driver 580): it begins at offset 0, as does part 1 of
// it.
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

// Memory as it is named and shown: an allocation, or a view, which is an array that the kernel has
// defined in its dynamic shared memory (machine/program.h), with the name of the pointer to it.
// Range checks use the allocation.
struct Array : Allocation {
  std::uint32_t allocation = kNoAllocation;  // its allocation, or the one that contains it
  // A view: its pointer's pointee, float[8][68] for `float (*As)[8][68]`; otherwise kNoType. An
  // index into Module::types.
  ptx::TypeId element = ptx::kNoType;
  [[nodiscard]] bool is_view() const { return element != ptx::kNoType; }
};

// The target of an address. `inside` is false for an access that starts or ends outside;
// `allocation` is then the nearest one (the one the pointer was most likely derived from).
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

// The layout of a launch's address space, and its initial contents.

// Contents of one global window before the launch. Buffers point into the launch itself.
struct InitialWindow {
  std::span<const std::byte> contents;
  bool read_only = false;  // const space
  bool is_zero = false;    // all zeros: a buffer of a launch without contents
};

// Total size of malloc()'s heap (CUDA C++ Programming Guide, "Heap Memory Allocation": 8 MB).
inline constexpr std::uint64_t kHeapBytes = 8ULL << 20;
inline constexpr std::uint32_t kNoWindow = 0xffffffffU;

// A variable without an address: declared only by functions that this launch cannot reach.
inline constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

class MemoryMap {
 public:
  MemoryMap() = default;
  MemoryMap(const MemoryMap&) = delete;  // windows point into global_bytes_
  MemoryMap& operator=(const MemoryMap&) = delete;
  MemoryMap(MemoryMap&&) = default;
  MemoryMap& operator=(MemoryMap&&) = default;
  ~MemoryMap() = default;

  // `launch` and `module` must outlive the map. Fails if a buffer does not fit in a window or the
  // block's shared memory in its own.
  [[nodiscard]] static Result<MemoryMap> make(const ptx::Module& module, std::uint32_t entry,
                                              const problem::Launch& launch);

  [[nodiscard]] std::span<const Allocation> allocations() const { return allocations_; }
  [[nodiscard]] Place locate(std::uint64_t address, std::uint64_t bytes) const;
  // Address of a module variable in its own space; local ones relative to their frame.
  [[nodiscard]] std::uint64_t variable_address(std::uint32_t variable) const {
    return variable_addresses_[variable];
  }
  [[nodiscard]] std::vector<std::uint64_t> buffer_addresses() const;
  // By window number: address >> 32 minus kGlobalWindow >> 32.
  [[nodiscard]] const std::vector<InitialWindow>& windows() const { return windows_; }
  // Shared bytes that a block declares; shared_room() includes the gaps between its arrays here and
  // the reserved part.
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }
  [[nodiscard]] std::uint64_t shared_room() const { return shared_room_; }
  // The reserved part of it, which is first.
  [[nodiscard]] std::uint64_t reserved_shared() const { return reserved_shared_; }
  // Gaps between its arrays.
  [[nodiscard]] const std::vector<SharedGap>& shared_gaps() const { return shared_gaps_; }
  // The window of malloc()'s heap, or kNoWindow: no function calls malloc().
  [[nodiscard]] std::uint32_t heap_window() const { return heap_window_; }
  void add_params(std::uint64_t bytes);
  void add_local(std::uint64_t bytes);

 private:
  void place_reserved_shared();
  [[nodiscard]] Result<void> place_buffers(const problem::Launch& launch);
  [[nodiscard]] Result<void> place_shared(const ptx::Module& module, const std::vector<bool>& used,
                                          const problem::Launch& launch);
  void place_globals(const ptx::Module& module, const std::vector<bool>& used);
  void place_heap(const ptx::Module& module);
  void fill_globals(const ptx::Module& module);

  std::vector<Allocation> allocations_;
  std::vector<std::uint64_t> variable_addresses_;
  std::vector<InitialWindow> windows_;
  std::vector<std::uint32_t> window_allocations_;     // by window number
  std::vector<ZeroedBytes> zeros_;                    // of buffers without contents
  std::vector<std::vector<std::byte>> global_bytes_;  // of global and const variables
  std::vector<std::uint32_t> global_variables_;       // parallel: their module variables
  std::uint64_t reserved_shared_ = 0;
  std::uint64_t shared_bytes_ = 0;
  std::uint64_t shared_room_ = 0;
  std::vector<SharedGap> shared_gaps_;
  std::uint32_t heap_window_ = kNoWindow;
};

}  // namespace tilestep::simt

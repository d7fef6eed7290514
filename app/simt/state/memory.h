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
// of its dynamic shared memory (machine/program.h), under the name of the pointer to it. What
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

// Where everything lies in a launch's address space, and what stands there at its start.

// Contents of one global window before the launch. Buffers point into the launch itself.
struct InitialWindow {
  std::span<const std::byte> contents;
  bool read_only = false;  // const space
  bool is_zero = false;    // all of it: a buffer of a launch without contents
};

// What malloc() can give out in all (CUDA C++ Programming Guide, "Heap Memory Allocation": 8 MB).
inline constexpr std::uint64_t kHeapBytes = 8ULL << 20;
inline constexpr std::uint32_t kNoWindow = 0xffffffffU;

// A variable that no address was given to: declared by functions this launch cannot reach.
inline constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

class MemoryMap {
 public:
  MemoryMap() = default;
  MemoryMap(const MemoryMap&) = delete;  // windows point into global_bytes_
  MemoryMap& operator=(const MemoryMap&) = delete;
  MemoryMap(MemoryMap&&) = default;
  MemoryMap& operator=(MemoryMap&&) = default;
  ~MemoryMap() = default;

  // `launch` and `module` must outlive the map. Fails when a buffer does not fit in a window or the
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
  // What a block declares; and what it takes here, where its arrays stand apart, behind what the
  // system reserves.
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }
  [[nodiscard]] std::uint64_t shared_room() const { return shared_room_; }
  // Of that: what the system reserves; it comes first.
  [[nodiscard]] std::uint64_t reserved_shared() const { return reserved_shared_; }
  // Between its arrays, where nothing is.
  [[nodiscard]] const std::vector<SharedGap>& shared_gaps() const { return shared_gaps_; }
  // The window that malloc() gives pieces of, or kNoWindow: nobody calls it.
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

// By module variable: what the entry and the functions it can reach refer to or declare.
[[nodiscard]] std::vector<bool> reachable_variables(const ptx::Module& module, std::uint32_t entry);

}  // namespace tilestep::simt

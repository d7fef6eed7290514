// Where everything lies in a launch's address space, and what stands there at its start.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"
#include "simt/state/memory.h"
#include "simt/state/zeroed_bytes.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilestep::simt {

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

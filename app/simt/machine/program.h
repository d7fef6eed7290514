// One launch of one kernel, ready to execute (loading/prepare.h makes one from a description).
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"
#include "simt/state/event.h"
#include "simt/state/memory.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tilestep::simt {

struct Isa;
struct ProgramData;

// Immutable: one launch of one kernel, addresses assigned, instructions bound to their executors.
class Program {
 public:
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program(Program&&) = delete;
  Program& operator=(Program&&) = delete;

  // warp_size: 32, or a smaller power of two as a teaching warp (labelled as such wherever shown).
  // `pack` gets the generic addresses of launch.buffers and returns the kernel's parameter area.
  // `isa`: which of the host's instruction sets to use; nullptr: the best it has. Results are the
  // same with all.
  using PackParameters =
      std::function<Result<std::vector<std::byte>>(const std::vector<std::uint64_t>&)>;
  [[nodiscard]] static Result<std::shared_ptr<const Program>> make(
      std::shared_ptr<const ptx::Module> module, std::uint32_t entry, problem::Launch launch,
      const PackParameters& pack, int warp_size = kWarpSize, const Isa* isa = nullptr);

  [[nodiscard]] const ptx::Module& module() const;
  [[nodiscard]] const ptx::Function& entry() const;
  [[nodiscard]] const problem::Launch& launch() const;  // initial contents of buffers stand there
  [[nodiscard]] std::uint32_t block_count() const;
  [[nodiscard]] std::uint32_t threads_per_block() const;
  [[nodiscard]] std::uint32_t warps_per_block() const;
  [[nodiscard]] int warp_size() const;
  [[nodiscard]] problem::Dim3 block_index(std::uint32_t block) const;
  [[nodiscard]] problem::Dim3 thread_index(
      std::uint32_t thread) const;  // linear in block → x, y, z
  // All allocations; shared ones are the same for every block.
  [[nodiscard]] std::span<const Allocation> allocations() const;
  [[nodiscard]] Place locate(std::uint64_t generic_address, std::uint32_t bytes) const;
  // The same by what they are called: the allocations under their numbers, then views, by address.
  [[nodiscard]] std::span<const Array> arrays() const { return arrays_; }
  // The view that a place lies in, or continues where it lies outside of the allocation; or null.
  [[nodiscard]] const Array* view_at(const Place& place) const;
  // What the kernel's text declares it as; kNoType of buffers and of memory that it does not
  // declare.
  [[nodiscard]] ptx::TypeId declared_type(const Allocation& allocation) const;
  // The same of a view: what its pointer points to.
  [[nodiscard]] ptx::TypeId type_of(const Array& array) const;
  // As locate(), among arrays().
  [[nodiscard]] Place locate_array(std::uint64_t generic_address, std::uint32_t bytes) const;
  // What a block declares; and what it takes here, where its arrays stand apart, with nothing in
  // the gaps between them.
  [[nodiscard]] std::uint64_t shared_bytes() const;
  [[nodiscard]] std::uint64_t shared_room() const;
  [[nodiscard]] std::uint64_t reserved_shared() const;
  [[nodiscard]] std::span<const SharedGap> shared_gaps() const;
  // Blocks neither call malloc() nor ask how many steps were made.
  [[nodiscard]] bool only_memory_connects_blocks() const;

  // What it is made of, for machines and executors.
  [[nodiscard]] const std::shared_ptr<const ProgramData>& data() const { return data_; }

 private:
  explicit Program(std::shared_ptr<const ProgramData> data);
  std::shared_ptr<const ProgramData> data_;
  std::vector<Array> arrays_;
};

}  // namespace tilestep::simt

// One launch of one kernel, ready to execute (loading/prepare.h makes one from a description).
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"
#include "simt/state/event.h"
#include "simt/state/machine_state.h"
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

  [[nodiscard]] const ptx::Module& module() const { return *data_->module; }
  [[nodiscard]] const ptx::Function& entry() const;
  // With the initial contents of buffers.
  [[nodiscard]] const problem::Launch& launch() const { return data_->launch; }
  [[nodiscard]] std::uint32_t block_count() const { return data_->blocks; }
  [[nodiscard]] std::uint32_t threads_per_block() const { return data_->threads; }
  [[nodiscard]] std::uint32_t warps_per_block() const { return data_->warps; }
  [[nodiscard]] std::uint32_t warp_size() const {
    return static_cast<std::uint32_t>(data_->warp_size);
  }
  // A lane's thread, linear in the block.
  [[nodiscard]] std::uint32_t thread_of(const WarpId& warp, std::uint32_t lane) const {
    return warp.warp * warp_size() + lane;
  }
  [[nodiscard]] problem::Dim3 block_index(std::uint32_t block) const {
    return data_->launch.grid.at(block);
  }
  // Linear in the block → x, y, z.
  [[nodiscard]] problem::Dim3 thread_index(std::uint32_t thread) const {
    return data_->launch.block.at(thread);
  }
  // All allocations; shared ones are the same for every block.
  [[nodiscard]] std::span<const Allocation> allocations() const {
    return data_->memory.allocations();
  }
  [[nodiscard]] Place locate(std::uint64_t generic_address, std::uint32_t bytes) const {
    return data_->memory.locate(generic_address, bytes);
  }
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
  [[nodiscard]] std::uint64_t shared_bytes() const { return data_->memory.shared_bytes(); }
  [[nodiscard]] std::uint64_t shared_room() const { return data_->memory.shared_room(); }
  [[nodiscard]] std::uint64_t reserved_shared() const { return data_->memory.reserved_shared(); }
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

// What a kernel makes of its dynamic shared memory: `extern __shared__ float4 tiles[]` is one row
// of memory, and the arrays in it are pointers, `auto As =
// reinterpret_cast<float(*)[8][68]>(tiles)`.

// Found by executing the first block, or its beginning: a view is a pointer variable of the kernel
// that has the same value in all threads, gets it before the block's first barrier, and keeps it.
// Its elements have the pointer's type, and reach to the next view. By address; none overlap, none
// reach out of their allocation. Empty where no debug information declares such variables.
[[nodiscard]] std::vector<Array> find_shared_views(const std::shared_ptr<const Program>& program);

// Where a warp's statements end (schedule.h says when they do).

// Where a warp is, as far as statements are concerned.
struct At {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] At place_of(const MachineState& machine, WarpId id);

// `before`: of a warp's last step, `after`: where it stands now.
[[nodiscard]] bool ends_at(const ProgramData& program, const At& before, const At& after);

// Fills in what BoundFunction knows about lines and statements.
void find_statements(ProgramData& program);

}  // namespace tilestep::simt

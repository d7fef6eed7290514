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

// Immutable: one launch of one kernel, with addresses assigned and instructions bound to executors.
class Program {
 public:
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program(Program&&) = delete;
  Program& operator=(Program&&) = delete;

  // warp_size: 32, or a smaller power of two as a teaching warp (labeled as such wherever shown).
  // `pack` gets the generic addresses of launch.buffers and returns the kernel's parameter area.
  // `isa`: the host's instruction set to use; nullptr: the best one. Results are the same with all.
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
  // All named arrays: the allocations with their indices, then views, by address.
  [[nodiscard]] std::span<const Array> arrays() const { return arrays_; }
  // The view that contains a place, or whose index continues there if it is outside the allocation;
  // null: none.
  [[nodiscard]] const Array* view_at(const Place& place) const;
  // Its type in the kernel's text; kNoType for buffers and for memory that the text does not
  // declare.
  [[nodiscard]] ptx::TypeId declared_type(const Allocation& allocation) const;
  // A view's type: the pointer's pointee.
  [[nodiscard]] ptx::TypeId type_of(const Array& array) const;
  // Like locate(), among arrays().
  [[nodiscard]] Place locate_array(std::uint64_t generic_address, std::uint32_t bytes) const;
  // Shared bytes that a block declares; shared_room() includes the gaps between its arrays here.
  [[nodiscard]] std::uint64_t shared_bytes() const { return data_->memory.shared_bytes(); }
  [[nodiscard]] std::uint64_t shared_room() const { return data_->memory.shared_room(); }
  [[nodiscard]] std::uint64_t reserved_shared() const { return data_->memory.reserved_shared(); }
  [[nodiscard]] std::span<const SharedGap> shared_gaps() const;
  // Whether blocks neither call malloc() nor read the number of steps.
  [[nodiscard]] bool only_memory_connects_blocks() const;

  // The data behind it, for machines and executors.
  [[nodiscard]] const std::shared_ptr<const ProgramData>& data() const { return data_; }

 private:
  explicit Program(std::shared_ptr<const ProgramData> data);
  std::shared_ptr<const ProgramData> data_;
  std::vector<Array> arrays_;
};

// Views: the arrays in a kernel's dynamic shared memory. `extern __shared__ float4 tiles[]` is one
// row of memory, and the arrays in it are pointers, `auto As =
// reinterpret_cast<float(*)[8][68]>(tiles)`.

// Finds views by executing the first block, or its beginning. A view is a pointer variable of the
// kernel that has the same value in all threads, is assigned before the block's first barrier, and
// keeps its value. Its elements have the pointee's type and extend to the next view. Ordered by
// address; none overlap, and all are inside their allocation. Empty if no debug information
// declares such variables.
[[nodiscard]] std::vector<Array> find_shared_views(const std::shared_ptr<const Program>& program);

// The ends of a warp's statements (schedule.h defines them).

// A warp's position, as far as statements are concerned.
struct At {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] At place_of(const MachineState& machine, WarpId id);

// `before`: position of a warp's last step; `after`: its position now.
[[nodiscard]] bool ends_at(const ProgramData& program, const At& before, const At& after);

// Sets the fields of BoundFunction about lines and statements.
void find_statements(ProgramData& program);

}  // namespace tilestep::simt

// A launch's profile added up: for the kernel, by line, by warp, by access, by matrix.
#pragma once

#include "insight/count/profile.h"
#include "problem/launch/launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

// Shared loads include those that machine code has before asynchronous copies and never executes
// (ptx::Function::padding), except in costs by access.
struct Cost {
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t active = 0;        // sum over instructions of the threads on the path
  std::uint64_t threads = 0;       // sum over instructions of the threads whose guard is true
  std::uint64_t flops = 0;
  Traffic global_loads, global_stores, global_atomics;
  Traffic shared_loads, shared_stores, shared_atomics;

  void add(const Cost& other, std::uint64_t times = 1);
  [[nodiscard]] Traffic global() const;
  [[nodiscard]] Traffic shared() const;
  // active / (32 · instructions); 0 if nothing was executed.
  [[nodiscard]] double divergence_efficiency() const;
  [[nodiscard]] double predicated_efficiency() const;  // threads / (32 · instructions)
  // Operations per byte: per byte that threads request, and per byte of the sectors that hold those
  // bytes. 0 if no byte moves.
  [[nodiscard]] double intensity_of_bytes() const;
  [[nodiscard]] double intensity_of_sectors() const;
};

// Floating-point operations of one thread. A fused multiply-add counts 2, an addition, subtraction
// or multiplication 1, times the number of elements for a vector type. A matrix operation counts
// 2·m·n·k for the warp. Nothing else counts (as in Nsight Compute's
// sass_thread_inst_executed_op_f…_pred_on).
[[nodiscard]] std::uint64_t flops_of(const ptx::Function& function,
                                     const ptx::Instruction& instruction);

struct LineCost {
  std::uint32_t line = 0;  // of the kernel's own text; 0: no line of its own
  Cost cost;
};

// A warp of one block of a class.
struct WarpCost {
  std::size_t of_class = 0;  // index into Profile::classes
  std::uint32_t warp = 0;
  std::uint64_t blocks = 0;  // blocks with such a warp
  Cost cost;                 // of one of these warps
};

// One instruction that accesses memory, with all its executions.
struct AccessCost {
  std::uint32_t line = 0;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::string instruction;  // PTX
  std::uint32_t target = kOtherTarget;
  simt::AccessKind kind = simt::AccessKind::Load;
  Traffic traffic;
};

struct BufferCost {
  Traffic loads, stores, atomics;
};

[[nodiscard]] Cost total_cost(const simt::Program& program, const Profile& profile);
[[nodiscard]] std::uint64_t total_barriers(const Profile& profile);
// The line whose barriers are executed most often; 0: none.
[[nodiscard]] std::uint32_t line_of_most_barriers(const simt::Program& program,
                                                  const Profile& profile);
[[nodiscard]] std::vector<LineCost> cost_by_line(const simt::Program& program,
                                                 const Profile& profile);
[[nodiscard]] std::vector<WarpCost> cost_by_warp(const simt::Program& program,
                                                 const Profile& profile);
[[nodiscard]] std::vector<AccessCost> cost_by_access(const simt::Program& program,
                                                     const Profile& profile);
[[nodiscard]] std::vector<BufferCost> cost_by_buffer(const simt::Program& program,
                                                     const Profile& profile);

// "A", "shared memory", "other global memory".
[[nodiscard]] std::string target_name(const simt::Program& program, std::uint32_t target);

// A kernel's closed forms (problem::ClosedForm) next to the counted values.

struct ComparedForm {
  std::string quantity;  // "loads of A"
  std::string formula;   // "ceil_div(N, BLOCK_SIZE) * M * K"
  std::int64_t expected = 0;
  std::uint64_t counted = 0;

  [[nodiscard]] bool agrees() const {
    return expected >= 0 && static_cast<std::uint64_t>(expected) == counted;
  }
};

// The closed forms of `spec`, in its order. Empty if the launch breaks a requirement
// (Launch::not_on_gpu): then accesses may be out of range, and those are not counted.
[[nodiscard]] Result<std::vector<ComparedForm>> compare_closed_forms(
    const problem::LaunchSpec& spec, const simt::Program& program, const Profile& profile);

}  // namespace tilestep::insight

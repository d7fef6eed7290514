// Stores as the checks see them: to buffers, to words that are stored twice or only copied, and to
// arrays in local memory.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/watchers.h"
#include "ptx/model/module.h"
#include "simt/machine/machine.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Stores of a launch to its buffers: the stored elements of outputs, and any stores to inputs.

class BufferStores final : public simt::Observer {
 public:
  // `machine` executes the launch; it must outlive this object. `finds`: findings() are wanted too,
  // which slows the run down.
  explicit BufferStores(const simt::Machine& machine, bool finds = true);

  [[nodiscard]] bool wants_steps() const override { return finds_; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  // Whether any thread stored to the element of launch buffer `buffer` at that byte.
  [[nodiscard]] bool is_stored(std::size_t buffer, std::size_t byte) const;
  // The last block that stored to it.
  [[nodiscard]] std::optional<std::uint32_t> block_of(std::size_t buffer, std::size_t byte) const;
  [[nodiscard]] std::vector<Finding> findings() const;  // stores to inputs, by buffer and line

 private:
  void report(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t lane,
              const simt::Place& place);

  const simt::Machine& machine_;
  bool finds_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  // By launch buffer and element, the block plus 1; 0: nobody. Empty: no stores to the buffer.
  std::vector<std::vector<std::uint32_t>> stored_;
  std::vector<std::size_t> element_bytes_;  // by launch buffer
  std::map<std::pair<std::uint32_t, std::uint32_t>, Finding> findings_;
};

// Values that a thread stores and another statement overwrites before anybody reads them. Correct
// kernels have such stores too, so they are reported only if the result is wrong and nothing else
// explains it. A stored zero does not count: it is an initial value.

class OverwrittenStores final : public simt::Observer {
 public:
  // `machine` executes the launch; it must outlive this object.
  explicit OverwrittenStores(const simt::Machine& machine)
      : machine_(machine), lines_(machine.program()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  // One for each array and pair of lines.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  struct Stored {
    Party by;
    std::uint32_t value = 0;
  };
  void store(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t lane,
             std::uint64_t word);

  const simt::Machine& machine_;
  WarpLines lines_;
  std::unordered_map<std::uint64_t, Stored> unread_;  // by word; shared memory with its block
  // By allocation and the lines of both stores.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::string> sentences_;
};

// The value that the reported store puts into one of its words, at the bytes it covers; empty if it
// is not stored from single registers.
[[nodiscard]] std::optional<std::uint32_t> stored_word(const simt::Machine& machine,
                                                       const simt::StepInfo& info,
                                                       const simt::MemoryEvent& event,
                                                       std::uint32_t lane, std::uint64_t word);

// Whether a loaded value is used, or only copied within the thread's local memory. Copies of
// structures include members that nobody has set, and a bit-field store first loads its whole word.

// `load`: pc of an ld. True if its results are stored, and all their uses, in the text of the
// function, are stores back to their source (parts of them also through and, or, bfi with another
// value) or, with BackOrFrame, to the function's own frame ([%SP+n]).
enum class CopyTo { Back, BackOrFrame };
[[nodiscard]] bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to);

// Caches is_plain_copy() by instruction, for instructions that are executed many times.
class PlainCopies {
 public:
  PlainCopies(const simt::Program& program, CopyTo to) : program_(program), to_(to) {}
  [[nodiscard]] bool has(const simt::StepInfo& info);

 private:
  const simt::Program& program_;
  CopyTo to_;
  std::unordered_map<const ptx::Instruction*, bool> known_;
};

// The initialized words of the threads' local memory: those stored since the start of the call that
// owns them. A partial store counts for its whole word.

class LocalCells {
 public:
  explicit LocalCells(const simt::Program& program);

  void start_block(std::uint32_t block);
  void end_block(std::uint32_t block) { start_block(block); }
  // A call has received local memory: simt::Observer::on_local_frame.
  void start_frame(const simt::StepInfo& info, std::uint64_t address, std::uint32_t bytes);
  // Notes a store. For a load, returns the lanes that read only uninitialised words and do more
  // than copy them.
  std::uint32_t access(const simt::StepInfo& info, const simt::MemoryEvent& event);

 private:
  // By word, the mask of lanes that have stored it.
  [[nodiscard]] std::vector<std::uint32_t>& words(simt::WarpId id) {
    return words_[std::size_t{id.block} * warps_per_block_ + id.warp];
  }

  std::vector<std::vector<std::uint32_t>> words_;  // by block and warp
  PlainCopies copies_;
  std::uint32_t warps_per_block_;
};

// Memory that the kernel has to fill: a buffer without initial contents, and malloc's heap.
[[nodiscard]] inline bool is_unset(const simt::Program& program,
                                   const simt::Allocation& allocation) {
  return allocation.kind == simt::AllocationKind::Heap ||
         (allocation.kind == simt::AllocationKind::Buffer &&
          program.launch().buffers[allocation.launch_buffer].role == problem::BufferRole::Output);
}

}  // namespace tilestep::insight

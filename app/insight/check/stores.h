// What a check knows of stores: of buffers, of words that are stored twice or only copied, of
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

// What a launch stores in its buffers: which elements of outputs, and whether anything in inputs.

class BufferStores final : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this. `finds`: findings() are wanted too, which
  // slows the run down.
  explicit BufferStores(const simt::Machine& machine, bool finds = true);

  [[nodiscard]] bool wants_steps() const override { return finds_; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  // Whether any thread stored something in the element of launch buffer `buffer` at that byte.
  [[nodiscard]] bool is_stored(std::size_t buffer, std::size_t byte) const;
  // The last block that did.
  [[nodiscard]] std::optional<std::uint32_t> block_of(std::size_t buffer, std::size_t byte) const;
  [[nodiscard]] std::vector<Finding> findings() const;  // stores to inputs, by buffer and line

 private:
  void report(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t lane,
              const simt::Place& place);

  const simt::Machine& machine_;
  bool finds_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  // By launch buffer and element, the block plus 1; 0: nobody. Empty: none of it.
  std::vector<std::vector<std::uint32_t>> stored_;
  std::vector<std::size_t> element_bytes_;  // by launch buffer
  std::map<std::pair<std::uint32_t, std::uint32_t>, Finding> findings_;
};

// Values that a thread stores and another statement overwrites before anybody reads them. Right
// kernels have such stores too, so they are told only where the result is wrong and nothing else
// says why. A zero is no such value: it is there to be overwritten.

class OverwrittenStores final : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this.
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
  std::unordered_map<std::uint64_t, Stored> unread_;  // by word; of shared memory with its block
  // By allocation and the lines of both stores.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::string> sentences_;
};

// What a store that is being told puts into one of its words, at the bytes it covers; nothing where
// that does not come from registers one by one.
[[nodiscard]] std::optional<std::uint32_t> stored_word(const simt::Machine& machine,
                                                       const simt::StepInfo& info,
                                                       const simt::MemoryEvent& event,
                                                       std::uint32_t lane, std::uint64_t word);

// Whether what a load brings is used, or only put elsewhere in the thread's local memory: copies of
// structures take members along that nobody has set, and a bit-field is stored by loading its whole
// word first.

// `load`: pc of an ld. True where its results are stored, and all their uses, in the text of the
// function, are stores
// back to where they came from, bits of them also by way of and, or, bfi with something else; or,
// with BackOrFrame, to the function's own frame ([%SP+n]).
enum class CopyTo { Back, BackOrFrame };
[[nodiscard]] bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to);

// The same of instructions that are executed again and again.
class PlainCopies {
 public:
  PlainCopies(const simt::Program& program, CopyTo to) : program_(program), to_(to) {}
  [[nodiscard]] bool has(const simt::StepInfo& info);

 private:
  const simt::Program& program_;
  CopyTo to_;
  std::unordered_map<const ptx::Instruction*, bool> known_;
};

// Which words of the threads' local memory hold something: those stored to since the call that they
// belong to began. A partial store counts for its whole word.

class LocalCells {
 public:
  explicit LocalCells(const simt::Program& program);

  void start_block(std::uint32_t block);
  void end_block(std::uint32_t block) { start_block(block); }
  // A call has got local memory: simt::Observer::on_local_frame.
  void start_frame(const simt::StepInfo& info, std::uint64_t address, std::uint32_t bytes);
  // Notes a store. Of a load: lanes that read nothing but words that hold nothing, and do more with
  // them than copy them (stores.h).
  std::uint32_t access(const simt::StepInfo& info, const simt::MemoryEvent& event);

 private:
  // By word, the lanes that have stored it.
  [[nodiscard]] std::vector<std::uint32_t>& words(simt::WarpId id) {
    return words_[std::size_t{id.block} * warps_per_block_ + id.warp];
  }

  std::vector<std::vector<std::uint32_t>> words_;  // by block and warp
  PlainCopies copies_;
  std::uint32_t warps_per_block_;
};

// What the kernel is to fill: a buffer that the launch gives no contents, and malloc's heap.
[[nodiscard]] inline bool is_unset(const simt::Program& program,
                                   const simt::Allocation& allocation) {
  return allocation.kind == simt::AllocationKind::Heap ||
         (allocation.kind == simt::AllocationKind::Buffer &&
          program.launch().buffers[allocation.launch_buffer].role == problem::BufferRole::Output);
}

}  // namespace tilestep::insight

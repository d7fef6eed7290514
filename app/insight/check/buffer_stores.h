// What a launch stores in its buffers: which elements of outputs, and whether anything in inputs.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/warp_lines.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::insight {

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

}  // namespace tilestep::insight

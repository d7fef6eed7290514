// What a launch stores in its buffers: which bytes of outputs, and whether anything in inputs.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/warp_lines.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilestep::insight {

class BufferStores final : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this.
  explicit BufferStores(const simt::Machine& machine);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  // Whether any thread stored that byte of launch buffer `buffer`.
  [[nodiscard]] bool is_stored(std::size_t buffer, std::size_t byte) const;
  [[nodiscard]] std::vector<Finding> findings() const;  // stores to inputs, by buffer and line

 private:
  void report(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t lane,
              const simt::Place& place);

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  std::vector<std::vector<bool>> stored_;  // by launch buffer and byte; empty: none of it
  std::map<std::pair<std::uint32_t, std::uint32_t>, Finding> findings_;
};

}  // namespace tilestep::insight

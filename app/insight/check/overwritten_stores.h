// Values that a thread stores and another statement overwrites before anybody reads them. Right
// kernels have such stores too, so they are told only where the result is wrong and nothing else
// says why. A zero is no such value: it is there to be overwritten.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/warp_lines.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

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

}  // namespace tilestep::insight

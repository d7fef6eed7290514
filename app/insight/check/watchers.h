// Several observers of one run.
#pragma once

#include "simt/state/event.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

class Watchers : public simt::Observer {
 public:
  void add(simt::Observer* watcher) { watchers_.push_back(watcher); }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.before_step(info); });
  }
  void after_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.after_step(info); });
  }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    tell([&](simt::Observer& w) { w.on_memory(info, event); });
  }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    tell([&](simt::Observer& w) { w.on_barrier(info, event); });
  }
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override {
    tell([&](simt::Observer& w) { w.on_fault(info, event); });
  }
  void on_undefined_shuffle(const simt::StepInfo& info,
                            const simt::UndefinedShuffle& shuffle) override {
    tell([&](simt::Observer& w) { w.on_undefined_shuffle(info, shuffle); });
  }
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) override {
    tell([&](simt::Observer& w) { w.on_undefined_quotient(info, mask); });
  }
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override {
    tell([&](simt::Observer& w) { w.on_print(info, lane, text); });
  }
  void on_local_frame(const simt::StepInfo& info, std::uint64_t address,
                      std::uint32_t bytes) override {
    tell([&](simt::Observer& w) { w.on_local_frame(info, address, bytes); });
  }
  void on_allocation(const simt::StepInfo& info, std::uint64_t address,
                     std::uint64_t bytes) override {
    tell([&](simt::Observer& w) { w.on_allocation(info, address, bytes); });
  }
  void on_block_start(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_start(block); });
  }
  void on_block_end(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_end(block); });
  }

 private:
  template <class F>
  void tell(F&& f) {
    for (simt::Observer* watcher : watchers_) {
      f(*watcher);
    }
  }

  std::vector<simt::Observer*> watchers_;
};

}  // namespace tilestep::insight

// The observer that notes where events are.
#pragma once

#include "insight/check/nan_watch.h"
#include "insight/check/warp_lines.h"
#include "insight/count/access_pattern.h"
#include "insight/events/event.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::insight {

// What accesses are looked for: bytes [first, last) of memory, or a variable of one thread.
struct AccessTarget {
  std::uint64_t first = 0;  // generic
  std::uint64_t last = 0;
  bool shared = false;               // of the question's block alone
  std::string variable;              // of the question's thread; empty: memory
  std::vector<std::uint32_t> lines;  // that assign the variable
};
// "As[1][2]", "As", "C[3][4]", "acc": fails with a sentence where there is no such thing.
[[nodiscard]] Result<AccessTarget> access_target(const simt::Program& program,
                                                 const std::string& what);

class EventWatch final : public simt::Observer {
 public:
  struct Options {
    record::EventKind kind = record::EventKind::Barrier;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    AccessTarget target;
    std::uint64_t first = 0;                // step that it sees first
    std::span<const std::uint64_t> starts;  // of statements
    std::vector<EventHit>* hits = nullptr;  // outlives it
  };
  EventWatch(const simt::Machine& machine, Options options);
  ~EventWatch() override;
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  EventWatch(EventWatch&&) = delete;
  EventWatch& operator=(EventWatch&&) = delete;

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;

 private:
  // A statement of a warp under way.
  struct Open {
    std::uint64_t step = 0;
    simt::WarpId warp;
    std::uint32_t line = 0;
    std::uint32_t mask = 0;
    std::uint32_t live = 0;
  };

  void hit(const simt::StepInfo& info, std::uint32_t lanes);
  void note_masked(const simt::StepInfo& info);
  void close(const Open& open);
  void note_cost(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_access(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_assignment(const simt::StepInfo& info);

  const simt::Machine& machine_;
  Options options_;
  WarpLines lines_;
  std::uint64_t step_;
  std::vector<std::uint64_t>::size_type next_start_ = 0;
  std::vector<Open> open_;
  std::vector<std::uint32_t> first_pc_;  // by function
  std::optional<PatternCache> patterns_;
  std::optional<NanWatch> nans_;
};

}  // namespace tilestep::insight

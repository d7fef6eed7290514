#include "ui/stage/run_marks.h"

#include "insight/count/access_layout.h"
#include "insight/count/counters.h"
#include "narration/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace tilestep::ui {
namespace {

// Longer runs are marked up to this step.
constexpr std::uint64_t kMostMarkedSteps = 4'000'000;

}  // namespace

struct RunMarks::Impl : public simt::Observer {
  const record::Recording* recording = nullptr;
  workspace::Generation generation;
  std::uint32_t block = 0;
  std::uint64_t step = 0;  // the next one
  std::uint64_t end = 0;
  std::vector<RunMark> marks;
  std::vector<CopyFlight> copies;
  // By address: indices of copies in flight.
  std::map<std::uint64_t, std::vector<std::size_t>> flying;
  std::vector<std::uint32_t> first_pc;  // by function
  std::unique_ptr<insight::PatternCache> patterns;
  struct LastStep {
    std::uint32_t active = 0;
    std::uint32_t line = 0;
    std::uint64_t step = 0;
    bool is_branch = false;
  };
  std::vector<LastStep> last;  // by warp

  void start(const record::Recording& run, const workspace::Generation& scene,
             std::uint32_t focus) {
    recording = &run;
    generation = scene;
    block = focus;
    marks.clear();
    copies.clear();
    flying.clear();
    first_pc.clear();
    const auto phases = run.phases_of(focus);
    step = phases.empty() ? 0 : phases.front().first_step;
    end = phases.empty() ? 0 : std::min(phases.back().last_step, step + kMostMarkedSteps);
    std::uint32_t count = 0;
    for (const ptx::Function& function : run.program().module().functions) {
      first_pc.push_back(count);
      count += static_cast<std::uint32_t>(function.instructions.size());
    }
    patterns = std::make_unique<insight::PatternCache>(count);
    last.assign(run.program().warps_per_block(), {});
  }

  [[nodiscard]] std::uint32_t line_of(const simt::StepInfo& info) const {
    return ptx::statement_line(recording->program().module().functions[info.function], info.pc);
  }
  [[nodiscard]] std::uint32_t thread_of(const simt::StepInfo& info, std::uint32_t mask) const {
    return recording->program().thread_of(
        info.id, static_cast<std::uint32_t>(mask == 0 ? 0 : std::countr_zero(mask)));
  }

  [[nodiscard]] bool wants_steps() const override { return true; }
  // A branch that fewer lanes take than were active has split the warp.
  void before_step(const simt::StepInfo& info) override {
    if (info.id.block != block) {
      return;
    }
    LastStep& before = last[info.id.warp];
    const bool fewer =
        (info.active & ~before.active) == 0 && info.active != before.active && info.active != 0;
    if (before.is_branch && fewer) {
      marks.push_back({MarkKind::Divergence, before.step, thread_of(info, info.active), before.line,
                       static_cast<std::uint32_t>(std::popcount(info.active)),
                       static_cast<std::uint32_t>(std::popcount(before.active))});
    }
    before = {info.active, line_of(info), step,
              info.instruction != nullptr && info.instruction->op == ptx::Opcode::Bra};
  }
  void after_step(const simt::StepInfo&) override { ++step; }

  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    if (info.id.block == block && event.whole_block &&
        event.action == simt::BarrierAction::Release) {
      marks.push_back({MarkKind::Barrier, step, thread_of(info, info.active), line_of(info), 0, 0});
    }
  }

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    const bool shared = event.space == ptx::Space::Shared;
    if (info.id.block != block || event.mask == 0 ||
        (!shared && event.space != ptx::Space::Global)) {
      return;
    }
    if (shared && event.kind != simt::AccessKind::Load && (event.is_issue || event.is_arrival)) {
      note_copy(event);
    }
    if (event.is_arrival || event.agent != simt::AccessAgent::Thread) {
      return;  // counted at its issue; units make no requests
    }
    const insight::AccessPattern& pattern =
        patterns->find(first_pc[info.function] + info.pc, info.id.warp, event);
    const std::uint32_t cost =
        shared ? pattern.wavefronts
               : pattern.sectors[insight::first_address(event) % insight::kSectorBytes];
    const std::uint32_t least = shared ? pattern.passes : pattern.ideal_sectors;
    if (cost > least) {
      marks.push_back({shared ? MarkKind::Conflict : MarkKind::Uncoalesced, step,
                       thread_of(info, event.mask), line_of(info), cost, least});
    }
  }

  void note_copy(const simt::MemoryEvent& event) {
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t address =
          event.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      std::vector<std::size_t>& here = flying[address];
      if (event.is_issue) {
        here.push_back(copies.size());
        copies.push_back({address, event.bytes, step, ~std::uint64_t{0}});
      } else if (!here.empty()) {
        copies[here.front()].arrived = step;
        here.erase(here.begin());
      }
    }
  }
};

RunMarks::RunMarks() : impl_(std::make_unique<Impl>()) {}
RunMarks::~RunMarks() = default;

bool RunMarks::advance(const record::Recording& recording, const workspace::Generation& generation,
                       std::uint32_t block, std::uint64_t steps) {
  Impl& m = *impl_;
  if (m.recording != &recording || m.generation != generation || m.block != block) {
    m.start(recording, generation, block);
  }
  if (m.step < m.end) {
    const std::uint64_t last = std::min(m.end, m.step + steps);
    recording.replay(m.step, last, m);
    m.step = last;
  }
  return m.step < m.end;
}

std::span<const RunMark> RunMarks::marks() const {
  return impl_->marks;
}
std::span<const CopyFlight> RunMarks::copies() const {
  return impl_->copies;
}
std::uint64_t RunMarks::known_to() const {
  return impl_->step;
}

narration::Pieces mark_words(const RunMark& mark) {
  using narration::counted;
  using narration::Noun;
  using narration::part;
  using narration::plain;
  const auto line = plain(fmt::format("{}", mark.line));
  const auto least = plain(fmt::format("{}", mark.least));
  switch (mark.kind) {
    case MarkKind::Finding:
      return part(mark.cost == 0 ? narration::Say("mark_race") : narration::Say("mark_finding"),
                  {{"line", line}});
    case MarkKind::Conflict:
      return part("mark_conflict", {{"line", line},
                                    {"passes", plain(counted(mark.cost, Noun::PassNoun))},
                                    {"least", least}});
    case MarkKind::Uncoalesced:
      return part(
          "mark_uncoalesced",
          {{"line", line}, {"sectors", plain(counted(mark.cost, Noun::Sector))}, {"least", least}});
    case MarkKind::Divergence:
      return part("mark_divergence", {{"line", line},
                                      {"some", plain(fmt::format("{}", mark.cost))},
                                      {"lanes", plain(counted(mark.least, Noun::Lane))}});
    case MarkKind::Barrier:
      break;
  }
  return part("mark_barrier", {{"line", line}});
}

std::string mark_tooltip(const RunMark& mark, std::size_t count) {
  using narration::part;
  std::string text = narration::plain_text(mark_words(mark));
  if (count > 1) {
    text += "\n" + narration::plain_text(part(
                       "mark_more", {{"count", narration::plain(fmt::format("{}", count - 1))}}));
  }
  return text + "\n" + narration::plain_text(part("mark_click", {}));
}

}  // namespace tilestep::ui

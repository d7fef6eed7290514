#include "insight/events/event_search.h"

#include "insight/check/race_effect.h"
#include "insight/check/sentences.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "record/tables.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace tilestep::insight {
namespace {

using record::EventKind;

// By function, the index of its first instruction; then the total.
std::vector<std::uint32_t> first_places(const ptx::Module& module) {
  std::vector<std::uint32_t> first{0};
  for (const ptx::Function& function : module.functions) {
    first.push_back(first.back() + static_cast<std::uint32_t>(function.instructions.size()));
  }
  return first;
}

// A parameter may have the name of the buffer that it points to; then the buffer is meant.
const simt::Array* array_named(const simt::Program& program, const std::string& name) {
  for (const simt::Array& allocation : program.arrays()) {
    if (allocation.name == name && (allocation.kind == simt::AllocationKind::Shared ||
                                    allocation.kind == simt::AllocationKind::Buffer)) {
      return &allocation;
    }
  }
  return nullptr;
}

bool is_variable(const simt::Program& program, const std::string& name) {
  const auto& functions = program.module().functions;
  return std::ranges::any_of(functions, [&](const ptx::Function& function) {
    return std::ranges::any_of(function.source_variables,
                               [&](const ptx::SourceVariable& v) { return v.name == name; });
  });
}

namespace english = events_english;

// Keeps the nearest stop. Of several at one stop it keeps the focused thread's first one, else the
// first.
class Nearest {
 public:
  Nearest(const record::Recording& recording, const EventQuestion& q)
      : recording_(recording), q_(q) {}

  // True: the caller must set the sentence with `tell`.
  bool takes(std::uint64_t step, std::uint32_t block, std::uint32_t thread) {
    const std::uint64_t stop = end_of_statement(recording_, step);
    const bool forward = q_.direction > 0;
    if (forward ? stop <= q_.from : stop >= q_.from) {
      return false;
    }
    const bool nearer = !answer_.found || (forward ? stop < answer_.stop : stop > answer_.stop);
    const bool is_focus = block == q_.block && thread == q_.thread;
    const bool had_focus = answer_.block == q_.block && answer_.thread == q_.thread;
    if (!nearer && (stop != answer_.stop || !is_focus || had_focus)) {
      return false;
    }
    answer_ = {.found = true, .stop = stop, .block = block, .thread = thread, .sentence = {}};
    return true;
  }
  void tell(std::string sentence) { answer_.sentence = std::move(sentence); }
  [[nodiscard]] EventAnswer answer() && { return std::move(answer_); }

 private:
  const record::Recording& recording_;
  const EventQuestion& q_;
  EventAnswer answer_;
};

void look_at_findings(const record::Recording& recording, const EventQuestion& q,
                      Nearest& nearest) {
  const problem::Launch& launch = recording.program().launch();
  for (const Finding& finding : q.findings) {
    const Party party = finding.parties.empty() ? Party{} : finding.parties.back();
    if (nearest.takes(party.step, static_cast<std::uint32_t>(launch.grid.linear(party.block)),
                      static_cast<std::uint32_t>(launch.block.linear(party.thread)))) {
      nearest.tell(finding.sentence);
    }
  }
}

void look_at_race_effects(const record::Recording& recording, const EventQuestion& q,
                          Nearest& nearest) {
  const simt::Program& program = recording.program();
  for (const RaceEffect& effect : find_race_effects(recording, q.block)) {
    const std::uint32_t last = effect.is_lost() ? effect.reader.thread : effect.writer.thread;
    if (nearest.takes(effect.last_step(), q.block, last)) {
      nearest.tell(race_sentence(program, finding_of(program, effect),
                                 {.read_comes_first = effect.is_lost()}));
    }
  }
}

void look_at_faults(const record::Recording& recording, const EventQuestion& q, Nearest& nearest) {
  const simt::Program& program = recording.program();
  for (const record::Activity::Fault& fault : recording.faults()) {
    const auto lane =
        static_cast<std::uint32_t>(fault.event.mask == 0 ? 0 : std::countr_zero(fault.event.mask));
    const std::uint32_t thread = program.thread_of(fault.warp, lane);
    if (!nearest.takes(fault.step, fault.warp.block, thread)) {
      continue;
    }
    const auto first = std::ranges::find_if(q.findings, [&](const Finding& f) {
      return f.kind == finding_kind(fault.event.kind) && !f.parties.empty() &&
             f.parties.back().line == fault.line;
    });
    if (first != q.findings.end()) {
      nearest.tell(fmt::format(
          fmt::runtime(english::kAgain.text()), fmt::arg("line", fault.line),
          fmt::arg("thread",
                   thread_of_block(program.thread_index(thread),
                                   program.block_index(fault.warp.block), program.launch())),
          fmt::arg("first", first->sentence)));
    }
  }
}

bool has_shared_race(const EventQuestion& q) {
  return std::ranges::any_of(q.findings,
                             [](const Finding& f) { return f.kind == FindingKind::SharedRace; });
}

}  // namespace

Result<AccessTarget> access_target(const simt::Program& program, const std::string& what) {
  AccessTarget target;
  const std::string name = what.substr(0, what.find('['));
  const simt::Array* const whole = array_named(program, name);
  const simt::Array* const array = whole != nullptr ? whole : array_named(program, what);
  if (array != nullptr && looks_like_cell(what)) {
    const Result<Cell> cell = find_cell(program, what);
    if (!cell) {
      return tl::unexpected(cell.error());
    }
    target.first = cell->address;
    target.last = cell->address + cell->bytes;
    target.shared = cell->shared;
    return target;
  }
  if (array != nullptr) {
    target.first = array->base;
    target.last = array->base + array->bytes;
    target.shared = array->kind == simt::AllocationKind::Shared;
    return target;
  }
  if (name.empty() || !is_variable(program, name)) {
    return fail(tr(
        "\"{}\" is neither an array nor a variable of this kernel. Click a cell, or watch a name.",
        what));
  }
  target.variable = name;
  target.lines = record::assigning_lines(program, name);
  return target;
}

EventWatch::EventWatch(const simt::Machine& machine, Options options)
    : machine_(machine),
      options_(std::move(options)),
      lines_(machine.program()),
      step_(options_.first),
      first_pc_(first_places(machine.program().module())) {
  const simt::Program& program = machine.program();
  if (options_.kind == EventKind::BankConflict || options_.kind == EventKind::Uncoalesced) {
    patterns_.emplace(first_pc_.back());
  }
  if (options_.kind == EventKind::Nan) {
    nans_.emplace(machine, [this](const simt::StepInfo& info, std::uint32_t lanes,
                                  std::span<const std::uint64_t>) { hit(info, lanes); });
  }
  if (options_.kind == EventKind::MaskedLane) {
    open_.resize(std::size_t{program.block_count()} * program.warps_per_block());
  }
}

// Statements in progress at the last step.
EventWatch::~EventWatch() {
  for (const Open& open : open_) {
    close(open);
  }
}

void EventWatch::hit(const simt::StepInfo& info, std::uint32_t lanes) {
  options_.hits->push_back({step_, info.id, lanes, lines_.line_of(info, machine_)});
}

void EventWatch::before_step(const simt::StepInfo& info) {
  lines_.enter(info);
  switch (options_.kind) {
    case EventKind::Divergence:
      if (info.instruction->op == ptx::Opcode::Bra && info.mask != 0 && info.mask != info.active) {
        hit(info, info.mask);
      }
      break;
    case EventKind::MaskedLane:
      note_masked(info);
      break;
    case EventKind::Nan:
      nans_->before_step(info);
      break;
    case EventKind::Access:
      note_assignment(info);
      break;
    default:
      break;
  }
}

void EventWatch::after_step(const simt::StepInfo& info) {
  if (nans_) {
    nans_->after_step(info);
  }
  ++step_;
}

// As in ActivityCollector: finds the lanes that executed a line of a statement, in one piece or
// several.
void EventWatch::note_masked(const simt::StepInfo& info) {
  const auto starts = options_.starts;
  if (next_start_ == 0) {
    next_start_ = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), step_) -
                                           starts.begin());
  }
  if (next_start_ < starts.size() && step_ >= starts[next_start_]) {
    for (Open& open : open_) {
      close(std::exchange(open, {}));
    }
    ++next_start_;
  }
  const std::uint32_t here = lines_.line_of(info, machine_);
  Open& open =
      open_[std::size_t{info.id.block} * machine_.program().warps_per_block() + info.id.warp];
  if (open.mask == 0 || open.line != here) {
    close(open);
    open = {step_, info.id, here, 0, machine_.warp(info.id).live};
  }
  open.mask |= info.active;
}

void EventWatch::close(const Open& open) {
  const std::uint32_t off = open.live & ~open.mask;
  if (open.mask != 0 && off != 0) {
    options_.hits->push_back({open.step, open.warp, off, open.line});
  }
}

void EventWatch::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (patterns_) {
    note_cost(info, event);
  } else if (options_.kind == EventKind::Access) {
    note_access(info, event);
  }
}

void EventWatch::note_cost(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const bool shared = event.space == ptx::Space::Shared;
  if (event.is_arrival || event.agent != simt::AccessAgent::Thread ||
      (!shared && event.space != ptx::Space::Global) ||
      shared != (options_.kind == EventKind::BankConflict)) {
    return;
  }
  const AccessPattern& pattern =
      patterns_->find(first_pc_[info.function] + info.pc, info.id.warp, event);
  const bool costs_more =
      shared ? pattern.wavefronts > pattern.passes
             : pattern.sectors[first_address(event) % kSectorBytes] > pattern.ideal_sectors;
  if (costs_more) {
    hit(info, event.mask);
  }
}

void EventWatch::note_access(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const AccessTarget& target = options_.target;
  if (target.variable.empty() ? target.shared && info.id.block != options_.block
                              : info.id.block != options_.block) {
    return;
  }
  std::uint32_t lanes = 0;
  const auto warp_size = machine_.program().warp_size();
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = event.addresses[static_cast<std::size_t>(lane)];
    const bool touches =
        target.variable.empty()
            ? first < target.last && target.first < first + event.bytes
            : event.space == ptx::Space::Local &&
                  info.id.warp * warp_size + static_cast<std::uint32_t>(lane) == options_.thread &&
                  record::local_place_name(machine_, info.id, lane, info.frame, first).variable ==
                      target.variable;
    lanes |= touches ? 1U << lane : 0U;
  }
  if (lanes != 0) {
    hit(info, lanes);
  }
}

// A variable in a register: the first step on a line that assigns it.
void EventWatch::note_assignment(const simt::StepInfo& info) {
  const AccessTarget& target = options_.target;
  if (target.lines.empty() || info.id.block != options_.block) {
    return;
  }
  const auto warp_size = machine_.program().warp_size();
  const std::uint32_t lane = options_.thread % warp_size;
  if (info.id.warp != options_.thread / warp_size || (info.active >> lane & 1U) == 0) {
    return;
  }
  const std::uint32_t line = lines_.line_of(info, machine_);
  if (std::binary_search(target.lines.begin(), target.lines.end(), line)) {
    hit(info, 1U << lane);
  }
}

void EventWatch::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (options_.kind == EventKind::Barrier && event.action == simt::BarrierAction::Release) {
    hit(info, info.active);
  }
}

EventAnswer nearest_finding(const record::Recording& recording, const EventQuestion& q) {
  Nearest nearest(recording, q);
  if (recording.is_whole()) {  // otherwise their steps belong to another run
    look_at_findings(recording, q, nearest);
  }
  if (!q.first_only) {
    if (has_shared_race(q)) {
      look_at_race_effects(recording, q, nearest);
    }
    look_at_faults(recording, q, nearest);
  }
  EventAnswer answer = std::move(nearest).answer();
  if (!answer.found && !recording.is_whole()) {
    answer.sentence = fmt::format(fmt::runtime(english::kPartOnly.text()),
                                  fmt::arg("first", recording.part().first),
                                  fmt::arg("last", recording.part().last - 1));
  }
  return answer;
}

}  // namespace tilestep::insight

#include "insight/events/event_watch.h"

#include "insight/cell_name.h"
#include "problem/tr.h"
#include "record/assigning_lines.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace tilestep::insight {
namespace {

using record::EventKind;

// By function, the number of its first instruction; then how many there are.
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
  return std::any_of(functions.begin(), functions.end(), [&](const ptx::Function& function) {
    return std::any_of(function.source_variables.begin(), function.source_variables.end(),
                       [&](const ptx::SourceVariable& v) { return v.name == name; });
  });
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

// What was under way at the end of the steps.
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

// As ActivityCollector does: which lanes executed a line of a statement, in one piece or several.
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
  const auto warp_size = static_cast<std::uint32_t>(machine_.program().warp_size());
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
  const auto warp_size = static_cast<std::uint32_t>(machine_.program().warp_size());
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

}  // namespace tilestep::insight

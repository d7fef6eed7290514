#include "workspace/place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace tilestep::workspace {

namespace {

using record::PhaseKind;
using Phases = std::span<const record::Phase>;

// What is closest to a kind of phase in a run that may have none of it.
constexpr PhaseKind kNone = PhaseKind::Other;
struct Likeness {
  PhaseKind kind;
  std::array<PhaseKind, 3> others;
};
constexpr std::array kLikenesses{
    Likeness{PhaseKind::Setup, {PhaseKind::Load, PhaseKind::LoadAndMultiply, kNone}},
    Likeness{PhaseKind::Load, {PhaseKind::LoadAndMultiply, PhaseKind::Setup, kNone}},
    Likeness{PhaseKind::Multiply, {PhaseKind::LoadAndMultiply, PhaseKind::Compute, kNone}},
    Likeness{PhaseKind::LoadAndMultiply, {PhaseKind::Multiply, PhaseKind::Compute, kNone}},
    Likeness{PhaseKind::Compute,
             {PhaseKind::Multiply, PhaseKind::LoadAndMultiply, PhaseKind::WriteBack}},
    Likeness{PhaseKind::WriteBack, {PhaseKind::Compute, kNone, kNone}},
};

Phases phases_of(const record::Recording& recording, std::uint32_t block) {
  return recording.phases_of(std::min(block, recording.program().block_count() - 1));
}

// Of the statements that a phase has: the first, and how many until it is over.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};
Stretch statements_of(const record::Recording& recording, const record::Phase& phase) {
  const auto starts = recording.statement_starts();
  const std::size_t first = recording.statement_of(phase.first_step);
  const auto end = std::lower_bound(starts.begin() + static_cast<std::ptrdiff_t>(first),
                                    starts.end(), std::max(phase.last_step, phase.first_step));
  const auto last = static_cast<std::size_t>(end - starts.begin());
  return {first, std::min(last, starts.size() - 1) - first};
}

// Of this kind: the last tile that is not beyond the one that is wanted, and its part. A phase
// without a tile has all of them.
std::optional<std::size_t> find_kind(Phases phases, PhaseKind kind, const Moment& moment) {
  std::optional<std::size_t> found;
  std::size_t part = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].kind != kind) {
      continue;
    }
    const bool is_next_part = found && phases[i].tile == phases[*found].tile;
    part = is_next_part ? part + 1 : 0;
    const bool is_like = phases[i].tile <= moment.tile && (!is_next_part || part <= moment.part);
    if (!found || is_like) {
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> find_phase(Phases phases, const Moment& moment) {
  if (const auto found = find_kind(phases, moment.kind, moment)) {
    return found;
  }
  const auto like = std::ranges::find(kLikenesses, moment.kind, &Likeness::kind);
  if (like != kLikenesses.end()) {
    for (const PhaseKind kind : like->others) {
      if (const auto found = find_kind(phases, kind, moment)) {
        return found;
      }
    }
  }
  return phases.empty() ? std::nullopt : std::optional(std::min(moment.index, phases.size() - 1));
}

}  // namespace

Moment moment_of(const record::Recording& recording, std::uint64_t step, std::uint32_t block) {
  Moment moment;
  const Phases phases = phases_of(recording, block);
  if (step == 0 || phases.empty()) {
    return moment;
  }
  for (std::size_t i = 0; i < phases.size() && phases[i].first_step < step; ++i) {
    moment.index = i;
  }
  const record::Phase& phase = phases[moment.index];
  moment.kind = phase.kind;
  moment.tile = phase.tile;
  moment.part = static_cast<std::size_t>(
      std::ranges::count_if(phases.first(moment.index), [&](const record::Phase& before) {
        return before.kind == phase.kind && before.tile == phase.tile;
      }));
  const auto starts = recording.statement_starts();
  const Stretch stretch = statements_of(recording, phase);
  const auto here = static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), step) -
                                             starts.begin());
  moment.statement = here > stretch.first ? here - stretch.first : 0;
  moment.share = static_cast<double>(moment.statement) /
                 static_cast<double>(std::max<std::size_t>(stretch.count, 1));
  // The last phase of a run that was cut short goes on.
  const bool is_open = !recording.is_complete() && moment.index + 1 == phases.size();
  moment.at = is_open                             ? Moment::At::Within
              : step >= recording.step_count()    ? Moment::At::End
              : moment.statement >= stretch.count ? Moment::At::PhaseEnd
                                                  : Moment::At::Within;
  return moment;
}

std::uint64_t step_at(const record::Recording& recording, const Moment& moment, std::uint32_t block,
                      bool same_kernel) {
  if (moment.at == Moment::At::End) {
    return recording.step_count();
  }
  const Phases phases = phases_of(recording, block);
  const auto found = find_phase(phases, moment);
  if (moment.at == Moment::At::Start || !found) {
    return 0;
  }
  const Stretch stretch = statements_of(recording, phases[*found]);
  const bool is_alike = same_kernel && phases[*found].kind == moment.kind;
  const auto by_share = static_cast<std::size_t>(
      std::lround(std::min(moment.share, 1.0) * static_cast<double>(stretch.count)));
  const std::size_t into = moment.at == Moment::At::PhaseEnd ? stretch.count
                           : is_alike ? std::min(moment.statement, stretch.count)
                                      : by_share;
  return recording.statement_starts()[stretch.first + into];
}

std::uint64_t first_load_end(const record::Recording& recording, std::uint32_t block) {
  const Phases phases = phases_of(recording, block);
  const auto loads = [](const record::Phase& phase) {
    return phase.kind == PhaseKind::Load || phase.kind == PhaseKind::LoadAndMultiply;
  };
  auto last = std::ranges::find_if(phases, loads);
  if (last == phases.end()) {
    return 0;
  }
  // As and Bs may be loaded in two phases.
  while (std::next(last) != phases.end() && std::next(last)->kind == PhaseKind::Load &&
         std::next(last)->tile == last->tile) {
    ++last;
  }
  if (!recording.is_complete() && std::next(last) == phases.end()) {
    return 0;  // it goes on
  }
  const Stretch stretch = statements_of(recording, *last);
  return recording.statement_starts()[stretch.first + stretch.count];
}

bool holds(const record::Recording& recording, const Moment& moment, std::uint32_t block) {
  if (moment.at == Moment::At::Start || !recording.is_whole() || recording.is_complete()) {
    return true;
  }
  const Phases phases = phases_of(recording, block);
  return moment.at != Moment::At::End && moment.index < phases.size() &&
         step_at(recording, moment, block) < recording.step_count();
}

std::uint32_t block_that_moved(const record::Recording& recording, const state::AppState& state,
                               const record::Activity& statement) {
  const std::uint32_t focus = state.focus.block;
  const bool all_together = state.schedule.kind == simt::ScheduleKind::Lockstep &&
                            recording.part().count() <= simt::resident_blocks(recording.program());
  if (all_together || statement.executed.empty()) {
    return focus;
  }
  const bool moved =
      std::any_of(statement.executed.begin(), statement.executed.end(),
                  [focus](const record::Activity::Executed& e) { return e.warp.block == focus; });
  return moved ? focus : statement.executed.back().warp.block;
}

state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                        const state::Context& context) {
  if (to.thread) {
    const state::FocusThread thread{state.focus.block, *to.thread};
    state = apply(std::move(state), thread, context);
  }
  if (to.line == 0) {
    return state;
  }
  state = apply(std::move(state), state::SeekStart{}, context);
  state = apply(std::move(state), state::RunToLine{to.line}, context);
  return to.beside == state::Beside::Memory || to.beside == state::Beside::Warp
             ? apply(std::move(state), state::Step{state::Unit::Statement, +1}, context)
             : state;
}

}  // namespace tilestep::workspace

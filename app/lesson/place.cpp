#include "lesson/place.h"

#include "lesson/lesson.h"
#include "problem/tr.h"
#include "state/apply.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tilestep::lesson {
namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// How well a statement of a phase shows what the phase is about: statements that read or write
// global or shared memory of the block in view do, loop headers and barriers do not.
bool shows_work(const record::Access& access, std::uint32_t block) {
  return access.warp.block == block &&
         (access.event.space == ptx::Space::Global || access.event.space == ptx::Space::Shared);
}

// The end of the statement nearest to the middle of the phase that shows its work, so that this
// statement has just been executed.
std::uint64_t middle_of(const record::Phase& phase, const record::Recording& recording) {
  const auto starts = recording.statement_starts();
  const auto end_of = [&](std::uint64_t step) {
    return std::min(starts[std::min(recording.statement_of(step) + 1, starts.size() - 1)],
                    recording.step_count());
  };
  const std::uint64_t last = std::max(phase.last_step, phase.first_step + 1) - 1;
  const std::size_t first_statement = recording.statement_of(phase.first_step);
  const std::size_t middle = (first_statement + recording.statement_of(last)) / 2;
  const record::Activity activity = recording.activity(phase.first_step, phase.last_step);
  std::optional<std::uint64_t> best;
  std::size_t best_distance = 0;
  for (const record::Access& access : activity.accesses) {
    if (!shows_work(access, phase.block)) {
      continue;
    }
    const std::size_t statement = recording.statement_of(access.step);
    const std::size_t distance = statement > middle ? statement - middle : middle - statement;
    if (!best || distance < best_distance) {
      best = access.step;
      best_distance = distance;
    }
  }
  return end_of(best.value_or(starts[middle]));
}

// The stop of F10.
std::uint64_t phase_end(const record::Phase& phase, const record::Recording& recording) {
  const std::uint64_t before = std::max(phase.last_step, phase.first_step + 1) - 1;
  return state::step_from(recording, before, state::Unit::Phase, +1, phase.block);
}

// The focus block, or block 0 if the run does not have it.
std::uint32_t block_of(const record::Recording& recording, std::uint32_t focus_block) {
  return focus_block < recording.program().block_count() ? focus_block : 0;
}

std::uint64_t resolve_phase(const Place& place, const record::Recording& recording,
                            std::uint32_t block) {
  const auto phases = recording.phases_of(block);
  if (phases.empty()) {
    return 0;
  }
  const record::Phase& phase = phases[std::min<std::uint64_t>(place.number, phases.size() - 1)];
  if (place.kind == Place::Kind::PhaseEnd) {
    return phase_end(phase, recording);
  }
  return place.kind == Place::Kind::Phase ? phase.first_step : middle_of(phase, recording);
}

}  // namespace

Result<Place> parse_place(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = std::string_view(text).substr(0, colon);
  const auto kind = value_of<Place::Kind>(word);
  const bool has_number = kind != Place::Kind::Start && kind != Place::Kind::End;
  if (kind && has_number == (colon != std::string::npos)) {
    if (!has_number) {
      return Place{*kind, 0};
    }
    if (const auto number = number_of(std::string_view(text).substr(colon + 1))) {
      return Place{*kind, *number};
    }
  }
  return fail(
      tr("'{}' is not a place in a run. Write start, end, step:N, statement:N, phase:N "
         "(its middle), phase-start:N or phase-end:N, counted from 0.",
         text));
}

std::uint64_t resolve(const Place& place, const record::Recording& recording,
                      std::uint32_t focus_block) {
  const auto starts = recording.statement_starts();
  switch (place.kind) {
    case Place::Kind::Start:
      return 0;
    case Place::Kind::End:
      return recording.step_count();
    case Place::Kind::Step:
      return std::min(place.number, recording.step_count());
    case Place::Kind::Statement:
      return starts.empty() ? 0 : starts[std::min<std::uint64_t>(place.number, starts.size() - 1)];
    case Place::Kind::Phase:
    case Place::Kind::PhaseMiddle:
    case Place::Kind::PhaseEnd:
      return resolve_phase(place, recording, block_of(recording, focus_block));
  }
  return 0;
}

std::optional<Error> beyond_end(const Place& place, const record::Recording& recording,
                                std::uint32_t focus_block) {
  const std::uint64_t number = place.number;
  std::uint64_t last = 0;
  switch (place.kind) {
    case Place::Kind::Start:
    case Place::Kind::End:
      return std::nullopt;
    case Place::Kind::Step:
      last = recording.step_count();
      return number <= last
                 ? std::nullopt
                 : std::optional(
                       Error{tr("There is no step {}: this run has steps 0 to {}.", number, last)});
    case Place::Kind::Statement:
      last = std::max<std::size_t>(recording.statement_starts().size(), 1) - 1;
      return number <= last ? std::nullopt
                            : std::optional(Error{
                                  tr("There is no statement {}: this run has statements 0 to {}.",
                                     number, last)});
    case Place::Kind::Phase:
    case Place::Kind::PhaseMiddle:
    case Place::Kind::PhaseEnd: {
      const auto phases = recording.phases_of(block_of(recording, focus_block));
      last = std::max<std::size_t>(phases.size(), 1) - 1;
      return number <= last
                 ? std::nullopt
                 : std::optional(Error{
                       tr("There is no phase {}: this run has phases 0 to {}.", number, last)});
    }
  }
  return std::nullopt;
}

void go_to(const Place& place, const record::Recording& recording, state::AppState& state) {
  state.step = resolve(place, recording, state.focus.block);
  state.phase = {.done = place.kind == Place::Kind::PhaseEnd};
}

FirstStart first_start() {
  FirstStart first;
  first.state.focus.block = 1;
  first.state.focus.thread = 6;
  first.place = {Place::Kind::Statement, 18};
  return first;
}

}  // namespace tilestep::lesson

#include "course/practice_picks.h"

#include "course/asked.h"
#include "insight/names.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tilestep::course {
namespace {

constexpr std::size_t kLooks = 12;  // at statements, for one that has what is asked about
constexpr std::size_t kBack = 48;   // statements, to the same line's last time

// Of an element with two indices; empty for what has another form.
std::string array_of(const std::string& element) {
  const std::size_t bracket = element.find('[');
  const bool is_plain = bracket != std::string::npos && bracket > 0 && element.back() == ']' &&
                        element.find_first_of("+.:") == std::string::npos;
  return is_plain ? element.substr(0, bracket) : "";
}

std::optional<std::uint32_t> some_lane(Ground& ground, const record::Access& access) {
  const auto size = ground.program().warp_size();
  const state::Focus& focus = ground.from.state.focus;
  if (ground.is_here) {
    const bool is_its = access.warp.block == focus.block &&
                        access.warp.warp == focus.thread / size &&
                        (access.event.mask >> (focus.thread % size) & 1U) != 0;
    return is_its ? std::optional(focus.thread % size) : std::nullopt;
  }
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t lane = 0; lane < size; ++lane) {
    if (access.event.mask >> lane & 1U) {
      lanes.push_back(lane);
    }
  }
  return lanes.empty() ? std::nullopt : std::optional(lanes[ground.dice.of(lanes.size())]);
}

std::optional<Picked> picked_of(Ground& ground, const Moment& moment,
                                const record::Access& access) {
  const auto lane = some_lane(ground, access);
  if (!lane) {
    return std::nullopt;
  }
  const simt::Program& program = ground.program();
  const simt::Place at = program.locate_array(access.event.addresses[*lane], access.event.bytes);
  if (!at.inside || at.allocation >= program.arrays().size()) {
    return std::nullopt;
  }
  Picked picked{.statement = moment.statement, .line = access.line, .pc = access.pc};
  picked.warp = access.warp;
  picked.block = access.warp.block;
  picked.thread = access.warp.warp * program.warp_size() + *lane;
  picked.is_shared = program.arrays()[at.allocation].kind == simt::AllocationKind::Shared;
  picked.element = record::place_name(
      program, program.locate(access.event.addresses[*lane], access.event.bytes));
  picked.array = array_of(picked.element);
  return picked.array.empty() || picked.array != program.arrays()[at.allocation].name
             ? std::nullopt
             : std::optional(std::move(picked));
}

}  // namespace

std::size_t looks_of(const Ground& ground) {
  return ground.is_here ? 1 : kLooks;
}

std::size_t statements_of(const record::Recording& recording) {
  const auto starts = recording.statement_starts();
  return starts.empty() ? 0 : starts.size() - 1;
}

record::Activity activity_of(const record::Recording& recording, std::size_t statement) {
  const auto starts = recording.statement_starts();
  return recording.activity(starts[statement], starts[statement + 1]);
}

std::optional<Moment> some_moment(Ground& ground) {
  const std::size_t count = statements_of(ground.recording);
  if (count == 0) {
    return std::nullopt;
  }
  std::size_t statement = ground.dice.of(count);
  if (ground.is_here) {
    const std::uint64_t step =
        lesson::resolve(ground.from.place, ground.recording, ground.from.state.focus.block);
    statement = std::min(ground.recording.statement_of(step), count - 1);
  }
  return Moment{statement, activity_of(ground.recording, statement)};
}

std::string statement_place(std::size_t statement) {
  return fmt::format("statement:{}", statement);
}

std::optional<Picked> some_access(Ground& ground, const WantedAccess& wanted) {
  for (std::size_t i = 0; i < looks_of(ground); ++i) {
    const auto moment = some_moment(ground);
    if (!moment || moment->activity.accesses.empty()) {
      continue;
    }
    const auto& all = moment->activity.accesses;
    const std::size_t first = ground.dice.of(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      const record::Access& access = all[(first + k) % all.size()];
      const bool by_thread = access.event.agent == simt::AccessAgent::Thread;
      if (access.event.mask == 0 || !by_thread || !wanted(access)) {
        continue;
      }
      if (auto picked = picked_of(ground, *moment, access)) {
        return picked;
      }
    }
  }
  return std::nullopt;
}

Told who(const Ground& ground, std::uint32_t block, std::uint32_t thread) {
  const simt::Program& program = ground.program();
  const Value value = thread_value(program, block, thread);
  const std::string of =
      program.block_count() == 1
          ? ""
          : fmt::format("线程块 {} 的",
                        insight::coordinates(program.block_index(block), program.launch()));
  return {value.told, fmt::format("{}线程 {}", of, value.text)};
}

std::optional<std::uint32_t> exchanged(const Ground& ground, std::uint32_t thread) {
  const problem::Dim3& block = ground.program().launch().block;
  const problem::Dim3 at = ground.program().thread_index(thread);
  return at.x == at.y || at.y >= block.x || at.x >= block.y ? std::nullopt
                                                            : std::optional(at.x * block.x + at.y);
}

std::optional<std::uint32_t> neighbour(const Ground& ground, std::uint32_t thread) {
  const problem::Dim3& block = ground.program().launch().block;
  const problem::Dim3 at = ground.program().thread_index(thread);
  return block.x < 2 ? std::nullopt : std::optional(at.x + 1 < block.x ? thread + 1 : thread - 1);
}

std::optional<std::size_t> other_time(const Ground& ground, const Picked& picked) {
  const std::size_t count = statements_of(ground.recording);
  for (std::size_t away = 1; away <= kBack; ++away) {
    for (const bool is_later : {true, false}) {
      if (is_later ? picked.statement + away >= count : picked.statement < away) {
        continue;
      }
      const std::size_t there = is_later ? picked.statement + away : picked.statement - away;
      const record::Activity activity = activity_of(ground.recording, there);
      if (std::ranges::any_of(activity.accesses, [&](const record::Access& access) {
            return access.pc == picked.pc && access.warp == picked.warp;
          })) {
        return there;
      }
    }
  }
  return std::nullopt;
}

Draft draft_at(const Picked& picked, lesson::QuestionKind kind) {
  Draft draft{.kind = kind, .at = {lesson::Place::Kind::Statement, picked.statement}};
  draft.block = picked.block;
  draft.thread = picked.thread;
  return draft;
}

void add_other_threads(const Ground& ground, const Picked& picked, const std::string& form,
                       Draft& draft) {
  if (const auto other = exchanged(ground, picked.thread)) {
    draft.wrong.push_back({fmt::format(fmt::runtime(form), *other), {kExchanged, kExchangedZh}});
  }
  if (const auto other = neighbour(ground, picked.thread)) {
    draft.wrong.push_back(
        {fmt::format(fmt::runtime(form), *other),
         {fmt::format("That is the neighbour's: {} has it.", who(ground, picked.block, *other).en),
          "这是相邻线程的。"}});
  }
}

}  // namespace tilestep::course

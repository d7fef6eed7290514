// What a chosen cell, thread or line does in the run.
#include "course/asked.h"
#include "course/reveal_parts.h"
#include "insight/names.h"
#include "insight/trace/origin.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace tilestep::course {
namespace {

constexpr std::uint64_t kMostPlaceSteps = 2'000'000;  // of a run that is executed once more for it
constexpr std::uint32_t kMostPlaceBlocks = 64;
constexpr std::size_t kMostPlaceCells = 256;
constexpr std::size_t kMostPlaceStatements = 400;

// Visits each lane's accesses: the cell's name, who accesses it, at which line.
struct LaneAccess {
  simt::AccessKind kind = simt::AccessKind::Load;
  std::string array;
  std::string cell;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t line = 0;
};
template <class Visit>
void visit_accesses(const simt::Program& program, const record::Activity& activity,
                    const Visit& visit) {
  for (const record::Access& access : activity.accesses) {
    for (std::uint32_t lanes = access.event.mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      const simt::Place place =
          program.locate_array(access.event.addresses[lane], access.event.bytes);
      const bool is_known = place.allocation < program.arrays().size() && place.inside;
      if (is_known && program.arrays()[place.allocation].kind != simt::AllocationKind::Local) {
        visit(LaneAccess{access.event.kind, program.arrays()[place.allocation].name,
                         record::place_name(program, place), access.warp.block,
                         access.warp.warp * program.warp_size() + lane, access.line});
      }
    }
  }
}

bool is_short(const Quest& quest) {
  return quest.recording != nullptr && quest.recording->step_count() <= kMostPlaceSteps;
}

// A relative of the core that has this value: `text`, evaluated where the question is.
bool gives(const Quest& quest, const std::string& text, const Value& value) {
  const auto expression = lesson::parse_expression(text);
  const auto found = expression ? quest.answers.of(*expression, quest.question.at)
                                : tl::unexpected(expression.error());
  return found && are_same(*found, value);
}

std::string step_place(std::uint64_t step) {
  return fmt::format("step:{}", step);
}

// read(B, t1, PLACE): another thread in the same statement, the same thread in another one.
std::optional<std::string> read_by(const Quest& quest, const Value& given) {
  const std::string array = quest.subject();
  const std::uint32_t threads = quest.program().threads_per_block();
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    if (thread != quest.thread && gives(quest,
                                        fmt::format("read({}, b{}, t{}, {})", array, quest.block,
                                                    thread, step_place(quest.step)),
                                        given)) {
      return tr("{} reads {} in this statement.", thread_words(quest, quest.block, thread),
                given.text);
    }
  }
  const auto starts = quest.recording->statement_starts();
  for (std::size_t i = 1; i < std::min(starts.size(), kMostPlaceStatements); ++i) {
    if (starts[i] != quest.step && gives(quest,
                                         fmt::format("read({}, b{}, t{}, {})", array, quest.block,
                                                     quest.thread, step_place(starts[i])),
                                         given)) {
      return tr("{} reads {} in another statement.", thread_words(quest, quest.block, quest.thread),
                given.text);
    }
  }
  return std::nullopt;
}

// source(As[1][2], PLACE): another cell, another phase or another block that holds it.
std::optional<std::string> held_by(const Quest& quest, const Value& given) {
  const std::string cell = quest.subject();
  const std::string array = cell.substr(0, cell.find('['));
  const auto holds = [&](const std::string& where, std::uint32_t block, std::uint64_t step) {
    return gives(quest, fmt::format("source({}, b{}, {})", where, block, step_place(step)), given);
  };
  for (const simt::Array& one : quest.program().arrays()) {
    for (const std::string& other : one.name == array
                                        ? some_cells(quest.program(), one, kMostPlaceCells)
                                        : std::vector<std::string>()) {
      if (other != cell && holds(other, quest.block, quest.step)) {
        return tr("At that point, {} is in {}.", given.text, other);
      }
    }
  }
  const std::uint32_t blocks = std::min(quest.program().block_count(), kMostPlaceBlocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::uint32_t block = (quest.block + i) % blocks;
    const auto phases = quest.recording->phases_of(block);
    for (std::size_t phase = 1; phase < phases.size(); ++phase) {
      if (holds(cell, block, phases[phase].first_step)) {
        const std::string where = i == 0
                                      ? cell
                                      : tr("{} of {}", cell,
                                           insight::block_name(quest.program().block_index(block),
                                                               quest.program().launch()));
        return tr("{} is in {}.", given.text, at_phase(quest, where, block, phase));
      }
    }
  }
  return std::nullopt;
}

// How often a cell is loaded and stored in the whole run, and by whom first.
std::string uses_in_run(const Quest& quest, const std::string& cell) {
  std::map<simt::AccessKind, std::size_t> times;
  std::map<simt::AccessKind, std::string> who;
  const record::Activity all = quest.recording->activity(0, quest.recording->step_count());
  visit_accesses(quest.program(), all, [&](const LaneAccess& access) {
    if (access.cell == cell && times[access.kind]++ == 0) {
      who[access.kind] = thread_words(quest, access.block, access.thread);
    }
  });
  const auto stores = times[simt::AccessKind::Store];
  const auto loads = times[simt::AccessKind::Load];
  if (stores == 1 && loads == 0) {
    return tr("{} stores {}.", who[simt::AccessKind::Store], cell);
  }
  if (stores > 0) {
    return tr("{} is stored {} times in this launch, first by {}.", cell, stores,
              who[simt::AccessKind::Store]);
  }
  return loads == 0   ? tr("No thread reads or stores {} in this launch.", cell)
         : loads == 1 ? tr("{} reads {}, once in this launch.", who[simt::AccessKind::Load], cell)
                      : tr("{} is read {} times in this launch, first by {}.", cell, loads,
                           who[simt::AccessKind::Load]);
}

// The thread's accesses in the latest statement that it executed, at most.
std::string done_by(const Quest& quest, std::uint32_t thread) {
  const Spot spot{*quest.recording, quest.step, quest.block, thread};
  std::vector<std::string> done;
  visit_accesses(quest.program(), statement_before(spot), [&](const LaneAccess& access) {
    if (access.block == quest.block && access.thread == thread) {
      done.push_back(access.kind == simt::AccessKind::Load ? tr("loads {}", access.cell)
                                                           : tr("stores {}", access.cell));
    }
  });
  const std::string who = thread_words(quest, quest.block, thread);
  if (!done.empty()) {
    return tr("At this moment, {} {}.", who, fmt::join(done, tr(", ")));
  }
  const std::uint32_t line = quest.recording->state_at(quest.step).line(quest.block, thread);
  return line == 0 ? tr("{} has already ended.", who)
                   : tr("At this moment, {} is at line {}.", who, line);
}

}  // namespace

std::optional<std::string> cell_in_run(const Quest& quest, const std::string& cell) {
  if (quest.recording == nullptr) {
    return std::nullopt;
  }
  const auto known = insight::find_cell(quest.program(), cell);
  if (!known) {
    return std::nullopt;
  }
  Value given = cell_value(known->name);
  std::optional<std::string> found;
  if (quest.core.call != nullptr && !quest.core.is_elsewhere) {
    found = quest.name() == "read"     ? read_by(quest, given)
            : quest.name() == "source" ? held_by(quest, given)
                                       : std::nullopt;
  }
  return found || !is_short(quest) ? found : std::optional(uses_in_run(quest, known->name));
}

// writer(As[1][0], PLACE): what the chosen thread stored there.
std::optional<std::string> thread_in_run(const Quest& quest, const Value& given) {
  if (quest.recording == nullptr || given.thread >= quest.program().threads_per_block()) {
    return std::nullopt;
  }
  if (quest.core.call == nullptr || quest.name() != "writer") {
    return done_by(quest, given.thread);
  }
  const std::string cell = quest.subject();
  const std::string array = cell.substr(0, cell.find('['));
  const Value who = thread_value(quest.program(), quest.block, given.thread);
  for (const simt::Array& one : quest.program().arrays()) {
    if (one.name != array) {
      continue;
    }
    for (const std::string& other : some_cells(quest.program(), one, kMostPlaceCells)) {
      const std::string place = step_place(quest.step);
      if (gives(quest, fmt::format("writer({}, b{}, {})", other, quest.block, place), who)) {
        const auto source =
            lesson::parse_expression(fmt::format("source({}, b{}, {})", other, quest.block, place));
        const auto from = source ? quest.answers.of(*source, quest.question.at) : fail("");
        return from ? tr("{} loaded {} and stored it in {}.", who.phrase, from->text, other)
                    : tr("{} stored {}.", who.phrase, other);
      }
    }
  }
  return done_by(quest, given.thread);
}

std::optional<std::string> line_in_run(const Quest& quest, std::uint32_t line) {
  if (!is_short(quest)) {
    return std::nullopt;
  }
  const record::Activity all = quest.recording->activity(0, quest.recording->step_count());
  std::set<std::string> read;
  std::set<std::string> stored;
  visit_accesses(quest.program(), all, [&](const LaneAccess& access) {
    if (access.line == line) {
      (access.kind == simt::AccessKind::Load ? read : stored).insert(access.array);
    }
  });
  const std::string both = tr(" and ");
  if (!read.empty() && !stored.empty()) {
    return tr("Line {} reads {} and stores to {}.", line, fmt::join(read, both),
              fmt::join(stored, both));
  }
  if (!read.empty() || !stored.empty()) {
    return read.empty() ? tr("Line {} stores to {}.", line, fmt::join(stored, both))
                        : tr("Line {} reads {}.", line, fmt::join(read, both));
  }
  if (std::ranges::any_of(all.barriers, [&](const auto& one) { return one.line == line; })) {
    return tr("Line {} is a barrier: all threads of the block wait there.", line);
  }
  const bool is_executed =
      std::ranges::any_of(all.executed, [&](const auto& one) { return one.line == line; });
  return is_executed ? tr("Line {} is executed, but reads and stores no element.", line)
                     : tr("No thread executes line {}.", line);
}

}  // namespace tilestep::course

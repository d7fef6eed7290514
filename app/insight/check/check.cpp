#include "insight/check/check.h"

#include "insight/check/checker.h"
#include "insight/check/index_overflow.h"
#include "insight/check/screen.h"
#include "insight/check/sentences.h"
#include "insight/check/stores.h"
#include "insight/check/undefined_values.h"
#include "insight/count/block_sample.h"
#include "record/place_name.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace tilestep::insight {
namespace {

// Largest number of elements of the product that are compared if only some blocks are executed.
// Each is computed separately, in about 10 µs.
constexpr std::size_t kMostCompared = 1 << 16;

// Stored elements as row · columns + column; an evenly spaced subset if there are more than
// kMostCompared.
std::vector<std::size_t> stored_elements(const problem::Buffer& buffer, std::size_t number,
                                         const BufferStores& stores) {
  const std::size_t bytes = problem::byte_size(buffer.type);
  const auto cols = static_cast<std::size_t>(buffer.cols);
  std::vector<std::size_t> elements;
  for (std::size_t i = 0; i < static_cast<std::size_t>(buffer.rows) * cols; ++i) {
    const std::size_t place = i / cols * static_cast<std::size_t>(buffer.pitch) + i % cols;
    if (stores.is_stored(number, place * bytes)) {
      elements.push_back(i);
    }
  }
  const std::size_t each = elements.size() / kMostCompared + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < elements.size(); i += each) {
    elements[kept++] = elements[i];
  }
  elements.resize(kept);
  return elements;
}

// `stores`: the stores of a run that executed some of the blocks; null if the run executed all.
void compare_output(const simt::Program& program, const simt::Machine& machine,
                    const BufferStores* stores, CheckResult& result) {
  const auto contents = [&](std::size_t buffer) {
    return machine.buffer(static_cast<std::uint32_t>(buffer));
  };
  const problem::Launch& launch = program.launch();
  result.outputs = stores == nullptr
                       ? problem::compare_outputs(launch, contents)
                       : problem::compare_elements(launch, contents, [&](std::size_t buffer) {
                           return stored_elements(launch.buffers[buffer], buffer, *stores);
                         });
  if (const problem::BufferComparison* const telling = problem::most_telling(result.outputs)) {
    result.has_reference = true;
    result.compared = telling->buffer;
    result.comparison = telling->comparison;
    result.tolerance = telling->tolerance;
  }
}

ptx::Type float_type(problem::ElementType type) {
  switch (type) {
    case problem::ElementType::F16:
      return ptx::Type::F16;
    case problem::ElementType::BF16:
      return ptx::Type::BF16;
    case problem::ElementType::F32:
      return ptx::Type::F32;
    case problem::ElementType::F64:
      return ptx::Type::F64;
    default:
      return ptx::Type::None;
  }
}

// Byte offset in a buffer of the first NaN that the buffer did not hold at the start.
std::optional<std::size_t> new_nan(const simt::Machine& machine, std::uint32_t number) {
  const problem::Buffer& buffer = machine.program().launch().buffers[number];
  const ptx::Type type = float_type(buffer.type);
  if (type == ptx::Type::None || buffer.role == problem::BufferRole::Input) {
    return std::nullopt;
  }
  const std::span<const std::byte> now = machine.buffer(number);
  const std::uint32_t size = ptx::byte_size(type);
  for (std::size_t at = 0; at + size <= now.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, now.data() + at, size);
    if (is_nan(bits, type) &&
        std::memcmp(now.data() + at, buffer.contents.data() + at, size) != 0) {
      return at;
    }
  }
  return std::nullopt;
}

bool has_new_nan(const simt::Machine& machine) {
  for (std::uint32_t i = 0; i < machine.program().launch().buffers.size(); ++i) {
    if (new_nan(machine, i)) {
      return true;
    }
  }
  return false;
}

std::uint32_t ended_blocks(const simt::Machine& machine) {
  std::uint32_t ended = 0;
  for (std::uint32_t block = 0; block < machine.program().block_count(); ++block) {
    const simt::BlockStatus status = machine.block_status(block);
    ended += status == simt::BlockStatus::Ended || status == simt::BlockStatus::Stopped ? 1U : 0U;
  }
  return ended;
}

// If lanes that a mask names never arrive, the values that others read from them are undefined. The
// barrier's finding already says so.
void drop_explained(std::vector<Finding>& findings) {
  std::vector<std::uint32_t> lines;
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::DivergentBarrier) {
      lines.push_back(finding.parties.front().line);
    }
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.kind == FindingKind::UndefinedExchange &&
           std::ranges::count(lines, finding.parties.front().line) != 0;
  });
}

// A reason for a second run.
enum class Doubt : std::uint8_t {
  Memory,      // suspect words
  Numbers,     // the result is wrong
  Undefined,   // undefined results of shuffles or divisions, or variables that may be unset
  InputStore,  // a store to an input
  Loops,       // threads may have left a loop of barriers
};

struct Doubts {
  std::set<Doubt> all;
  ptx::UnsetRegisters unset;

  void add(Doubt doubt, bool is_there) {
    if (is_there) {
      all.insert(doubt);
    }
  }
  [[nodiscard]] bool has(Doubt doubt) const { return all.contains(doubt); }
};

bool stores_to_input(const simt::Program& program, const Counters& counters) {
  const std::vector<problem::Buffer>& buffers = program.launch().buffers;
  for (std::size_t i = 0; i < buffers.size() && i < counters.buffers.size(); ++i) {
    if (buffers[i].role == problem::BufferRole::Input && counters.buffers[i].stores > 0) {
      return true;
    }
  }
  return false;
}

// Counts the compared elements that no thread stored.
void count_never_stored(const problem::Launch& launch, const BufferStores& stores,
                        problem::BufferComparison& output) {
  for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
    const problem::Buffer& buffer = launch.buffers[b];
    if (buffer.name != output.buffer || buffer.role != problem::BufferRole::Output) {
      continue;
    }
    const std::size_t size = buffer.contents.size() / (std::size_t(buffer.rows) * buffer.pitch);
    for (int row = 0; row < buffer.rows; ++row) {
      for (int col = 0; col < buffer.cols; ++col) {
        if (!stores.is_stored(b, (std::size_t(row) * buffer.pitch + col) * size)) {
          ++output.never_stored;
          output.first_never_stored =
              output.first_never_stored || (row == output.comparison.first_wrong_row &&
                                            col == output.comparison.first_wrong_col);
        }
      }
    }
  }
}

// Finds which elements were stored, and stores to inputs. All blocks run, without the watchers of
// the exact pass. Returns the blocks that stored the first wrong element and the first NaN of a
// buffer.
SuspectBlocks look_at_stores(const std::shared_ptr<const simt::Program>& program,
                             const simt::Schedule& schedule, const std::atomic<bool>* cancel,
                             bool finds, CheckResult& result) {
  LaunchRun run(program, schedule);
  BufferStores stores(run.machine, finds);
  run.to_end(&stores, cancel);
  result.cancelled = run.cancelled;
  for (problem::BufferComparison& output : result.outputs) {
    count_never_stored(program->launch(), stores, output);
  }
  for (Finding& finding : stores.findings()) {
    result.findings.push_back(std::move(finding));
  }
  SuspectBlocks suspects;
  const auto add = [&](std::uint32_t buffer, std::size_t byte) {
    if (const auto block = stores.block_of(buffer, byte)) {
      suspects.add({suspects.blocks().size(), *block});
    }
  };
  for (std::uint32_t i = 0; i < program->launch().buffers.size(); ++i) {
    const problem::Buffer& buffer = program->launch().buffers[i];
    if (const std::optional<std::size_t> at = new_nan(run.machine, i)) {
      add(i, *at);
    }
    for (const problem::BufferComparison& output : result.outputs) {
      if (output.buffer == buffer.name && output.comparison.wrong > 0) {
        const problem::Comparison& first = output.comparison;
        add(i, (std::size_t(first.first_wrong_row) * buffer.pitch + first.first_wrong_col) *
                   problem::byte_size(buffer.type));
      }
    }
  }
  return suspects;
}

// An observer of the run, made if a doubt needs it; else null.
template <class Observer, class... Arguments>
std::unique_ptr<Observer> watch(bool is_needed, Watchers& watchers, const simt::Machine& machine,
                                Arguments&&... arguments) {
  if (!is_needed) {
    return nullptr;
  }
  auto observer = std::make_unique<Observer>(machine, std::forward<Arguments>(arguments)...);
  watchers.add(observer.get());
  return observer;
}

// Runs the launch, or some of its blocks, again with the exact watchers that the doubts need.
void look_closely(const std::shared_ptr<const simt::Program>& program,
                  const simt::Schedule& schedule, const std::atomic<bool>* cancel,
                  const std::vector<std::uint32_t>& blocks, const Suspects& suspects,
                  const Doubts& doubts, CheckResult& result) {
  LaunchRun again(program, schedule, blocks);
  Watchers watchers;
  Checker checker(again.machine, &suspects);
  watchers.add(&checker);
  std::unique_ptr<UndefinedValues> undefined;
  const bool numbers = doubts.has(Doubt::Numbers);
  const auto nans = watch<NanWatch>(
      numbers, watchers, again.machine,
      [&](const simt::StepInfo& info, std::uint32_t lanes,
          std::span<const std::uint64_t> operands) { undefined->on_nan(info, lanes, operands); });
  const auto overflows = watch<IndexOverflow>(numbers, watchers, again.machine);
  undefined = watch<UndefinedValues>(numbers || doubts.has(Doubt::Undefined), watchers,
                                     again.machine, doubts.unset);  // after `nans`
  const auto loops = watch<LeftLoops>(doubts.has(Doubt::Loops), watchers, again.machine);
  const auto overwritten =
      watch<OverwrittenStores>(result.comparison.wrong > 0, watchers, again.machine);
  again.to_end(&watchers, cancel);
  result.cancelled = again.cancelled;
  if (again.cancelled) {
    result.cancelled_at = cancelled_sentence(*program, again.steps, ended_blocks(again.machine),
                                             first_at_work(again.machine));
  }
  const auto append = [&](std::vector<Finding> more) {
    result.findings.insert(result.findings.end(), more.begin(), more.end());
  };
  append(checker.findings());
  if (loops) {
    take_left_loops(result.findings, *loops);
  }
  if (overflows) {
    append(overflows->findings());
  }
  if (undefined) {
    append(undefined->findings());
  }
  if (overwritten && result.findings.empty()) {
    const std::vector<std::string> sentences = overwritten->sentences();
    result.notes.insert(result.notes.end(), sentences.begin(), sentences.end());
  }
}

bool is_at_same_lines(const Finding& a, const Finding& b) {
  return a.kind == b.kind &&
         std::ranges::is_permutation(a.parties, b.parties, {}, &Party::line, &Party::line);
}

// In the fast build, local arrays and some registers have no names, and an array that the compiler
// keeps apart may lack its indices. The step build has them.
bool is_named_by(const Finding& fast, const Finding& step) {
  const bool has_no_name = fast.variable == record::kLocalMemory ||
                           (fast.kind == FindingKind::UninitialisedRead && fast.variable.empty());
  const bool has_no_index =
      !fast.element.empty() && fast.element == fast.variable && fast.variable == step.variable;
  return (has_no_name || has_no_index) && is_at_same_lines(fast, step);
}

}  // namespace

void take_names(std::vector<Finding>& findings, const std::vector<Finding>& step) {
  for (Finding& finding : findings) {
    const auto named = std::ranges::find_if(step, [&finding](const Finding& one) {
      const auto same_thread = [](const Party& a, const Party& b) {
        return a.block == b.block && a.thread == b.thread;
      };
      return is_named_by(finding, one) &&
             std::ranges::equal(finding.parties, one.parties, same_thread);
    });
    if (named != step.end()) {
      finding.variable = named->variable;
      finding.element = named->element;
      finding.sentence = named->sentence;
    }
  }
}

void take_lines(std::vector<Finding>& findings, const std::vector<Finding>& step) {
  const auto is_division = [](const Finding& f) { return f.kind == FindingKind::DivisionByZero; };
  const auto is_in = [](const std::vector<Finding>& all, const Finding& one) {
    return std::ranges::any_of(all, [&](const Finding& f) { return is_at_same_lines(f, one); });
  };
  std::vector<Finding> placed;
  std::ranges::copy_if(step, std::back_inserter(placed),
                       [&](const Finding& f) { return is_division(f) && !is_in(findings, f); });
  if (placed.empty()) {
    return;
  }
  const std::size_t moved =
      std::erase_if(findings, [&](const Finding& f) { return is_division(f) && !is_in(step, f); });
  if (moved != 0) {
    findings.insert(findings.end(), placed.begin(), placed.end());
  }
}

std::vector<Finding> findings_beyond(const std::vector<Finding>& findings,
                                     const std::vector<Finding>& known) {
  const auto same = [](const Finding& a, const Finding& b) {
    return (a.variable == b.variable && is_at_same_lines(a, b)) || is_named_by(b, a);
  };
  std::vector<Finding> beyond;
  std::ranges::copy_if(findings, std::back_inserter(beyond), [&](const Finding& finding) {
    return std::ranges::none_of(known, [&](const Finding& k) { return same(finding, k); });
  });
  return beyond;
}

namespace {

// `is_quick`: the exact pass takes little time.
Doubts doubts_of(const simt::Program& program, const Screened& screened, bool is_quick,
                 const CheckResult& result) {
  Doubts doubts;
  doubts.add(Doubt::Memory, screened.suspects.any);
  doubts.add(Doubt::Numbers, screened.had_faults || result.comparison.wrong > 0 ||
                                 has_new_nan(*screened.machine) ||
                                 (!result.has_reference && is_quick));
  if (screened.suspects.undefined || is_quick) {
    doubts.unset = ptx::unset_registers(program.module());
    doubts.add(Doubt::Undefined, screened.suspects.undefined ||
                                     std::ranges::any_of(doubts.unset, [](const auto& registers) {
                                       return !registers.empty();
                                     }));
  }
  doubts.add(Doubt::InputStore, stores_to_input(program, result.counters));
  doubts.add(Doubt::Loops, screened.suspects.left_behind_barrier);
  return doubts;
}

// Resolves the doubts of the fast pass. `blocks`: the blocks that it executed; empty: all.
void find(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule,
          const std::atomic<bool>* cancel, const std::vector<std::uint32_t>& blocks, Watched enough,
          const Screened& screened, CheckResult& result) {
  const auto some = [&](const SuspectBlocks& suspects, bool evenly) {
    return blocks.empty() && enough == Watched::Enough
               ? watched_blocks(*program, suspects, screened.steps, evenly)
               : blocks;
  };
  SuspectBlocks suspects = screened.suspects.blocks;
  const bool is_quick = screened.steps <= kAlwaysWatched || !some(suspects, false).empty();
  const Doubts doubts = doubts_of(*program, screened, is_quick, result);
  if (doubts.all.empty()) {
    return;
  }
  if (screened.stores != nullptr) {
    result.findings = screened.stores->findings();
  } else if (doubts.has(Doubt::Numbers) || doubts.has(Doubt::InputStore)) {
    suspects.add(look_at_stores(program, schedule, cancel, doubts.has(Doubt::InputStore), result));
  }
  if (!result.cancelled) {
    const std::vector<std::uint32_t> watched = some(suspects, doubts.has(Doubt::Numbers));
    result.blocks_watched = watched.empty() ? result.blocks : watched.size();
    look_closely(program, schedule, cancel, watched, screened.suspects, doubts, result);
  }
  drop_explained(result.findings);
  std::ranges::stable_sort(result.findings,
                           [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
}

// GPUs allow the early exit, so it is a note, unless there is a finding at that barrier.
void note_early_exit(const simt::Program& program, const std::optional<EarlyExit>& exit,
                     CheckResult& result) {
  const bool is_found = exit && std::ranges::any_of(result.findings, [&](const Finding& finding) {
                          return finding.kind == FindingKind::DivergentBarrier &&
                                 finding.parties.front().line == exit->line;
                        });
  if (exit && !is_found) {
    result.notes.insert(result.notes.begin(), early_exit_sentence(program, *exit));
  }
}

// Outputs that are compared are skipped: their comparison already reports missing stores.
void note_idle_outputs(const problem::Launch& launch, CheckResult& result) {
  for (std::size_t i = 0; i < launch.buffers.size() && i < result.counters.buffers.size(); ++i) {
    const problem::Buffer& buffer = launch.buffers[i];
    const bool is_compared = std::ranges::any_of(
        result.outputs, [&](const auto& output) { return output.buffer == buffer.name; });
    if (buffer.role == problem::BufferRole::Output && !is_compared &&
        result.counters.buffers[i].stores == 0) {
      result.notes.push_back(nothing_stored_sentence(buffer.name));
    }
  }
}

// `blocks`: the only blocks to execute; empty: all.
CheckResult check_blocks(const std::shared_ptr<const simt::Program>& program,
                         const simt::Schedule& schedule, const std::atomic<bool>* cancel,
                         std::atomic<std::uint32_t>* blocks_done, const Cores& cores,
                         const std::vector<std::uint32_t>& blocks, Watched watched) {
  CheckResult result;
  result.blocks = program->block_count();
  result.blocks_executed = blocks.empty() ? result.blocks : blocks.size();
  Screened screened = screen_launch(program, schedule, cores, cancel, blocks_done, blocks);
  result.warp_instructions = screened.steps;
  result.counters = std::move(screened.counters);
  result.counters.warp_instructions = screened.steps;
  result.printout = std::move(screened.printout);
  result.cancelled = screened.cancelled;
  if (result.cancelled) {
    result.cancelled_at =
        cancelled_sentence(*program, screened.steps, screened.blocks_ended, screened.stands_at);
    return result;
  }
  compare_output(*program, *screened.machine, screened.stores.get(), result);
  find(program, schedule, cancel, blocks, watched, screened, result);
  note_early_exit(*program, screened.suspects.early_exit, result);
  if (result.findings.empty()) {  // findings may explain the cancellation
    note_idle_outputs(program->launch(), result);
  }
  return result;
}

}  // namespace

CheckResult check(const std::shared_ptr<const simt::Program>& program,
                  const simt::Schedule& schedule, const std::atomic<bool>* cancel,
                  std::atomic<std::uint32_t>* blocks_done, const Cores& cores, Watched watched) {
  return check_blocks(program, schedule, cancel, blocks_done, cores, {}, watched);
}

CheckResult check_classes(const std::shared_ptr<const simt::Program>& program,
                          const BlockClasses& classes, const std::atomic<bool>* cancel,
                          std::atomic<std::uint32_t>* blocks_done) {
  return check_blocks(program, {simt::ScheduleKind::Sequential}, cancel, blocks_done, {},
                      classes.representatives, Watched::Enough);
}

}  // namespace tilestep::insight

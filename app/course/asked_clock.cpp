// One SM in time: estimated by its model (clock/estimate.h), or measured on a GPU.
#include "clock/sm.h"
#include "course/asked.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace tilestep::course {
namespace {

Result<Value> percent(double part, double whole) {
  return whole > 0.0 ? Result<Value>(number_value(100.0 * part / whole))
                     : fail(tr("The expression divides by zero."));
}

// The warp state of this name, as Nsight Compute writes it; nullptr: it is none.
const Word<clock::WarpState>* state_named(const std::string& name) {
  const auto found =
      std::ranges::find(kWords<clock::WarpState>, name, &Word<clock::WarpState>::file);
  return found == kWords<clock::WarpState>.end() ? nullptr : &*found;
}

Error unknown_field(const std::string& name, std::string_view known) {
  std::string states;
  for (const auto& word : kWords<clock::WarpState>) {
    states += ", " + std::string(word.file);
  }
  return {tr("Unknown name '{}': write {}{}.", name, known, states)};
}

// All blocks of the SM that gets most of them.
Result<Value> sm_answer(const Asked& asked) {
  const auto& table = asked.runs.sm_table();
  TILESTEP_RETURN_IF_ERROR(table);
  const auto& time = asked.run().sm_time(*table);
  TILESTEP_RETURN_IF_ERROR(time);
  const clock::SmRun& run = time->run;
  const auto clocks = static_cast<double>(run.clocks);
  const auto instructions = static_cast<double>(run.instructions);
  const auto passes = static_cast<double>(run.passes);
  const std::string& name = name_of(asked, 0);
  if (name == "clocks") {
    return number_value(clocks);
  }
  if (name == "instructions") {
    return number_value(instructions);
  }
  if (name == "passes") {
    return number_value(passes);
  }
  if (name == "warps") {
    return number_value(time->warps);
  }
  if (name == "all_warps") {
    return number_value(static_cast<double>(run.lives.size()));
  }
  if (name == "issue_slots") {
    return percent(instructions, clock::kSchedulers * clocks);
  }
  if (name == "data_stage") {
    return percent(passes, clocks);
  }
  if (name == "l1_hits") {
    return percent(static_cast<double>(run.l1_hits), static_cast<double>(run.sectors));
  }
  const auto* const state = state_named(name);
  return state == nullptr
             ? tl::unexpected(unknown_field(name,
                                            "clocks, instructions, passes, warps, all_warps, "
                                            "issue_slots, data_stage, l1_hits"))
             : percent(static_cast<double>(run.by_state[static_cast<std::size_t>(state->value)]),
                       static_cast<double>(clock::all_clocks(run.by_state)));
}

Result<Value> measured_sm_answer(const Asked& asked) {
  const auto& table = asked.runs.sm_table();
  TILESTEP_RETURN_IF_ERROR(table);
  const auto& launches = asked.runs.measured_launches();
  TILESTEP_RETURN_IF_ERROR(launches);
  const state::AppState& at = asked.at.state;
  const auto& [size, block_size] = at.parameters;
  const clock::MeasuredLaunch* const launch = launches->find(at.kernel, size, block_size);
  if (launch == nullptr) {
    return fail(tr("The cycles of {} at {}×{}×{} with BLOCK_SIZE {} were not measured.", at.kernel,
                   size.M, size.N, size.K, block_size));
  }
  const auto clocks = static_cast<double>(launch->clocks_mean);
  const auto instructions = static_cast<double>(launch->instructions) / table->sms;
  const std::string& name = name_of(asked, 0);
  if (name == "clocks") {
    return number_value(clocks);
  }
  if (name == "instructions") {
    return number_value(instructions);
  }
  if (name == "issue_slots") {
    return percent(instructions, clock::kSchedulers * clocks);
  }
  const auto* const state = state_named(name);
  return state == nullptr
             ? tl::unexpected(unknown_field(name, "clocks, instructions, issue_slots"))
             : percent(launch->states[static_cast<std::size_t>(state->value)],
                       std::accumulate(launch->states.begin(), launch->states.end(), 0.0));
}

Result<Value> wave_clocks_answer(const Asked& asked) {
  const auto& table = asked.runs.sm_table();
  TILESTEP_RETURN_IF_ERROR(table);
  const auto blocks = whole_number_of(asked, 0);
  TILESTEP_RETURN_IF_ERROR(blocks);
  const auto clocks = asked.run().wave_clocks(*table, *blocks);
  return clocks ? Result<Value>(number_value(static_cast<double>(*clocks)))
                : tl::unexpected(clocks.error());
}

Result<Value> measured_wave_clocks_answer(const Asked& asked) {
  const auto& launches = asked.runs.measured_launches();
  TILESTEP_RETURN_IF_ERROR(launches);
  const auto blocks = whole_number_of(asked, 0);
  TILESTEP_RETURN_IF_ERROR(blocks);
  const state::AppState& at = asked.at.state;
  const auto& [size, block_size] = at.parameters;
  if (const auto* const wave = launches->find_wave(at.kernel, block_size, size.K)) {
    const auto found =
        std::ranges::find(wave->clocks, *blocks, &std::pair<int, std::int64_t>::first);
    if (found != wave->clocks.end()) {
      return number_value(static_cast<double>(found->second));
    }
  }
  return fail(tr("A wave of {} blocks of {} with BLOCK_SIZE {} and K {} was not measured.", *blocks,
                 at.kernel, block_size, size.K));
}

// From the instruction to its result, the queue included.
Result<Value> latency_answer(const Asked& asked) {
  const auto& table = asked.runs.sm_table();
  TILESTEP_RETURN_IF_ERROR(table);
  const clock::SmNumbers& numbers = table->numbers;
  const std::string& name = name_of(asked, 0);
  for (const auto& level : kWords<clock::MemoryLevel>) {
    if (name == level.file) {
      const std::array in_stage{numbers.shared_load, numbers.l1_hit, numbers.l2_hit,
                                numbers.l2_hit + numbers.dram};
      return number_value(numbers.queue_delay + in_stage[static_cast<std::size_t>(level.value)]);
    }
  }
  return fail(tr("'{}' is not a memory: write shared, l1, l2 or dram.", name));
}

constexpr std::array kClockAnswers =
    std::to_array<AnswerOf>({{"sm", sm_answer},
                             {"measured_sm", measured_sm_answer},
                             {"wave_clocks", wave_clocks_answer},
                             {"measured_wave_clocks", measured_wave_clocks_answer},
                             {"latency", latency_answer}});

}  // namespace

std::span<const AnswerOf> clock_answers() {
  return kClockAnswers;
}

}  // namespace tilestep::course

// One SM in time: estimated by its model (clock/estimate.h), or measured on a GPU.
#include "clock/estimate.h"
#include "clock/sm.h"
#include "course/asked.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace tilestep::course {
namespace {

constexpr std::string_view kFfma = "ffma";

// A launch on one SM, estimated or measured; measured runs know less.
struct OnSm {
  clock::SmSummary shares;
  double instructions = 0.0;
  const SmTime* estimated = nullptr;  // null: measured
};

double l1_hits(const OnSm& on) {
  const clock::SmRun& run = on.estimated->run;
  return 100.0 * static_cast<double>(run.l1_hits) / static_cast<double>(run.sectors);
}

// What sm(FIELD) and measured_sm(FIELD) give, besides the states of a warp.
struct SmQuantity {
  std::string_view name;
  Message noun;
  double (*of)(const OnSm& on);
  bool is_measured = false;  // too
};
constexpr std::array kSmQuantities = std::to_array<SmQuantity>(
    {{"clocks", Message("the number of clocks that one SM takes"),
      [](const OnSm& on) { return static_cast<double>(on.shares.clocks); }, true},
     {"instructions", Message("the number of instructions that one SM executes"),
      [](const OnSm& on) { return on.instructions; }, true},
     {"issue_slots", Message("the share of the schedulers' slots that are used, in percent"),
      [](const OnSm& on) { return 100.0 * on.shares.issue_slots; }, true},
     {"passes", Message("the number of passes of the data stage"),
      [](const OnSm& on) { return static_cast<double>(on.estimated->run.passes); }},
     {"data_stage", Message("the share of the clocks in which the data stage works, in percent"),
      [](const OnSm& on) { return 100.0 * on.shares.data_stage; }},
     {"warps", Message("the number of warps that one SM has at once"),
      [](const OnSm& on) { return static_cast<double>(on.shares.warps); }},
     {"all_warps", Message("the number of warps that one SM executes"),
      [](const OnSm& on) { return static_cast<double>(on.estimated->run.lives.size()); }},
     {"l1_hits", Message("the share of the sectors that L1 has, in percent"), l1_hits}});

// The warp state of this name, as Nsight Compute writes it; nullptr: it is none.
const Word<clock::WarpState>* state_named(std::string_view name) {
  const auto found =
      std::ranges::find(kWords<clock::WarpState>, name, &Word<clock::WarpState>::file);
  return found == kWords<clock::WarpState>.end() ? nullptr : &*found;
}

Result<Value> quantity_of(const OnSm& on, const std::string& name) {
  const bool is_estimated = on.estimated != nullptr;
  std::string known;
  for (const SmQuantity& quantity : kSmQuantities) {
    if (is_estimated || quantity.is_measured) {
      if (quantity.name == name) {
        const double value = quantity.of(on);
        return std::isfinite(value) ? Result<Value>(number_value(value))
                                    : fail(tr("The expression divides by zero."));
      }
      known += (known.empty() ? "" : ", ") + std::string(quantity.name);
    }
  }
  for (const auto& word : kWords<clock::WarpState>) {
    if (word.file == name) {
      const auto& states = on.shares.states;
      const double all = std::accumulate(states.begin(), states.end(), 0.0);
      return all > 0.0 ? Result<Value>(number_value(
                             100.0 * states[static_cast<std::size_t>(word.value)] / all))
                       : fail(tr("The expression divides by zero."));
    }
    known += ", " + std::string(word.file);
  }
  return fail(tr("Unknown name '{}': write {}.", name, known));
}

// All blocks of the SM that gets most of them.
Result<Value> sm_answer(const Asked& asked) {
  const auto& table = asked.runs.sm_table();
  TILESTEP_RETURN_IF_ERROR(table);
  const auto& time = asked.run().sm_time(*table);
  TILESTEP_RETURN_IF_ERROR(time);
  return quantity_of({clock::summary_of(time->run, time->warps),
                      static_cast<double>(time->run.instructions), &*time},
                     name_of(asked, 0));
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
  const double instructions = static_cast<double>(launch->instructions) / table->sms;
  OnSm on{{.clocks = launch->clocks_mean, .states = launch->states}, instructions};
  on.shares.issue_slots =
      instructions / (clock::kSchedulers * static_cast<double>(launch->clocks_mean));
  return quantity_of(on, name_of(asked, 0));
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
  if (name == kFfma) {
    const auto clocks = asked.run().dependent_clocks(*table, "FFMA");
    return clocks ? Result<Value>(number_value(*clocks)) : tl::unexpected(clocks.error());
  }
  return fail(tr("'{}' has no latency: write shared, l1, l2, dram or ffma.", name));
}

constexpr std::array kClockAnswers =
    std::to_array<AnswerOf>({{"sm", sm_answer},
                             {"measured_sm", measured_sm_answer},
                             {"wave_clocks", wave_clocks_answer},
                             {"measured_wave_clocks", measured_wave_clocks_answer},
                             {"latency", latency_answer}});

}  // namespace

std::string clock_words(std::string_view function, const std::string& argument) {
  if (function == "wave_clocks" || function == "measured_wave_clocks") {
    return tr("the number of clocks that {} blocks at once take on one SM", argument);
  }
  if (function == "latency") {
    for (const auto& level : kWords<clock::MemoryLevel>) {
      if (argument == level.file) {
        return tr("the number of clocks from a load to its result if {} has the data", level.label);
      }
    }
    return argument == kFfma ? tr("the number of clocks from a multiply-add to its result") : "";
  }
  if (function != "sm" && function != "measured_sm") {
    return "";
  }
  const auto* const quantity =
      std::ranges::find(kSmQuantities, std::string_view(argument), &SmQuantity::name);
  if (quantity != kSmQuantities.end()) {
    return quantity->noun.text();
  }
  const auto* const state = state_named(argument);
  return state == nullptr
             ? ""
             : tr("the share of its time in which a warp {}, in percent", state->label);
}

std::span<const AnswerOf> clock_answers() {
  return kClockAnswers;
}

}  // namespace tilestep::course

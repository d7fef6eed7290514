#include "ui/stage/strikes.h"

#include "insight/names.h"
#include "narration/templates.h"
#include "ui/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace tilestep::ui {
namespace {

using narration::Hue;
using narration::plain;
using narration::strong;

// A longer run is not searched, because a frame waits for it (some 80 ns per step).
constexpr std::uint64_t kMostSteps = 4'000'000;
// Races that changed no value are skipped, up to this many.
constexpr std::size_t kMostTried = 64;

struct StrikeMemory {
  workspace::Generation generation;
  std::map<std::uint32_t, std::vector<insight::RaceEffect>> of_block;
  // The result for the statement that ends at `step`.
  std::uint64_t step = ~std::uint64_t{0};
  state::Focus focus;
  std::optional<ShownStrike> shown;
};

bool has_race(const Context& context) {
  const auto& check = context.view.run.check;
  return check != nullptr &&
         std::any_of(check->findings.begin(), check->findings.end(), [](const insight::Finding& f) {
           return f.kind == insight::FindingKind::SharedRace;
         });
}

StrikeMemory& fresh_memory(const Context& context) {
  auto& memory = context.memory.of<StrikeMemory>();
  if (memory.generation != context.view.run.scene->generation) {
    memory = {};
    memory.generation = context.view.run.scene->generation;
  }
  return memory;
}

std::optional<ShownStrike> with_values(const record::Recording& run,
                                       const insight::RaceEffect& strike) {
  ShownStrike shown{strike, insight::values_of(run, strike), {}, 0};
  if (shown.values.found == shown.values.should) {
    return std::nullopt;
  }
  shown.finding = insight::finding_of(run.program(), strike);
  return shown;
}

struct Stretch {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  [[nodiscard]] bool has(std::uint64_t step) const { return step >= first && step < last; }
};

int worth(const insight::RaceEffect& s, const Stretch& statement, std::uint32_t thread) {
  const bool reads = statement.has(s.reader.step);
  const bool own = (reads && s.reader.thread == thread) ||
                   (statement.has(s.writer.step) && s.writer.thread == thread);
  return (own ? 2 : 0) + (reads ? 1 : 0);
}

std::optional<ShownStrike> find_shown(const Context& context) {
  const auto& statement = context.view.run.statement;
  if (statement == nullptr) {
    return std::nullopt;
  }
  const state::Focus& focus = context.state.focus;
  const Stretch stretch{statement->first_step, statement->last_step};
  std::vector<const insight::RaceEffect*> here;
  for (const insight::RaceEffect& strike : strikes_of(context, focus.block)) {
    if (stretch.has(strike.reader.step) || stretch.has(strike.writer.step)) {
      here.push_back(&strike);
    }
  }
  std::stable_sort(here.begin(), here.end(), [&](const auto* a, const auto* b) {
    return worth(*a, stretch, focus.thread) > worth(*b, stretch, focus.thread);
  });
  for (std::size_t i = 0; i < std::min(here.size(), kMostTried); ++i) {
    if (auto shown = with_values(*context.view.run.scene->recording, *here[i])) {
      shown->others = here.size() - 1;
      return shown;
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const insight::RaceEffect> strikes_of(const Context& context, std::uint32_t block) {
  if (context.view.run.scene == nullptr || !has_race(context) ||
      context.view.run.scene->recording->step_count() > kMostSteps) {
    return {};
  }
  auto& known = fresh_memory(context).of_block;
  auto found = known.find(block);
  if (found == known.end()) {
    found =
        known.emplace(block, insight::find_race_effects(*context.view.run.scene->recording, block))
            .first;
  }
  return found->second;
}

const ShownStrike* shown_strike(const Context& context) {
  if (context.view.run.scene == nullptr || context.view.run.state == nullptr ||
      !has_race(context)) {
    return nullptr;
  }
  StrikeMemory& memory = fresh_memory(context);
  if (memory.step != context.view.run.state->step() || memory.focus != context.state.focus) {
    memory.step = context.view.run.state->step();
    memory.focus = context.state.focus;
    memory.shown = find_shown(context);
  }
  return memory.shown ? &*memory.shown : nullptr;
}

std::optional<ShownStrike> spoiling_strike(const Context& context, std::uint32_t block,
                                           std::uint32_t thread, std::uint64_t step) {
  std::size_t tried = 0;
  for (const insight::RaceEffect& strike : strikes_of(context, block)) {
    if (strike.reader.thread != thread || strike.reader.step >= step || tried++ >= kMostTried) {
      continue;
    }
    if (auto shown = with_values(*context.view.run.scene->recording, strike)) {
      return shown;
    }
  }
  return std::nullopt;
}

narration::Sentence spoilt_sentence(const Context& context, const ShownStrike& shown,
                                    const std::string& element) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const insight::RaceEffect& strike = shown.strike;
  const auto value = [&](std::optional<std::uint32_t> bits) {
    return strong(strike_value(program, strike, bits), Hue::Fault);
  };
  return narration::say(
      narration::Kind::Race, "race_spoilt",
      {{"element", strong(element, Hue::Fault)},
       {"thread", plain(insight::thread_name(program.launch().block.at(strike.reader.thread),
                                             program.launch()))},
       {"found", value(shown.values.found)},
       {"should", value(shown.values.should)},
       {"cell", strong(shown.finding.element)},
       {"line", plain(fmt::format("{}", strike.reader.line))},
       {"statement",
        plain(fmt::format(
            "{}", context.view.run.scene->recording->statement_of(strike.reader.step) + 1))}});
}

std::string strike_value(const simt::Program& program, const insight::RaceEffect& strike,
                         std::optional<std::uint32_t> bits) {
  if (!bits) {
    return narration::plain_text(narration::part("race_nothing", {}));
  }
  const auto type = element_type(program, program.locate(strike.address, 4));
  if (!type || problem::byte_size(*type) != sizeof(*bits)) {
    return fmt::format("0x{:08x}", *bits);
  }
  std::byte bytes[sizeof(std::uint32_t)];
  std::memcpy(bytes, &*bits, sizeof(bytes));
  std::string text = full_number(problem::load_element(*type, bytes));
  if (!text.empty() && text.front() == '-') {
    text.replace(0, 1, "−");
  }
  return text;
}

}  // namespace tilestep::ui

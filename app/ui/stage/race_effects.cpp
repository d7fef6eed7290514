#include "ui/stage/race_effects.h"

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

struct RaceEffectMemory {
  workspace::Generation generation;
  std::map<std::uint32_t, std::vector<insight::RaceEffect>> of_block;
  // The result for the statement that ends at `step`.
  std::uint64_t step = ~std::uint64_t{0};
  state::Focus focus;
  std::optional<ShownRaceEffect> shown;
};

bool has_race(const workspace::RunView& run) {
  return run.scene != nullptr && run.check != nullptr &&
         std::ranges::any_of(run.check->findings, [](const insight::Finding& f) {
           return f.kind == insight::FindingKind::SharedRace;
         });
}

RaceEffectMemory& fresh_memory(const Context& context) {
  auto& memory = context.memory.of<RaceEffectMemory>();
  if (memory.generation != context.view.run.scene->generation) {
    memory = {};
    memory.generation = context.view.run.scene->generation;
  }
  return memory;
}

std::optional<ShownRaceEffect> with_values(const record::Recording& run,
                                           const insight::RaceEffect& effect) {
  ShownRaceEffect shown{effect, insight::values_of(run, effect), {}, 0};
  if (shown.values.found == shown.values.should) {
    return std::nullopt;
  }
  shown.finding = insight::finding_of(run.program(), effect);
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

std::optional<ShownRaceEffect> find_shown(const Context& context) {
  const auto& statement = context.view.run.statement;
  if (statement == nullptr) {
    return std::nullopt;
  }
  const state::Focus& focus = context.state.focus;
  const Stretch stretch{statement->first_step, statement->last_step};
  std::vector<const insight::RaceEffect*> here;
  for (const insight::RaceEffect& effect : race_effects_of(context, focus.block)) {
    if (stretch.has(effect.reader.step) || stretch.has(effect.writer.step)) {
      here.push_back(&effect);
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

std::span<const insight::RaceEffect> race_effects_of(const Context& context, std::uint32_t block) {
  const workspace::RunView& view = context.view.run;
  if (!has_race(view) || view.scene->recording->step_count() > kMostSteps) {
    return {};
  }
  auto& known = fresh_memory(context).of_block;
  auto found = known.find(block);
  if (found == known.end()) {
    found = known.emplace(block, insight::find_race_effects(*view.scene->recording, block)).first;
  }
  return found->second;
}

const ShownRaceEffect* shown_race_effect(const Context& context) {
  const auto& state = context.view.run.state;
  if (state == nullptr || !has_race(context.view.run)) {
    return nullptr;
  }
  RaceEffectMemory& memory = fresh_memory(context);
  if (memory.step != state->step() || memory.focus != context.state.focus) {
    memory.step = state->step();
    memory.focus = context.state.focus;
    memory.shown = find_shown(context);
  }
  return memory.shown ? &*memory.shown : nullptr;
}

std::optional<ShownRaceEffect> spoiling_race_effect(const Context& context, std::uint32_t block,
                                                    std::uint32_t thread, std::uint64_t step) {
  std::size_t tried = 0;
  for (const insight::RaceEffect& effect : race_effects_of(context, block)) {
    if (effect.reader.thread != thread || effect.reader.step >= step || tried++ >= kMostTried) {
      continue;
    }
    if (auto shown = with_values(*context.view.run.scene->recording, effect)) {
      return shown;
    }
  }
  return std::nullopt;
}

narration::Sentence spoilt_sentence(const Context& context, const ShownRaceEffect& shown,
                                    const std::string& element) {
  const record::Recording& run = *context.view.run.scene->recording;
  const simt::Program& program = run.program();
  const insight::RaceEffect& effect = shown.effect;
  const auto value = [&](std::optional<std::uint32_t> bits) {
    return strong(race_value(program, effect, bits), Hue::Fault);
  };
  return narration::say(
      narration::Kind::Race, "race_spoilt",
      {{"element", strong(element, Hue::Fault)},
       {"thread", plain(insight::thread_name(program.launch().block.at(effect.reader.thread),
                                             program.launch()))},
       {"found", value(shown.values.found)},
       {"should", value(shown.values.should)},
       {"cell", strong(shown.finding.element)},
       {"line", plain(fmt::format("{}", effect.reader.line))},
       {"statement", plain(fmt::format("{}", run.statement_of(effect.reader.step) + 1))}});
}

std::string race_value(const simt::Program& program, const insight::RaceEffect& effect,
                       std::optional<std::uint32_t> bits) {
  if (!bits) {
    return narration::plain_text(narration::part("race_nothing", {}));
  }
  const auto type = element_type(program, program.locate(effect.address, 4));
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

// The races with an effect in a block, and the one that is shown at a statement. Cached across
// frames; empty if the check has found no race on shared memory.
#pragma once

#include "insight/check/race_effect.h"
#include "narration/sentence.h"
#include "ui/panel.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tilestep::ui {

// A race with an effect on a value, with the values and the finding.
struct ShownRaceEffect {
  insight::RaceEffect effect;
  insight::RaceEffectValues values;
  insight::Finding finding;
  std::size_t others = 0;  // at the same statement
};

[[nodiscard]] std::span<const insight::RaceEffect> race_effects_of(const Context& context,
                                                                   std::uint32_t block);

// The race to show among those with a side in the statement on stage: the focus thread's before
// others', reads before stores. Null: none, or none changed a value.
[[nodiscard]] const ShownRaceEffect* shown_race_effect(const Context& context);

// The first wrong value that a thread read before `step`.
[[nodiscard]] std::optional<ShownRaceEffect> spoiling_race_effect(const Context& context,
                                                                  std::uint32_t block,
                                                                  std::uint32_t thread,
                                                                  std::uint64_t step);
// "C[1][0] is wrong: thread (0,1) read −1 instead of 9 in Bs[0][0], line 28, step 639."
[[nodiscard]] narration::Sentence spoilt_sentence(const Context& context,
                                                  const ShownRaceEffect& effect,
                                                  const std::string& element);

// A word's value: "−1"; "nothing" if nothing was stored yet.
[[nodiscard]] std::string race_value(const simt::Program& program,
                                     const insight::RaceEffect& effect,
                                     std::optional<std::uint32_t> bits);

}  // namespace tilestep::ui

// A long session does not leak memory. Counts what the program holds (not what the C library
// keeps), after the caches have filled, for the same events repeated.
#include "app/harness.h"
#include "ui/actions.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <malloc.h>
#include <random>
#include <vector>

namespace tilestep::test {
namespace {

constexpr std::size_t kTolerance = std::size_t{512} << 10;

std::size_t held_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Keys of every action that neither ends the program nor writes a file.
std::vector<ImGuiKeyChord> harmless_keys() {
  using enum ui::ActionId;
  std::vector<ImGuiKeyChord> keys;
  for (const ui::Action& action : ui::actions()) {
    const bool leaves = action.id == Quit || action.id == SavePicture || action.id == StartBench;
    if (action.key != 0 && !leaves) {
      keys.push_back(action.key);
    }
  }
  return keys;
}

// The same events for the same seed. Some choose another launch, most are keys.
void play_events(Harness& harness, unsigned seed, int count) {
  std::mt19937 random(seed);
  const std::vector<ImGuiKeyChord> keys = harmless_keys();
  const std::vector<problem::LaunchSpec>& kernels = harness.view().kernels.catalog->kernels;
  for (int i = 0; i < count; ++i) {
    if (random() % 8 == 0) {
      problem::Parameters parameters = harness.state().parameters;
      const int size = 1 + static_cast<int>(random() % 16);
      parameters.problem = {size, size, size};
      parameters.block_size = 1 + static_cast<int>(random() % 8);
      const std::string kernel = kernels[random() % kernels.size()].id;
      harness.workspace().update({state::SelectKernel{kernel}, state::SetParameters{parameters}},
                                 0.0);
    } else {
      const ImGuiKeyChord key = keys[random() % keys.size()];
      EXPECT_TRUE(harness.run([key](ImGuiTestContext& ctx) { ctx.KeyPress(key); }));
    }
    harness.frame();
  }
}

// Bytes held after `use`, with the initial state set again.
template <class Use>
std::size_t held_after(Harness& harness, const Use& use) {
  use();
  harness.workspace().set_state({});
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  return held_bytes();
}

TEST(Memory, TheSameEventsAgainLeaveItWhereItWas) {
  Harness harness;
  const auto once = [&] { return held_after(harness, [&] { play_events(harness, 7, 60); }); };
  once();
  const std::size_t before = once();
  for (int round = 0; round < 3; ++round) {
    EXPECT_LT(once(), before + kTolerance) << "round " << round;
  }
}

TEST(Memory, PlayingAgainAndAgainLeavesItWhereItWas) {
  Harness harness;
  state::AppState start;
  start.pace = state::kMaxPace;
  start.playing = true;
  const auto to_the_end = [&] {
    return held_after(harness, [&] {
      harness.workspace().set_state(start);
      for (int frame = 0; frame < 1000 && harness.state().playing; ++frame) {
        harness.frame();
      }
      EXPECT_FALSE(harness.state().playing) << "it ends";
    });
  };
  to_the_end();
  const std::size_t before = to_the_end();
  for (int round = 0; round < 10; ++round) {
    EXPECT_LT(to_the_end(), before + kTolerance) << "round " << round;
  }
}

}  // namespace
}  // namespace tilestep::test

// What a long session leaves allocated: keys pressed and kernels chosen at random, and a run that
// plays again and again. Counted are bytes that the program holds, not what the C library keeps.
#include "app/harness.h"
#include "ui/actions.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <random>
#include <vector>

namespace tilestep::test {
namespace {

std::size_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::size_t resident() {
  std::size_t total = 0, rss = 0;
  FILE* f = std::fopen("/proc/self/statm", "r");
  if (std::fscanf(f, "%zu %zu", &total, &rss) != 2) rss = 0;
  std::fclose(f);
  return rss * 4096;
}

TEST(Memory, Measure) {
  Harness harness;
  std::mt19937 random(3);
  std::vector<ImGuiKeyChord> chords;
  for (const ui::Action& action : ui::actions()) {
    const bool leaves = action.id == ui::ActionId::SavePicture || action.id == ui::ActionId::Quit ||
                        action.id == ui::ActionId::StartBench || action.id == ui::ActionId::EditSource;
    if (action.key != 0 && !leaves) chords.push_back(action.key);
  }
  const int events = std::atoi(std::getenv("EVENTS") ? std::getenv("EVENTS") : "1000");
  const auto& kernels = harness.view().catalog->kernels;
  for (int i = 0; i < events; ++i) {
    if (i == 0) { FILE* in = std::fopen("/proc/self/smaps", "r"); FILE* out = std::fopen("/tmp/smaps_start", "w"); int c; while ((c = std::fgetc(in)) != EOF) std::fputc(c, out); std::fclose(in); std::fclose(out); }
    if (i % (events / 20) == 0) {
      std::printf("%d: allocated %zu MB, resident %zu MB, facts %zu\n", i, allocated() >> 20, resident() >> 20, harness.view().facts.size());
      std::fflush(stdout);
    }
    if (random() % 8 == 0) {
      problem::Parameters parameters = harness.state().parameters;
      const int n = 1 + static_cast<int>(random() % 16);
      parameters.problem = {n, n, n};
      parameters.block_size = 1 + static_cast<int>(random() % 8);
      harness.workspace().update({state::SelectKernel{kernels[random() % kernels.size()].id}, state::SetParameters{parameters}}, 0.0);
    } else {
      const ImGuiKeyChord chord = chords[random() % chords.size()];
      (void)harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
    }
    harness.frame();
  }
  std::printf("end: allocated %zu MB, resident %zu MB\n", allocated() >> 20, resident() >> 20);
  malloc_trim(0);
  { FILE* in = std::fopen("/proc/self/smaps", "r"); FILE* out = std::fopen("/tmp/smaps_end", "w"); int c; while ((c = std::fgetc(in)) != EOF) std::fputc(c, out); std::fclose(in); std::fclose(out); }
  std::printf("trimmed: resident %zu MB\n", resident() >> 20);
}

}  // namespace
}  // namespace tilestep::test

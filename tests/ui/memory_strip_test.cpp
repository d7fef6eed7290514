// The strip shows the same counts as the counters: over the whole catalog, statement by statement.
#include "ui/stage/memory_strip.h"

#include "insight/count/counters.h"
#include "simulated.h"
#include "stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tilestep::test {
namespace {

using simt::AccessKind;

struct Totals {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;
  friend bool operator==(const Totals&, const Totals&) = default;
};
std::ostream& operator<<(std::ostream& out, const Totals& t) {
  return out << t.requests << " requests, " << t.cost;
}
using ByKind = std::map<std::pair<AccessKind, bool>, Totals>;

// The counts in the strips of all warps of all statements.
ByKind shown(const record::Recording& recording) {
  const simt::Program& program = recording.program();
  const ui::StageShape shape = ui::make_shape(program, "");
  const auto starts = recording.statement_starts();
  ByKind totals;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const record::Activity statement = recording.activity(starts[i], starts[i + 1]);
    for (std::uint32_t block = 0; block < program.block_count(); ++block) {
      for (std::uint32_t warp = 0; warp < program.warps_per_block(); ++warp) {
        const std::uint32_t thread = warp * program.warp_size();
        for (const ui::StripAccess& access :
             ui::make_memory_strip({program, shape, &statement, block, thread}).accesses) {
          Totals& t = totals[{access.kind, access.is_shared}];
          t.requests += 1;
          t.cost += access.cost();
        }
      }
    }
  }
  return totals;
}

ByKind counted(const insight::Counters& c) {
  ByKind totals;
  const auto add = [&](AccessKind kind, bool shared, const insight::AccessCounters& counters) {
    if (counters.requests > 0) {
      totals[{kind, shared}] = {counters.requests, shared ? counters.wavefronts : counters.sectors};
    }
  };
  add(AccessKind::Load, false, c.global_loads);
  add(AccessKind::Store, false, c.global_stores);
  add(AccessKind::Atomic, false, c.global_atomics);
  add(AccessKind::Load, true, c.shared_loads);
  add(AccessKind::Store, true, c.shared_stores);
  add(AccessKind::Atomic, true, c.shared_atomics);
  return totals;
}

// cp.async of 16 bytes: Nsight Compute, and so the counters, count pieces of shared memory for it.
bool copies_past_l1(const record::Recording& recording) {
  const record::Activity all = recording.activity(0, recording.step_count());
  return std::any_of(all.accesses.begin(), all.accesses.end(),
                     [](const record::Access& a) { return a.event.skips_l1; });
}

TEST(MemoryStrip, ShowsWhatCountersCountOverTheWholeCatalog) {
  Simulated simulated;
  std::size_t compared = 0;
  for (const problem::LaunchSpec& spec : repository_catalog().kernels) {
    const auto launch = some_launch(spec, 4);
    if (!launch || launch->grid.count() * launch->block.count() > 2048) {
      continue;
    }
    SCOPED_TRACE(spec.id);
    const auto program = simulated.program(*launch);
    auto recording = record::Recording::make(program, {});
    if (!recording || (*recording)->step_count() > 400'000) {
      continue;
    }
    ByKind strip = shown(**recording);
    ByKind counters = counted(insight::count(program));
    if (copies_past_l1(**recording)) {
      strip.erase({AccessKind::Load, false});
      counters.erase({AccessKind::Load, false});
    }
    EXPECT_EQ(strip, counters);
    ++compared;
  }
  EXPECT_GE(compared, 25U);
}

ui::MemoryStrip strip_of(StageScene& scene) {
  return ui::make_memory_strip({scene.recording().program(), scene.shape(),
                                scene.inputs().statement, scene.block, scene.thread});
}

TEST(MemoryStrip, TransposedTilesStackEightWordsInFourBanks) {
  StageScene scene("tiled_transposed", {16, 16, 16}, 16);
  scene.go_to_line(26);
  const ui::MemoryStrip strip = strip_of(scene);
  ASSERT_EQ(strip.accesses.size(), 2U) << "a load of A and a store to As";
  const ui::StripAccess& load = strip.accesses[0];
  EXPECT_EQ(load.array, "A");
  EXPECT_FALSE(load.is_bad());
  EXPECT_EQ(ui::cost_words(load), "4 sectors");
  EXPECT_EQ(load.sector_names.front(), "A[0][0..7]");
  const ui::StripAccess& store = strip.accesses[1];
  EXPECT_EQ(store.array, "As");
  EXPECT_EQ(ui::cost_words(store), "8 passes instead of 1");
  EXPECT_EQ(narration::plain_text(ui::access_sentence(store)),
            "32 lanes request 32 words in 4 of 32 banks: up to 8 words in the same bank take 8 "
            "passes.");
  EXPECT_EQ(store.fullest_bank(), 0U);
  EXPECT_EQ(load.fullest_bank(), std::nullopt);
}

TEST(MemoryStrip, UncoalescedLoadsMarkTheSectorsThatNeedNotBe) {
  StageScene scene("naive_uncoalesced", {64, 64, 64}, 16);
  scene.go_to_line(19);
  const ui::MemoryStrip strip = strip_of(scene);
  ASSERT_FALSE(strip.accesses.empty());
  const ui::StripAccess& load = strip.accesses.front();
  EXPECT_EQ(ui::cost_words(load), "16 sectors instead of 2");
  const std::vector<bool> surplus = load.surplus();
  EXPECT_EQ(std::count(surplus.begin(), surplus.end(), true), 14);
  EXPECT_EQ(narration::plain_text(ui::access_title(load)), "load of A");
}

TEST(MemoryStrip, TheFocusThreadsWarpDecides) {
  StageScene scene("tiled", {8, 8, 8}, 8);
  scene.thread = 40;
  scene.go_to_line(25);
  const ui::MemoryStrip strip = strip_of(scene);
  EXPECT_EQ(strip.warp, 1U);
  ASSERT_FALSE(strip.accesses.empty());
  EXPECT_EQ(strip.accesses.front().sector_names.front(), "A[4][0..7]");
}

}  // namespace
}  // namespace tilestep::test

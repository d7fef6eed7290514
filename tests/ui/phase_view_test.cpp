// A phase that is shown when it is over, and while it plays.
#include "catalog_launch.h"
#include "ui/stage/phase.h"
#include "ui/stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilestep::ui {
namespace {

using test::StageScene;
using ::testing::ElementsAre;

std::vector<int> box(const CellFrame& frame) {
  return {frame.row, frame.col, frame.rows, frame.cols};
}

// Sheet and cell.
using Touched = std::set<std::pair<int, std::size_t>>;

struct Events {
  Touched read;
  Touched written;
};

// The focus block's accesses in a phase, counted from the recording itself.
Events events_of(const StageScene& scene, const record::Phase& phase) {
  Events events;
  const simt::Program& program = scene.recording().program();
  const record::Activity activity = scene.recording().activity(phase.first_step, phase.last_step);
  for (const record::Access& access : activity.accesses) {
    for (std::uint32_t lane = 0; lane < 32 && access.warp.block == phase.block; ++lane) {
      if ((access.event.mask >> lane & 1U) == 0) {
        continue;
      }
      for (std::uint32_t byte = 0; byte < access.event.bytes; ++byte) {
        const auto place = sheet_place(scene.shape(), program,
                                       program.locate(access.event.addresses[lane] + byte, 1));
        if (place && place->inside) {
          const Sheet& sheet = scene.shape().sheets[size(place->sheet)];
          const bool is_load = access.event.kind == simt::AccessKind::Load;
          (is_load ? events.read : events.written)
              .insert({place->sheet, cell_index(sheet, {place->row, place->col})});
        }
      }
    }
  }
  return events;
}

// The highlighted cells of the stage, except the threads' own.
Events lit(const StageScene& scene, const StageContent& content) {
  Events events;
  for (std::size_t i = 0; i < content.sheets.size(); ++i) {
    for (std::size_t c = 0; c < content.sheets[i].cells.size(); ++c) {
      const Cell& cell = content.sheets[i].cells[c];
      if (scene.shape().sheets[i].kind != SheetKind::Threads && cell.is_read) {
        events.read.insert({static_cast<int>(i), c});
      }
      if (scene.shape().sheets[i].kind != SheetKind::Threads && cell.is_written) {
        events.written.insert({static_cast<int>(i), c});
      }
    }
  }
  return events;
}

TEST(PhaseView, ALoadShowsTilesRibbonsAndWhatTheThreadBrought) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.thread = 6;  // (2,1)
  scene.show_phase(2);
  const StageContent& content = scene.content();
  ASSERT_EQ(content.ribbons.size(), 2U);
  EXPECT_EQ(content.ribbons[0].from.sheet, scene.sheet("A"));
  EXPECT_THAT(box(content.ribbons[0].from), ElementsAre(0, 4, 4, 4));
  EXPECT_EQ(content.ribbons[0].to.sheet, scene.sheet("As"));
  EXPECT_THAT(box(content.ribbons[1].from), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(scene.frame(FrameKind::LastTile, "A"), ElementsAre(0, 0, 4, 4));
  EXPECT_THAT(scene.frame(FrameKind::LastTile, "B"), ElementsAre(0, 4, 4, 4));
  EXPECT_THAT(scene.frame(FrameKind::FocusCell, "A"), ElementsAre(1, 6, 1, 1));
  EXPECT_THAT(scene.frame(FrameKind::FocusCell, "Bs"), ElementsAre(1, 2, 1, 1));
  EXPECT_FALSE(scene.cell("acc", 1, 2).is_written) << "a load adds nothing up";
}

TEST(PhaseView, AMultiplyShowsSumsBeforeAndAfter) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.thread = 6;
  scene.show_phase(3);
  const insight::BlockSums sums(scene.recording(), 1);
  const record::Phase& phase = scene.recording().phases_of(1)[3];
  for (const SumCell& sum : scene.content().sums) {
    const Cell& cell =
        scene.cell("acc", static_cast<int>(sum.thread / 4), static_cast<int>(sum.thread % 4));
    EXPECT_TRUE(cell.is_written);
    EXPECT_TRUE(cell.has_grown);
    EXPECT_EQ(cell.before, static_cast<double>(sums.now(sum.sum, phase.first_step).value));
    EXPECT_EQ(cell.value, static_cast<double>(sums.now(sum.sum, phase.last_step).value));
  }
  EXPECT_TRUE(scene.content().ribbons.empty());
}

TEST(PhaseView, TheHeadlineIsOfThePhaseThatIsOver) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.thread = 6;
  scene.show_phase(2);
  const Headline headline = make_headline(scene.inputs(), scene.content());
  EXPECT_EQ(headline.where, "Phase 3 of 5, done · block (1,0)");
  EXPECT_EQ(headline.phase, "load tile 1");
  EXPECT_EQ(headline.sentence,
            "16 threads loaded 16 + 16 numbers, one from each array per thread. Each number will "
            "be read 4 times.");
  EXPECT_EQ(while_playing(scene.inputs()).narrated.eyebrow.phase, "Phase 3 of 5");
}

TEST(PhaseView, AGuardedThreadIsHatched) {
  StageScene scene("tiled", {7, 5, 6}, 4);
  scene.block = 1;  // columns 4 to 7, of which one exists
  scene.show_phase(scene.recording().phases_of(1).size() - 1);
  EXPECT_FALSE(scene.cell("acc", 1, 0).is_masked);
  EXPECT_TRUE(scene.cell("acc", 1, 1).is_masked);
}

TEST(PhaseView, ARaceBetweenTwoActivitiesDrawsTheFaultLine) {
  StageScene scene("tiled_missing_first_barrier", {8, 8, 8}, 4);
  const auto phases = scene.recording().phases_of(0);
  const auto both =
      std::ranges::find(phases, record::PhaseKind::LoadAndMultiply, &record::Phase::kind);
  ASSERT_NE(both, phases.end());
  const auto index = static_cast<std::size_t>(both - phases.begin());
  scene.show_phase(index);
  EXPECT_FALSE(scene.content().fault_line) << "nothing was found yet";
  insight::Finding race;
  race.parties.resize(2);
  race.parties[0].step = both->first_step;
  race.parties[1].step = both->last_step - 1;
  scene.findings = {race};
  scene.show_phase(index);
  EXPECT_TRUE(scene.content().fault_line);
  scene.findings[0].parties[1].step = both->last_step;
  scene.show_phase(index);
  EXPECT_FALSE(scene.content().fault_line) << "it lies in another phase";
}

// Launches of the catalog, at sizes that it accepts.
std::vector<std::pair<std::string, problem::Launch>> catalog_launches() {
  const std::vector<std::pair<problem::Problem, int>> sizes{{{8, 8, 8}, 4}, {{8, 8, 8}, 2},
                                                            {{7, 5, 6}, 4}, {{6, 3, 9}, 3},
                                                            {{4, 4, 4}, 4}, {{16, 16, 16}, 4}};
  std::vector<std::pair<std::string, problem::Launch>> launches;
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    for (const auto& [problem, block] : sizes) {
      const bool is_narrated = spec.instance.empty() || spec.instance == "teaching";
      if (auto launch = problem::evaluate(spec, {problem, block}, {}); is_narrated && launch) {
        launches.emplace_back(spec.id, std::move(*launch));
        break;
      }
    }
  }
  return launches;
}

TEST(PhaseView, AllThatAPhaseTouchedIsLitOverTheWholeCatalog) {
  std::size_t phases_seen = 0;
  for (const auto& [name, launch] : catalog_launches()) {
    SCOPED_TRACE(name);
    StageScene scene(launch);
    scene.block = scene.recording().program().block_count() > 1 ? 1 : 0;
    const auto phases = scene.recording().phases_of(scene.block);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      SCOPED_TRACE(*phases[i].name);
      scene.show_phase(i);
      const Events touched = events_of(scene, phases[i]);
      const Events shown = lit(scene, scene.content());
      EXPECT_EQ(shown.read, touched.read);
      EXPECT_EQ(shown.written, touched.written);
      ++phases_seen;
    }
  }
  EXPECT_GT(phases_seen, 100U);
}

TEST(PhasePlay, BeginsWithNothingAndEndsWithAllOfIt) {
  for (const auto& [name, launch] : catalog_launches()) {
    SCOPED_TRACE(name);
    StageScene scene(launch);
    const auto phases = scene.recording().phases_of(0);
    for (std::size_t i = 0; i < std::min<std::size_t>(phases.size(), 4); ++i) {
      SCOPED_TRACE(*phases[i].name);
      scene.show_phase(i);
      const PhasePlay play(scene.inputs(), scene.content());
      const Events whole = lit(scene, scene.content());
      const Events last = lit(scene, play.at(1.0F, scene.inputs()));
      EXPECT_EQ(last.read, whole.read);
      EXPECT_EQ(last.written, whole.written);
      EXPECT_TRUE(play.flights(1.0F).empty());
      if (play.is_empty()) {
        continue;
      }
      const Events first = lit(scene, play.at(0.0F, scene.inputs()));
      EXPECT_TRUE(first.read.empty());
      EXPECT_TRUE(first.written.empty());
    }
  }
}

TEST(PhasePlay, NumbersTravelAndLandInTheOrderOfTheRun) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.show_phase(2);
  const PhasePlay play(scene.inputs(), scene.content());
  const int a = scene.sheet("As");
  std::set<int> seen;
  bool first_is_a = false;
  for (int i = 0; i <= 100; ++i) {
    for (const Flight& flight : play.flights(static_cast<float>(i) / 100.0F)) {
      first_is_a = seen.empty() ? flight.to.sheet == a : first_is_a;
      seen.insert(flight.to.sheet);
      const Sheet& from = scene.shape().sheets[size(flight.from.sheet)];
      EXPECT_EQ(flight.value, scene.cell(from.name, flight.from.row, flight.from.col).value);
    }
  }
  EXPECT_TRUE(first_is_a);
  EXPECT_EQ(seen.size(), 2U);
  // Before the store a cell holds its old value.
  const StageContent early = play.at(0.05F, scene.inputs());
  const std::size_t cell = 1;  // As[0][1]
  EXPECT_EQ(early.sheets[size(a)].cells[cell].value, scene.cell("A", 0, 1).value);
  EXPECT_EQ(scene.content().sheets[size(a)].cells[cell].value, scene.cell("A", 0, 5).value);
}

TEST(PhasePlay, SumsGrowProductByProduct) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.show_phase(3);
  const PhasePlay play(scene.inputs(), scene.content());
  const std::size_t acc = size(scene.sheet("acc"));
  const insight::BlockSums sums(scene.recording(), 0);
  std::vector<double> values;
  for (int i = 0; i <= 200; ++i) {
    const double value =
        play.at(static_cast<float>(i) / 200.0F, scene.inputs()).sheets[acc].cells[0].value;
    if (values.empty() || values.back() != value) {
      values.push_back(value);
    }
  }
  // The value before, and one after each of the four products.
  EXPECT_EQ(values.size(), 5U);
  const record::Phase& phase = scene.recording().phases_of(0)[3];
  EXPECT_EQ(values.front(), static_cast<double>(sums.now(0, phase.first_step).value));
  EXPECT_EQ(values.back(), static_cast<double>(sums.now(0, phase.last_step).value));
}

}  // namespace
}  // namespace tilestep::ui

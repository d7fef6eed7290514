// The usual pairs of runs, and the layout of two stages.
#include "folders.h"
#include "problem/language.h"
#include "ui/compare/compare.h"
#include "ui/controls.h"
#include "ui/palette_rows.h"
#include "ui/stage_panel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

class Pairs : public testing::Test {
 protected:
  Pairs() : catalog(*problem::load_catalog(test::share_folder() / "kernels")) {}

  [[nodiscard]] PairRequest request(const std::string& kernel) {
    state.kernel = kernel;
    return {state, catalog, catalog.find(kernel)->source, 0, 16};
  }

  problem::Catalog catalog;
  state::AppState state;
};

TEST_F(Pairs, ABrokenKernelStandsBesideTheOneItWasMadeFrom) {
  EXPECT_EQ(pair_of(Pair::RightKernel, request("tiled_missing_barrier"))->kernel, "tiled");
  EXPECT_EQ(pair_of(Pair::RightKernel, request("single_block_ktiles_wrong_b_index"))->kernel,
            "single_block_ktiles");
  EXPECT_EQ(pair_of(Pair::RightKernel, request("tiled")), std::nullopt);
}

TEST_F(Pairs, WithoutItsBarrierTheTextIsAnother) {
  const auto second = pair_of(Pair::WithoutBarrier, request("tiled"));
  ASSERT_TRUE(second);
  EXPECT_NE(second->edited_source.find("// off: __syncthreads();"), std::string::npos);
  EXPECT_EQ(pair_of(Pair::WithoutBarrier, request("naive")), std::nullopt);
}

TEST_F(Pairs, TheAdversaryNeedsASecondWarp) {
  EXPECT_EQ(with_adversary({}, 16).warp_size, 4);
  EXPECT_EQ(with_adversary({}, 256).warp_size, 32);
  EXPECT_EQ(with_adversary({}, 4).warp_size, 1);
  EXPECT_TRUE(is_adversary(with_adversary({}, 16)));
}

TEST_F(Pairs, TheOtherBuildOfTheSameTextStandsBesideOne) {
  const auto fast = pair_of(Pair::FastBuild, request("tiled"));
  ASSERT_TRUE(fast);
  EXPECT_EQ(fast->build, problem::Build::Fast);
  EXPECT_EQ(difference_words(setup_of(state), *fast, catalog), "Tiled · fast build");
  EXPECT_EQ(pair_of(Pair::StepBuild, request("tiled")), std::nullopt) << "it is one";
  take_setup(state, *fast);
  EXPECT_EQ(pair_of(Pair::FastBuild, request("tiled")), std::nullopt) << "it is one";
  EXPECT_EQ(pair_of(Pair::StepBuild, request("tiled"))->build, problem::Build::Step);
  EXPECT_EQ(first_side_words(*fast, catalog), "Tiled · fast build");
}

TEST_F(Pairs, AnotherBlockSizeStaysInItsRange) {
  state.parameters.block_size = 32;
  EXPECT_EQ(pair_of(Pair::BlockSize, request("tiled"))->parameters.block_size, 16);
  EXPECT_EQ(pair_of(Pair::BlockSize, request("single_block")), std::nullopt)
      << "it has no BLOCK_SIZE";
}

TEST_F(Pairs, EveryKernelHasSomethingToBeComparedWith) {
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    const auto second = first_pair(request(spec.id));
    ASSERT_TRUE(second) << spec.id;
    EXPECT_NE(*second, setup_of(state)) << spec.id;
  }
}

TEST_F(Pairs, WordsNameWhatDiffers) {
  const state::Setup one;
  state::Setup two;
  two.kernel = "naive";
  two.parameters = {{16, 8, 8}, 8};
  two.schedule = {simt::ScheduleKind::RunAhead, 0};
  EXPECT_EQ(difference_words(one, two, catalog), "Naive · 16×8×8 · BLOCK_SIZE 8 · run ahead");
  EXPECT_EQ(difference_words(one, one, catalog), catalog.find("tiled")->title);
}

TEST_F(Pairs, TheListOfKernelsIsFilteredByWords) {
  const auto all = matching_kernels(catalog, "");
  std::size_t count = 0;
  for (const KernelGroup& group : all) {
    count += group.kernels.size();
  }
  EXPECT_EQ(count, catalog.kernels.size());
  const auto some = matching_kernels(catalog, "TILED barrier");
  ASSERT_FALSE(some.empty());
  for (const KernelGroup& group : some) {
    for (const std::size_t i : group.kernels) {
      EXPECT_NE(catalog.kernels[i].id.find("tiled"), std::string::npos) << catalog.kernels[i].id;
    }
  }
  EXPECT_TRUE(matching_kernels(catalog, "nosuchword").empty());
}

TEST_F(Pairs, KernelsAreShownAndFoundInTheLanguageThatIsSpoken) {
  find_languages(test::source_folder() / "assets" / "words");
  ASSERT_TRUE(speak("zh"));
  state::Setup setup;
  setup.kernel = "sliding_window";
  EXPECT_EQ(title_of(setup, catalog), "滑动窗口");
  for (const char* const typed : {"滑动窗口", "Sliding window"}) {
    const auto groups = matching_kernels(catalog, typed);
    ASSERT_EQ(groups.size(), 1U) << typed;
    EXPECT_EQ(groups[0].family, "条带与窗口") << typed;
    ASSERT_FALSE(groups[0].kernels.empty());
    EXPECT_EQ(catalog.kernels[groups[0].kernels[0]].id, "sliding_window") << typed;
  }
  EXPECT_TRUE(speak(kEnglishTag));
}

TEST(Palette, FindsARowByItsEnglishNameToo) {
  const std::vector<PaletteRow> rows{{"核函数", "分块", "", "", {}, "Tiled"},
                                     {"核函数", "滑动窗口", "", "", {}, "Sliding window"}};
  for (const char* const typed : {"窗口", "sliding"}) {
    const auto matches = matching_rows(rows, typed);
    ASSERT_EQ(matches.size(), 1U) << typed;
    EXPECT_EQ(matches[0].row, 1U) << typed;
  }
  EXPECT_TRUE(matching_rows(rows, "sliding")[0].letters.empty()) << "none of what is shown";
  EXPECT_EQ(matching_rows(rows, "").size(), rows.size());
}

// A sum that one build shows and the other cannot know is not a difference.
TEST(Differing, LeavesOutWhatOneSideCannotKnow) {
  const auto stage = [](const std::vector<Cell>& cells) {
    StageMemory memory;
    memory.shape.sheets.resize(1);
    memory.shape.sheets[0].name = "C";
    memory.shape.sheets[0].rows = 1;
    memory.shape.sheets[0].cols = static_cast<int>(cells.size());
    memory.shape.sheets[0].count = cells.size();
    memory.content.sheets.resize(1);
    memory.content.sheets[0].cells = cells;
    return memory;
  };
  const Cell nothing;
  const Cell sum{.value = 5.0, .state = CellState::Pending};
  const Cell other{.value = 6.0, .state = CellState::Pending};
  const Cell stored{.value = 5.0, .state = CellState::Value};
  StageMemory one = stage({sum, sum, stored, sum});
  StageMemory two = stage({nothing, other, nothing, sum});
  find_differing(one, two, true);
  EXPECT_EQ(one.differing.size(), 3U);
  find_differing(one, two, false);
  ASSERT_EQ(one.differing.size(), 2U);
  EXPECT_EQ(one.differing[0].col, 1) << "two sums";
  EXPECT_EQ(one.differing[1].col, 2) << "one has stored, the other has not";
  EXPECT_EQ(two.differing.size(), 2U);
}

// Boxes do not overlap, and none is outside the room.
TEST(ComparePlan, HasAPlaceForEverything) {
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    for (const ImVec2 window : {ImVec2(1280, 673), ImVec2(1920, 1033), ImVec2(900, 1400)}) {
      for (const bool edits : {false, true}) {
        const Box room{0.0F, 47.0F, window.x, window.y};
        const ComparePlan plan = plan_compare(room, 18.0F * scale, edits);
        std::vector<Box> boxes{plan.sides[0], plan.sides[1], plan.timeline};
        for (const Box& box : {plan.card, plan.sources[0], plan.sources[1]}) {
          if (box.w > 0.0F) {
            boxes.push_back(box);
          }
        }
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          EXPECT_GE(boxes[i].x, room.x);
          EXPECT_LE(boxes[i].right(), room.right());
          EXPECT_LE(boxes[i].bottom(), room.bottom());
          EXPECT_GT(boxes[i].h, 18.0F * scale);
          for (std::size_t j = 0; j < i; ++j) {
            const bool apart = boxes[i].x >= boxes[j].right() || boxes[j].x >= boxes[i].right() ||
                               boxes[i].y >= boxes[j].bottom() || boxes[j].y >= boxes[i].bottom();
            EXPECT_TRUE(apart) << i << " lies over " << j;
          }
        }
        EXPECT_TRUE(!edits || plan.sources[0].h > 0.0F) << "somebody writes there";
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::ui

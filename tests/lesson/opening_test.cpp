// The opening scenes: the pictures of the README and of a start without a display.
#include "catalog_launch.h"
#include "folders.h"
#include "insight/trace/accumulators.h"
#include "lesson/lesson.h"
#include "lesson/place.h"
#include "problem/launch/reference.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace tilestep::lesson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Lesson opening() {
  Result<Lesson> lesson =
      load_lesson(tilestep::test::source_folder() / "assets" / "lessons" / "opening.md");
  if (!lesson) {
    throw std::runtime_error(lesson.error().message);
  }
  return std::move(*lesson);
}

// A scene with its recording, at its place.
struct Shown {
  Scene scene;
  problem::Launch launch;
  std::shared_ptr<const record::Recording> recording;
  std::uint64_t step = 0;

  [[nodiscard]] const record::Phase* phase() const {
    return recording->phase_at(scene.state.focus.block, step - 1);
  }
  // The source lines that the last statement executed, in the focus block.
  [[nodiscard]] std::string line() const {
    const auto starts = recording->statement_starts();
    const record::Activity activity =
        recording->activity(starts[recording->statement_of(step - 1)], step);
    for (const record::Activity::Executed& executed : activity.executed) {
      if (executed.warp.block == scene.state.focus.block) {
        std::istringstream text(launch.source);
        std::string line;
        for (std::uint32_t i = 0; i < executed.line; ++i) {
          std::getline(text, line);
        }
        return line;
      }
    }
    return "";
  }
};

Shown show(const std::string& name) {
  for (const Scene& scene : opening().scenes) {
    if (scene.name != name) {
      continue;
    }
    test::Simulated simulated;
    Shown shown{scene,
                test::launch_of(scene.state.kernel, scene.state.parameters.problem,
                                scene.state.parameters.block_size, scene.state.input),
                nullptr, 0};
    shown.recording = record::Recording::make(simulated.program(shown.launch, compile::Build::Step,
                                                                scene.state.warp_size),
                                              scene.state.schedule)
                          .value();
    shown.step = resolve(scene.place, *shown.recording, scene.state.focus.block);
    return shown;
  }
  throw std::runtime_error("no scene " + name);
}

TEST(Opening, HasTheScenesOfTheReadme) {
  std::vector<std::string> names;
  for (const Scene& scene : opening().scenes) {
    names.push_back(scene.name);
    EXPECT_GT(scene.text.in().size(), 200U) << scene.name;
    EXPECT_NE(scene.title.in(), scene.name);
  }
  EXPECT_THAT(names, ElementsAre("opening", "thread", "loads", "load", "flight", "multiply",
                                 "write-back", "missing-barrier", "timing", "your-turn"));
}

TEST(Opening, IsAFilmOfNinetySeconds) {
  const Lesson film = opening();
  EXPECT_TRUE(film.is_film());
  double seconds = 0.0;
  for (const Scene& scene : film.scenes) {
    EXPECT_GT(scene.seconds, 0.0) << scene.name;
    seconds += scene.seconds;
  }
  EXPECT_EQ(seconds, 90.0);
  EXPECT_NEAR(film.total_minutes(), 1.5, 1e-9);
}

// Each statement that a scene plays exists, and the last one is the subject of its text.
TEST(Opening, ThreadWalksThroughItsProducts) {
  const Shown shown = show("thread");
  const auto starts = shown.recording->statement_starts();
  const std::size_t last =
      shown.recording->statement_of(shown.step - 1) + static_cast<std::size_t>(shown.scene.moves);
  ASSERT_LT(last + 1, starts.size());
  const insight::BlockSums sums(*shown.recording, shown.scene.state.focus.block);
  const auto sum = sums.of_thread(shown.scene.state.focus.thread, 0);
  ASSERT_TRUE(sum);
  const auto before = sums.accumulation(*sum, shown.step);
  const auto after = sums.accumulation(*sum, starts[last + 1]);
  EXPECT_TRUE(!before || before->terms.empty());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->terms.size(), 8U);
}

TEST(Opening, Flight_EndsWithTheSecondTilesInSharedMemory) {
  const Shown shown = show("flight");
  const auto starts = shown.recording->statement_starts();
  const std::size_t last = (shown.step == 0 ? 0 : shown.recording->statement_of(shown.step - 1)) +
                           static_cast<std::size_t>(shown.scene.moves);
  ASSERT_LT(last + 1, starts.size());
  const record::Phase& phase = shown.recording->phases_of(shown.scene.state.focus.block)[2];
  EXPECT_EQ(*phase.name, "load tile 1");
  EXPECT_GE(phase.last_step, shown.step);
  EXPECT_LE(phase.last_step, starts[last + 1]);
}

TEST(Opening, Load_StandsWhereTheBlockFillsATile) {
  const Shown shown = show("load");
  EXPECT_EQ(*shown.phase()->name, "load tile 0");
  EXPECT_THAT(shown.line(), testing::ContainsRegex("[AB]s\\[ty\\]\\[tx\\] ="));
}

TEST(Opening, Multiply_StandsInTheMiddleOfTheSecondTile) {
  const Shown shown = show("multiply");
  EXPECT_EQ(*shown.phase()->name, "multiply tile 1");
  EXPECT_THAT(shown.line(), HasSubstr("acc += As[ty][e] * Bs[e][tx];"));
}

TEST(Opening, WriteBack_StandsAtTheStore) {
  const Shown shown = show("write-back");
  EXPECT_EQ(*shown.phase()->name, "write back");
  EXPECT_THAT(shown.line(), HasSubstr("C[row * N + col] = acc;"));
}

TEST(Opening, MissingBarrier_EndsWithAWrongC_AndWithARightOneInLockstep) {
  const Shown shown = show("missing-barrier");
  EXPECT_EQ(shown.step, shown.recording->step_count());
  const auto wrong_elements = [&](const record::Recording& recording) {
    const record::State end = recording.state_at(recording.step_count());
    const auto contents = end.machine().buffer(2);
    const problem::Numbers C = problem::to_numbers(shown.launch.buffers[2], contents);
    return problem::compare(C, *problem::expected_result(shown.launch, problem::Reference::Plain),
                            0.0)
        .wrong;
  };
  EXPECT_GT(wrong_elements(*shown.recording), 0U);
  const auto lockstep = record::Recording::make(shown.recording->shared_program(), {}).value();
  EXPECT_EQ(wrong_elements(*lockstep), 0U);
}

TEST(FirstStart, StandsAtTheThirdProductOfTheFirstTile) {
  const FirstStart first = first_start();
  const problem::Launch launch =
      tilestep::test::launch_of(first.state.kernel, first.state.parameters.problem,
                                first.state.parameters.block_size, first.state.input);
  const auto recording =
      record::Recording::make(tilestep::test::Simulated().program(problem::Launch(launch)), {})
          .value();
  const std::uint64_t step = resolve(first.place, *recording, first.state.focus.block);
  const insight::BlockSums sums(*recording, first.state.focus.block);
  const auto sum = sums.of_thread(first.state.focus.thread, 0);
  ASSERT_TRUE(sum);
  const auto terms = sums.accumulation(*sum, step);
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->terms.size(), 3U);
  const auto before =
      sums.accumulation(*sum, recording->statement_starts()[first.place.number - 1]);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->terms.size(), 2U) << "the product is what was just executed";
}

TEST(Opening, EndsWhereTheProgramOpens) {
  const Lesson film = opening();
  const FirstStart first = first_start();
  EXPECT_EQ(film.scenes.back().state, first.state);
  EXPECT_EQ(film.scenes.back().place.kind, first.place.kind);
  EXPECT_EQ(film.scenes.back().place.number, first.place.number);
}

TEST(Opening, Timing_OpensItsTab) {
  const Lesson film = opening();
  const Scene& scene = *film.find_scene("timing");
  EXPECT_EQ(scene.state.tab, state::Tab::Timing);
  EXPECT_EQ(scene.state.timing.selected_kernel, "tiled");
}

}  // namespace
}  // namespace tilestep::lesson

#include "lesson/lesson.h"
#include "simulated.h"
#include "state/apply.h"
#include "state/command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::lesson {
namespace {

Place place(const std::string& text) {
  const Result<Place> parsed = parse_place(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Place{});
}

TEST(Place, EveryForm_IsRead) {
  EXPECT_EQ(place("start").kind, Place::Kind::Start);
  EXPECT_EQ(place("end").kind, Place::Kind::End);
  EXPECT_EQ(place("step:120").kind, Place::Kind::Step);
  EXPECT_EQ(place("step:120").number, 120U);
  EXPECT_EQ(place("statement:12").kind, Place::Kind::Statement);
  EXPECT_EQ(place("phase:3").kind, Place::Kind::PhaseMiddle);
  EXPECT_EQ(place("phase-start:3").kind, Place::Kind::Phase);
  EXPECT_EQ(place("phase-start:3").number, 3U);
}

TEST(Place, AnythingElse_IsASentence) {
  for (const char* text : {"", "middle", "step", "step:", "step:x", "step:-1", "step:1x", "end:3",
                           "phase:99999999999999999999", " end"}) {
    const Result<Place> parsed = parse_place(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message,
                testing::HasSubstr("is not a place in a run. Write start, end"));
  }
}

class Resolve : public testing::Test {
 protected:
  // The tiled kernel, 8×8×8 in four blocks of 4×4.
  static void SetUpTestSuite() {
    test::Simulated simulated;
    recording_ = record::Recording::make(simulated.program("tiled", {8, 8, 8}, 4), {}).value();
  }
  static void TearDownTestSuite() { recording_.reset(); }

  static std::uint64_t at(const std::string& text, std::uint32_t block = 1) {
    return resolve(place(text), *recording_, block);
  }

  // The effect of the statement that ended at `step`.
  static record::Activity before(std::uint64_t step) {
    const auto starts = recording_->statement_starts();
    const std::size_t statement = recording_->statement_of(step - 1);
    EXPECT_EQ(starts[statement + 1], step) << "not the end of a statement";
    return recording_->activity(starts[statement], step);
  }

  static inline std::shared_ptr<const record::Recording> recording_;
};

TEST_F(Resolve, StartEndAndSteps_ClampToTheRun) {
  EXPECT_EQ(at("start"), 0U);
  EXPECT_EQ(at("end"), recording_->step_count());
  EXPECT_EQ(at("step:7"), 7U);
  EXPECT_EQ(at("step:999999999"), recording_->step_count());
  EXPECT_EQ(at("statement:0"), 0U);
  EXPECT_EQ(at("statement:3"), recording_->statement_starts()[3]);
  EXPECT_EQ(at("statement:999999999"), recording_->step_count());
}

TEST_F(Resolve, PlacesBeyondTheRun_AreToldWithWhatThereIs) {
  const auto beyond = [](const std::string& text) {
    const auto error = beyond_end(*parse_place(text), *recording_, 0);
    return error ? error->message : "";
  };
  EXPECT_EQ(beyond("end"), "");
  EXPECT_EQ(beyond("step:0"), "");
  EXPECT_EQ(beyond(fmt::format("phase-end:{}", recording_->phases_of(0).size() - 1)), "");
  EXPECT_EQ(beyond("phase-end:99"),
            fmt::format("There is no phase 99: this run has phases 0 to {}.",
                        recording_->phases_of(0).size() - 1));
  EXPECT_EQ(beyond("statement:99999"),
            fmt::format("There is no statement 99999: this run has statements 0 to {}.",
                        recording_->statement_starts().size() - 1));
}

TEST_F(Resolve, PhaseStart_IsItsFirstStep) {
  for (std::uint32_t block = 0; block < 4; ++block) {
    EXPECT_EQ(at("phase-start:2", block), recording_->phases_of(block)[2].first_step);
  }
  EXPECT_EQ(at("phase-start:99"), recording_->phases_of(1).back().first_step);
}

TEST_F(Resolve, PhaseEnd_ShowsTheWholePhaseAsAfterF10) {
  state::AppState state;
  state.focus.block = 2;
  const state::Command next = state::Step{state::Unit::Phase, +1};
  for (const char* const text : {"phase-end:0", "phase-end:1", "phase-end:2"}) {
    state = state::apply(state, next, {recording_.get(), nullptr});
    state::AppState at_place;
    at_place.focus.block = 2;
    go_to(place(text), *recording_, at_place);
    EXPECT_EQ(at_place.step, state.step);
    EXPECT_TRUE(at_place.phase.done);
  }
}

TEST_F(Resolve, Phase_IsJustAfterAStatementThatShowsItsWork) {
  for (std::uint64_t phase = 0; phase < 5; ++phase) {
    const std::uint64_t step = at("phase:" + std::to_string(phase));
    const record::Phase& expected = recording_->phases_of(1)[phase];
    EXPECT_GT(step, expected.first_step);
    EXPECT_LE(step, expected.last_step);
    bool touches_memory = false;
    for (const record::Access& access : before(step).accesses) {
      touches_memory |= access.warp.block == 1 && (access.event.space == ptx::Space::Shared ||
                                                   access.event.space == ptx::Space::Global);
    }
    EXPECT_TRUE(touches_memory) << expected.name;
  }
}

TEST_F(Resolve, BlockThatIsNotThere_IsTheFirst) {
  EXPECT_EQ(at("phase:1", 77), at("phase:1", 0));
}

}  // namespace
}  // namespace tilestep::lesson

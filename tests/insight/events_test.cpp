// Searching for the next event reaches every event, in both directions, and nothing else.
#include "insight/check/check.h"
#include "insight/check/race_effect.h"
#include "insight/count/counters.h"
#include "insight/events/event.h"
#include "insight/trace/origin.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tilestep::insight {
namespace {

using record::EventKind;
using testing::HasSubstr;

class Events : public testing::Test {
 protected:
  std::shared_ptr<const record::Recording> recorded(const char* kernel, problem::Problem size,
                                                    int block_size, simt::Schedule schedule = {}) {
    return recorded(simulated_.program(kernel, size, block_size), schedule);
  }
  static std::shared_ptr<const record::Recording> recorded(
      std::shared_ptr<const simt::Program> program, simt::Schedule schedule = {}) {
    auto recording = record::Recording::make(std::move(program), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  static std::vector<EventHit> all(const record::Recording& run, const EventQuestion& question) {
    auto hits = events_between(run, question, 0, run.step_count());
    if (!hits) {
      throw std::runtime_error(hits.error().message);
    }
    return *hits;
  }
  static std::set<std::uint64_t> stops(const record::Recording& run,
                                       const std::vector<EventHit>& hits) {
    std::set<std::uint64_t> ends;
    for (const EventHit& hit : hits) {
      ends.insert(end_of_statement(run, hit.step));
    }
    return ends;
  }
  // Every stop of a search from one end to the other.
  static std::vector<std::uint64_t> walk(const record::Recording& run, EventQuestion question) {
    std::vector<std::uint64_t> visited;
    question.from = question.direction > 0 ? 0 : run.step_count() + 1;
    for (EventAnswer next = find_event(run, question); next.found;
         next = find_event(run, question)) {
      EXPECT_FALSE(next.sentence.empty());
      visited.push_back(next.stop);
      question.from = next.stop;
    }
    return visited;
  }
  static void expect_walks_visit(const record::Recording& run, EventQuestion question,
                                 const std::set<std::uint64_t>& wanted) {
    question.direction = +1;
    EXPECT_EQ(walk(run, question), std::vector(wanted.begin(), wanted.end()));
    question.direction = -1;
    EXPECT_EQ(walk(run, question), std::vector(wanted.rbegin(), wanted.rend()));
  }

  test::Simulated simulated_;
};

TEST_F(Events, WalksVisitEveryEventForwardAndBack) {
  const auto transposed = recorded("tiled_transposed", {12, 12, 12}, 8);
  for (const EventKind kind : {EventKind::Barrier, EventKind::BankConflict, EventKind::Uncoalesced,
                               EventKind::Divergence, EventKind::MaskedLane}) {
    EventQuestion question;
    question.kind = kind;
    const auto hits = all(*transposed, question);
    expect_walks_visit(*transposed, question, stops(*transposed, hits));
    const bool expected = kind != EventKind::Divergence && kind != EventKind::MaskedLane;
    EXPECT_TRUE(!hits.empty() || !expected) << static_cast<int>(kind);
  }
}

TEST_F(Events, AreOneBarrierForEachBlockAndTile) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const auto hits = all(*run, {.kind = EventKind::Barrier});
  EXPECT_EQ(hits.size(), 4U * 2U * 2U) << "4 blocks, 2 tiles, 2 barriers each";
}

TEST_F(Events, AreTheBankConflictsThatTheCountersCount) {
  for (const char* kernel : {"tiled", "tiled_transposed", "tiled_padded"}) {
    const auto run = recorded(kernel, {16, 16, 16}, 16);
    Counter counter(run->program());
    run->replay(0, run->step_count(), counter);
    std::uint64_t more = 0;
    for (const EventHit& hit : all(*run, {.kind = EventKind::BankConflict})) {
      for (const record::Access& access : run->activity(hit.step, hit.step + 1).accesses) {
        more += count_wavefronts(access.event) - 1;
      }
    }
    const Counters& counted = counter.counters();
    EXPECT_EQ(counted.shared_loads.wavefronts + counted.shared_stores.wavefronts,
              counted.shared_loads.requests + counted.shared_stores.requests + more)
        << kernel;
  }
}

TEST_F(Events, AreTheSectorsBeyondTheLeast) {
  const auto aligned = recorded("tiled", {32, 32, 32}, 32);
  EXPECT_TRUE(all(*aligned, {.kind = EventKind::Uncoalesced}).empty());
  const auto columns = recorded("naive_uncoalesced", {32, 32, 8}, 32);
  Counter counter(columns->program());
  columns->replay(0, columns->step_count(), counter);
  std::uint64_t least = 0;
  std::uint64_t more = 0;
  const record::Activity whole = columns->activity(0, columns->step_count());
  for (const record::Access& access : whole.accesses) {
    least += make_pattern(access.event).ideal_sectors;
  }
  for (const EventHit& hit : all(*columns, {.kind = EventKind::Uncoalesced})) {
    const record::Activity one = columns->activity(hit.step, hit.step + 1);
    more +=
        count_sectors(one.accesses.at(0).event) - make_pattern(one.accesses[0].event).ideal_sectors;
  }
  EXPECT_GT(more, 0U);
  EXPECT_EQ(counter.counters().global_loads.sectors + counter.counters().global_stores.sectors,
            least + more);
}

// As in the eyebrow above the sentence: "13 of 16 lanes inactive".
TEST_F(Events, AreTheStatementsThatLanesSitOut) {
  const auto run = recorded("naive", {5, 6, 3}, 4);
  std::set<std::uint64_t> wanted;
  const auto starts = run->statement_starts();
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    for (const auto& e : run->activity(starts[i], starts[i + 1]).executed) {
      if ((e.live & ~e.mask) != 0) {
        wanted.insert(starts[i + 1]);
      }
    }
  }
  ASSERT_FALSE(wanted.empty());
  expect_walks_visit(*run, {.kind = EventKind::MaskedLane}, wanted);
  EXPECT_FALSE(all(*run, {.kind = EventKind::Divergence}).empty());
}

TEST_F(Events, FindingsAreWhereTheirLineIsExecuted) {
  for (const char* kernel :
       {"tiled_missing_barrier", "tiled_missing_first_barrier", "tiled_no_guard"}) {
    const auto run = recorded(kernel, {7, 7, 7}, 4);
    EventQuestion question{.kind = EventKind::Finding, .first_only = true};
    question.findings = check(run->shared_program(), run->schedule()).findings;
    ASSERT_FALSE(question.findings.empty()) << kernel;
    std::set<std::uint64_t> wanted;
    for (const Finding& finding : question.findings) {
      const Party& party = finding.parties.back();
      const record::Activity step = run->activity(party.step, party.step + 1);
      EXPECT_EQ(step.executed.at(0).line, party.line) << kernel;
      wanted.insert(end_of_statement(*run, party.step));
    }
    expect_walks_visit(*run, question, wanted);
  }
}

TEST_F(Events, AccessesOfAnElementAreItsUses) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const auto uses = uses_of(*run, "A[1][6]");
  ASSERT_TRUE(uses) << uses.error().message;
  const auto hits = all(*run, {.kind = EventKind::Access, .what = "A[1][6]"});
  std::set<std::uint64_t> wanted;
  for (const auto& load : uses->loads) {
    wanted.insert(load.step);
  }
  std::set<std::uint64_t> found;
  for (const EventHit& hit : hits) {
    found.insert(hit.step);
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(wanted.size(), 2U) << "two blocks load it, once each";
}

TEST_F(Events, AccessesOfASharedCellAreItsBlocksOwn) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  for (const EventHit& hit :
       all(*run, {.kind = EventKind::Access, .block = 2, .what = "As[1][2]"})) {
    EXPECT_EQ(hit.warp.block, 2U);
  }
  const EventAnswer first =
      find_event(*run, {.kind = EventKind::Access, .block = 2, .what = "As[1][2]"});
  EXPECT_THAT(first.sentence, HasSubstr("stores As[1][2]"));
}

TEST_F(Events, AccessesOfAVariableAreItsThreadsAssignments) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  EXPECT_FALSE(all(*run, {.kind = EventKind::Access, .thread = 6, .what = "acc"}).empty());
  const EventAnswer none = find_event(*run, {.kind = EventKind::Access, .what = "nothing"});
  EXPECT_FALSE(none.found);
  EXPECT_THAT(none.sentence, HasSubstr("neither an array nor a variable"));
}

TEST_F(Events, ChangesOfAWatchAreThoseThatItsValuesShow) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  EventQuestion question{.kind = EventKind::Change, .block = 1, .thread = 6, .what = "t == 1"};
  question.direction = +1;
  std::set<std::uint64_t> wanted;
  std::string before = "–";
  for (const std::uint64_t step : run->statement_starts()) {
    const auto value = run->state_at(step).variable(1, 6, "t");
    const std::string now = value && value->status == record::Value::Status::Ok
                                ? format_value(run->program(), *value) == "1" ? "1" : "0"
                                : "–";
    if (now != before) {
      wanted.insert(step);
    }
    before = now;
  }
  ASSERT_GE(wanted.size(), 2U);
  expect_walks_visit(*run, question, wanted);
}

TEST_F(Events, ANanIsMetWhereItIsBorn) {
  test::OwnKernel own;
  own.source = R"(extern "C" __global__ void kernel(float* x) {
  float a = x[threadIdx.x];
  float b = a - a;
  x[threadIdx.x] = b / b;
})";
  own.buffers = {{"x", 32}};
  const auto run = recorded(simulated_.program(test::launch_of(own)));
  const EventAnswer born = find_event(*run, {.kind = EventKind::Nan, .thread = 3});
  ASSERT_TRUE(born.found) << born.sentence;
  EXPECT_EQ(born.thread, 3U);
  EXPECT_THAT(born.sentence, HasSubstr("computes a NaN"));
  const EventAnswer none =
      find_event(*run, {.kind = EventKind::Nan, .from = run->step_count(), .thread = 3});
  EXPECT_EQ(none.sentence, "No NaN after this step.");
}

// The red marks of the timeline: findings of all blocks, effects of the block's races, faults.
TEST_F(Events, OfFindingsAreAllMarksOfTheTimeline) {
  const simt::Schedule ahead{.kind = simt::ScheduleKind::RunAhead};
  for (const std::string kernel : {"tiled_missing_barrier", "tiled_missing_first_barrier",
                                   "single_block_ktiles_missing_barrier", "tiled_no_guard"}) {
    const bool is_one_block = kernel.starts_with("single_block");
    const problem::Problem size = kernel == "tiled_no_guard" ? problem::Problem{15, 13, 14}
                                  : is_one_block             ? problem::Problem{8, 8, 16}
                                                             : problem::Problem{16, 16, 16};
    const auto run = recorded(kernel.c_str(), size, 8, ahead);
    EventQuestion question;
    question.findings =
        check(run->shared_program(), ahead, nullptr, nullptr, {}, Watched::All).findings;
    ASSERT_FALSE(question.findings.empty()) << kernel;
    std::set<std::uint64_t> wanted;
    for (const Finding& finding : question.findings) {
      wanted.insert(end_of_statement(*run, step_of(finding)));
    }
    const std::size_t listed = wanted.size();
    for (const RaceEffect& strike : find_race_effects(*run, question.block)) {
      wanted.insert(end_of_statement(*run, strike.last_step()));
    }
    for (const auto& fault : run->faults()) {
      wanted.insert(end_of_statement(*run, fault.step));
    }
    EXPECT_GT(wanted.size(), listed) << kernel << " has marks that the list has once";
    expect_walks_visit(*run, question, wanted);
    question.from = run->step_count();
    EXPECT_EQ(
        find_event(*run, question).sentence,
        is_one_block ? "No finding after this step." : "No finding of block (0,0) after this step.")
        << kernel;
    question.first_only = true;
    EXPECT_EQ(walk(*run, question).size(), listed) << kernel << ": playing stops at each once";
  }
}

TEST_F(Events, SayWhenThereIsNone) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const EventAnswer none = find_event(*run, {.kind = EventKind::BankConflict});
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.sentence, "No bank conflict after this step.");
  EXPECT_EQ(find_event(*run, {.kind = EventKind::Nan, .from = 9, .direction = -1}).sentence,
            "No NaN before this step.");
  EXPECT_THAT(find_event(*run, {.kind = EventKind::Change}).sentence,
              HasSubstr("Nothing is watched"));
}

TEST_F(Events, PreferTheFocusThread) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const EventAnswer own =
      find_event(*run, {.kind = EventKind::Uncoalesced, .block = 3, .thread = 9});
  EXPECT_EQ(own.block, 3U);
  EXPECT_EQ(own.thread, 9U);
}

}  // namespace
}  // namespace tilestep::insight

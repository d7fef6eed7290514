#include "course/answers.h"

#include "asking.h"
#include "course/asked.h"
#include "lesson/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilestep::course {
namespace {

using testing::HasSubstr;

class AnswersTest : public testing::Test {
 protected:
  static Asking& asking() {
    static Asking one;
    return one;
  }
  static std::string ask(const std::string& expression, const std::string& more = "") {
    return asking().ask("#kernel=tiled&M=8&N=8&K=8&block_size=4" + more, expression);
  }
};

TEST_F(AnswersTest, EveryFunctionOfTheTable_HasAnAnswer) {
  std::set<std::string_view> answered;
  for (const auto& table : {thread_answers(), launch_answers(), timing_answers(), clock_answers(),
                            number_answers(), setup_answers()}) {
    for (const AnswerOf& answer : table) {
      EXPECT_TRUE(answered.insert(answer.name).second) << answer.name;
    }
  }
  for (const lesson::FunctionOfRun& function : lesson::functions_of_run()) {
    EXPECT_TRUE(answered.contains(function.name)) << function.name;
  }
  EXPECT_EQ(answered.size(), lesson::functions_of_run().size());
}

TEST_F(AnswersTest, NumbersAreComputedAsInSums) {
  EXPECT_EQ(ask("1 + 2 * 3 - 4 / 8"), "6.5");
  EXPECT_EQ(ask("-(M + N) % 5"), "−1");
  EXPECT_EQ(ask("ceil_div(N + 1, BLOCK_SIZE)"), "3");
  EXPECT_EQ(ask("min(3, 1, 2)"), "1");
  EXPECT_EQ(ask("max(3, 1, K)"), "8");
  EXPECT_EQ(ask("abs(-2)"), "2");
  EXPECT_EQ(ask("sqrt(16)"), "4");
  EXPECT_EQ(ask("floor(2048 / (17 * 17))"), "7");
  EXPECT_EQ(ask("round(1.526, 2)"), "1.53");
  EXPECT_EQ(ask("round(66.7)"), "67");
  EXPECT_EQ(ask("digits(0.00000079321, 3)"), "7.93e-07");
  EXPECT_EQ(ask("warp_size"), "32");
  EXPECT_EQ(ask("M == 8 && !(N < 8 || no)"), "yes");
  EXPECT_EQ(ask("0.1 + 0.2 <= 0.3"), "yes");
  EXPECT_EQ(ask("0.1 + 0.2 > 0.3"), "no");
  EXPECT_EQ(ask("'a' == 'a'"), "yes");
}

TEST_F(AnswersTest, ThreadsAndCellsAreAskedAtAPlace) {
  EXPECT_EQ(ask("value(acc, b1, t6, start)"),
            "acc of thread (2,1) of block (1,0) has no value at step 0.");
  EXPECT_EQ(ask("value(threadIdx.x + 10 * threadIdx.y, b1, t6, start)"), "12");
  EXPECT_EQ(ask("source(As[1][2])", "&block=1&place=phase-start:1"), "A[1][2]");
  EXPECT_EQ(ask("writer(As[1][2], b1, phase-start:1)"), "thread (2,1) of block (1,0)");
  EXPECT_EQ(ask("t6", "&block=1"), "thread (2,1) of block (1,0)");
  EXPECT_EQ(ask("thread(2, 1, b1)"), "thread (2,1) of block (1,0)");
  EXPECT_EQ(ask("writer(As[1][2], b1, phase-start:1) == thread(2, 1, b1)"), "yes");
  EXPECT_EQ(ask("cells(A)"), "64");
  EXPECT_EQ(ask("cells(As)"), "16");
  EXPECT_EQ(ask("active(statement:3)"), "16");
  EXPECT_EQ(ask("masked(statement:3)"), "0");
  EXPECT_EQ(ask("passes(As, phase:1)"), "1");
}

TEST_F(AnswersTest, LaunchesAreAskedAsAWhole) {
  EXPECT_EQ(ask("grid(x) * grid(y)"), "4");
  EXPECT_EQ(ask("block(x)"), "4");
  EXPECT_EQ(ask("blocks()"), "4");
  EXPECT_EQ(ask("threads()"), "64");
  EXPECT_EQ(ask("idle_lanes()"), "16");
  EXPECT_EQ(ask("wrong()"), "0");
  EXPECT_EQ(ask("findings()"), "0");
  EXPECT_EQ(ask("error.max"), "0");
  EXPECT_EQ(ask("error.average"), "0");
  EXPECT_EQ(ask("count(loads)"), "256");
  EXPECT_EQ(ask("count(stores.C)"), "64");
  EXPECT_EQ(ask("count(barriers)"), "16");
  EXPECT_EQ(ask("count(shared_bytes)"), "128");
  EXPECT_EQ(ask("count(shared_stores.words)"), "256");
  EXPECT_EQ(ask("count(flops)"), "1024");
  EXPECT_EQ(ask("occupancy(16, limiter)"), "warps");
  EXPECT_EQ(ask("occupancy(16, blocks)"), "8");
  EXPECT_EQ(ask("verified(tiled, 4096, 16)"), "yes");
  EXPECT_EQ(ask("round(gflops(cublas, 4096, 0) / 1000, 1)"), "51.3");
  EXPECT_EQ(ask("digits(warm_time(tiled, 1024, 32), 3)"), "0.241");
  EXPECT_EQ(ask("ceiling(sms)"), "132");
  EXPECT_EQ(ask("round(ceiling(ffma_gflops) / ceiling(dram_gb_s), 1)"), "14.7");
  EXPECT_THAT(ask("ceiling(hbm)"), HasSubstr("is not a ceiling"));
}

TEST_F(AnswersTest, FindingsHaveTheirParties) {
  const std::string race = "&kernel=tiled_missing_barrier&warp_size=4";
  EXPECT_EQ(ask("finding(0).kind", race), "shared-memory race");
  EXPECT_EQ(ask("finding(0).kind == 'shared-memory race'", race), "yes");
  EXPECT_EQ(ask("found('shared-memory race') == findings()", race), "yes");
  EXPECT_EQ(ask("finding(0).load.line > finding(0).store.line", race), "yes");
  EXPECT_THAT(ask("finding(0).element", race), HasSubstr("As["));
  EXPECT_THAT(ask("finding(0).load.thread", race), HasSubstr("thread ("));
}

TEST_F(AnswersTest, OtherSetUpsAreAskedWithoutLeavingThis) {
  EXPECT_EQ(ask("with(block_size = 2, count(loads.A)) - count(loads.A)"), "128");
  EXPECT_EQ(ask("with(kernel = naive, M = 2 * M, count(loads.A))"), "1024");
  EXPECT_EQ(ask("argmin(block_size, 2, 4, 8, count(loads))"), "8");
  EXPECT_EQ(ask("argmax(kernel, tiled, naive, count(loads))"), "naive");
  EXPECT_EQ(ask("order(block_size, 2, 8, 4, count(loads))"), "8, 4, 2");
  EXPECT_EQ(ask("argmax(block_size, 2, 4, count(shared_loads.words))"),
            "count(shared_loads.words) is the same for 4 and 2.");
}

TEST_F(AnswersTest, WhatHasNoAnswer_SaysWhy) {
  EXPECT_THAT(ask("value(Cvalue, end)"), HasSubstr("the kernel has no variable Cvalue"));
  EXPECT_THAT(ask("value(acc, t99)"), HasSubstr("There is no thread 99"));
  EXPECT_THAT(ask("value(acc, b4)"), HasSubstr("There is no block 4"));
  EXPECT_THAT(ask("active(w9)"), HasSubstr("There is no warp 9"));
  EXPECT_THAT(ask("cell(As[9][0])"), HasSubstr("As[9][0] is out of range"));
  EXPECT_THAT(ask("cell(P[0][0])"), HasSubstr("P does not exist"));
  EXPECT_THAT(ask("value(acc, phase:99)"), HasSubstr("phase:99: There is no phase 99"));
  EXPECT_THAT(ask("writer(As[0][0], start)"), HasSubstr("thread has stored As[0][0] by step 0."));
  EXPECT_THAT(ask("source(C[0][0], end)"), HasSubstr("comes from 16 elements"));
  EXPECT_THAT(ask("read(A, start)"), HasSubstr("does not access A"));
  EXPECT_THAT(ask("count(lods.A)"), HasSubstr("There is no count 'lods.A'"));
  EXPECT_THAT(ask("finding(0).line"), HasSubstr("There is no finding 0: this launch has 0"));
  EXPECT_THAT(ask("found('race')"), HasSubstr("'race' is not a kind of finding"));
  EXPECT_THAT(ask("time(tiled, 4097, 16)"), HasSubstr("The data set h200 has no point of tiled"));
  EXPECT_THAT(ask("1 / (M - 8)"), HasSubstr("The expression divides by zero."));
  EXPECT_THAT(ask("M + As[0][0]"), HasSubstr("+ needs numbers, not a number and a cell."));
  EXPECT_THAT(ask("b1"), HasSubstr("b1 has no meaning by itself."));
  EXPECT_THAT(ask("with(colour = 1, M)"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(ask("with(kernel = nothing, wrong())"), HasSubstr("nothing"));
  EXPECT_THAT(ask("occupancy(16, colour)"), HasSubstr("not a value of occupancy"));
  EXPECT_THAT(ask("largest_launch(K)"), HasSubstr("tiled has no requirement that limits"));
  EXPECT_THAT(ask("thread(9, 9)"), HasSubstr("There is no thread (9,9)"));
}

TEST_F(AnswersTest, ATextIsFilledWithValues) {
  const auto at = Asking::position("#kernel=naive&M=3&N=4&K=5");
  EXPECT_EQ(asking().answers().filled({"{{ M }}×{{ N }} of {{ M * N }}", {1}}, at).value_or(""),
            "3×4 of 12");
  EXPECT_FALSE(asking().answers().filled({"{{ M / 0 }}", {1}}, at));
}

TEST_F(AnswersTest, TheSameQuestion_HasTheSameAnswer_AlsoAfterManyOthers) {
  const std::string before = ask("cell(C[3][3], end)");
  for (int size = 1; size <= static_cast<int>(Runs::kKept) + 2; ++size) {
    EXPECT_EQ(ask("count(stores.C)", "&M=" + std::to_string(size)), std::to_string(8 * size));
  }
  EXPECT_EQ(ask("cell(C[3][3], end)"), before);
}

}  // namespace
}  // namespace tilestep::course

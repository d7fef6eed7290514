// Every question of the course's lessons 1 to 14, as an expression about its launch, with its
// value. If a kernel, a count or the data set changes, this test shows which lesson changes with
// it.
#include "asking.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace tilestep::course {
namespace {

struct QuestionOfCourse {
  const char* name;  // lesson and question
  const char* launch;
  const char* expression;
  const char* worth;
};

void PrintTo(const QuestionOfCourse& question, std::ostream* out) {
  *out << question.name << " " << question.expression;
}

constexpr const char* kThree =
    "#kernel=single_block&M=3&N=3&K=3&block_size=3&thread=1&place=statement:6";
constexpr const char* kShared =
    "#kernel=single_block_shared&M=3&N=3&K=3&block_size=3&thread=5&place=statement:6";
constexpr const char* kRace =
    "#kernel=tiled_missing_first_barrier&M=8&N=8&K=8&block_size=4&warp_size=4&place=end";
constexpr const char* kTiled = "#kernel=tiled&M=8&N=8&K=8&block_size=4&block=1&thread=6&place=end";
constexpr const char* kEdges = "#kernel=tiled&M=7&N=5&K=6&block_size=4&block=3&place=end";

class Course : public testing::TestWithParam<QuestionOfCourse> {
 protected:
  static Asking& asking() {
    static Asking one;
    return one;
  }
};

TEST_P(Course, HasTheAnswerThatTheRunGives) {
  const QuestionOfCourse& question = GetParam();
  EXPECT_EQ(asking().ask(question.launch, question.expression), question.worth) << question.name;
}

INSTANTIATE_TEST_SUITE_P(
    Lessons1To5, Course,
    testing::ValuesIn(std::vector<QuestionOfCourse>{
        {"1.1", kThree, "read(B)", "B[0][1]"},
        {"1.1 wrong", kThree, "B[1][0]", "B[1][0]"},
        {"1.2", kThree, "loads(A[0][0])", "3"},
        {"1.3", "#kernel=naive&M=2&N=4&K=3&block_size=16&place=phase:0", "masked(w0)", "24"},
        {"1.3 wrong", "#kernel=naive&M=2&N=4&K=3&block_size=16", "threads() - M * N", "248"},
        {"1, 4", kThree, "count(loads.A)", "27"},
        {"1, 5", kThree, "cell(C[0][1], end)", "57"},
        {"1, 7", "#kernel=naive_1d&M=3&N=5&K=4&block_size=4&thread=7", "stored(C)", "C[1][2]"},
        {"1, 8", "#kernel=naive&M=8&N=8&K=8&block_size=4", "count(loads.A)", "512"},
        {"2.1", kShared, "(count(loads.A) + count(loads.B)) / threads()", "2"},
        {"2.1 wrong", kShared, "count(loads.A) + count(loads.B)", "18"},
        {"2.2", kShared, "writer(As[1][0])", "thread (0,1)"},
        {"2.2 wrong", kShared, "thread(2, 1)", "thread (2,1)"},
        {"2.3", kRace, "wrong() == 0", "yes"},
        {"2.3 again", kRace, "with(schedule = run_ahead, warp = 0, wrong() == 0)", "no"},
        {"2, 7", kRace, "findings()", "2"},
        {"2, 8", kRace, "with(schedule = run_ahead, warp = 0, wrong())", "48"},
        {"2, 8 C", kRace, "with(schedule = run_ahead, warp = 0, cell(C[0][0], end))", "2628"},
        {"2, 8 right", kRace, "cell(C[0][0], end)", "4211"},
        {"4.1", kTiled, "loads(A[1][2])", "2"},
        {"4.1 wrong", kTiled, "blocks()", "4"},
        {"4, 5", kTiled, "products(A[1][2])", "8"},
        {"4.2", "#kernel=samples_loop&M=12&N=12&K=12&block_size=4&block=5&thread=9", "stored(C)",
         "C[6][9]"},
        {"4.3", kTiled, "source(As[1][2], b1, phase:3)", "A[1][6]"},
        {"4, 4", kTiled, "cell(As[1][2], b1, phase:3)", "−9"},
        {"5.1", kEdges, "constants(As, phase:2)", "10"},
        {"5.1 wrong", kEdges, "cells(As) - constants(As, phase:2)", "6"},
        {"5.2", kEdges, "active(phase:4)", "3"},
        {"5.2 wrong", kEdges, "count(stores.C)", "35"},
        {"5, 3", kEdges, "count(flops)", "1024"},
        {"5.3", "#kernel=tiled_no_guard&M=6&N=6&K=6&block_size=4",
         "(wrong() > 0) + 2 * (found('access out of range') > 0)", "3"},
        {"5, 5", "#kernel=tiled_no_guard&M=6&N=6&K=6&block_size=4", "wrong()", "8"},
        {"5, 5 findings", "#kernel=tiled_no_guard&M=6&N=6&K=6&block_size=4", "findings()", "4"},
        {"5.4", "#kernel=tiled_divergent_barrier&M=8&N=8&K=8&block_size=4", "findings() > 0", "no"},
        {"5.4 at 6", "#kernel=tiled_divergent_barrier&M=6&N=6&K=6&block_size=4", "findings()", "1"},
        {"5.4 times", "#kernel=tiled_divergent_barrier&M=6&N=6&K=6&block_size=4",
         "finding(0).occurrences", "6"},
    }));

INSTANTIATE_TEST_SUITE_P(
    Lessons6To10, Course,
    testing::ValuesIn(std::vector<QuestionOfCourse>{
        {"6.1", kTiled, "count(loads.A)", "128"},
        {"6.1 wrong", kTiled, "M * N * K", "512"},
        {"6.2", "#kernel=full_strip&M=4&N=4&K=4&block_size=2", "count(loads.A) + count(loads.B)",
         "64"},
        {"6.2 again", "#kernel=full_strip&M=2&N=2&K=4&block_size=2", "count(loads)", "16"},
        {"6.3", kTiled,
         "count(shared_loads.words) / with(block_size = 2, count(shared_loads.words))", "1"},
        {"6, 3", kTiled, "count(shared_loads.words)", "1024"},
        {"6.4", "#kernel=tiled&M=1000&N=1000&K=1000&block_size=16",
         "4 * (count(loads.A) + count(loads.B)) / 1e6", "504"},
        {"6, 7", "#kernel=tiled_store_inside_loop&M=8&N=8&K=8&block_size=4", "count(stores.C)",
         "128"},
        {"7.1", "#kernel=naive&M=32&N=32&K=8&block_size=32", "count(sectors_per_request.A)", "1"},
        {"7.2", "#kernel=naive_uncoalesced&M=32&N=32&K=8&block_size=32",
         "count(sectors_per_request.A)", "32"},
        {"7.2 at 16", "#kernel=naive_uncoalesced&M=32&N=32&K=8&block_size=16",
         "count(sectors_per_request.A)", "16"},
        {"lab 7", "#kernel=naive_uncoalesced&M=64&N=64&K=8&block_size=32",
         "count(sectors_per_request.max) <= 4", "no"},
        {"lab 7 mended", "#kernel=naive&M=64&N=64&K=8&block_size=32",
         "count(sectors_per_request.max) <= 4", "yes"},
        {"7, 5", "#kernel=row_in_shared_kahan&M=3&N=33&K=4&block_size=6", "count(sectors.B)", "69"},
        {"7, 6", "#kernel=pitched&M=3&N=33&K=4&block_size=6", "count(sectors.B)", "60"},
        {"7.3", "#kernel=pitched&M=1000&N=1000&K=1000&block_size=16",
         "count(sectors.B) < with(kernel = row_in_shared_kahan, count(sectors.B))", "no"},
        {"8.1", "#kernel=tiled_transposed&M=16&N=16&K=16&block_size=16",
         "count(shared_stores.degree)", "8"},
        {"8.2", "#kernel=tiled_transposed&M=16&N=16&K=16&block_size=16&place=phase:1", "passes(As)",
         "1"},
        {"8.2 wrong", "#kernel=tiled_transposed&M=16&N=16&K=16&block_size=16&place=phase:1",
         "passes(Bs)", "8"},
        {"8.3", "#kernel=tiled_transposed&M=32&N=32&K=32&block_size=16",
         "argmax(block_size, 4, 8, 16, 17, 32, count(shared_stores.degree))", "32"},
        {"8.4", "#kernel=tiled_one_column&M=16&N=16&K=16&block_size=16",
         "count(shared_stores.degree) == 1", "no"},
        {"8.4 at 32", "#kernel=tiled_one_column&M=32&N=32&K=32&block_size=32",
         "count(shared_stores.degree) == 1", "yes"},
        {"8, 3", "#kernel=tiled_transposed&M=16&N=16&K=16&block_size=16",
         "count(shared_loads.wavefronts)", "1152"},
        {"8, 8", kTiled, "round(time(tiled_transposed, 4096, 16), 1)", "52.9"},
        {"9.1", "#kernel=full_strip&M=4&N=4&K=4&block_size=2", "count(barriers_per_block)", "1"},
        {"9.1 tiled", "#kernel=full_strip&M=4&N=4&K=4&block_size=2",
         "with(kernel = tiled, count(barriers_per_block))", "4"},
        {"9.2", "#kernel=full_strip&M=16&N=16&K=32&block_size=16", "largest_launch(K)", "384"},
        {"9.3", "#kernel=full_strip&M=16&N=16&K=32&block_size=16", "count(shared_stores.degree)",
         "2"},
        {"9.4", "#kernel=float4_loads&M=8&N=6&K=6&block_size=4", "found('misaligned access') == 0",
         "no"},
        {"10.1", "#kernel=tiled&M=64&N=64&K=250&block_size=16&input=unit",
         "round(with(K = 4000, error.max) / error.max, 1)", "4"},
        {"10.2", kTiled,
         "round(100 * (time(tiled_kahan_bounds, 4096, 16) / time(tiled, 4096, 16) - 1), 1)", "6.4"},
        {"10.3", "#kernel=naive_1d&M=4&N=4&K=1000&block_size=4&input=constant", "error.max > 0",
         "no"},
    }));

INSTANTIATE_TEST_SUITE_P(
    Lessons11To14, Course,
    testing::ValuesIn(std::vector<QuestionOfCourse>{
        {"11.1", "#kernel=tiled&M=34&N=34&K=34&block_size=17", "idle_lanes()", "31"},
        {"11.2", "#kernel=tiled&M=34&N=34&K=34&block_size=17", "occupancy(17, blocks)", "6"},
        {"11.2 wrong", kTiled, "floor(2048 / (17 * 17))", "7"},
        {"11, 7", kTiled, "round(occupancy(32, percent, 8.6))", "67"},
        {"11.3", kTiled, "order(block_size, 16, 17, 24, 31, 32, time(tiled, 4096, BLOCK_SIZE))",
         "32, 24, 16, 31, 17"},
        {"11.4", "#kernel=tiled&M=1024&N=1024&K=1024&block_size=17",
         "round(machine_count(shared_loads.wavefronts) / "
         "with(block_size = 16, machine_count(shared_loads.wavefronts)), 2)",
         "1.53"},
        {"12.1", "#kernel=register_tile_1d&M=16&N=16&K=16&block_size=4",
         "count(shared_loads.words) / (M * N * K)", "1.25"},
        {"lab 12", "#kernel=register_tile_1d&M=64&N=64&K=64&block_size=16",
         "4 * count(shared_loads.words) <= 5 * M * N * K && "
         "count(loads.B) <= ceil_div(M, 4 * BLOCK_SIZE) * K * N",
         "yes"},
        {"lab 12 unmended", "#kernel=tiled&M=64&N=64&K=64&block_size=16",
         "4 * count(shared_loads.words) <= 5 * M * N * K", "no"},
        {"12.2", "#kernel=register_tile_2d&M=16&N=16&K=16&block_size=4",
         "count(shared_loads.words) / (M * N * K)", "0.5"},
        {"12.3", kTiled, "time(double_buffered, 4096, 16) < time(tiled, 4096, 16)", "no"},
        {"12.4", "#kernel=register_tile_2d&M=4096&N=4096&K=4096&block_size=16",
         "occupancy(16, percent)", "62.5"},
        {"12.4 speed", kTiled, "round(time(tiled, 4096, 16) / time(register_tile_2d, 4096, 16), 1)",
         "3.3"},
        {"13.1", kTiled, "round(time(naive, 4096, 16) / time(tiled, 4096, 16), 2)", "1.52"},
        {"13.2", kTiled, "round(share(tiled, 256, 16))", "69"},
        {"13.2 at 4096", kTiled, "round(share(tiled, 4096, 16))", "16"},
        {"13.3", kTiled, "verified(tiled_missing_barrier, 1024, 5)", "yes"},
        {"13.3 at 16", kTiled, "verified(tiled_missing_barrier, 1024, 16)", "no"},
        {"14.1", "#kernel=tiled_wrong_index&M=8&N=8&K=8&block_size=4&input=constant",
         "wrong() == 0", "yes"},
        {"14, 8", "#kernel=tiled_wrong_index&M=8&N=8&K=8&block_size=4", "wrong()", "64"},
        {"14.2", "#kernel=single_block_ktiles&M=3&N=3&K=9&block_size=3",
         "(with(kernel = single_block_ktiles_missing_barrier, wrong()) > 0) + "
         "2 * (with(kernel = single_block_ktiles_wrong_b_index, wrong()) > 0)",
         "0"},
    }));

}  // namespace
}  // namespace tilestep::course

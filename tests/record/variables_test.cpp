// Variables, lines and writers, checked against the source text.
#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tilestep::record {
namespace {

constexpr int kSize = 8;
constexpr int kBlockSize = 4;

template <class T>
T as(const Value& value) {
  T result{};
  EXPECT_EQ(value.bytes.size(), sizeof(T));
  std::memcpy(&result, value.bytes.data(), std::min(sizeof(T), value.bytes.size()));
  return result;
}

float element(const problem::Launch& launch, const char* buffer, int row, int col) {
  const problem::Buffer& b = *problem::find_buffer(launch, buffer);
  float value = 0.0F;
  std::memcpy(&value,
              b.contents.data() + static_cast<std::size_t>(row * b.pitch + col) * sizeof value,
              sizeof value);
  return value;
}

class Variables : public testing::Test {
 protected:
  std::shared_ptr<const Recording> record_kernel(const char* kernel, simt::Schedule schedule = {}) {
    auto recording =
        Recording::make(simulated_.program(kernel, {kSize, kSize, kSize}, kBlockSize), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  static std::uint32_t line(const Recording& recording, const char* text) {
    return test::line_of(recording.program().launch().source, text);
  }
  // Calls f(state, block, thread) for every thread that is about to execute the line, at every
  // statement's start.
  template <class F>
  static int at_line(const Recording& recording, std::uint32_t line, F&& f) {
    int visits = 0;
    State state = recording.state_at(0);
    for (const std::uint64_t start : recording.statement_starts()) {
      state = recording.state_at(start, std::move(state));
      for (std::uint32_t block = 0; block < recording.program().block_count(); ++block) {
        for (std::uint32_t t = 0; t < recording.program().threads_per_block(); ++t) {
          if (state.line(block, t) == line) {
            f(state, block, t);
            ++visits;
          }
        }
      }
    }
    return visits;
  }

  test::Simulated simulated_;
};

TEST_F(Variables, OfTheTiledKernelFollowTheSource) {
  const auto recording = record_kernel("tiled");
  const problem::Launch& launch = recording->program().launch();
  const int visits =
      at_line(*recording, line(*recording, "acc +="),
              [&](const State& state, std::uint32_t block, std::uint32_t thread) {
                const int tx = static_cast<int>(thread) % kBlockSize;
                const int ty = static_cast<int>(thread) / kBlockSize;
                const int row = static_cast<int>(block) / 2 * kBlockSize + ty;
                const int col = static_cast<int>(block) % 2 * kBlockSize + tx;
                ASSERT_EQ(as<int>(*state.variable(block, thread, "tx")), tx);
                ASSERT_EQ(as<int>(*state.variable(block, thread, "ty")), ty);
                ASSERT_EQ(as<int>(*state.variable(block, thread, "row")), row);
                ASSERT_EQ(as<int>(*state.variable(block, thread, "col")), col);
                ASSERT_EQ(as<int>(*state.variable(block, thread, "K")), kSize);
                const int t = as<int>(*state.variable(block, thread, "t"));
                const int e = as<int>(*state.variable(block, thread, "e"));
                ASSERT_EQ(as<int>(*state.variable(block, thread, "a_col")), t * kBlockSize + tx);
                float sum = 0.0F;
                for (int k = 0; k < t * kBlockSize + e; ++k) {
                  sum += element(launch, "A", row, k) * element(launch, "B", k, col);
                }
                ASSERT_EQ(as<float>(*state.variable(block, thread, "acc")), sum);
              });
  // Every thread of four blocks arrives there once for each k.
  EXPECT_EQ(visits, 4 * 16 * kSize);
}

TEST_F(Variables, AreHolesBeforeTheirFirstAssignment) {
  const auto recording = record_kernel("tiled");
  const State state = recording->state_at(0);
  for (const char* name : {"A", "M"}) {
    ASSERT_TRUE(state.variable(0, 0, name)) << name;
    EXPECT_EQ(state.variable(0, 0, name)->status, Value::Status::NotYetAssigned) << name;
  }
  const State first = recording->state_at(recording->statement_starts()[1]);
  EXPECT_EQ(format_value(recording->program(), *first.variable(0, 0, "A")), "&A[0][0]");
  EXPECT_EQ(format_value(recording->program(), *first.variable(0, 0, "acc")), "–");
}

TEST_F(Variables, OfALoopAreClearedWhenItIsEnteredAgain) {
  const auto recording = record_kernel("tiled");
  const std::uint32_t load = line(*recording, "As[ty][tx] =");
  at_line(*recording, load, [&](const State& state, std::uint32_t block, std::uint32_t thread) {
    // e belongs to a later loop: not in scope here, in no iteration of t.
    ASSERT_FALSE(state.variable(block, thread, "e").has_value());
  });
  at_line(*recording, line(*recording, "int a_col ="),
          [&](const State& state, std::uint32_t block, std::uint32_t thread) {
            const auto b_row = state.variable(block, thread, "b_row");
            ASSERT_TRUE(!b_row || b_row->status == Value::Status::NotYetAssigned);
          });
}

TEST_F(Variables, StayAfterTheThreadHasExited) {
  for (const auto kind : {simt::ScheduleKind::Lockstep, simt::ScheduleKind::Sequential}) {
    const auto recording = record_kernel("tiled", {kind});
    const problem::Launch& launch = recording->program().launch();
    const State end = recording->state_at(recording->step_count());
    for (std::uint32_t thread = 0; thread < 16; ++thread) {
      const auto acc = end.variable(3, thread, "acc");
      ASSERT_TRUE(acc);
      EXPECT_EQ(acc->status, Value::Status::ThreadExited);
      float sum = 0.0F;
      for (int k = 0; k < kSize; ++k) {
        sum += element(launch, "A", 4 + static_cast<int>(thread) / 4, k) *
               element(launch, "B", k, 4 + static_cast<int>(thread) % 4);
      }
      EXPECT_EQ(as<float>(*acc), sum);
      EXPECT_EQ(end.line(3, thread), 0U);
    }
  }
}

TEST_F(Variables, StructsAndPointersReadAsTheSourceWouldWriteThem) {
  const auto recording = record_kernel("submatrix");
  const simt::Program& program = recording->program();
  int seen = 0;
  at_line(*recording, line(*recording, "As[row][col] ="),
          [&](const State& state, std::uint32_t block, std::uint32_t thread) {
            ASSERT_EQ(format_value(program, *state.variable(block, thread, "A")),
                      "{width: 8, height: 8, stride: 8, elements: &A[0][0]}");
            const int m = as<int>(*state.variable(block, thread, "m"));
            ASSERT_EQ(format_value(program, *state.variable(block, thread, "Asub")),
                      "{width: 4, height: 4, stride: 8, elements: &A[" +
                          std::to_string(block / 2 * 4) + "][" + std::to_string(m * 4) + "]}");
            ++seen;
          });
  // Twice each: before GetElement is called and after it has returned.
  EXPECT_EQ(seen, 4 * 16 * 2 * 2);
}

TEST_F(Variables, InsideADeviceFunctionHideThoseOfTheKernel) {
  const auto recording = record_kernel("submatrix");
  int seen = 0;
  at_line(*recording, line(*recording, "return A.elements"),
          [&](const State& state, std::uint32_t block, std::uint32_t thread) {
            ASSERT_EQ(as<int>(*state.variable(block, thread, "row")),
                      static_cast<int>(thread) / kBlockSize);
            // The accumulator is the kernel's, which the function cannot hide.
            ASSERT_TRUE(state.variable(block, thread, "Cvalue").has_value());
            ++seen;
          });
  EXPECT_GT(seen, 0);
}

TEST_F(Variables, SharedArraysAreFoundByName) {
  const auto recording = record_kernel("tiled");
  const std::uint64_t middle = recording->step_count() / 2;
  const State state = recording->state_at(middle);
  const auto As = state.variable(1, 0, "As");
  ASSERT_TRUE(As);
  EXPECT_EQ(As->status, Value::Status::Ok);
  EXPECT_EQ(As->bytes.size(), sizeof(float) * kBlockSize * kBlockSize);
  EXPECT_EQ(format_value(recording->program(), *As).substr(0, 2), "{{");
}

TEST_F(Variables, OfTheMissingBarrierKernelUnderRandomScheduleKeepTheirScopes) {
  const auto recording = record_kernel("tiled_missing_barrier", {simt::ScheduleKind::Random, 0, 5});
  EXPECT_GT(at_line(*recording, line(*recording, "acc +="),
                    [&](const State& state, std::uint32_t block, std::uint32_t thread) {
                      const int e = as<int>(*state.variable(block, thread, "e"));
                      ASSERT_GE(e, 0);
                      ASSERT_LT(e, kBlockSize);
                    }),
            0);
}

TEST_F(Variables, WritersNameTheThreadTheLineAndTheStep) {
  const auto recording = record_kernel("tiled");
  const State end = recording->state_at(recording->step_count());
  const std::uint32_t store_c = line(*recording, "C[row * N + col] = acc");
  for (int row = 0; row < kSize; ++row) {
    for (int col = 0; col < kSize; ++col) {
      const Writer writer = end.buffer_writer(2, static_cast<std::uint64_t>(row * kSize + col));
      ASSERT_TRUE(writer.written);
      EXPECT_EQ(writer.block, static_cast<std::uint32_t>(row / 4 * 2 + col / 4));
      EXPECT_EQ(writer.thread, static_cast<std::uint32_t>(row % 4 * 4 + col % 4));
      EXPECT_EQ(writer.line, store_c);
      const Activity activity = recording->activity(writer.step, writer.step + 1);
      ASSERT_EQ(activity.accesses.size(), 1U);
      EXPECT_EQ(activity.accesses[0].event.kind, simt::AccessKind::Store);
    }
  }
  EXPECT_FALSE(end.buffer_writer(0, 0).written);
  EXPECT_EQ(end.shared_writer(0, 5).thread, 5U);
  EXPECT_EQ(end.shared_writer(0, 5).line, line(*recording, "As[ty][tx] ="));
  EXPECT_FALSE(recording->state_at(0).buffer_writer(2, 0).written);
}

TEST_F(Variables, SharedMemoryOfEndedBlocksIsKept) {
  const auto recording = record_kernel("tiled", {simt::ScheduleKind::Sequential});
  const State end = recording->state_at(recording->step_count());
  const auto shared = end.shared(0);
  ASSERT_GE(shared.size(), 128U);
  float first = 0.0F;
  std::memcpy(&first, shared.data(), sizeof first);
  EXPECT_EQ(first, element(recording->program().launch(), "A", 0, 4));
}

TEST_F(Variables, OfAStoppedBlockStayWithTheLineWhereItStopped) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(float* x) {\n"
      "  int twice = 2 * threadIdx.x;\n"
      "  if (threadIdx.x >= 32) {\n"
      "    __trap();\n"
      "  }\n"
      "  __syncthreads();\n"
      "  x[threadIdx.x] = twice;\n"
      "}\n";
  kernel.buffers = {{"x", 64}};
  kernel.block = {64, 1, 1};
  const auto recording = Recording::make(simulated_.program(test::launch_of(kernel)), {});
  ASSERT_TRUE(recording);
  // The step beyond the last is not made: the schedule stops a block that cannot continue.
  const State end = (*recording)->state_at((*recording)->step_count());
  EXPECT_EQ(as<int>(*end.variable(0, 5, "twice")), 10);
  EXPECT_EQ(as<int>(*end.variable(0, 40, "twice")), 80);
  EXPECT_EQ(end.line(0, 40), 4U);
  ASSERT_EQ((*recording)->faults().size(), 1U);
  EXPECT_EQ((*recording)->faults()[0].event.kind, simt::FaultKind::Trap);
}

// Lanes wait inside one function while others are in another: each shows its own.
TEST_F(Variables, OfLanesInDifferentCallsAreTheirOwn) {
  test::OwnKernel kernel;
  kernel.source = R"(__device__ __noinline__ int wait_for(volatile int* flag, int mine) {
  int kept = mine * 3 + 1;
  while (*flag == 0) {}
  return kept;
}
__device__ __noinline__ int set(volatile int* flag, int mine) {
  int other = mine + 7;
  *flag = 1;
  return other;
}
extern "C" __global__ void kernel(int* out) {
  __shared__ volatile int flag;
  flag = 0;
  __syncwarp();
  int t = threadIdx.x;
  int r = 0;
  if (t < 2) { r = wait_for(&flag, t); } else { r = set(&flag, t); }
  out[t] = r;
})";
  kernel.block.x = 4;
  kernel.buffers = {{"out", 4}};
  const auto recording = Recording::make(simulated_.program(test::launch_of(kernel)), {});
  ASSERT_TRUE(recording);
  const std::uint32_t waiting = test::line_of(kernel.source, "while");
  const std::uint32_t setting = test::line_of(kernel.source, "*flag = 1");
  int seen = 0;
  for (std::uint64_t k = 0; k <= (*recording)->step_count(); ++k) {
    const State state = (*recording)->state_at(k);
    if (state.line(0, 1) != waiting || state.line(0, 3) != setting) {
      continue;
    }
    const auto kept = state.variable(0, 1, "kept");
    const auto other = state.variable(0, 3, "other");
    ASSERT_TRUE(kept && other);
    EXPECT_EQ(kept->status, Value::Status::Ok);
    EXPECT_EQ(as<int>(*kept), 4);
    EXPECT_EQ(as<int>(*other), 10);
    EXPECT_FALSE(state.variable(0, 3, "kept"));
    const auto t = state.variable(0, 1, "t");
    ASSERT_TRUE(t) << "of the caller";
    EXPECT_EQ(as<int>(*t), 1);
    ++seen;
  }
  EXPECT_GT(seen, 0);
  const State end = (*recording)->state_at((*recording)->step_count());
  EXPECT_EQ(as<int>(*end.variable(0, 1, "r")), 4);
  EXPECT_EQ(as<int>(*end.variable(0, 3, "r")), 10);
}

}  // namespace
}  // namespace tilestep::record

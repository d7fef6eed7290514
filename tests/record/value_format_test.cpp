#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>

namespace tilestep::record {
namespace {

// A kernel whose variables have every kind of type; each is read by name in thread 1.
constexpr const char* kSource = R"(
enum class Colour { Red, Green = 5 };
struct Point { int x; float y; };
struct Flags { unsigned a : 3; int b : 4; bool on; };
extern "C" __global__ void kernel(float* A, float* out) {
  __shared__ float s[2][3];
  volatile bool yes = threadIdx.x == 1;
  volatile char letter = 'A' + threadIdx.x;
  volatile unsigned char small = 200;
  volatile short negative = -7;
  volatile unsigned long long big = 1ull << 63;
  volatile float third = 1.0f / 3.0f;
  volatile float whole = 73.0f;
  volatile float minus_zero = -0.0f;
  volatile double precise = 0.1;
  Colour colour = threadIdx.x == 1 ? Colour::Green : Colour::Red;
  Point p = {3, 0.5f};
  Flags flags;
  flags.a = 6; flags.b = -2; flags.on = true;
  int numbers[12];
  for (int i = 0; i < 12; ++i) numbers[i] = i * i;
  float* into = &A[5];
  float* none = nullptr;
  float* tile = &s[1][2];
  Point* to_point = &p;
  volatile Colour* pc = &colour;
  s[threadIdx.x & 1][0] = third;
  out[threadIdx.x] = numbers[threadIdx.x & 7] + p.y + flags.a + *into + (none == nullptr) +
                     (tile == into) + to_point->x + static_cast<int>(*pc);
}
)";

class Format : public testing::Test {
 protected:
  Format() {
    test::OwnKernel kernel;
    kernel.source = kSource;
    kernel.buffers = {{"A", 8}, {"out", 32}};
    auto recording = Recording::make(simulated_.program(test::launch_of(kernel)), {});
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    recording_ = *recording;
    const std::uint32_t line = test::line_of(kSource, "out[threadIdx.x] =");
    for (const std::uint64_t start : recording_->statement_starts()) {
      State state = recording_->state_at(start);
      if (state.line(0, 1) == line) {
        state_ = std::make_unique<State>(std::move(state));
        return;
      }
    }
  }
  std::string text(const std::string& name) {
    const auto value = state_->variable(0, 1, name);
    return value ? format_value(recording_->program(), *value) : "no such variable";
  }

  test::Simulated simulated_;
  std::shared_ptr<const Recording> recording_;
  std::unique_ptr<State> state_;
};

TEST_F(Format, WritesEveryKindOfType) {
  ASSERT_NE(state_, nullptr);
  EXPECT_EQ(text("yes"), "true");
  EXPECT_EQ(text("letter"), "66 'B'");
  EXPECT_EQ(text("small"), "200");
  EXPECT_EQ(text("negative"), "-7");
  EXPECT_EQ(text("big"), "9223372036854775808");
  EXPECT_EQ(text("third"), "0.33333334");
  EXPECT_EQ(text("whole"), "73");
  EXPECT_EQ(text("minus_zero"), "-0");
  EXPECT_EQ(text("precise"), "0.1");
  EXPECT_EQ(text("colour"), "Green");
  EXPECT_EQ(text("p"), "{x: 3, y: 0.5}");
  EXPECT_EQ(text("flags"), "{a: 6, b: -2, on: true}");
  EXPECT_EQ(text("numbers"), "{0, 1, 4, 9, 16, 25, 36, 49, …}");
  EXPECT_EQ(text("into"), "&A[5]");
  EXPECT_EQ(text("none"), "null");
  EXPECT_EQ(text("tile"), "&s[1][2]");
}

TEST_F(Format, FloatsReadBackAsTheyWere) {
  const simt::Program& program = recording_->program();
  const ptx::TypeId type = state_->variable(0, 1, "third")->type;
  for (const float number : {1e-45F, 3.4028235e38F, 0.1F, 16777217.0F, 1.0F / 3.0F}) {
    Value value{Value::Status::Ok, type, std::vector<std::byte>(sizeof number)};
    std::memcpy(value.bytes.data(), &number, sizeof number);
    EXPECT_EQ(std::strtof(format_value(program, value).c_str(), nullptr), number);
  }
  Value value{Value::Status::Ok, type, std::vector<std::byte>(4)};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(value.bytes.data(), &nan, sizeof nan);
  EXPECT_EQ(format_value(program, value), "NaN");
}

TEST_F(Format, SaysWhyThereIsNoValue) {
  const simt::Program& program = recording_->program();
  EXPECT_EQ(format_value(program, {Value::Status::NotYetAssigned, ptx::kNoType, {}}), "–");
  EXPECT_EQ(format_value(program, {Value::Status::OptimisedOut, ptx::kNoType, {}}),
            "optimized out");
}

}  // namespace
}  // namespace tilestep::record

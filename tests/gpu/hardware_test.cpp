// The same library on the machine's own GPU; every test is skipped without one.
#include "gpu/device.h"
#include "gpu/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace tilestep::gpu {
namespace {

// y[i] = a·x[i] for i < n
constexpr const char* kScalePtx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  mul.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
done:
  ret;
}
)";

// Long, but not endless: if the driver does not end it with the process, the GPU becomes free
// again.
constexpr std::uint64_t kSpinSeconds = 20;
constexpr const char* kSpinPtx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry spin(.param .u64 nanoseconds)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [nanoseconds];
  mov.u64 %rd2, %globaltimer;
again:
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd4, %rd3, %rd2;
  setp.lt.u64 %p1, %rd4, %rd1;
  @%p1 bra again;
  ret;
}
)";

struct ScaleArguments {
  std::uint64_t x;
  std::uint64_t y;
  float a;
  std::uint32_t n;
};

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Device::open();
    if (!opened) {
      GTEST_SKIP() << "skipped: " << opened.error().message;
    }
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};

TEST_F(Gpu, RunsAKernelOverItsBuffersAndLeavesTheRestAlone) {
  constexpr std::uint32_t kCount = 1000;
  std::vector<float> x(kCount + 1);
  for (std::uint32_t i = 0; i <= kCount; ++i) {
    x[i] = static_cast<float>(i);
  }
  const std::span<const std::byte> x_bytes = std::as_bytes(std::span(x));
  Buffer in = device->make_buffer(x_bytes.size());
  Buffer out = device->make_buffer(x_bytes.size());
  in.write(x_bytes);
  out.fill(std::byte{0xff});
  const auto kernel = device->load(kScalePtx, "scale");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  EXPECT_GT(kernel->resources().registers, 0);
  const ScaleArguments arguments{in.address(), out.address(), 3.0F, kCount};
  device->launch(*kernel, {{8, 1, 1}, {128, 1, 1}, 0}, std::as_bytes(std::span(&arguments, 1)));
  const std::vector<std::byte> bytes = out.read();
  std::vector<float> y(kCount + 1);
  std::memcpy(y.data(), bytes.data(), bytes.size());
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(y[i], 3.0F * x[i]) << "at " << i;
  }
  EXPECT_TRUE(std::isnan(y[kCount]));
}

TEST_F(Gpu, ALaunchTakesTimeAndTheClocksAreKnown) {
  constexpr std::uint32_t kCount = 1U << 22;
  const Buffer in = device->make_buffer(kCount * sizeof(float));
  const Buffer out = device->make_buffer(kCount * sizeof(float));
  const auto kernel = device->load(kScalePtx, "scale");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  const ScaleArguments arguments{in.address(), out.address(), 3.0F, kCount};
  const LaunchShape shape{{kCount / 256, 1, 1}, {256, 1, 1}, 0};
  EXPECT_GT(device->time(*kernel, shape, std::as_bytes(std::span(&arguments, 1))), 0.0F);
  EXPECT_GT(device->info().sm_count, 0);
  EXPECT_GT(device->info().l2_bytes, 0U);
}

TEST_F(Gpu, PtxThatIsNoneIsRefusedWithTheCompilersWords) {
  const auto kernel = device->load(".version 7.0\n.target sm_52\nthis is no ptx", "k");
  ASSERT_FALSE(kernel.has_value());
  EXPECT_THAT(kernel.error().message, ::testing::HasSubstr("CUDA_ERROR_INVALID_PTX"));
  EXPECT_THAT(kernel.error().message, ::testing::HasSubstr("ptxas"));
}

TEST_F(Gpu, MoreThreadsThanABlockMayHaveThrowsAndTheDeviceStaysUsable) {
  const auto kernel = device->load(kScalePtx, "scale");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  const ScaleArguments arguments{};
  const auto packed = std::as_bytes(std::span(&arguments, 1));
  EXPECT_THROW(device->launch(*kernel, {{1, 1, 1}, {2048, 1, 1}, 0}, packed), GpuError);
  EXPECT_NO_THROW(device->launch(*kernel, {{1, 1, 1}, {32, 1, 1}, 0}, packed));
}

TEST_F(Gpu, MoreMemoryThanThereIsThrowsAndTheDeviceStaysUsable) {
  try {
    (void)device->make_buffer(std::size_t{1} << 46);
    FAIL() << "should have thrown";
  } catch (const GpuError& error) {
    EXPECT_FALSE(error.context_lost());
    EXPECT_THAT(error.what(), ::testing::HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Choose smaller sizes"));
  }
  EXPECT_NO_THROW((void)device->make_buffer(1 << 20));
}

// The next two leave a process without a GPU, so each runs in a separate process, started afresh:
// the driver does not survive fork().
class GpuDeathTest : public Gpu {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Gpu::SetUp();
  }
};

constexpr int kLost = 3;

// Ends the process as the program would: everything it holds on the GPU is freed or left.
template <class Argument>
void launch_and_exit(const char* ptx, const char* entry, const Argument& argument) {
  int status = 0;
  {
    const auto device = Device::open();
    (*device)->set_time_limit(std::chrono::seconds(1));
    const auto kernel = (*device)->load(ptx, entry);
    const Buffer kept = (*device)->make_buffer(64);
    try {
      (*device)->launch(*kernel, {{1, 1, 1}, {32, 1, 1}, 0},
                        std::as_bytes(std::span(&argument, 1)));
    } catch (const GpuError& error) {
      std::cerr << error.what();
      status = error.context_lost() ? kLost : 1;
    }
  }
  std::exit(status);
}

TEST_F(GpuDeathTest, AWildPointerLosesTheContextAndTheProgramEnds) {
  const ScaleArguments wild{16, 16, 3.0F, 1};
  EXPECT_EXIT(launch_and_exit(kScalePtx, "scale", wild), ::testing::ExitedWithCode(kLost),
              "CUDA_ERROR_ILLEGAL_ADDRESS.*tilestep check");
}

TEST_F(GpuDeathTest, AKernelThatDoesNotEndIsGivenUpAndTheProgramEnds) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t nanoseconds = kSpinSeconds * 1'000'000'000ULL;
  EXPECT_EXIT(launch_and_exit(kSpinPtx, "spin", nanoseconds), ::testing::ExitedWithCode(kLost),
              "The kernel did not finish within 1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(kSpinSeconds / 2));
}

TEST_F(Gpu, SgemmIsRowMajor) {
  if (!device->has_cublas()) {
    GTEST_SKIP() << "skipped: " << probe().cublas_message;
  }
  const std::vector<float> A = {1, 2, 3, 4, 5, 6};
  const std::vector<float> B = {1, 0, 2, -1, 0, 1, 3, 2, 5, 4, 0, 1};
  Buffer a = device->make_buffer(24);
  Buffer b = device->make_buffer(48);
  const Buffer c = device->make_buffer(32);
  a.write(std::as_bytes(std::span(A)));
  b.write(std::as_bytes(std::span(B)));
  device->sgemm({{2, 4, 3}, a.address(), b.address(), c.address()});
  const std::vector<std::byte> bytes = c.read();
  std::vector<float> C(8);
  std::memcpy(C.data(), bytes.data(), bytes.size());
  EXPECT_THAT(C, ::testing::ElementsAre(16, 14, 8, 6, 34, 29, 23, 12));
}

// Small integers are exact in every way to multiply; a way that this cuBLAS lacks is a sentence.
TEST_F(Gpu, EveryWayToCallCublasMultiplies) {
  if (!device->has_cublas()) {
    GTEST_SKIP() << "skipped: " << probe().cublas_message;
  }
  constexpr int kSize = 64;
  std::vector<float> A(kSize * kSize);
  for (std::size_t i = 0; i < A.size(); ++i) {
    A[i] = static_cast<float>(i % 7) - 3.0F;
  }
  Buffer a = device->make_buffer(A.size() * sizeof(float));
  Buffer c = device->make_buffer(A.size() * sizeof(float));
  a.write(std::as_bytes(std::span(A)));
  std::vector<float> C(A.size());
  for (const Math math : {Math::Float32, Math::Default, Math::Tf32, Math::FastTf32, Math::Fast16F,
                          Math::Fast16BF, Math::Emulated16BFX9}) {
    try {
      device->sgemm({{kSize, kSize, kSize}, a.address(), a.address(), c.address(), math});
    } catch (const GpuError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("does not compute this product with"));
      continue;
    }
    c.read(std::as_writable_bytes(std::span(C)));
    float expected = 0.0F;
    for (int k = 0; k < kSize; ++k) {
      expected += A[5 * kSize + k] * A[k * kSize + 9];
    }
    EXPECT_EQ(C[5 * kSize + 9], expected) << static_cast<int>(math);
  }
}

TEST_F(Gpu, DgemmIsRowMajorInFloat64) {
  if (!device->has_cublas()) {
    GTEST_SKIP() << "skipped: " << probe().cublas_message;
  }
  const std::array<double, 2> A{1.0, 0x1p-40};  // 1×2
  const std::array<double, 4> B{1.0, 2.0, 1.0, 4.0};
  Buffer a = device->make_buffer(sizeof A);
  Buffer b = device->make_buffer(sizeof B);
  const Buffer c = device->make_buffer(2 * sizeof(double));
  a.write(std::as_bytes(std::span(A)));
  b.write(std::as_bytes(std::span(B)));
  device->dgemm({{1, 2, 2}, a.address(), b.address(), c.address()});
  std::array<double, 2> C{};
  c.read(std::as_writable_bytes(std::span(C)));
  EXPECT_THAT(C, ::testing::ElementsAre(1.0 + 0x1p-40, 2.0 + 0x1p-38));
}

}  // namespace
}  // namespace tilestep::gpu

#include "gpu/device.h"

#include "folders.h"
#include "gpu/fake_driver.h"
#include "gpu/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <optional>

namespace tilestep::gpu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

LibraryNames fake_libraries() {
  return {{test::fake_driver()}, {test::fake_driver()}, {test::fake_driver()}};
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class FakeDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    auto opened = Device::open(fake_libraries());
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};

TEST(DeviceOpen, NamesTheMissingDriverAndTheCure) {
  LibraryNames nowhere;
  nowhere.driver = {"libcuda_that_does_not_exist.so.1"};
  const auto device = Device::open(nowhere);
  ASSERT_FALSE(device.has_value());
  EXPECT_THAT(device.error().message, HasSubstr("No CUDA driver"));
  EXPECT_THAT(device.error().message, HasSubstr("libcuda_that_does_not_exist.so.1"));
  EXPECT_THAT(device.error().message, HasSubstr("Install the NVIDIA driver"));
}

TEST(DeviceOpen, NamesTheFunctionsAnOldDriverLacks) {
  LibraryNames not_a_driver;
  not_a_driver.driver = {"libm.so.6"};
  const auto device = Device::open(not_a_driver);
  ASSERT_FALSE(device.has_value());
  EXPECT_THAT(device.error().message, HasSubstr("too old"));
  EXPECT_THAT(device.error().message, HasSubstr("cuModuleLoadDataEx"));
}

TEST(DeviceOpen, SaysThatNoDeviceIsThere) {
  fake::reset();
  fake::driver().init_result = 100;
  const auto device = Device::open(fake_libraries());
  ASSERT_FALSE(device.has_value());
  EXPECT_THAT(device.error().message, HasSubstr("CUDA_ERROR_NO_DEVICE"));
  EXPECT_THAT(device.error().message, HasSubstr("CUDA_VISIBLE_DEVICES"));

  fake::reset();
  fake::driver().device_count = 0;
  EXPECT_THAT(Device::open(fake_libraries()).error().message, HasSubstr("lists no device"));
}

TEST_F(FakeDevice, TellsWhatTheDriverAndNvmlSay) {
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.compute_major, 9);
  EXPECT_EQ(info.sm_count, 4);
  EXPECT_EQ(info.l2_bytes, std::size_t{6} << 20);
  EXPECT_EQ(info.memory_bytes, std::size_t{16} << 30);
  EXPECT_EQ(info.driver_version, "580.1");
  EXPECT_EQ(info.max_sm_clock_mhz, 2000);
  const Clocks clocks = device->clocks();
  EXPECT_EQ(clocks.sm_mhz, 1980);
  EXPECT_EQ(clocks.memory_mhz, 3201);
  EXPECT_EQ(clocks.temperature_c, 41);
}

TEST(DeviceOpen, WorksWithoutNvmlAndCublas) {
  fake::reset();
  LibraryNames names = fake_libraries();
  names.nvml = {"libnvidia_ml_that_does_not_exist.so"};
  names.cublas = {"libcublas_that_does_not_exist.so"};
  const auto device = Device::open(names);
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ((*device)->info().driver_version, "CUDA 13.0");
  EXPECT_EQ((*device)->clocks().sm_mhz, 0);
  EXPECT_FALSE((*device)->has_cublas());
  EXPECT_EQ((*device)->cublas_version(), "");
  EXPECT_THROW((*device)->sgemm({}), GpuError);
}

TEST_F(FakeDevice, BuffersKeepWhatWasWrittenAndFreeTheirMemory) {
  const std::vector<float> values = {1.0F, -2.5F, 3.0F};
  {
    Buffer buffer = device->make_buffer(12);
    EXPECT_EQ(fake::driver().memory.size(), 1U);
    buffer.write(bytes_of(values));
    EXPECT_EQ(floats_of(buffer.read()), values);
    buffer.fill(std::byte{0xff});
    for (const float value : floats_of(buffer.read())) {
      EXPECT_NE(value, value);  // NaN
    }
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.bytes(), 12U);
  }
  EXPECT_TRUE(fake::driver().memory.empty());
}

TEST_F(FakeDevice, BuffersAndKernelsMayOutliveTheDevice) {
  auto kernel = device->load("entry k", "k");
  ASSERT_TRUE(kernel.has_value());
  {
    const Buffer buffer = device->make_buffer(4);
    device.reset();
    EXPECT_EQ(fake::driver().contexts, 1);
    const LoadedKernel last = std::move(*kernel);
  }
  kernel = fail("gone");
  EXPECT_EQ(fake::driver().contexts, 0);
  EXPECT_EQ(fake::driver().modules, 0);
  EXPECT_TRUE(fake::driver().memory.empty());
}

TEST_F(FakeDevice, OutOfMemoryThrowsWithTheNameAndTheCure) {
  fake::driver().alloc_result = 2;
  try {
    (void)device->make_buffer(64);
    FAIL() << "should have thrown";
  } catch (const GpuError& error) {
    EXPECT_EQ(error.code(), 2);
    EXPECT_FALSE(error.context_lost());
    EXPECT_THAT(error.what(), HasSubstr("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_THAT(error.what(), HasSubstr("smaller sizes"));
  }
}

TEST_F(FakeDevice, LaunchHandsOverShapeAndPackedArguments) {
  std::vector<fake::Launch> launches;
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    launches.push_back(launch);
    return 0;
  };
  const auto kernel = device->load(".entry matmul", "matmul");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->resources().registers, 37);
  EXPECT_EQ(kernel->resources().static_shared_bytes, 2048);
  const std::vector<float> arguments = {1.0F, 2.0F};
  device->launch(*kernel, {{3, 2, 1}, {16, 8, 1}, 70000}, bytes_of(arguments));
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].entry, "matmul");
  EXPECT_THAT(launches[0].grid, ElementsAre(3U, 2U, 1U));
  EXPECT_THAT(launches[0].block, ElementsAre(16U, 8U, 1U));
  EXPECT_EQ(launches[0].shared_bytes, 70000U);
  EXPECT_EQ(floats_of(launches[0].arguments), arguments);
  // A launch with more than 48 KiB of dynamic shared memory is refused unless the attribute was
  // raised first.
  EXPECT_THAT(fake::driver().calls, ElementsAre("attribute 8 70000", "launch matmul"));
}

TEST_F(FakeDevice, OccupancyIsAskedWithTheBlocksThreadsAndItsSharedMemory) {
  const auto kernel = device->load(".entry matmul", "matmul");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(device->max_active_blocks(*kernel, {{7, 7, 1}, {16, 8, 1}, 70000}), 16);
  EXPECT_THAT(fake::driver().calls, ElementsAre("attribute 8 70000", "occupancy matmul 128 70000"));
}

TEST_F(FakeDevice, TimingFlushesTheCacheOutsideTheEvents) {
  const auto kernel = device->load(".entry k", "k");
  fake::driver().durations_ms = {0.25F, 0.5F};
  Clocks clocks;
  EXPECT_EQ(device->time(*kernel, {}, {}, {.care = Care::Rough, .during = &clocks}), 0.25F);
  EXPECT_EQ(device->time(*kernel, {}, {}, {.l2 = L2::Warm, .care = Care::Rough}), 0.5F);
  EXPECT_EQ(clocks.sm_mhz, 1980);
  EXPECT_THAT(fake::driver().calls,
              ElementsAre("memset 8388608", "record", "launch k", "record",  //
                          "memset 8388608", "launch k", "record", "launch k", "record"));
}

TEST_F(FakeDevice, ExactTimingBeginsWhenTheFlushHasEndedAndEverythingIsQueued) {
  fake::driver().own_thread = true;
  const auto kernel = device->load(".entry k", "k");
  (void)device->time(*kernel, {}, {});
  EXPECT_THAT(fake::driver().calls,
              ElementsAre("memset 8388608", "hold", "record", "launch k", "record"));
  EXPECT_EQ(fake::driver().calls_at_release, 5U);
}

TEST_F(FakeDevice, ALaunchThatIsWaitedForWhereItIsMadeIsTimedWithoutHolding) {
  const auto kernel = device->load(".entry k", "k");
  fake::driver().blocking_launches = true;
  fake::driver().durations_ms = {100.0F, 0.25F, 0.5F};
  EXPECT_EQ(device->time(*kernel, {}, {}), 0.25F) << "the held one has the waiting in it";
  fake::driver().calls.clear();
  EXPECT_EQ(device->time(*kernel, {}, {}), 0.5F);
  EXPECT_THAT(fake::driver().calls, ElementsAre("memset 8388608", "record", "launch k", "record"));
}

TEST_F(FakeDevice, ALaunchThatFailsLetsTheStreamGoOn) {
  const auto kernel = device->load(".entry k", "k");
  fake::driver().on_launch = [](const fake::Launch&) { return 2; };
  EXPECT_THROW((void)device->time(*kernel, {}, {}), GpuError);
  fake::driver().host_function.wait();
  fake::driver().calls.clear();
  fake::driver().on_launch = nullptr;
  (void)device->time(*kernel, {}, {});
  EXPECT_THAT(fake::driver().calls, Contains("hold")) << "it was released, not timed out";
}

TEST_F(FakeDevice, TheCompilersMessagesStandInTheError) {
  fake::driver().jit_error = "ptxas error : uses too much shared data (0x19000 bytes)";
  const auto kernel = device->load(".entry k", "k");
  ASSERT_FALSE(kernel.has_value());
  EXPECT_THAT(kernel.error().message, HasSubstr("CUDA_ERROR_INVALID_PTX"));
  EXPECT_THAT(kernel.error().message, HasSubstr("uses too much shared data"));
}

TEST_F(FakeDevice, AnEntryThatIsNotThereIsNamed) {
  const auto kernel = device->load(".entry k", "matmul");
  ASSERT_FALSE(kernel.has_value());
  EXPECT_THAT(kernel.error().message, HasSubstr("matmul: cuModuleGetFunction failed"));
  EXPECT_EQ(fake::driver().modules, 0);
}

TEST_F(FakeDevice, AWildPointerIsReportedAsALostContext) {
  fake::driver().on_launch = [](const fake::Launch&) { return 700; };
  const auto kernel = device->load(".entry k", "k");
  try {
    device->launch(*kernel, {}, {});
    FAIL() << "should have thrown";
  } catch (const GpuError& error) {
    EXPECT_TRUE(error.context_lost());
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(error.what(), HasSubstr("tilestep check"));
  }
}

TEST_F(FakeDevice, AKernelThatDoesNotEndIsGivenUpAndNothingWaitsForItAfterwards) {
  using std::chrono::milliseconds;
  std::optional<Buffer> buffer = device->make_buffer(4);
  const auto kernel = device->load(".entry k", "k");
  device->set_time_limit(milliseconds(20));
  fake::driver().never_ends = true;
  const auto given_up = [](const auto& call) {
    try {
      call();
      FAIL() << "should have thrown";
    } catch (const GpuError& error) {
      EXPECT_TRUE(error.context_lost());
      EXPECT_THAT(error.what(), HasSubstr("did not finish within 0.02 s"));
      EXPECT_THAT(error.what(), HasSubstr("--time-limit"));
    }
  };
  const auto start = std::chrono::steady_clock::now();
  given_up([&] { device->launch(*kernel, {}, {}); });
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
  // The driver would wait in each of these.
  given_up([&] { (void)device->time(*kernel, {}, {}); });
  given_up([&] { (void)buffer->read(); });
  given_up([&] { (void)device->make_buffer(4); });
  given_up([&] { (void)device->load(".entry k", "k"); });
  const std::size_t held = fake::driver().memory.size();
  buffer.reset();
  device.reset();
  EXPECT_EQ(fake::driver().memory.size(), held);
  EXPECT_EQ(fake::driver().contexts, 1);
}

TEST_F(FakeDevice, SgemmIsRowMajorAndFloat32Throughout) {
  // A: 2×3, B: 3×4, C: 2×4
  const std::vector<float> A = {1, 2, 3, 4, 5, 6};
  const std::vector<float> B = {1, 0, 2, -1, 0, 1, 3, 2, 5, 4, 0, 1};
  Buffer a = device->make_buffer(24);
  Buffer b = device->make_buffer(48);
  Buffer c = device->make_buffer(32);
  a.write(bytes_of(A));
  b.write(bytes_of(B));
  ASSERT_TRUE(device->has_cublas());
  EXPECT_EQ(device->cublas_version(), "13.1.2");
  device->sgemm({{2, 4, 3}, a.address(), b.address(), c.address()});
  EXPECT_THAT(floats_of(c.read()), ElementsAre(16, 14, 8, 6, 34, 29, 23, 12));
  EXPECT_EQ(fake::driver().math_mode, 2);  // CUBLAS_PEDANTIC_MATH
  device.reset();
  EXPECT_EQ(fake::driver().blas_handles, 0);
}

TEST_F(FakeDevice, CublasFailuresNameTheCall) {
  const Buffer memory = device->make_buffer(4);
  fake::driver().sgemm_status = 1;
  try {
    device->sgemm({{1, 1, 1}, memory.address(), memory.address(), memory.address()});
    FAIL() << "should have thrown";
  } catch (const GpuError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cublasSgemm failed: the library was not initialized"));
  }
}

TEST_F(FakeDevice, ACublasThatDoesNotStartIsNoneAndSaysWhy) {
  fake::driver().blas_create_status = 1;
  EXPECT_FALSE(device->has_cublas());
  EXPECT_EQ(device->cublas_version(), "");
  EXPECT_THAT(device->why_no_cublas(), HasSubstr("cublasCreate failed"));
  const Buffer memory = device->make_buffer(4);
  EXPECT_THROW(device->sgemm({{1, 1, 1}, memory.address(), memory.address(), memory.address()}),
               GpuError);
}

TEST(Probe, TellsWhatIsThereWithoutCreatingAContext) {
  fake::reset();
  const Probe found = probe(fake_libraries());
  EXPECT_TRUE(found.driver_found && found.device_found && found.cublas_found && found.nvml_found);
  EXPECT_THAT(found.driver_message, HasSubstr("CUDA 13.0"));
  EXPECT_EQ(found.device_message, "Fake GPU, compute capability 9.0, 16 GiB");
  EXPECT_EQ(found.cublas_version, "13.1.2");
  EXPECT_THAT(found.nvml_message, HasSubstr("580.1"));
  EXPECT_EQ(fake::driver().contexts, 0);
}

TEST(Probe, GivesEveryMissingPartASentenceWithItsCure) {
  const Probe none = probe({{"libno1.so"}, {"libno2.so"}, {"libno3.so"}});
  EXPECT_FALSE(none.driver_found || none.device_found || none.cublas_found || none.nvml_found);
  EXPECT_THAT(none.driver_message, HasSubstr("Install the NVIDIA driver"));
  EXPECT_THAT(none.device_message, HasSubstr("No GPU"));
  EXPECT_THAT(none.cublas_message, HasSubstr("Install the CUDA Toolkit"));
  EXPECT_THAT(none.nvml_message, HasSubstr("part of the NVIDIA driver"));
}

// If the first parameter is aligned to 64 bytes, its position is not 0: one piece of memory would
// not arrive.
TEST_F(FakeDevice, PassesParametersOneByOneWhereTheDriverTellsTheirPlaces) {
  fake::driver().parameters = {{48, 128}, {176, 8}, {184, 4}};
  std::vector<std::byte> seen;
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    seen = launch.arguments;
    return 0;
  };
  const auto kernel = device->load(".entry k", "k");
  ASSERT_TRUE(kernel) << kernel.error().message;
  std::vector<std::byte> packed(140);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed[i] = static_cast<std::byte>(i);
  }
  device->launch(*kernel, {{1, 1, 1}, {32, 1, 1}, 0}, packed);
  EXPECT_EQ(seen, packed);
}

TEST_F(FakeDevice, AsksTheDriverForTensorMaps) {
  problem::TensorMap map;
  map.address = 4096;
  map.rows = 20;
  map.cols = 24;
  map.row_bytes = 96;
  map.box_rows = 8;
  map.box_cols = 16;
  map.swizzle = 64;
  const auto bytes = device->tensor_map(map);
  ASSERT_TRUE(bytes) << bytes.error().message;
  // Float32, two dimensions, columns first; CU_TENSOR_MAP_SWIZZLE_64B.
  EXPECT_THAT(fake::driver().tensor_map, ::testing::ElementsAre(7, 2, 4096, 24, 20, 96, 16, 8, 2));
}

}  // namespace
}  // namespace tilestep::gpu

// The tensor cores and the TMA unit of a GPU compared with our machine, bit by bit; skipped
// without a GPU of compute capability 9.0, the only one with wgmma.
#include "gpu/device.h"
#include "loading/arguments.h"
#include "loading/loader.h"
#include "simt/own_kernels.h"
#include "simt/unit_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <random>

namespace tilestep {
namespace {

using test::Boxes;
using test::Warpgroup;

class Units : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = gpu::Device::open();
    if (!opened) {
      GTEST_SKIP() << "skipped: " << opened.error().message;
    }
    if ((*opened)->info().compute_major != 9) {
      GTEST_SKIP() << "skipped: " << (*opened)->info().name << " has no wgmma";
    }
    device = std::move(*opened);
  }

  // The contents of every buffer after the launch.
  std::vector<std::vector<std::byte>> on_gpu(const problem::Launch& launch) {
    const auto kernel = loading::load_kernel(compiler, launch, compile::Build::Fast);
    if (!kernel) {
      ADD_FAILURE() << kernel.error().error.message;
      return {};
    }
    const auto code = device->load(kernel->output.ptx, kernel->output.entry);
    if (!code) {
      ADD_FAILURE() << code.error().message;
      return {};
    }
    std::vector<gpu::Buffer> buffers;
    std::vector<std::uint64_t> addresses;
    for (const problem::Buffer& buffer : launch.buffers) {
      buffers.push_back(device->make_buffer(buffer.contents.size()));
      buffers.back().write(buffer.contents);
      addresses.push_back(buffers.back().address());
    }
    const auto arguments =
        loading::pack_arguments(*kernel, launch, addresses, device->tensor_map_maker());
    if (!arguments) {
      ADD_FAILURE() << arguments.error().message;
      return {};
    }
    device->launch(*code, {launch.grid, launch.block, launch.dynamic_shared_bytes}, *arguments);
    std::vector<std::vector<std::byte>> contents;
    for (const gpu::Buffer& buffer : buffers) {
      contents.push_back(buffer.read());
    }
    return contents;
  }

  // Number of words of the buffer that differ.
  std::size_t differences(const problem::Launch& launch, std::uint32_t buffer) {
    const auto wanted = on_gpu(launch);
    const simt::Machine machine =
        simt::run_to_the_end(simulated.program(launch, compile::Build::Fast));
    const auto got = machine.buffer(buffer);
    std::size_t different = wanted.empty() ? 1 : 0;
    for (std::size_t i = 0; i + 4 <= got.size() && !wanted.empty(); i += 4) {
      const bool same = std::equal(got.begin() + static_cast<std::ptrdiff_t>(i),
                                   got.begin() + static_cast<std::ptrdiff_t>(i + 4),
                                   wanted[buffer].begin() + static_cast<std::ptrdiff_t>(i));
      different += same ? 0 : 1;
    }
    return different;
  }

  std::unique_ptr<gpu::Device> device;
  compile::Compiler compiler{compile::CacheOptions{}};
  test::Simulated simulated;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

// Eleven kinds of operands, by block: exponents close together and far apart, few terms, results
// near the subnormals, low bits, single bits, infinities and NaN, subnormals, near overflow, zeros,
// one sign.
std::uint32_t operand(Random& random, int pattern) {
  const std::uint32_t bits = random();
  const auto with_exponent = [&](std::uint32_t low, std::uint32_t range) {
    return (bits & 0x807fffffU) | (low + random() % range) << 23;
  };
  switch (pattern % 11) {
    case 0:
      return with_exponent(125, 4);
    case 1:
      return with_exponent(120, 14);
    case 2:
      return with_exponent(110, 32);
    case 3:
      return random() % 4 == 0 ? with_exponent(120, 14) : bits & 0x80000000U;
    case 4:
      return with_exponent(52, 16);
    case 5:
      return with_exponent(126, 3) | 0x1fffU;
    case 6:
      return (bits & 0x80000000U) | (120 + random() % 16) << 23;
    case 7: {
      constexpr std::uint32_t kOdd[] = {0x7f800000, 0xff800000, 0x7fc00000,
                                        0x7f800001, 0,          0x80000000};
      return random() % 8 == 0 ? kOdd[random() % 6] : with_exponent(120, 14);
    }
    case 8:
      return random() % 2 == 0 ? bits & 0x807fffffU : with_exponent(120, 60);
    case 9:
      return with_exponent(185, 8);
    default:
      return with_exponent(120, 14) & 0x7fffffffU;
  }
}

std::vector<std::uint32_t> operands(std::size_t blocks, std::size_t each, unsigned seed) {
  Random random(seed);
  std::vector<std::uint32_t> words;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < each; ++i) {
      words.push_back(operand(random, static_cast<int>(block)));
    }
  }
  return words;
}

TEST_F(Units, MultiplyAsTheMachine) {
  constexpr int kBlocks = 44;
  std::vector<Warpgroup> shapes;
  for (const int columns : {8, 16, 24, 64, 128, 256}) {
    shapes.push_back({.columns = columns});
  }
  for (const int swizzle : {0, 32, 64, 128}) {
    shapes.push_back({.columns = 32, .swizzle = swizzle, .in_registers = false});
  }
  shapes.push_back({.columns = 64, .swizzle = 64, .begin = 1, .in_registers = false});
  shapes.push_back({.columns = 64, .swizzle = 128, .begin = 3, .in_registers = false});
  shapes.push_back({.columns = 32, .adds = false});
  shapes.push_back({.columns = 32, .scale_a = -1});
  shapes.push_back({.columns = 32, .in_registers = false, .scale_b = -1});
  std::size_t elements = 0;
  for (const Warpgroup& shape : shapes) {
    const auto n = static_cast<std::size_t>(shape.columns);
    const auto launch =
        test::warpgroup_launch(shape, kBlocks, operands(kBlocks, 64 * 8, 1),
                               operands(kBlocks, n * 8, 2), operands(kBlocks, 64 * n, 3));
    EXPECT_EQ(differences(launch, 3), 0U)
        << "columns " << shape.columns << ", swizzle " << shape.swizzle << ", begin " << shape.begin
        << (shape.in_registers ? ", registers" : "");
    elements += kBlocks * 64 * n;
  }
  RecordProperty("elements", static_cast<int>(elements));
  std::cout << elements << " elements of wgmma compared on " << device->info().name << "\n";
}

// A copy that the GPU refuses may lose it for the process, so each case is a separate test.
class BoxesOnUnits : public Units, public ::testing::WithParamInterface<Boxes> {};

TEST_P(BoxesOnUnits, AreCopiedAsByTheMachine) {
  const std::vector<int> places = {0, 0, 8, 8, 16, 12, 20, 16, -4, -3, 20, 18, 4, 5, 40, 0, 0, -9};
  const auto launch = test::boxes_launch(GetParam(), places);
  EXPECT_EQ(differences(launch, 1), 0U);
  EXPECT_EQ(differences(launch, 3), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, BoxesOnUnits,
    ::testing::Values(
        Boxes{}, Boxes{.cols = 22, .pitch = 28}, Boxes{.box_rows = 3, .box_cols = 12},
        Boxes{.box_rows = 16, .box_cols = 8, .swizzle = 32},
        Boxes{.box_rows = 16, .box_cols = 16, .swizzle = 64},
        Boxes{.cols = 32, .pitch = 32, .box_rows = 16, .box_cols = 32, .swizzle = 128}));

TEST_F(Units, CopyInBulkAsTheMachine) {
  EXPECT_EQ(differences(test::bulk_launch(100), 1), 0U);
}

}  // namespace
}  // namespace tilestep

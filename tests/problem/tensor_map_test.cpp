// Tensor maps in descriptions, and those that a GPU would reject.
#include "problem/launch/tensor_map.h"

#include "problem/describe/description.h"
#include "problem/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::HasSubstr;

std::string described(const std::string& argument, const std::string& more = "") {
  return "entry = \"k\"\ngrid = [1]\nblock = [32]\n"
         "buffers = [{ name = \"A\", rows = \"M\", cols = \"K\" }]\narguments = [" +
         argument + "]\n" + more;
}

constexpr const char* kBox = "{ tensor_map = \"A\", box = [\"BLOCK_SIZE\", 32], swizzle = 128 }";

Result<Launch> launch_of(const std::string& toml, Problem problem) {
  const Result<LaunchSpec> spec = parse_description(toml, "my.toml");
  return spec ? evaluate_shape(*spec, {problem, 8})
              : Result<Launch>(tl::make_unexpected(spec.error()));
}

std::string message(const std::string& toml, Problem problem = {8, 8, 64}) {
  const Result<Launch> launch = launch_of(toml, problem);
  return launch ? "no error" : launch.error().message;
}

TEST(TensorMaps, AreArgumentsWithTheirBufferShapeAndBox) {
  const Result<Launch> launch = launch_of(described(kBox), {20, 8, 64});
  ASSERT_TRUE(launch) << launch.error().message;
  const Argument& argument = launch->arguments.at(0);
  EXPECT_EQ(argument.kind, ArgumentSpec::Kind::TensorMap);
  EXPECT_EQ(argument.buffer, 0U);
  TensorMap expected;
  expected.rows = 20;
  expected.cols = 64;
  expected.row_bytes = 256;
  expected.box_rows = 8;
  expected.box_cols = 32;
  expected.swizzle = 128;
  EXPECT_EQ(argument.map, expected);
  EXPECT_EQ(argument.map.box_bytes(), 1024U);
}

TEST(TensorMaps, AreWrittenAndReadAgain) {
  const Result<LaunchSpec> spec =
      parse_description(described(kBox, "architecture = \"90a\"\n"), "my.toml");
  ASSERT_TRUE(spec) << spec.error().message;
  const Result<LaunchSpec> again =
      parse_description(description_text(*spec, {}, {}, FileValues::Embedded), "again.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->architecture, "90a");
  EXPECT_EQ(again->arguments.at(0).box_rows, "BLOCK_SIZE");
  EXPECT_EQ(again->arguments.at(0).swizzle, 128);
}

TEST(TensorMaps, ThatAGpuWouldRefuseAreRefusedWithACure) {
  EXPECT_THAT(message(described(kBox), {8, 8, 30}), HasSubstr("rows are 120 bytes apart"));
  EXPECT_THAT(message(described("{ tensor_map = \"A\", box = [300, 32] }")),
              HasSubstr("the box has 300 × 32 elements. Choose 1 to 256 in each direction."));
  EXPECT_THAT(message(described("{ tensor_map = \"A\", box = [8, 3] }")),
              HasSubstr("a row of the box has 12 bytes. Choose a multiple of 16."));
  EXPECT_THAT(message(described("{ tensor_map = \"A\", box = [8, 16], swizzle = 128 }")),
              HasSubstr("a row of the box has 64 bytes. Make it as long as the swizzle: 128."));
  EXPECT_THAT(message(described("{ tensor_map = \"A\", box = [8, 16], swizzle = 48 }")),
              HasSubstr("swizzle is 48. Choose 0, 32, 64 or 128."));
}

TEST(TensorMaps, OfWhatIsNotThereAreMistakesOfTheFile) {
  EXPECT_THAT(message(described("{ tensor_map = \"B\", box = [8, 32] }")),
              HasSubstr("tensor_map names 'B', which is not a buffer of this description. Name one "
                        "of its buffers."));
  EXPECT_THAT(message(described("{ tensor_map = \"A\" }")),
              HasSubstr("a tensor map needs box = [rows, columns]"));
  EXPECT_THAT(message(described(kBox, "architecture = \"9.0\"\n")),
              HasSubstr("architecture '9.0' is not"));
}

TEST(TensorMaps, KeepTheirBytesAndKnowThemAgain) {
  TensorMap map;
  map.address = 0x7f0000001000;
  map.rows = 3;
  map.swizzle = 32;
  const TensorMapBytes bytes = to_bytes(map);
  EXPECT_EQ(tensor_map_of(bytes), map);
  EXPECT_EQ(tensor_map_of(std::array<std::byte, kTensorMapBytes>{}), std::nullopt);
}

// Row r of 128 bytes: its piece p is at the place of piece p ^ r % 8.
TEST(TensorMaps, Swizzle) {
  EXPECT_EQ(swizzled(5 * 128 + 3 * 16 + 4, 128), 5U * 128 + (3 ^ 5) * 16 + 4);
  EXPECT_EQ(swizzled(5 * 128 + 3 * 16, 64), 5U * 128 + (3 ^ 1) * 16);
  EXPECT_EQ(swizzled(5 * 128 + 2 * 16, 32), 5U * 128 + 3 * 16);
  EXPECT_EQ(swizzled(5 * 128 + 3 * 16, 0), 5U * 128 + 3 * 16);
}

}  // namespace
}  // namespace tilestep::problem

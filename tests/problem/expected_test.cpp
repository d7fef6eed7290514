// Expected contents of buffers: files, constants and functions of the host.
#include "problem/launch/expected.h"

#include "problem/describe/catalog.h"
#include "problem/values/element.h"
#include "support/catalog_launch.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string description(const std::string& buffers) {
  return "entry = \"k\"\ngrid = 1\nblock = 1\nbuffers = [\n" + buffers + "]\n";
}

Result<Launch> launch_of(const std::string& buffers) {
  const Result<LaunchSpec> spec = parse_description(description(buffers), "k.toml");
  if (!spec) {
    return tl::make_unexpected(spec.error());
  }
  return evaluate(*spec, {{3, 2, 4}, 4}, {});
}

std::string launch_mistake(const std::string& buffers) {
  const Result<Launch> launch = launch_of(buffers);
  return launch ? "" : launch.error().message;
}

// The expected values of the last buffer.
std::vector<double> expected_of(const std::string& buffers) {
  const Result<Launch> launch = launch_of(buffers);
  EXPECT_TRUE(launch) << (launch ? "" : launch.error().message);
  return launch ? expected_values(*launch, launch->buffers.size() - 1) : std::vector<double>();
}

constexpr const char* kIn =
    "{ name = \"in\", rows = 2, cols = 3, input = { csv = \"1, 2, 3\\n4, 5, 0\" } },\n";

std::string out(const std::string& shape, const std::string& expected) {
  return std::string(kIn) + "{ name = \"out\", role = \"output\", " + shape + ", expected = { " +
         expected + " } },\n";
}

TEST(Expected, FunctionsOfTheHosts) {
  const auto of_in = [](const std::string& shape, const std::string& reference) {
    return expected_of(out(shape, "reference = \"" + reference + "\", of = \"in\""));
  };
  EXPECT_THAT(of_in("rows = 3, cols = 2", "transpose"), ElementsAre(1, 4, 2, 5, 3, 0));
  EXPECT_THAT(of_in("cols = 1", "sum"), ElementsAre(15));
  EXPECT_THAT(of_in("cols = 2", "sum"), ElementsAre(6, 9));
  EXPECT_THAT(of_in("cols = 4", "sum"), ElementsAre(3, 7, 5, 0));
  EXPECT_THAT(of_in("cols = 2", "min"), ElementsAre(1, 0));
  EXPECT_THAT(of_in("cols = 2", "max"), ElementsAre(3, 5));
  EXPECT_THAT(of_in("rows = 2, cols = 3", "inclusive_scan"), ElementsAre(1, 3, 6, 4, 9, 9));
  EXPECT_THAT(of_in("rows = 2, cols = 3", "exclusive_scan"), ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(of_in("cols = 4, type = \"s32\"", "histogram"), ElementsAre(1, 1, 1, 1));
  const std::vector<double> softmax = of_in("rows = 2, cols = 3", "softmax");
  EXPECT_NEAR(softmax[2] / softmax[1], std::exp(1.0), 1e-12);
  EXPECT_NEAR(softmax[3] + softmax[4] + softmax[5], 1.0, 1e-12);
  EXPECT_THAT(expected_of(out("rows = 2, cols = 3", "reference = \"add\", of = [\"in\", \"in\"]")),
              ElementsAre(2, 4, 6, 8, 10, 0));
  EXPECT_THAT(
      expected_of("{ name = \"b\", rows = 3, cols = 1, input = { csv = \"1\\n1\\n2\" } },\n" +
                  out("rows = 2, cols = 1", "reference = \"matmul\", of = [\"in\", \"b\"]")),
      ElementsAre(9, 9));
}

// A filter of 1×2 is not flipped: 10·1 + 1·2, 10·2 + 1·3.
TEST(Expected, AConvolutionIsTheSumOfTheProductsBelowTheFilter) {
  const std::string filter = "{ name = \"f\", cols = 2, input = { csv = \"10, 1\" } },\n";
  const std::string expected = "reference = \"convolution\", of = [\"in\", \"f\"]";
  EXPECT_THAT(expected_of(filter + out("rows = 2, cols = 2", expected)),
              ElementsAre(12, 23, 45, 50));
  EXPECT_THAT(launch_mistake(filter + out("rows = 2, cols = 3", expected)),
              HasSubstr("one row and one column for each place"));
}

// Queries and keys of width 1, so the scores are 0 and ln 3: weights 1/4 and 3/4.
TEST(Expected, AttentionIsTheMeanOfValuesByTheSoftmaxOfScores) {
  const std::string inputs =
      "{ name = \"q\", cols = 1, input = { csv = \"2\" } },\n"
      "{ name = \"k\", rows = 2, cols = 1, type = \"f64\", input = { csv = "
      "\"0\\n0.54930614433405484570\" } },\n"
      "{ name = \"v\", rows = 2, cols = 2, input = { csv = \"4, 8\\n0, 40\" } },\n";
  const auto output = [](const std::string& cols, const std::string& of) {
    return "{ name = \"o\", role = \"output\", cols = " + cols +
           ", expected = { reference = \"attention\", of = " + of + " } },\n";
  };
  const std::string of = "[\"q\", \"k\", \"v\"]";
  EXPECT_THAT(expected_of(inputs + output("2", of)),
              ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(32, 1e-12)));
  EXPECT_THAT(launch_mistake(inputs + output("1", of)), HasSubstr("cols of the third"));
  EXPECT_THAT(launch_mistake(inputs + output("2", "[\"q\", \"k\"]")),
              HasSubstr("attention needs 3 buffers"));
}

// The scores of wider queries are divided by the root of their width: 2·2·0.5 / 2 = 1.
TEST(Expected, ScoresOfAttentionAreDividedByTheRootOfTheWidth) {
  const std::string row = "cols = 4, input = { csv = ";
  const std::vector<double> o = expected_of(
      "{ name = \"q\", " + row + "\"1, 1, 1, 1\" } },\n{ name = \"k\", rows = 2, " + row +
      "\"0, 0, 0, 0\\n0.5, 0.5, 0.5, 0.5\" } },\n" +
      "{ name = \"v\", rows = 2, cols = 1, input = { csv = \"0\\n1\" } },\n" +
      "{ name = \"o\", role = \"output\", expected = { reference = \"attention\", of = [\"q\", "
      "\"k\", \"v\"] } },\n");
  ASSERT_EQ(o.size(), 1U);
  EXPECT_NEAR(o[0], std::exp(1.0) / (1.0 + std::exp(1.0)), 1e-12);
}

TEST(Expected, NeededFlopsAreThoseOfTheReference) {
  const auto flops_of = [](const std::string& kernel) {
    const LaunchSpec& spec = *test::repository_catalog().find(kernel);
    return needed_flops(spec, *evaluate_shape(spec, {{10, 20, 3}, 4}));
  };
  EXPECT_EQ(flops_of("tiled"), 2.0 * 10 * 20 * 3);
  EXPECT_EQ(flops_of("convolution_tiled"), 2.0 * 10 * 20 * 3 * 3);
  EXPECT_EQ(flops_of("attention_naive"), 2.0 * 10 * 20 * (3 + 3));
}

TEST(Expected, EveryFunctionIsCompared) {
  for (const std::string& name : expected_functions()) {
    EXPECT_THAT(launch_mistake(out("cols = 7", "reference = \"" + name + "\", of = \"nothing\"")),
                HasSubstr("'nothing'"))
        << name;
  }
}

TEST(Expected, MistakesAreSentences) {
  EXPECT_THAT(
      launch_mistake(out("cols = 1", "reference = \"median\", of = \"in\"")),
      HasSubstr(
          "unknown reference 'median'. Choose matmul, matmul_nt, matmul_tn, matmul_tt, transpose"));
  EXPECT_THAT(launch_mistake(out("cols = 1", "reference = \"transpose\", of = \"in\"")),
              HasSubstr("out is 1×1, but transpose of in (2×3) needs rows and cols exchanged"));
  EXPECT_THAT(launch_mistake(out("cols = 1", "reference = \"sum\", of = \"out\"")),
              HasSubstr("'out', which is not an input"));
  EXPECT_THAT(launch_mistake(out("cols = 1", "reference = \"matmul\", of = \"in\"")),
              HasSubstr("matmul needs 2 buffers, but `of` names 1."));
  EXPECT_THAT(launch_mistake(out("cols = 2", "csv = \"1, 2, 3\"")),
              HasSubstr("buffer out, expected"));
  EXPECT_THAT(launch_mistake(out("cols = 2", "pattern = \"ramp\"")), HasSubstr("k.toml:"));
}

BufferComparison compared(const std::string& buffers, const std::vector<double>& got) {
  const Result<Launch> launch = launch_of(buffers);
  EXPECT_TRUE(launch) << (launch ? "" : launch.error().message);
  std::vector<std::byte> contents(byte_count(launch->buffers.back()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const ElementType type = launch->buffers.back().type;
    store_element(type, got[i], contents.data() + i * byte_size(type));
  }
  const std::vector<BufferComparison> all =
      compare_outputs(*launch, [&](std::size_t) { return std::span<const std::byte>(contents); });
  EXPECT_EQ(all.size(), 1U);
  return *most_telling(all);
}

TEST(CompareOutputs, NamesTheBufferAndTheFirstWrongElement) {
  const std::string buffers = out("cols = 2", "reference = \"sum\", of = \"in\"");
  EXPECT_EQ(compared(buffers, {6, 9}).comparison.wrong, 0U);
  const BufferComparison wrong = compared(buffers, {6, 8});
  EXPECT_EQ(wrong.buffer, "out");
  EXPECT_EQ(wrong.comparison.wrong, 1U);
  EXPECT_EQ(wrong.comparison.first_wrong_col, 1);
  EXPECT_EQ(wrong.comparison.got, 8.0);
  EXPECT_EQ(wrong.comparison.expected, 9.0);
}

TEST(CompareOutputs, TheFirstWrongElementHasTheDigitsOfItsType) {
  EXPECT_EQ(first_wrong(compared(out("cols = 1, type = \"f64\"", "csv = \"0.1\""), {0.1F})),
            "out[0] = 0.10000000149011612, expected 0.1");
  EXPECT_EQ(first_wrong(compared(out("cols = 1, type = \"s32\"", "csv = \"123456789\""), {1})),
            "out[0] = 1, expected 123456789");
}

TEST(CompareOutputs, ToleranceIsTheTypesOrTheDescriptions) {
  EXPECT_EQ(compared(out("cols = 1", "csv = \"1\""), {1.000001}).comparison.wrong, 0U);
  EXPECT_EQ(compared(out("cols = 1", "csv = \"1\""), {1.001}).comparison.wrong, 1U);
  EXPECT_EQ(compared(out("cols = 1", "csv = \"1\", tolerance = 0.01"), {1.001}).comparison.wrong,
            0U);
  EXPECT_EQ(compared(out("cols = 1, type = \"f64\"", "csv = \"1\""), {1.000001}).comparison.wrong,
            1U);
  EXPECT_EQ(compared(out("cols = 1, type = \"s32\"", "constant = 1, pattern = \"constant\""), {2})
                .comparison.wrong,
            1U);
}

TEST(Expected, NumbersOfATextAreFloat64) {
  const std::string buffers = out("cols = 2, type = \"f64\"", "csv = \"0.1, 1e300\"");
  EXPECT_THAT(expected_of(buffers), ElementsAre(0.1, 1e300));
}

TEST(Expected, FilesAreReadBesideTheDescription) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "k.cu") << "__global__ void k() {}";
  std::ofstream(folder.path() / "in.csv") << "1 2 3";
  std::string npy("\x93NUMPY\1\0\x46\0{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
                  67);
  npy += std::string(10 + 0x46 - npy.size(), ' ');
  const double values[] = {0.1, 0.2, 0.3};
  npy.append(reinterpret_cast<const char*>(values), sizeof values);
  std::ofstream(folder.path() / "out.npy", std::ios::binary) << npy;
  std::ofstream(folder.path() / "k.toml") << description(
      "{ name = \"in\", cols = 3, type = \"u8\", input = { file = \"in.csv\" } },\n"
      "{ name = \"out\", cols = 3, type = \"f64\", role = \"inout\", "
      "input = { file = \"out.npy\" }, expected = { file = \"out.npy\" } },\n");
  const Result<LaunchSpec> spec = load_kernel_file(folder.path() / "k.cu");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->reference, "");
  const Result<Launch> launch = evaluate(*spec, {}, {});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->buffers[0].contents[2], std::byte{3});
  EXPECT_THAT(expected_values(*launch, 1), ElementsAre(0.1, 0.2, 0.3));
  EXPECT_EQ(load_element(ElementType::F64, launch->buffers[1].contents.data() + 8), 0.2);
  std::filesystem::remove(folder.path() / "out.npy");
  EXPECT_THAT(load_kernel_file(folder.path() / "k.cu").error().message, HasSubstr("out.npy"));
}

TEST(RandomInput, OfIntegersStaysBetweenItsEnds) {
  const Result<Launch> launch = launch_of(
      "{ name = \"in\", cols = 200, type = \"s32\", "
      "input = { pattern = \"random\", lowest = 0, highest = 3 } },\n");
  ASSERT_TRUE(launch) << launch.error().message;
  std::set<double> seen;
  for (std::size_t i = 0; i < 200; ++i) {
    seen.insert(load_element(ElementType::S32, launch->buffers[0].contents.data() + i * 4));
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(launch_mistake("{ name = \"in\", input = { pattern = \"random\", lowest = 2 } },\n"),
              HasSubstr("lowest` must not be greater than `highest"));
}

}  // namespace
}  // namespace tilestep::problem

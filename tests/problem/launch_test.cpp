#include "problem/launch/launch.h"

#include "problem/launch/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

ArgumentSpec buffer(const std::string& name) {
  return {ArgumentSpec::Kind::Buffer, name, "", {}};
}
ArgumentSpec scalar(const std::string& text) {
  return {ArgumentSpec::Kind::Scalar, "", text, {}};
}

LaunchSpec tiled_spec() {
  LaunchSpec spec;
  spec.id = "tiled";
  spec.source_name = "tiled.cu";
  spec.source = "// text";
  spec.entry = "matmul_tiled<BLOCK_SIZE>";
  spec.grid = {"ceil_div(N, BLOCK_SIZE)", "ceil_div(M, BLOCK_SIZE)", "1"};
  spec.block = {"BLOCK_SIZE", "BLOCK_SIZE", "1"};
  spec.buffers = {
      {"A", ElementType::F32, "M", "K", "", BufferRole::Input, std::nullopt, std::nullopt},
      {"B", ElementType::F32, "K", "N", "", BufferRole::Input, std::nullopt, std::nullopt},
      {"C", ElementType::F32, "M", "N", "", BufferRole::Output, std::nullopt, std::nullopt}};
  spec.arguments = {buffer("A"), buffer("B"), buffer("C"), scalar("M"), scalar("N"), scalar("K")};
  return spec;
}

std::string message(const LaunchSpec& spec, const Parameters& parameters) {
  const Result<Launch> launch = evaluate(spec, parameters, {});
  return launch ? "no error" : launch.error().message;
}

const Parameters kSmall{{5, 7, 9}, 4};

TEST(Evaluate, Tiled_HasEveryNumber) {
  const Result<Launch> launch = evaluate(tiled_spec(), kSmall, {});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->entry, "matmul_tiled<4>");
  EXPECT_EQ(launch->grid, (Dim3{2, 2, 1}));
  EXPECT_EQ(launch->block, (Dim3{4, 4, 1}));
  EXPECT_EQ(launch->parameters, kSmall);
  ASSERT_EQ(launch->buffers.size(), 3U);
  EXPECT_EQ(launch->buffers[0].rows, 5);
  EXPECT_EQ(launch->buffers[0].cols, 9);
  EXPECT_EQ(launch->buffers[0].pitch, 9);
  ASSERT_EQ(launch->arguments.size(), 6U);
  EXPECT_EQ(launch->arguments[1].kind, ArgumentSpec::Kind::Buffer);
  EXPECT_EQ(launch->arguments[1].buffer, 1U);
  EXPECT_EQ(launch->arguments[5].integer, 9);
  EXPECT_FALSE(launch->arguments[5].is_real);
}

TEST(Evaluate, AAndB_Differ) {
  const Launch launch = *evaluate(tiled_spec(), {{6, 6, 6}, 4}, {});
  EXPECT_NE(launch.buffers[0].contents, launch.buffers[1].contents);
  EXPECT_EQ(to_matrix(launch.buffers[1], launch.buffers[1].contents),
            to_float32(*make_input({}, 6, 6, 1)));
}

TEST(Evaluate, UnwrittenOutput_IsNan) {
  const Launch launch = *evaluate(tiled_spec(), kSmall, {});
  const Matrix C = to_matrix(launch.buffers[2], launch.buffers[2].contents);
  for (const float value : C.values) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Evaluate, Padding_IsNanAndTheRowsStandAtThePitch) {
  LaunchSpec spec = tiled_spec();
  spec.buffers[0].pitch = "K + 1";
  const Launch launch = *evaluate(spec, kSmall, {});
  float padding = 0.0F;
  std::memcpy(&padding, launch.buffers[0].contents.data() + 9 * 4, 4);
  EXPECT_TRUE(std::isnan(padding));
  EXPECT_EQ(to_matrix(launch.buffers[0], launch.buffers[0].contents),
            to_float32(*make_input({}, 5, 9, 0)));
}

TEST(Evaluate, FixedInput_WinsOverTheUsersChoice) {
  LaunchSpec spec = tiled_spec();
  spec.buffers[1].input = InputSpec{Pattern::Identity, 1, 1.0, "", ""};
  const Launch launch = *evaluate(spec, {{4, 4, 4}, 4}, {});
  const Matrix B = to_matrix(launch.buffers[1], launch.buffers[1].contents);
  EXPECT_EQ(B.at(0, 0), 1.0F);
  EXPECT_EQ(B.at(0, 1), 0.0F);
  EXPECT_EQ(expected_result(launch, Reference::Plain),
            to_numbers(launch.buffers[0], launch.buffers[0].contents));
}

// A file of a buffer has the shape of the buffer's rows and columns, independent of M, N and K.
TEST(Evaluate, AFileOfTheWrongShape_NamesWhatTheShapeFollowsFrom) {
  InputSpec file = input_of(Pattern::Csv);
  file.csv = "1,2\n3,4\n";
  file.csv_name = "table.csv";
  LaunchSpec spec = tiled_spec();
  BufferSpec table;
  table.name = "table";
  table.rows = "1";
  table.cols = "3";
  table.input = file;
  spec.variables = {table};
  EXPECT_THAT(
      evaluate(spec, kSmall, {}).error().message,
      testing::AllOf(HasSubstr("variable table: table.csv: matrix 1 has 2 rows with 2 values each"),
                     HasSubstr("Change the file, or the rows and cols of variable table.")));
  spec.variables.clear();
  spec.buffers[0].input = file;
  EXPECT_THAT(evaluate(spec, kSmall, {}).error().message,
              HasSubstr("Change the file, or the rows and cols of buffer A."));
  EXPECT_THAT(evaluate(tiled_spec(), kSmall, file).error().message,
              HasSubstr("Change the file, or M, N and K."));
}

TEST(Evaluate, FloatScalarsAndStructs_AreArguments) {
  LaunchSpec spec = tiled_spec();
  ArgumentSpec matrix{ArgumentSpec::Kind::Struct, "", "", {}};
  matrix.members = {{"width", scalar("K")}, {"elements", buffer("A")}};
  spec.arguments = {scalar("1.5"), scalar("-2e-3f"), matrix};
  const Launch launch = *evaluate(spec, kSmall, {});
  EXPECT_TRUE(launch.arguments[0].is_real);
  EXPECT_EQ(launch.arguments[0].real, 1.5);
  EXPECT_EQ(launch.arguments[1].real, -2e-3);
  ASSERT_EQ(launch.arguments[2].members.size(), 2U);
  EXPECT_EQ(launch.arguments[2].members[0].name, "width");
  EXPECT_EQ(launch.arguments[2].members[0].value.integer, 9);
  EXPECT_EQ(launch.arguments[2].members[1].value.buffer, 0U);
}

TEST(Evaluate, Defines_AreNumbers) {
  LaunchSpec spec = tiled_spec();
  spec.defines = {{"TILE", "BLOCK_SIZE"}, {"HALF", "BLOCK_SIZE / 2"}, {"SCALE", "0.5f"}};
  EXPECT_THAT(evaluate(spec, kSmall, {})->defines,
              ElementsAre(Pair("HALF", "2"), Pair("SCALE", "0.5f"), Pair("TILE", "4")));
}

TEST(Evaluate, WrongExpression_NamesKernelAndPlace) {
  LaunchSpec spec = tiled_spec();
  spec.grid[1] = "ceil_div(Q, BLOCK_SIZE)";
  EXPECT_THAT(message(spec, kSmall),
              testing::StartsWith(
                  "tiled: grid.y = \"ceil_div(Q, BLOCK_SIZE)\" is not valid: unknown name 'Q'"));
  spec = tiled_spec();
  spec.arguments[3].expression = "M +";
  EXPECT_THAT(message(spec, kSmall), HasSubstr("argument 4 = \"M +\" is not valid"));
  spec = tiled_spec();
  spec.arguments[3] = buffer("D");
  EXPECT_THAT(message(spec, kSmall), HasSubstr("argument 4 is buffer 'D', which is not described"));
}

TEST(Evaluate, RequirementForGpusOnly_IsSaidAndDoesNotStopTheMachine) {
  LaunchSpec spec = tiled_spec();
  spec.requirements = {{"M % BLOCK_SIZE == 0", "BLOCK_SIZE must divide M.", true}};
  const Result<Launch> odd = evaluate_shape(spec, {{5, 4, 4}, 4});
  ASSERT_TRUE(odd);
  EXPECT_THAT(odd->not_on_gpu, testing::ElementsAre("BLOCK_SIZE must divide M."));
  EXPECT_TRUE(evaluate_shape(spec, {{8, 4, 4}, 4})->not_on_gpu.empty());
}

TEST(Evaluate, RequirementThatDoesNotHold_IsItsSentence) {
  LaunchSpec spec = tiled_spec();
  spec.requirements = {{"M % BLOCK_SIZE == 0", "BLOCK_SIZE must divide M.", false}};
  EXPECT_EQ(message(spec, kSmall), "tiled: BLOCK_SIZE must divide M.");
  EXPECT_EQ(message(spec, {{8, 7, 9}, 4}), "no error");
}

TEST(Evaluate, SizesBelowOne_AreRefused) {
  EXPECT_THAT(message(tiled_spec(), {{0, 7, 9}, 4}),
              HasSubstr("M is 0, but a size must be at least"));
  EXPECT_THAT(message(tiled_spec(), {{5, -7, 9}, 4}), HasSubstr("N is -7"));
  EXPECT_THAT(message(tiled_spec(), {{5, 7, 9}, 0}), HasSubstr("BLOCK_SIZE is 0"));
}

TEST(Evaluate, BlockOfMoreThan1024Threads_IsRefused) {
  EXPECT_EQ(message(tiled_spec(), {{64, 64, 64}, 32}), "no error");
  EXPECT_EQ(message(tiled_spec(), {{64, 64, 64}, 33}),
            "tiled: a block of 33×33×1 has 1089 threads, but a GPU allows at most 1024. Choose a "
            "smaller BLOCK_SIZE.");
  EXPECT_THAT(message(tiled_spec(), {{64, 64, 64}, 1025}), HasSubstr("between 1 and 1024"));
  LaunchSpec deep = tiled_spec();
  deep.block = {"1", "1", "65"};
  EXPECT_THAT(message(deep, kSmall), HasSubstr("between 1 and 64"));
}

TEST(Evaluate, GridOutsideItsLimits_IsRefused) {
  LaunchSpec spec = tiled_spec();
  spec.grid[0] = "N / 100";
  EXPECT_THAT(message(spec, kSmall), HasSubstr("grid.x = \"N / 100\" is 0, but must be between 1"));
  EXPECT_THAT(message(tiled_spec(), {{65536, 1, 1}, 1}), HasSubstr("between 1 and 65535"));
}

TEST(Evaluate, SharedMemoryBeyondAnyGpu_IsRefused) {
  LaunchSpec spec = tiled_spec();
  spec.dynamic_shared_bytes = "BLOCK_SIZE * 1000000";
  EXPECT_THAT(message(spec, kSmall), HasSubstr("dynamic_shared_bytes"));
}

TEST(Evaluate, HugeSizes_GetASentence) {
  constexpr int kHuge = 2147483647;
  EXPECT_NE(message(tiled_spec(), {{kHuge, kHuge, kHuge}, 32}), "no error");
  EXPECT_THAT(message(tiled_spec(), {{65536, 65536, 65536}, 32}),
              HasSubstr("the buffers need 49152 MiB, but the limit is 2048 MiB"));
  LaunchSpec spec = tiled_spec();
  spec.grid = {"1", "1", "1"};
  spec.buffers[0].type = ElementType::F64;
  EXPECT_THAT(message(spec, {{kHuge, 1, kHuge}, 1}), HasSubstr("larger than 1024 GiB"));
  spec.buffers[0].rows = "M * N";
  EXPECT_THAT(message(spec, {{kHuge, kHuge, 1}, 1}), HasSubstr("buffer A, rows = \"M * N\" is"));
}

TEST(EvaluateShape, FillsNothing_EvenForSizesTooLargeToSimulate) {
  const Result<Launch> launch = evaluate_shape(tiled_spec(), {{32768, 32768, 32768}, 32});
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(byte_count(launch->buffers[0]), 4ULL << 30);
  EXPECT_TRUE(launch->buffers[0].contents.empty());
}

TEST(FindBuffer, ByName) {
  const Launch launch = *evaluate_shape(tiled_spec(), kSmall);
  EXPECT_EQ(find_buffer(launch, "B"), &launch.buffers[1]);
  EXPECT_EQ(find_buffer(launch, "D"), nullptr);
}

TEST(Evaluate, CureOfANumberOutOfRange_IsWhatItComesFrom) {
  LaunchSpec spec = tiled_spec();
  spec.dynamic_shared_bytes = "1000000";
  EXPECT_THAT(evaluate_shape(spec, {{4, 4, 4}, 4}).error().message,
              testing::EndsWith("but must be between 0 and 232448. Change it in the description."));
  spec.dynamic_shared_bytes = "K * 1000000";
  EXPECT_THAT(evaluate_shape(spec, {{4, 4, 4}, 4}).error().message,
              testing::EndsWith("Change M, N, K or BLOCK_SIZE."));
  spec = tiled_spec();
  spec.block = {"2000", "1", "1"};
  EXPECT_THAT(evaluate_shape(spec, {{4, 4, 4}, 4}).error().message,
              testing::EndsWith("Change it in the description."));
  spec.block = {"64", "32", "1"};
  EXPECT_THAT(evaluate_shape(spec, {{4, 4, 4}, 4}).error().message,
              testing::EndsWith("Choose a smaller block in the description."));
}

}  // namespace
}  // namespace tilestep::problem

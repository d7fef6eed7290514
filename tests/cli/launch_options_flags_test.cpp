// A launch described by flags equals the launch of the same description as TOML.
#include "cli/launch_options.h"
#include "problem/describe/catalog.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

namespace tilestep::cli {
namespace {

using problem::ArgumentSpec;
using problem::BufferRole;

class FlagDescription : public ::testing::Test {
 protected:
  FlagDescription() {
    options.kernel = (folder.path() / "mine.cu").string();
    std::ofstream(options.kernel) << "__global__ void k(float*, int) {}\n";
    options.entry = "k";
    options.grid = "ceil_div(N, 8),M";
    options.threads = "8";
    options.buffers = {"A:M,K:input", "B:K,N", "C:M,min(N, 64):output"};
    options.arguments = {"C", "M*N", "1.5f"};
  }
  [[nodiscard]] std::string mistake() const {
    const auto spec = spec_of_flags(options);
    return spec ? "none" : spec.error().message;
  }

  test::TemporaryFolder folder;
  LaunchOptions options;
};

TEST_F(FlagDescription, IsADescription) {
  const auto spec = spec_of_flags(options);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->id, options.kernel);
  EXPECT_EQ(spec->source_name, "mine.cu");
  EXPECT_EQ(spec->source, "__global__ void k(float*, int) {}\n");
  EXPECT_THAT(spec->grid, testing::ElementsAre("ceil_div(N, 8)", "M", "1"));
  EXPECT_THAT(spec->block, testing::ElementsAre("8", "1", "1"));
  ASSERT_EQ(spec->buffers.size(), 3U);
  EXPECT_EQ(spec->buffers[0].role, BufferRole::Input);
  EXPECT_EQ(spec->buffers[1].role, BufferRole::Input);
  EXPECT_EQ(spec->buffers[2].role, BufferRole::Output);
  EXPECT_EQ(spec->buffers[2].cols, "min(N, 64)");
  ASSERT_EQ(spec->arguments.size(), 3U);
  EXPECT_EQ(spec->arguments[0].kind, ArgumentSpec::Kind::Buffer);
  EXPECT_EQ(spec->arguments[0].buffer, "C");
  EXPECT_EQ(spec->arguments[1].expression, "M*N");
  EXPECT_EQ(spec->arguments[2].expression, "1.5f");
}

TEST_F(FlagDescription, HasTheDefaultsOfADescription) {
  const auto toml = problem::parse_description(
      "entry = \"k\"\ngrid = \"1\"\nblock = \"8\"\narguments = []\n", "x.toml");
  options.grid = "1";
  const auto spec = spec_of_flags(options);
  ASSERT_TRUE(toml && spec);
  EXPECT_FALSE(spec->uses_block_size);
  EXPECT_EQ(spec->uses_block_size, toml->uses_block_size);
  EXPECT_EQ(spec->reference, toml->reference);
  EXPECT_EQ(spec->timed, toml->timed);
  EXPECT_EQ(spec->dynamic_shared_bytes, toml->dynamic_shared_bytes);
  EXPECT_EQ(spec->default_block_size, toml->default_block_size);
  options.entry = "k<BLOCK_SIZE>";
  EXPECT_TRUE(spec_of_flags(options)->uses_block_size);
}

TEST_F(FlagDescription, NamesTheFlagThatIsWrong) {
  const LaunchOptions right = options;
  const auto after = [&](const std::function<void()>& change) {
    options = right;
    change();
    return mistake();
  };
  EXPECT_THAT(after([&] { options.grid.clear(); }),
              testing::StartsWith("--grid: grid is missing. Add grid = [x, y]"));
  EXPECT_EQ(after([&] { options.threads = "1,1,1,1"; }),
            "--threads 1,1,1,1: block must have one, two or three sizes: x, y, z.");
  EXPECT_THAT(after([&] { options.grid = "Q"; }),
              testing::StartsWith("--grid Q: \"Q\" is not valid: unknown name 'Q'"));
  EXPECT_THAT(after([&] { options.dynamic_shared = "4 *"; }),
              testing::StartsWith("--dynamic-shared 4 *: \"4 *\" is not valid"));
  EXPECT_EQ(after([&] { options.buffers = {"A"}; }),
            "--buffer A: write NAME:ROWS,COLS:ROLE, for example --buffer A:M,K:input.");
  EXPECT_EQ(after([&] { options.buffers[0] = "A:M,K:inputs"; }),
            "--buffer A:M,K:inputs: 'inputs' is unknown. Known: input, output, inout.");
  EXPECT_THAT(after([&] { options.buffers[0] = "A:M,Q"; }),
              testing::StartsWith("--buffer A:M,Q: \"Q\" is not valid"));
  for (const char* const taken : {"N:M,K", "B:M,K"}) {
    EXPECT_THAT(after([&] { options.buffers.emplace_back(taken); }),
                testing::HasSubstr("is taken. Give the buffer another name."));
  }
  EXPECT_EQ(after([&] { options.arguments = {"D"}; }),
            "--arg D: argument \"D\" is neither a buffer of this description nor an expression of "
            "M, N, K and BLOCK_SIZE.");
  EXPECT_THAT(after([&] { options.kernel += 'x'; }), testing::HasSubstr("mine.cux"));
}

}  // namespace
}  // namespace tilestep::cli

// Priority of size, BLOCK_SIZE and input: the command line, then the preset, then the kernel's own.
#include "cli/launch_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::cli {
namespace {

using problem::Pattern;
using problem::Problem;

class LaunchChoiceOf : public ::testing::Test {
 protected:
  LaunchChoiceOf() {
    kernel.default_problem = Problem{3, 3, 9};
    kernel.default_block_size = 3;
    problem::Preset preset;
    preset.id = "wide";
    preset.problem = {2, 16, 4};
    catalog.presets.push_back(preset);
    preset.id = "given";
    preset.block_size = 16;
    preset.input = problem::InputSpec{};
    preset.input->pattern = Pattern::Unit;
    catalog.presets.push_back(preset);
  }
  [[nodiscard]] LaunchChoice choice() const {
    const auto made = parse_choice(catalog, options, kernel);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made.value_or(LaunchChoice{});
  }

  problem::Catalog catalog;
  problem::LaunchSpec kernel;
  LaunchOptions options;
};

TEST_F(LaunchChoiceOf, NothingIsTheKernelsOwn) {
  EXPECT_EQ(choice().parameters, (problem::Parameters{{3, 3, 9}, 3}));
  EXPECT_EQ(choice().input.pattern, Pattern::SmallIntegers);
  kernel.default_problem.reset();
  EXPECT_EQ(choice().parameters.problem, Problem{});
}

TEST_F(LaunchChoiceOf, APresetIsItsSizeAndWhatElseItNames) {
  options.preset = "wide";
  EXPECT_EQ(choice().parameters, (problem::Parameters{{2, 16, 4}, 3}));
  EXPECT_EQ(choice().input.pattern, Pattern::SmallIntegers);
  options.preset = "given";
  EXPECT_EQ(choice().parameters, (problem::Parameters{{2, 16, 4}, 16}));
  EXPECT_EQ(choice().input.pattern, Pattern::Unit);
}

TEST_F(LaunchChoiceOf, OptionsGoBeforeThePreset) {
  options.preset = "given";
  options.size = "5,6,7";
  options.block_size = 2;
  options.input = "ramp";
  EXPECT_EQ(choice().parameters, (problem::Parameters{{5, 6, 7}, 2}));
  EXPECT_EQ(choice().input.pattern, Pattern::Ramp);
}

TEST_F(LaunchChoiceOf, AnUnknownPresetIsNamedWithThoseThatThereAre) {
  options.preset = "tall";
  EXPECT_EQ(parse_choice(catalog, options, kernel).error().message,
            "Preset 'tall' does not exist. Choose from the catalog: wide, given.");
}

TEST_F(LaunchChoiceOf, WrongOptionsAreSentences) {
  options.size = "5,x,7";
  EXPECT_THAT(parse_choice(catalog, options, kernel).error().message,
              ::testing::HasSubstr("'x' is not a positive integer"));
  options.size = "5,7";
  EXPECT_THAT(parse_choice(catalog, options, kernel).error().message,
              ::testing::HasSubstr("write M,N,K, or one number"));
  options.size = "5";
  EXPECT_EQ(choice().parameters.problem, (Problem{5, 5, 5}));
  options.input = "unit:7";
  EXPECT_EQ(choice().input.seed, 7U);
  options.input = "unit:x";
  EXPECT_FALSE(parse_choice(catalog, options, kernel));
}

}  // namespace
}  // namespace tilestep::cli

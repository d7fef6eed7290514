// Pictures: the same state gives the same pixels, another state other pixels, and a kernel that
// does not compile its message.
#include "program/picture.h"

#include "app/harness.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

namespace tilestep::test {
namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 720;

platform::Image take(state::AppState state, const lesson::Place& place,
                     std::optional<float> motion = std::nullopt) {
  compile::Compiler compiler(workspace::cache_options(build_tree_paths()));
  workspace::Workspace workspace(build_tree_paths(), compiler);
  program::Studio studio(workspace, build_tree_paths(), kWidth, kHeight);
  auto image = studio.take(std::move(state), place, {.motion = motion});
  EXPECT_TRUE(image) << image.error().message;
  return image ? std::move(*image) : platform::Image{};
}

lesson::Place at_phase(std::uint64_t number) {
  return {lesson::Place::Kind::Phase, number};
}

TEST(Picture, TheSameStateGivesTheSamePixels) {
  const platform::Image first = take({}, at_phase(1));
  const platform::Image second = take({}, at_phase(1));
  ASSERT_EQ(first.rgba.size(), static_cast<std::size_t>(kWidth) * kHeight * 4);
  EXPECT_EQ(different_pixels(first, second), 0U);
}

TEST(Picture, APhaseThatHasPlayedIsTheOneWithoutMotion) {
  for (std::uint64_t phase = 0; phase < 5; ++phase) {
    const lesson::Place place{lesson::Place::Kind::PhaseEnd, phase};
    const platform::Image over = take({}, place);
    EXPECT_EQ(different_pixels(over, take({}, place, 1.0F)), 0U) << "phase " << phase;
    EXPECT_GT(different_pixels(over, take({}, place, 0.5F)), 500U) << "phase " << phase;
  }
}

TEST(Picture, EveryPhaseOfTheOpeningSceneLooksDifferent) {
  for (std::uint64_t phase = 0; phase < 4; ++phase) {
    EXPECT_GT(different_pixels(take({}, at_phase(phase)), take({}, at_phase(phase + 1))), 500U)
        << "phases " << phase << " and " << phase + 1;
  }
}

TEST(Picture, LightIsLightAndDarkIsDark) {
  state::AppState light;
  light.theme = state::Theme::Light;
  const auto brightness = [](const platform::Image& image) {
    double sum = 0.0;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
      sum += image.rgba[i];
    }
    return sum / (static_cast<double>(image.rgba.size()) / 4.0);
  };
  EXPECT_LT(brightness(take({}, at_phase(1))), 80.0);
  EXPECT_GT(brightness(take(light, at_phase(1))), 180.0);
}

TEST(Picture, AKernelThatIsNotThereIsASentence) {
  compile::Compiler compiler(workspace::cache_options(build_tree_paths()));
  workspace::Workspace workspace(build_tree_paths(), compiler);
  program::Studio studio(workspace, build_tree_paths(), 640, 480);
  state::AppState state;
  state.kernel = "no_such_kernel";
  const auto image = studio.take(std::move(state), {});
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message.find("no_such_kernel"), std::string::npos);
}

}  // namespace
}  // namespace tilestep::test

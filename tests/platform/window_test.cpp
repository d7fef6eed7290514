#include "platform/off_screen.h"
#include "temporary_folder.h"

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tilestep {
namespace {

TEST(Window, OffScreen_HasOpenGl33OrNewer) {
  const platform::Window window(test::off_screen_options(320, 200));
  EXPECT_GE(window.gl().version, std::string("3.3"));
  EXPECT_FALSE(window.gl().renderer.empty());
  EXPECT_TRUE(window.warnings().empty());
}

TEST(Window, ReadPixels_HasTheWindowsSizeAndItsTopRowFirst) {
  platform::Window window(test::off_screen_options(320, 200));
  window.frame(0.0, [] {
    ImGui::GetStyle().Colors[ImGuiCol_DockingEmptyBg] = {0.0F, 0.0F, 1.0F, 1.0F};
    ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, {320, 10}, IM_COL32(255, 0, 0, 255));
  });
  const platform::Image image = window.read_pixels();
  ASSERT_EQ(image.width, 320);
  ASSERT_EQ(image.height, 200);
  EXPECT_TRUE(test::is_near(test::pixel(image, 160, 5), IM_COL32(255, 0, 0, 255)));
  EXPECT_TRUE(test::is_near(test::pixel(image, 160, 195), IM_COL32(0, 0, 255, 255)))
      << "the ground has the style's colour";
}

TEST(Window, PicturesAreNumberedAndSayWhereTheyAre) {
  const test::TemporaryFolder folder;
  const platform::Image image{2, 1, std::vector<unsigned char>(8, 255)};
  EXPECT_EQ(platform::save_picture(image, folder.path()),
            "Saved as " + (folder.path() / "tilestep-1.png").string());
  (void)platform::save_picture(image, folder.path());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "tilestep-2.png"));
  EXPECT_NE(platform::save_picture(image, folder.path() / "nowhere").find("cannot be written"),
            std::string::npos);
}

TEST(Window, TextGrowsWithTheWindowAndWithTheScale) {
  EXPECT_FLOAT_EQ(platform::base_font_size(1080, 1.0F), 18.0F);
  EXPECT_FLOAT_EQ(platform::base_font_size(2160, 1.0F), 36.0F);
  EXPECT_FLOAT_EQ(platform::base_font_size(720, 1.0F), 15.0F);
  EXPECT_FLOAT_EQ(platform::base_font_size(720, 2.0F), 30.0F);
  platform::Window window(test::off_screen_options(320, 1080));
  float size = 0.0F;
  window.frame(0.0, [&] { size = ImGui::GetFontSize(); });
  EXPECT_FLOAT_EQ(size, 18.0F);
  window.set_scale(1.5F);
  window.frame(0.0, [&] { size = ImGui::GetFontSize(); });
  EXPECT_FLOAT_EQ(size, 27.0F);
}

TEST(Window, EveryFontHasTheSignsWeUse) {
  platform::Window window(test::off_screen_options(320, 200));
  window.frame(0.0, [&] {
    for (ImFont* font : {window.fonts().text, window.fonts().bold, window.fonts().mono}) {
      for (const auto sign :
           std::initializer_list<ImWchar>{0x00B7 /* · */, 0x00D7 /* × */, 0x2192 /* → */,
                                          0x2026 /* … */, 0xF04B /* the play icon */}) {
        EXPECT_TRUE(font->IsGlyphInFont(sign)) << font->GetDebugName() << " " << std::hex << sign;
      }
    }
  });
}

TEST(Window, AMissingFontIsSaidAndSurvived) {
  platform::WindowOptions options = test::off_screen_options(320, 200);
  options.fonts = "/nowhere";
  platform::Window window(options);
  EXPECT_FALSE(window.warnings().empty());
  window.frame(0.0, [] { ImGui::Text("text"); });
  EXPECT_EQ(window.read_pixels().width, 320);
}

TEST(Window, MissingShaders_AreAnErrorThatNamesTheFile) {
  platform::WindowOptions options = test::off_screen_options(320, 200);
  options.shaders = "/nowhere";
  try {
    const platform::Window window(options);
    FAIL() << "the window opened without shaders";
  } catch (const platform::PlatformError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/cell.vert"), std::string::npos)
        << error.what();
  }
}

TEST(Window, AResetOfTheDriverIsSaidAndTheNextWindowDraws) {
  {
    platform::Window window(test::off_screen_options(320, 200));
    window.frame(0.0, [] {});
    glad_glGetGraphicsResetStatus = []() -> GLenum { return GL_UNKNOWN_CONTEXT_RESET; };
    EXPECT_THROW(window.frame(0.0, [] {}), platform::ContextLost);
  }
  platform::Window next(test::off_screen_options(320, 200));  // loads OpenGL anew
  next.frame(0.0, [] {
    ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, {320, 10}, IM_COL32(255, 0, 0, 255));
  });
  EXPECT_TRUE(test::is_near(test::pixel(next.read_pixels(), 160, 5), IM_COL32(255, 0, 0, 255)));
}

TEST(WritePng, WritesAFileAndSaysWhereItCannot) {
  const platform::Image image{1, 1, {255, 0, 0, 255}};
  const auto file = std::filesystem::temp_directory_path() / "tilestep_write_png_test.png";
  platform::write_png(image, file);
  std::ifstream in(file, std::ios::binary);
  std::string head(8, '\0');
  in.read(head.data(), 8);
  EXPECT_EQ(head, std::string("\x89PNG\r\n\x1a\n"));
  std::filesystem::remove(file);
  EXPECT_THROW(platform::write_png(image, "/nowhere/x.png"), platform::PlatformError);
}

}  // namespace
}  // namespace tilestep

#include "folders.h"
#include "platform/off_screen.h"
#include "problem/file.h"
#include "temporary_folder.h"

#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

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

// A text, a cell-like rectangle and a hair line.
void draw_something() {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({100, 50}, {200, 100}, IM_COL32(255, 0, 0, 255));
  list.AddText({20, 20}, IM_COL32_WHITE, "As[1][2]");
}

TEST(Window, APictureIsDrawnAnewAtItsScale_NotEnlarged) {
  platform::Window window(test::off_screen_options(320, 200));
  window.frame(0.0, draw_something);
  const platform::Image once = window.read_pixels();
  for (int i = 0; i < 2; ++i) {
    window.draw_aside(3, draw_something);
  }
  const platform::Image thrice = window.read_pixels();
  ASSERT_EQ(thrice.width, 960);
  ASSERT_EQ(thrice.height, 600);
  EXPECT_TRUE(test::is_near(test::pixel(thrice, 3 * 150, 3 * 75), IM_COL32(255, 0, 0, 255)));
  std::size_t differing = 0;
  for (int y = 3 * 15; y < 3 * 40; ++y) {
    for (int x = 3 * 15; x < 3 * 95; ++x) {
      differing += test::pixel(thrice, x, y).r == test::pixel(once, x / 3, y / 3).r ? 0 : 1;
    }
  }
  EXPECT_GT(differing, 500U) << "letters of an enlarged copy would be made of squares";
  window.frame(0.0, draw_something);
  EXPECT_EQ(window.read_pixels().rgba, once.rgba) << "the window goes on as before";
}

TEST(Window, APictureOfAnAreaHasItsPixelsOnly) {
  platform::Window window(test::off_screen_options(320, 200));
  window.frame(0.0, draw_something);
  window.draw_aside(2, draw_something);
  const platform::Image image = window.read_pixels({100, 50, 200, 100});
  ASSERT_EQ(image.width, 200);
  ASSERT_EQ(image.height, 100);
  EXPECT_TRUE(test::is_near(test::pixel(image, 2, 2), IM_COL32(255, 0, 0, 255)));
  EXPECT_TRUE(test::is_near(test::pixel(image, 197, 97), IM_COL32(255, 0, 0, 255)));
}

TEST(Window, APictureThatIsTooLargeIsASentenceWithACure) {
  platform::Window window(test::off_screen_options(320, 200));
  window.frame(0.0, draw_something);
  try {
    window.draw_aside(1000, draw_something);
    FAIL() << "320,000 × 200,000 pixels";
  } catch (const platform::PlatformError& error) {
    EXPECT_NE(std::string(error.what()).find("320000 × 200000"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Choose a smaller scale"), std::string::npos);
  }
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

// The characters of every file with the extension in the folder.
std::set<unsigned> characters_of(const std::filesystem::path& folder, const std::string& ending) {
  std::set<unsigned> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ending) {
      continue;
    }
    const std::string text = problem::read_file(entry.path()).value();
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
      unsigned c = 0;
      at += std::max(ImTextCharFromUtf8(&c, at, end), 1);
      if (c >= ' ') {
        all.insert(c);
      }
    }
  }
  return all;
}

TEST(Window, LessonsKernelsAndBothLanguagesHaveAGlyphForEveryCharacter) {
  platform::Window window(test::off_screen_options(320, 200));
  const std::filesystem::path source = test::source_folder();
  std::set<unsigned> read = characters_of(source / "assets" / "lessons", ".md");
  read.merge(characters_of(source / "assets" / "words", ".po"));
  const std::set<unsigned> code = characters_of(source / "kernels", ".cu");
  ASSERT_GT(read.size(), 800U);
  window.frame(0.0, [&] {
    for (const unsigned c : read) {
      EXPECT_TRUE(window.fonts().text->IsGlyphInFont(static_cast<ImWchar>(c))) << std::hex << c;
      EXPECT_TRUE(window.fonts().bold->IsGlyphInFont(static_cast<ImWchar>(c))) << std::hex << c;
    }
    for (const unsigned c : code) {
      EXPECT_TRUE(window.fonts().mono->IsGlyphInFont(static_cast<ImWchar>(c))) << std::hex << c;
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
  platform::Window next(test::off_screen_options(320, 200));  // loads OpenGL again
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

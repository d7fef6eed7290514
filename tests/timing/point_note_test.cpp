#include "folders.h"
#include "problem/language.h"
#include "timing/dataset_points.h"

#include <gtest/gtest.h>

namespace tilestep::timing {
namespace {

TEST(PointNote, IsToldInTheLanguageThatIsSpoken) {
  const std::string note =
      "result wrong: C[1][2] is 3, expected 4 (5 of 6 elements wrong); one launch takes 1.5 s: 3 "
      "samples";
  const std::string refused =
      "float4_loads: BLOCK_SIZE must be a multiple of 4: this kernel moves four floats at a time. "
      "Choose 4, 8, 12, … 32.";
  EXPECT_EQ(translated_note(note), note);
  EXPECT_EQ(translated_note(refused), refused);
  find_languages(tilestep::test::source_folder() / "assets" / "words");
  ASSERT_TRUE(speak("zh"));
  EXPECT_EQ(
      translated_note(note),
      "结果错误：C[1][2] 是 3，应为 4（6 个元素中错了 5 个）; 一次启动用时 1.5 s：取 3 个样本");
  EXPECT_TRUE(translated_note(refused).starts_with("float4_loads: BLOCK_SIZE "));
  EXPECT_EQ(translated_note("somebody's own words"), "somebody's own words");
  ASSERT_TRUE(speak(kEnglishTag));
}

}  // namespace
}  // namespace tilestep::timing

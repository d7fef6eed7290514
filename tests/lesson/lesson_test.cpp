#include "lesson/lesson.h"

#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilestep::lesson {
namespace {

using testing::HasSubstr;

std::string message(const std::string& markdown) {
  const Result<Lesson> lesson = parse_lesson(markdown, "l.md");
  return lesson ? "no error" : lesson.error().message;
}

TEST(Lesson, HasTitleTextAndScenesInTheirOrder) {
  const Result<Lesson> lesson = parse_lesson(
      "# The lesson\n\nBefore.\n\n## First\n\n```scene\nname = \"one\"\n```\n\nText *one*.\n\n"
      "## Second\n```scene\nname = \"two\"\ntitle = \"Own title\"\n```\nText two.\n",
      "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->title.in(), "The lesson");
  EXPECT_EQ(lesson->text.in(), "Before.");
  ASSERT_EQ(lesson->scenes.size(), 2U);
  EXPECT_EQ(lesson->scenes[0].name, "one");
  EXPECT_EQ(lesson->scenes[0].title.in(), "First");
  EXPECT_EQ(lesson->scenes[0].text.in(), "Text *one*.");
  EXPECT_EQ(lesson->scenes[1].title.in(), "Own title");
  EXPECT_EQ(lesson->scenes[1].text.in(), "Text two.");
}

TEST(Lesson, ASceneIsComparedWithOneAboveByItsName) {
  const std::string lucky = "```scene\nname = \"lucky\"\nkernel = \"naive\"\nM = 3\n```\n";
  const Result<Lesson> lesson =
      parse_lesson(lucky + "```scene\nname = \"race\"\ncompare = \"lucky\"\n```\n", "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_TRUE(lesson->scenes[1].state.comparison.on);
  EXPECT_EQ(lesson->scenes[1].state.comparison.second, setup_of(lesson->scenes[0].state));
  EXPECT_THAT(message("```scene\nname = \"race\"\ncompare = \"lucky\"\n```\n" + lucky),
              HasSubstr("l.md:3: there is no scene 'lucky' before this one."));
}

TEST(Lesson, HeadingWithoutAScene_IsTextOfTheSceneBefore) {
  const Result<Lesson> lesson = parse_lesson(
      "```scene\nname = \"one\"\n```\n\n## A heading\n\ntext\n\n### Another\n", "l.md");
  ASSERT_TRUE(lesson);
  EXPECT_EQ(lesson->scenes[0].title.in(), "one");
  EXPECT_EQ(lesson->scenes[0].text.in(), "## A heading\n\ntext\n\n### Another");
}

TEST(Lesson, OtherCodeBlocks_StayInTheText) {
  const Result<Lesson> lesson = parse_lesson(
      "```scene\nname = \"one\"\n```\n```cuda\n# no heading\n```\n~~~~\n```scene\n~~~\n~~~~\n",
      "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  ASSERT_EQ(lesson->scenes.size(), 1U);
  EXPECT_EQ(lesson->scenes[0].text.in(), "```cuda\n# no heading\n```\n~~~~\n```scene\n~~~\n~~~~");
}

TEST(Lesson, WindowsLineEnds_AreRead) {
  const Result<Lesson> lesson =
      parse_lesson("# T\r\n```scene\r\nname = \"one\"\r\n```\r\ntext\r\n", "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->title.in(), "T");
  EXPECT_EQ(lesson->scenes[0].text.in(), "text");
}

TEST(Lesson, ACarriageReturn_EndsALineAsMarkdownHasIt) {
  const Result<Lesson> lesson =
      parse_lesson("# T\r\rmore\r```scene\nname = \"one\"\n```\r\rtext\r", "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->text.in(), "more");
  EXPECT_EQ(lesson->scenes[0].text.in(), "text");
}

TEST(Lesson, Mistakes_NameTheLineOfTheFile) {
  EXPECT_EQ(message("# T\n\n```scene\nname = \"one\"\nkernl = \"tiled\"\n```\n"),
            "l.md:5: unknown key 'kernl'. Did you mean 'kernel'?");
  EXPECT_THAT(message("# T\n```scene\nname = \n```\n"), testing::StartsWith("l.md:3:"));
  EXPECT_EQ(message("text\n```scene\nname = \"one\"\n"),
            "l.md:2: this block is not closed. End it with the line ```.");
  EXPECT_EQ(message("```scene\nname = \"a\"\n```\n```scene\nname = \"a\"\n```\n"),
            "l.md:4: duplicate scene 'a'. Give every scene, question and lab its own name.");
  EXPECT_EQ(message("# Only words\n"), "l.md has no scene. Add a block that starts with ```scene.");
}

TEST(Lesson, FilesThatScenesName_AreBesideTheLesson) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "l.md") << "```scene\nname = \"a\"\nkernel = \"my.cu\"\ninput = { "
                                           "pattern = \"csv\", file = \"a.csv\" "
                                           "}\n```\n";
  const Result<Lesson> missing = load_lesson(folder.path() / "l.md");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("scene 'a': "));
  EXPECT_THAT(missing.error().message, HasSubstr("a.csv cannot be read"));
  std::ofstream(folder.path() / "a.csv") << "1,2\n";
  const Result<Lesson> lesson = load_lesson(folder.path() / "l.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->scenes[0].state.kernel, (folder.path() / "my.cu").string());
  EXPECT_EQ(lesson->scenes[0].state.input.csv, "1,2\n");
}

TEST(Lesson, MissingFile_IsASentence) {
  EXPECT_THAT(load_lesson("/nowhere/l.md").error().message,
              HasSubstr("/nowhere/l.md cannot be read: No such file"));
}

}  // namespace
}  // namespace tilestep::lesson

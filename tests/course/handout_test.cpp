// A lesson on paper.
#include "course/handout.h"

#include "asking.h"
#include "lesson/lesson.h"
#include "problem/file.h"
#include "problem/language.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::course {
namespace {

constexpr const char* kPaperLesson = R"md(# On paper · 纸上

```lesson
id = "paper"
goal = "Count {{ M }} rows."
goal_zh = "数 {{ M }} 行。"
```

## First · 第一

```scene
name = "first"
kernel = "naive"
M = 4
N = 4
K = 4
note = "Ask the class."
note_zh = "问全班。"
```

[en]
Look at [A[1][2]](#cell=A[1][2]): {{ count(loads.A) }} loads. [Elsewhere](https://example.org).

[zh]
看 [A[1][2]](#cell=A[1][2])：{{ count(loads.A) }} 次读取。

```question
name = "how-many"
kind = "choice"
text = "How many?"
text_zh = "多少？"
at = "first"
answer = "count(loads.A)"
[[choices]]
text = "few"
text_zh = "少"
is = "3"
says = "That is a row."
says_zh = "那是一行。"
[[choices]]
text = "many"
text_zh = "多"
is = "64"
```

```question
name = "right"
kind = "yes-no"
text = "Right?"
text_zh = "对吗？"
hint = "Compare C with the host's product."
hint_zh = "把 C 与主机算出的乘积比较。"
right = "All {{ M * N }} are."
right_zh = "{{ M * N }} 个都对。"
at = "first"
answer = "wrong() == 0"
```

[en]
It adds up {{ K }} products.

[zh]
它把 {{ K }} 个乘积相加。

## Recap · 小结

```recap
next = "another"
lines = ["One.", "Two.", "Three."]
lines_zh = ["一。", "二。", "三。"]
teaser = "Why?"
teaser_zh = "为什么？"
```
)md";

class PaperOf : public testing::Test {
 protected:
  PaperOf() { find_languages(test::source_folder() / "assets" / "words"); }
  static lesson::Lesson read(const std::string& text) {
    auto lesson = lesson::parse_lesson(text, "paper.md");
    if (!lesson) {
      throw std::runtime_error(lesson.error().message);
    }
    return *lesson;
  }
  Result<std::string> paper(const std::string& language, Paper paper = Paper::Lesson) {
    const lesson::Lesson lesson = read(kPaperLesson);
    return handout(lesson, asking_.answers(),
                   {language, paper, [&lesson](const lesson::Beat& beat, bool is_answered) {
                      const bool is_answer = is_answered && beat.kind == lesson::BeatKind::Question;
                      return lesson.name_of(beat) + (is_answer ? "-answer.png" : ".png");
                    }});
  }

  Asking asking_;
};

TEST_F(PaperOf, ALesson_HasItsNumbersAndItsAnswersAtTheEnd) {
  const auto text = paper("en");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text,
            "# On paper\n\n**Goal.** Count 4 rows.\n\n## First\n\n![First](<first.png>)\n\n"
            "Look at A[1][2]: 64 loads. [Elsewhere](https://example.org).\n\n"
            "**Question 1.** How many?\n\n* few\n* many\n\n**Question 2.** Right?\n\n"
            "## Recap\n\n1. One.\n2. Two.\n3. Three.\n\n*Why?*\n\n"
            "## Answers\n\n**1.** many\n\n**2.** yes. All 16 are.\n\nIt adds up 4 products.\n");
}

TEST_F(PaperOf, ALesson_IsInOneLanguage) {
  const auto text = paper("zh");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(
      *text,
      "# 纸上\n\n**目标。** 数 4 行。\n\n## 第一\n\n![第一](<first.png>)\n\n"
      "看 A[1][2]：64 次读取。\n\n**第 1 题。** 多少？\n\n* 少\n* 多\n\n**第 2 题。** 对吗？\n\n"
      "## 小结\n\n1. 一。\n2. 二。\n3. 三。\n\n*为什么？*\n\n"
      "## 答案\n\n**1.** 多\n\n**2.** 是。16 个都对。\n\n它把 4 个乘积相加。\n");
  EXPECT_EQ(paper("de").error().message,
            "paper.md is not available in the language 'de'. Available: en, zh.");
}

// The expected texts are files: TILESTEP_WRITE_GOLDEN=1 rewrites them; read the difference.
class PrintedPaper : public PaperOf,
                     public testing::WithParamInterface<std::pair<Paper, const char*>> {};

TEST_P(PrintedPaper, IsAsExpected) {
  const auto [kind, language] = GetParam();
  const auto text = paper(language, kind);
  ASSERT_TRUE(text) << text.error().message;
  const std::string printed = text->substr(0, text->find("</b> //"));  // then the kernel's text
  const auto file = test::source_folder() / "tests/course/golden" /
                    fmt::format("{}.{}.txt", word_of(kind).file, language);
  if (std::getenv("TILESTEP_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(problem::write_file(file, printed));
  }
  EXPECT_EQ(printed, problem::read_file(file).value_or(""));
}

INSTANTIATE_TEST_SUITE_P(
    Papers, PrintedPaper,
    testing::Values(std::pair(Paper::Handout, "en"), std::pair(Paper::Handout, "zh"),
                    std::pair(Paper::Key, "en"), std::pair(Paper::Key, "zh"),
                    std::pair(Paper::Guide, "en"), std::pair(Paper::Guide, "zh"),
                    std::pair(Paper::Slides, "en"), std::pair(Paper::Slides, "zh")),
    [](const auto& test) {
      return fmt::format("{}_{}", word_of(test.param.first).file, test.param.second);
    });

TEST(APage, HasItsStylesAndNoLineBreakBetweenIdeographs) {
  const std::string page =
      page_of("# 纸上\n\n第一行\n第二行 <b>A</b>\nand B", {"1 < 2", "zh", "guide", "../fonts"});
  EXPECT_NE(page.find("<html lang=\"zh\">"), std::string::npos);
  EXPECT_NE(page.find("<title>1 &lt; 2</title>"), std::string::npos);
  EXPECT_NE(page.find("url(\"../fonts/Roboto-Regular.ttf\")"), std::string::npos);
  EXPECT_NE(page.find("<body class=\"guide\">\n<h1>纸上</h1>\n"
                      "<p>第一行第二行 <b>A</b>\nand B</p>\n</body>"),
            std::string::npos)
      << page;
}

TEST_F(PaperOf, ALab_HasItsTable) {
  auto lesson = lesson::load_lesson(test::source_folder() / "assets" / "lessons" / "08-banks.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  const auto text = handout(*lesson, asking_.answers(), {});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("| 3 | 16×16×16, BLOCK_SIZE 16 | "
                       "`count(shared_stores.conflicts) + count(shared_loads.conflicts) == 0` |"),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find("`tilestep lab pad --copy lab8_pad.cu`"), std::string::npos);
  EXPECT_EQ(text->find("]("), std::string::npos);
}

}  // namespace
}  // namespace tilestep::course

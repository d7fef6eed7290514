// Captions of a film.
#include "course/captions.h"

#include "asking.h"
#include "lesson/lesson.h"
#include "problem/language.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

namespace tilestep::course {
namespace {

constexpr const char* kFilmed = R"md(# Filmed · 拍摄

## First · 第一

```scene
name = "first"
kernel = "naive"
M = 4
N = 4
K = 4
```

[en]
A has {{ M }} rows & columns. Each of the sixteen threads of the block reads one row of A and one column of B, four elements of each, one after the other.

Only the first paragraph is read.

[zh]
A 有 {{ M }} 行。每个线程读取 A 的一行和 B 的一列，
每次一个元素。

```question
name = "right"
kind = "yes-no"
text = "Right?"
text_zh = "对吗？"
right = "All {{ M * N }} are."
right_zh = "{{ M * N }} 个都对。"
at = "first"
answer = "wrong() == 0"
```
)md";

constexpr std::array kShown{ShownBeat{0, false, 0.0, 10.0}, ShownBeat{1, false, 10.0, 3670.5},
                            ShownBeat{1, true, 3670.5, 3680.0}};

class CaptionsOf : public testing::Test {
 protected:
  CaptionsOf() { find_languages(test::source_folder() / "assets" / "words"); }
  std::string captions(const std::string& language) {
    const auto lesson = lesson::parse_lesson(kFilmed, "filmed.md");
    if (!lesson) {
      throw std::runtime_error(lesson.error().message);
    }
    const auto text = captions_of(*lesson, asking_.answers(), language, kShown);
    return text ? *text : text.error().message;
  }

  Asking asking_;
};

TEST_F(CaptionsOf, ALesson_FollowItsBeatsSentenceBySentence) {
  EXPECT_EQ(captions("en"),
            "WEBVTT\n\n"
            "00:00:00.000 --> 00:00:01.565\nA has 4 rows &amp; columns.\n\n"
            "00:00:01.565 --> 00:00:10.000\nEach of the sixteen threads of the block reads one row "
            "of A and one column of B, four elements of each, one after the other.\n\n"
            "00:00:10.000 --> 01:01:10.500\nRight?\n\n"
            "01:01:10.500 --> 01:01:20.000\nAnswer: yes. All 16 are.\n");
}

TEST_F(CaptionsOf, ALesson_AreInOneLanguage) {
  EXPECT_EQ(captions("zh"),
            "WEBVTT\n\n"
            "00:00:00.000 --> 00:00:10.000\nA 有 4 行。每个线程读取 A 的一行和 B "
            "的一列，每次一个元素。\n\n"
            "00:00:10.000 --> 01:01:10.500\n对吗？\n\n"
            "01:01:10.500 --> 01:01:20.000\n答案：是。16 个都对。\n");
}

}  // namespace
}  // namespace tilestep::course

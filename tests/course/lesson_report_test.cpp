#include "course/lesson_report.h"

#include "asking.h"
#include "lesson/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilestep::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "5: This wrong answer, 9, is the right one."
std::vector<std::string> mistakes_of(const lesson::Lesson& of) {
  static compile::Compiler compiler{compile::CacheOptions{}};
  static const timing::UnreadDataSet dataset(test::source_folder() / "assets" / "timings" /
                                             "h200.json");
  Answers answers({compiler, test::repository_catalog(), &dataset, nullptr}, of.follow());
  std::vector<std::string> all;
  for (const LessonMistake& mistake : report_on(of, answers).mistakes) {
    all.push_back(std::to_string(mistake.line) + ": " + mistake.sentence);
  }
  return all;
}

const std::string kTwoByTwo =
    "```scene\nname = \"one\"\nkernel = \"naive\"\nM = 2\nN = 2\nK = 2\nblock_size = 2\n```\n";

std::vector<std::string> all_mistakes_in(const std::string& question, const char* kind) {
  const auto lesson =
      lesson::parse_lesson(kTwoByTwo + "```question\nname = \"q\"\ntext = \"?\"\nkind = \"" + kind +
                               "\"\n" + question + "```\n",
                           "l.md");
  return lesson ? mistakes_of(*lesson) : std::vector{lesson.error().message};
}
// The question's own keys begin in line 12. It has no reason, which is another test.
std::vector<std::string> mistakes_in(const std::string& question, const char* kind = "number") {
  std::vector<std::string> all = all_mistakes_in(question, kind);
  std::erase_if(all, [](const std::string& one) {
    return one.find("`right` is missing") != std::string::npos;
  });
  return all;
}
std::vector<std::string> mistakes_below(const std::string& text) {
  const auto lesson = lesson::parse_lesson(kTwoByTwo + text, "l.md");
  return lesson ? mistakes_of(*lesson) : std::vector{lesson.error().message};
}

TEST(LessonReport, EveryLessonThatShips_Holds) {
  const auto folder = test::source_folder() / "assets" / "lessons";
  int lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    const auto lesson = lesson::load_lesson(entry.path());
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_THAT(mistakes_of(*lesson), IsEmpty()) << entry.path();
    ++lessons;
  }
  EXPECT_GE(lessons, 2);
}

// The destinations of its links are tested above.
TEST(LessonReport, EveryLessonButTheRepairShop_ListsWhatToTry) {
  const auto folder = test::source_folder() / "assets" / "lessons";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".md" || entry.path().stem() == "14-repair-shop") {
      continue;  // which has only labs
    }
    const auto lesson = lesson::load_lesson(entry.path());
    ASSERT_TRUE(lesson) << lesson.error().message;
    std::size_t tries = 0;
    for (const lesson::Scene& scene : lesson->scenes) {
      for (const lesson::Words& one : scene.tries) {
        EXPECT_EQ(lesson::links_in(one.in("en")).size(), 1U) << entry.path() << one.in("en");
        EXPECT_EQ(lesson::links_in(one.in("zh")).size(), 1U) << entry.path() << one.in("zh");
        ++tries;
      }
    }
    EXPECT_GE(tries, 2U) << entry.path();
  }
}

TEST(LessonReport, RightAndWrongAnswersDiffer) {
  EXPECT_THAT(mistakes_in("answer = \"M * N\"\n[[wrong]]\nis = \"3\"\n"), IsEmpty());
  EXPECT_THAT(mistakes_in("answer = \"M * N\"\n[[wrong]]\nis = \"2 + 2\"\n"),
              ElementsAre("15: The answer 4 is listed as wrong, but it is the correct answer."));
  EXPECT_THAT(mistakes_in("answer = \"100\"\ntolerance = \"2 %\"\n[[wrong]]\nis = \"101\"\n"),
              ElementsAre("16: The answer 101 is listed as wrong, but it is the correct answer."));
  EXPECT_THAT(mistakes_in("answer = \"4\"\n[[wrong]]\nis = \"3\"\n[[wrong]]\nis = \"M + 1\"\n"),
              ElementsAre("17: The wrong answer 3 is the same as the one at line 15."));
}

TEST(LessonReport, AnswersAreOfTheKindThatIsAskedFor) {
  EXPECT_THAT(mistakes_in("answer = \"wrong() == 0\"\n"),
              ElementsAre("13: The answer is yes or no, but the question asks for a number."));
  EXPECT_THAT(mistakes_in("answer = \"M\"\n", "cell"),
              ElementsAre("13: The answer is a number, but the question asks for a cell."));
  EXPECT_THAT(
      mistakes_in("answer = \"t1\"\n[[wrong]]\nis = \"1\"\n", "thread"),
      ElementsAre("15: This wrong answer is a number, but the question asks for a thread."));
  EXPECT_THAT(mistakes_in("answer = \"12\"\n", "line"), IsEmpty());
}

TEST(LessonReport, AnswersThatAreNotThere_AreTold) {
  EXPECT_THAT(
      mistakes_in("answer = \"value(Csub)\"\n"),
      ElementsAre(HasSubstr("13: value(Csub): \"Csub\": the kernel has no variable Csub.")));
  EXPECT_THAT(mistakes_in("answer = \"source(C[0][0], end)\"\n", "cell"),
              ElementsAre(HasSubstr("comes from 4 elements")));
}

TEST(LessonReport, OneChoiceIsRight) {
  const std::string head = "answer = \"M * N\"\nchoices = [ { text = \"a\", is = \"4\" }, ";
  EXPECT_THAT(mistakes_in(head + "{ text = \"b\", is = \"3\" } ]\n", "choice"), IsEmpty());
  EXPECT_THAT(
      mistakes_in(head + "{ text = \"b\", is = \"N * M\" } ]\n", "choice"),
      ElementsAre("14: Two choices have the same value: 4.",
                  "9: 2 of the 2 choices equal the answer, 4. Exactly one choice must equal it."));
  EXPECT_THAT(
      mistakes_in("answer = \"M * N\"\nchoices = [ { text = \"a\", is = \"5\" }, "
                  "{ text = \"b\", is = \"3\" } ]\n",
                  "choice"),
      ElementsAre("9: 0 of the 2 choices equal the answer, 4. Exactly one choice must equal it."));
}

TEST(LessonReport, AnAnswerHasItsReason) {
  EXPECT_THAT(
      all_mistakes_in("answer = \"4\"\n", "number"),
      ElementsAre(
          "9: `right` is missing: one sentence that says why the answer of 'q' is correct."));
  EXPECT_THAT(all_mistakes_in("answer = \"4\"\nright = \"2 + 2\"\n", "number"), IsEmpty());
  EXPECT_THAT(all_mistakes_in("answer = \"4\"\nright = \"{{ M / 0 }}\"\n", "number"),
              ElementsAre("14: M / 0: The expression divides by zero."));
}

TEST(LessonReport, ALessonOfACourseEndsWithARecapOfThreeLines) {
  const auto mistakes = [](const std::string& recap) {
    const auto lesson = lesson::parse_lesson(
        "```lesson\nid = \"l\"\nlanguages = [\"en\"]\n```\n" + kTwoByTwo + recap, "l.md");
    return lesson ? mistakes_of(*lesson) : std::vector{lesson.error().message};
  };
  EXPECT_THAT(mistakes(""), ElementsAre(HasSubstr("1: The lesson has no recap.")));
  EXPECT_THAT(mistakes("```recap\nlines = [\"a\", \"b\"]\n```\n"),
              ElementsAre("13: `lines` has 2 texts, but a recap needs 3."));
  EXPECT_THAT(mistakes("```recap\nlines = [\"a\", \"b\", \"c\"]\nnext = \"m\"\n```\n"),
              ElementsAre(HasSubstr("13: `teaser` is missing")));
  EXPECT_THAT(mistakes("```recap\nlines = [\"a\", \"b\", \"{{ M }}\"]\n```\n"), IsEmpty());
}

TEST(LessonReport, EveryNextLessonShips) {
  const auto folder = test::source_folder() / "assets" / "lessons";
  std::size_t last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto lesson = lesson::load_lesson(entry.path());
    if (!lesson || lesson->recap() == nullptr) {
      continue;
    }
    const std::string& next = lesson->recap()->recap->next;
    last += next.empty() ? 1 : 0;
    EXPECT_TRUE(next.empty() || std::filesystem::exists(folder / (next + ".md"))) << next;
  }
  EXPECT_EQ(last, 1U);
}

TEST(LessonReport, PlacesAndCellsExist) {
  EXPECT_THAT(mistakes_below("```scene\nname = \"b\"\nbase = \"one\"\nplace = \"phase:9\"\n```\n"),
              ElementsAre(HasSubstr("9: There is no phase 9")));
  EXPECT_THAT(
      mistakes_below("```scene\nname = \"b\"\nbase = \"one\"\nfocus = { thread = 4 }\n```\n"),
      ElementsAre(HasSubstr("9: The focus is thread 4 of block 0")));
  EXPECT_THAT(mistakes_below("```scene\nname = \"b\"\nkernel = \"naiv\"\n```\n"),
              ElementsAre(HasSubstr("naiv")));
  EXPECT_THAT(mistakes_below(
                  "```scene\nname = \"b\"\nbase = \"one\"\n"
                  "point = [ { cells = \"A[0..2][0]\" }, { line = 999 }, { phase = 9 } ]\n```\n"),
              ElementsAre(HasSubstr("point: A[2][0] is out of range"),
                          HasSubstr("point: there is no line 999"),
                          HasSubstr("point: there is no phase 9")));
  EXPECT_THAT(
      mistakes_below("```scene\nname = \"b\"\nbase = \"one\"\ntab = \"timing\"\n"
                     "timing = { size = 4097, kernel = \"tiled\", block_size = 16 }\n```\n"),
      ElementsAre(HasSubstr("9: timing: The data set h200 has no point of tiled at 4097")));
  EXPECT_THAT(
      mistakes_below("See [it](#cell=A[5][5]) and [there](#place=step:99999).\n"),
      ElementsAre(HasSubstr("9: A[5][5] is out of range"), HasSubstr("9: There is no step 99999")));
}

TEST(LessonReport, TextsAreInAllLanguages) {
  EXPECT_THAT(mistakes_below("Only English, in a lesson with one language.\n"), IsEmpty());
  EXPECT_THAT(
      mistakes_below("[en]\nEnglish\n[zh]\n中文\n"),
      ElementsAre("1: This title is missing in the language 'en', one of the lesson's languages."));
  EXPECT_THAT(
      mistakes_below("[zh]\n中文\n"),
      ElementsAre(HasSubstr("title"),
                  "10: This text is missing in the language 'en', one of the lesson's languages."));
}

TEST(LessonReport, NumbersInTextsHaveValues) {
  EXPECT_THAT(mistakes_below("{{ M * N }} elements\n"), IsEmpty());
  EXPECT_THAT(mistakes_below("a\n{{ M / (N - 2) }} elements\n"),
              ElementsAre("10: M / (N - 2): The expression divides by zero."));
}

TEST(LessonReport, RowsOfLabsMayBeLaunched) {
  EXPECT_THAT(mistakes_below("```lab\nname = \"l\"\nkernel = \"nowhere.cu\"\n[[row]]\n"
                             "launch = { M = 2 }\n```\n"),
              ElementsAre(HasSubstr("nowhere.cu")));
}

TEST(LessonReport, AnAnswerThatIsRightAsWellIsNoWrongOne) {
  EXPECT_THAT(
      mistakes_in("answer = \"12\"\nalso = \"13\"\n[[wrong]]\nis = \"13\"\nsays = \"No.\"\n",
                  "line"),
      ElementsAre("16: The answer 13 is listed as wrong, but it is the correct answer."));
  EXPECT_THAT(mistakes_in("answer = \"M\"\nalso = \"C[0][0]\"\n"),
              ElementsAre(HasSubstr("This answer is a cell, but the question asks for a number.")));
}

// Limits and memories that a text ascribes to more than it applies to.
TEST(LessonReport, NoLessonGivesALimitToMoreThanItHolds) {
  const struct {
    const char* number;
    std::vector<const char*> of;  // one of them is in the same text
  } kLimits[] = {
      {"49,152", {"tatic array", "eclared array", "静态", "声明的数组", "49,152 是字节数"}},
      {"64 warps and 2048", {"H200"}},
      {"64 个线程束、2048", {"H200"}},
  };
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_folder() / "assets" / "lessons")) {
    const auto lesson = lesson::load_lesson(file.path());
    for (const lesson::TextOfLesson& text :
         lesson ? lesson::every_text(*lesson) : std::vector<lesson::TextOfLesson>()) {
      for (const auto& [language, words] : text.words->by_language) {
        for (const auto& limit : kLimits) {
          const bool is_named = std::ranges::any_of(limit.of, [&](const char* name) {
            return words.text.find(name) != std::string::npos;
          });
          EXPECT_TRUE(is_named || words.text.find(limit.number) == std::string::npos)
              << file.path().filename() << " " << language << ": " << words.text;
        }
        const bool is_of_naive = text.state->kernel == "naive" ||
                                 words.text.find("naive would reach") != std::string::npos ||
                                 words.text.find("naive 最多") != std::string::npos;
        EXPECT_TRUE(!is_of_naive || words.text.find("L2 and shared memory") == std::string::npos)
            << words.text;
        EXPECT_TRUE(!is_of_naive || words.text.find("L2 和共享内存") == std::string::npos)
            << words.text;
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::course

#include "lesson/variant.h"

#include "folders.h"
#include "problem/in_language.h"
#include "problem/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tilestep::lesson {
namespace {

using testing::HasSubstr;

Result<Lesson> with_lab(const std::string& toml) {
  return parse_lesson(
      "# L\n```scene\nname = \"s\"\n```\n```lab\nname = \"l\"\nkernel = \"l.cu\"\n" + toml +
          "\n```\n",
      "l.md");
}

Lab lab_of(const std::string& toml) {
  auto lesson = with_lab(toml);
  EXPECT_TRUE(lesson) << lesson.error().message;
  return lesson ? lesson->labs.at(0) : Lab{};
}

constexpr const char* kRows =
    "[[row]]\nlaunch = { M = 5 }\nhint = \"five\"\nwith = \"size\"\n"
    "[[row.or]]\nlaunch = { M = 6 }\nhint = \"six\"\n[[row.or]]\nrequire = \"yes\"\n"
    "[[row]]\nrequire = \"M > 0\"\n";

TEST(Variants, HaveOneOfTheRows_AndARowWithoutALaunchFollowsIt) {
  const Lab lab = lab_of(kRows);
  EXPECT_EQ(variants_of(lab), 3U);
  const Lab usual = variant_of(lab, "");
  EXPECT_EQ(usual.rows[0].state.parameters.problem.M, 5);
  EXPECT_TRUE(usual.rows[0].others.empty());
  std::map<std::string, int> seen;  // by hint and condition
  for (int seed = 0; seed < 60; ++seed) {
    const Lab variant = variant_of(lab, std::to_string(seed));
    const LabRow& row = variant.rows[0];
    const int m = row.state.parameters.problem.M;
    EXPECT_EQ(variant.rows[1].state, row.state);
    EXPECT_EQ(m, row.hint.in() == "six" ? 6 : 5) << "keys that are left out are the row's";
    ++seen[row.hint.in() + (row.require.empty() ? "" : " yes")];
  }
  EXPECT_EQ(seen.size(), 3U);
  for (const auto& [row, count] : seen) {
    EXPECT_GT(count, 8) << row;
  }
}

TEST(Variants, TextsWithTheSameWordChooseAlikeWithRows) {
  const Lab lab =
      lab_of(std::string(kRows) +
             "[[vary]]\ntexts = [[\"one\", \"a < b\"], [\"two\", \"a <= b\"], [\"three\", "
             "\"\"]]\nwith = \"size\"\n[[vary]]\ntexts = [\"acc\", \"sum\"]\n");
  EXPECT_EQ(variants_of(lab), 6U);
  std::set<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    const std::string seed = std::to_string(i);
    const std::string text = starter_code(lab, "acc one; a < b; acc2 _acc acc", seed);
    const LabRow row = variant_of(lab, seed).rows[0];
    EXPECT_EQ(text.find("two") != std::string::npos, row.hint.in() == "six") << text;
    EXPECT_EQ(text.find("three") != std::string::npos, !row.require.empty()) << text;
    EXPECT_EQ(seed_in(text), seed);
    texts.insert(text.substr(text.find('\n') + 1));
  }
  EXPECT_EQ(texts, (std::set<std::string>{
                       "acc one; a < b; acc2 _acc acc", "acc two; a <= b; acc2 _acc acc",
                       "acc three; ; acc2 _acc acc", "sum one; a < b; acc2 _acc sum",
                       "sum two; a <= b; acc2 _acc sum", "sum three; ; acc2 _acc sum"}));
}

TEST(Variants, PartsMayContainNames_AndTradePlaces) {
  const Lab lab = lab_of(
      "[[row]]\nlaunch = { M = 5 }\n[[vary]]\ntexts = [[\"x[0]\", \"x[1]\"], "
      "[\"x[1]\", \"x[0]\"]]\n[[vary]]\ntexts = [\"x\", \"y\"]\n");
  std::set<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    const std::string text = starter_code(lab, "x[0] = 1; x[1] = 2;", std::to_string(i));
    texts.insert(text.substr(text.find('\n') + 1));
  }
  EXPECT_EQ(texts, (std::set<std::string>{"x[0] = 1; x[1] = 2;", "x[1] = 1; x[0] = 2;",
                                          "y[0] = 1; y[1] = 2;", "y[1] = 1; y[0] = 2;"}));
}

TEST(Variants, MistakesInThem_NameTheLine) {
  const auto message = [](const std::string& toml) {
    const auto lesson = with_lab("[[row]]\nlaunch = { M = 5 }\n" + toml);
    return lesson ? "no error" : lesson.error().message;
  };
  for (const char* const texts :
       {"[]", "[\"one\"]", "[[\"a\"], [\"a\", \"b\"]]", "[\"\", \"a\"]", "3"}) {
    EXPECT_THAT(message(std::string("[[vary]]\ntexts = ") + texts + "\n"),
                HasSubstr("l.md:10: `texts` of a [[vary]] must be at least two texts"))
        << texts;
  }
  EXPECT_THAT(message("[[row.or]]\nlaunch = { kernel = \"tiled\" }\n"),
              HasSubstr("`launch` of a row cannot set kernel"));
  EXPECT_THAT(message("[[row.or]]\nplace = \"end\"\n"), HasSubstr("place"));
}

TEST(Seeds, AreTextsOfTheFirstLine) {
  EXPECT_EQ(seed_in("// variant = 王 伟 \r\nint x;"), "王 伟");
  EXPECT_EQ(seed_in("// variant = a"), "a");
  EXPECT_EQ(seed_in("\n// variant = a\n"), "");
  EXPECT_EQ(seed_in("// variants = a\n"), "");
  EXPECT_EQ(seed_in(""), "");
}

// The comments of the shipped labs are messages (scripts/words.py).
TEST(StarterCode, HasCommentsInTheCurrentLanguage_OnTheSameLines) {
  const std::string text =
      "// Lab 14, repair 7: a text's tiled kernel, as printed. C is correct in the end.\n//\n"
      "// How often is each element of C stored? Store it once.\n\nint x;  // columns\n"
      "// a comment of somebody else\n  // TODO 1\nint y; // columns\n";
  find_languages(test::source_folder() / "assets" / "words");
  const InLanguage chinese("zh");
  const std::string translated = starter_code({}, text, "");
  EXPECT_THAT(translated, HasSubstr("// 实验 14，修理 7：某材料的分块核函数"));
  EXPECT_THAT(translated, HasSubstr("\n\nint x;  // 列\n// a comment of somebody else\n"));
  EXPECT_THAT(translated, HasSubstr("\nint y; // 列\n"));
  EXPECT_EQ(std::ranges::count(translated, '\n'), std::ranges::count(text, '\n'));
}

}  // namespace
}  // namespace tilestep::lesson

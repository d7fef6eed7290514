#include "problem/language.h"

#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilestep {
namespace {

using problem::Translation;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeader =
    "msgid \"\"\nmsgstr \"\"\n\"X-Language-Name: Probe\\n\"\n"
    "\"Plural-Forms: nplurals=3; plural=n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? "
    "1 : 2;\\n\"\n\n";

Translation translation(const std::string& entries) {
  auto made = Translation::parse(kHeader + entries, "probe.po");
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? std::move(*made) : Translation();
}

// Uses the languages of a folder of its own, and English afterwards.
class Languages : public testing::Test {
 protected:
  Languages() {
    std::filesystem::create_directories(folder_);
    find_languages(folder_);
  }
  void TearDown() override {
    EXPECT_TRUE(set_usual_language(""));
    EXPECT_TRUE(speak(kEnglishTag));
    std::filesystem::remove_all(folder_);
  }
  void add(const std::string& tag, const std::string& entries) {
    ASSERT_TRUE(problem::write_file(folder_ / (tag + ".po"), kHeader + entries));
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tilestep-languages-" + std::to_string(::getpid()));
};

TEST(Translation, TakesTheFormThatTheFormulaNames) {
  const Translation polish = translation(
      "msgid \"{} block\"\nmsgid_plural \"{} blocks\"\nmsgstr[0] \"{} blok\"\nmsgstr[1] \"{} "
      "bloki\"\nmsgstr[2] \"{} bloków\"\n");
  EXPECT_STREQ(polish.find("{} block", 1), "{} blok");
  EXPECT_STREQ(polish.find("{} block", 3), "{} bloki");
  EXPECT_STREQ(polish.find("{} block", 12), "{} bloków");
  EXPECT_STREQ(polish.find("{} block", 5'000'022), "{} bloki");
  EXPECT_EQ(polish.name(), "Probe");
}

TEST(Translation, JoinsLinesAndReadsEscapes) {
  const Translation made =
      translation("#: somewhere\nmsgid \"\"\n\"say \\\"\"\n\"a\\nb\\\"\"\nmsgstr \"c\\td\"\n");
  EXPECT_STREQ(made.find("say \"a\nb\""), "c\td");
}

TEST(Translation, LeavesOutWhatIsFuzzyEmptyOrHasOtherPlaces) {
  const Translation made = translation(
      "#, fuzzy\nmsgid \"one\"\nmsgstr \"x\"\n\nmsgid \"two\"\nmsgstr \"\"\n\n"
      "msgid \"{} of {:.2f}\"\nmsgstr \"{1} {0}\"\n\nmsgid \"{} in {}\"\nmsgstr \"{1} {0}\"\n");
  EXPECT_EQ(made.find("one"), nullptr);
  EXPECT_EQ(made.find("two"), nullptr);
  EXPECT_EQ(made.find("{} of {:.2f}"), nullptr) << "a number would be written in another form";
  EXPECT_STREQ(made.find("{} in {}"), "{1} {0}");
  EXPECT_THAT(made.refused(), ElementsAre("{} of {:.2f}"));
}

TEST(Translation, SaysWhichLineIsNone) {
  const auto wrong = Translation::parse("msgid \"a\"\nmsgstr \"b\"\nhello\n", "de.po");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("de.po:3: not a line of a .po file."));
  const auto formula = Translation::parse(
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=n ==;\\n\"\n", "de.po");
  ASSERT_FALSE(formula);
  EXPECT_THAT(formula.error().message, HasSubstr("de.po: the Plural-Forms"));
}

TEST(Placeholders, AreCountedSortedAndKeepTheirFormat) {
  using problem::placeholders;
  EXPECT_THAT(placeholders("{} at {:.2f}, {{not this}}"), ElementsAre("{0}", "{1:.2f}"));
  EXPECT_EQ(placeholders("{1:.2f} {0}"), placeholders("{} at {:.2f}"));
  EXPECT_THAT(placeholders("{} at {1}"), ElementsAre("{0}", "{1}", "{mixed}"));
  EXPECT_THAT(placeholders("{threads} {threads:wait|waits} {line}"),
              ElementsAre("{line}", "{threads}"));
}

TEST_F(Languages, AreEnglishAndTheFilesOfTheFolder) {
  add("zz",
      "msgid \"{} stores {}\"\nmsgstr \"{1}, {0}\"\n\nmsgid \"{} word\"\nmsgid_plural \"{} "
      "words\"\nmsgstr[0] \"{} w1\"\nmsgstr[1] \"{} w2\"\nmsgstr[2] \"{} w3\"\n");
  EXPECT_THAT(languages(), ElementsAre(Language{"en", "English"}, Language{"zz", "Probe"}));
  EXPECT_EQ(tr("{} stores {}", 1, "As"), "1 stores As");
  ASSERT_TRUE(speak("zz"));
  EXPECT_EQ(tr("{} stores {}", 1, "As"), "As, 1") << "places in the language's own order";
  EXPECT_EQ(tr_n("{} word", "{} words", 3), "3 w2");
  EXPECT_EQ(plural(7, "word"), "7 w3");
  EXPECT_STREQ(tr("not translated"), "not translated");
  EXPECT_EQ(fmt::format("{}", Message("not translated")), "not translated");
  ASSERT_TRUE(speak("en"));
  EXPECT_EQ(plural(7, "word"), "7 words");
}

TEST_F(Languages, HaveNoBlankBetweenTwoIdeographs) {
  add("yy", "msgid \"{} reads {}\"\nmsgstr \"线程 {0} 读取 {1} 。\"\n");
  ASSERT_TRUE(speak("yy"));
  EXPECT_EQ(tr("{} reads {}", "(1,0)", "As[0][0]"), "线程 (1,0) 读取 As[0][0] 。");
  EXPECT_EQ(tr("{} reads {}", "甲", "乙"), "线程甲读取乙。");
}

TEST_F(Languages, OfTheEnvironmentIsTheFirstVariableThatIsSet) {
  ::setenv("LC_ALL", "", 1);
  ::setenv("LC_MESSAGES", "zz_CN.UTF-8", 1);
  ::setenv("LANG", "en_GB", 1);
  EXPECT_EQ(language_of_environment(), "zz");
  ASSERT_TRUE(speak(""));
  EXPECT_EQ(spoken_language(), "en") << "there is no such file";
  add("zz", "");
  ASSERT_TRUE(speak(""));
  EXPECT_EQ(spoken_language(), "zz");
  ::setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(language_of_environment(), "en");
  ASSERT_TRUE(set_usual_language("zz"));
  ASSERT_TRUE(speak("en"));
  ASSERT_TRUE(speak(""));
  EXPECT_EQ(spoken_language(), "zz") << "an option stands above the environment";
}

TEST_F(Languages, ThatIsNotThereLeavesTheOneBefore) {
  const auto unknown = speak("xx");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "unknown language 'xx'. Known languages: en.");
  ASSERT_TRUE(problem::write_file(folder_ / "bad.po", "hello\n"));
  EXPECT_FALSE(speak("bad"));
  EXPECT_EQ(spoken_language(), "en");
}

}  // namespace
}  // namespace tilestep

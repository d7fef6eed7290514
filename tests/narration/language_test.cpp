// The narration in another language.
#include "problem/language.h"

#include "folders.h"
#include "narration/english.h"
#include "narration/templates.h"
#include "problem/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace tilestep::narration {
namespace {

std::set<std::string_view> names_in(std::string_view form) {
  const auto names = places_of(form);
  return {names.begin(), names.end()};
}

// Whether there are letters outside places.
bool has_words(std::string_view form) {
  int depth = 0;
  return std::ranges::any_of(form, [&depth](char c) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    return depth == 0 && c >= 'a' && c <= 'z';
  });
}

TEST(Translated, EveryRowHasTheSamePlaces) {
  const auto file = tilestep::test::source_folder() / "assets" / "words" / "zh.po";
  const auto text = problem::read_file(file);
  ASSERT_TRUE(text);
  const auto chinese = problem::Translation::parse(*text, file.string());
  ASSERT_TRUE(chinese) << chinese.error().message;
  for (const Row& row : kEnglish) {
    for (const std::string_view form : {row.long_form, row.short_form}) {
      const char* const said = chinese->find(form);
      ASSERT_TRUE(said != nullptr || !has_words(form)) << row.id << " is not translated";
      if (said != nullptr) {
        EXPECT_EQ(names_in(said), names_in(form)) << row.id;
      }
    }
  }
}

TEST(Translated, OrdersPlacesAsItsLanguageDoes) {
  find_languages(tilestep::test::source_folder() / "assets" / "words");
  ASSERT_TRUE(speak("zh"));
  const Places places{{"threads", plain(counted(16, Noun::Thread))},
                      {"to", plain("As")},
                      {"from", plain("A")},
                      {"numbers", plain(counted(16, Noun::Number))},
                      {"thread", plain("线程 (1,0)")},
                      {"source", strong("A[0][1]", Hue::FromA)},
                      {"value", plain("6")},
                      {"target", plain("As[0][1]")}};
  const Sentence sentence = say(Kind::SharedStore, "tile_copy", places);
  EXPECT_EQ(plain_text(sentence.long_form),
            "16 个线程把 A 的 16 个数复制到 As。线程 (1,0) 把 A[0][1] = 6 写入 As[0][1]。");
  EXPECT_EQ(plain_text(listed({plain("As"), plain("Bs"), plain("C")})), "As、Bs 和 C");
  ASSERT_TRUE(speak(kEnglishTag));
}

}  // namespace
}  // namespace tilestep::narration

#include "ui/rich_text.h"

#include "lesson/rich_text.h"
#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr ImU32 kPlain = 0xff123456;

std::vector<TextWord> words_of(const std::string& markdown) {
  return text_words(lesson::paragraphs_of(markdown).front(), theme(state::Theme::Dark), kPlain,
                    "acc");
}

bool is_plain(const std::vector<TextWord>& words, const std::string& text) {
  const auto word = std::ranges::find(words, text, &TextWord::text);
  return word != words.end() && word->colour == kPlain;
}

// Whether a line may break before it.
bool begins(const std::vector<TextWord>& words, const std::string& text) {
  const auto word = std::ranges::find(words, text, &TextWord::text);
  return word != words.end() && word->begins;
}

TEST(RichText, ColoursArraysAndNoArticlesOrTexts) {
  EXPECT_FALSE(is_plain(words_of("It reads A twice."), "A"));
  EXPECT_TRUE(is_plain(words_of("A thread reads it."), "A"));
  EXPECT_TRUE(is_plain(words_of("It says \"A thread reads it\"."), "\"A"));
  EXPECT_TRUE(is_plain(words_of("A `__shared__` array keeps it."), "A"));
  EXPECT_FALSE(is_plain(words_of("A is 2×4."), "A"));
  EXPECT_TRUE(is_plain(words_of("Text B keeps it."), "B"));
  EXPECT_FALSE(is_plain(words_of("The tile of B keeps it."), "B"));
}

TEST(RichText, KeepsANumberWithItsUnitAndAnEquationWhole) {
  const auto share = words_of("It has 15.9 % of it.");
  EXPECT_TRUE(begins(share, "15.9"));
  EXPECT_FALSE(begins(share, "%"));
  const auto sizes = words_of("With M = N = 8 it is right.");
  EXPECT_TRUE(begins(sizes, "M"));
  EXPECT_FALSE(begins(sizes, "N"));
  EXPECT_FALSE(begins(sizes, "8"));
  EXPECT_TRUE(begins(sizes, "it"));
}

TEST(RichText, ALineThatTheFileBreaksBetweenIdeographsHasNoBlank) {
  const auto paragraphs = lesson::paragraphs_of("共 16 个线程，\n却只有 **四个**\n线程束");
  EXPECT_EQ(lesson::plain_text(paragraphs.front()), "共 16 个线程，却只有四个线程束");
}

}  // namespace
}  // namespace tilestep::ui

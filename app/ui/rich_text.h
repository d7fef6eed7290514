// A lesson's words on screen: Markdown in lines of a width, with the hues of named arrays and
// clickable links.
#pragma once

#include "lesson/rich_text.h"
#include "ui/panel.h"

#include <string>
#include <vector>

namespace tilestep::ui {

// A word, or part of one, in one style; in Chinese a character with its attached punctuation.
struct TextWord {
  std::string text;
  bool begins = true;  // a line may break before it
  bool blank = true;   // a blank precedes it, except at a line's beginning
  bool strong = false;
  bool emphasis = false;
  bool code = false;
  std::string link;
  ImU32 colour = 0;
};
// Blue for A, rose for B, yellow for a sum: As[1][2], B₂, `acc`. `sum`: the variable that holds the
// sums of the kernel on stage. An "A" that begins a sentence before another word is an article.
[[nodiscard]] std::vector<TextWord> text_words(const lesson::Paragraph& paragraph,
                                               const Theme& theme, ImU32 plain,
                                               const std::string& sum);

struct RichText {
  float x = 0.0F;
  float y = 0.0F;
  float width = 0.0F;  // in pixels, as all of these
  float size = 0.0F;
  ImU32 colour = 0;
  bool draws = true;  // false: only measures
};
// Returns the height. A clicked link adds state::FollowLink.
float draw_rich_text(const Context& context, const std::vector<lesson::Paragraph>& paragraphs,
                     const RichText& at, Commands& commands);

// The longest beginning of a paragraph that ends with a sentence and fits into `lines` lines, or
// else its first sentence.
[[nodiscard]] lesson::Paragraph sentences_that_fit(const Context& context,
                                                   const lesson::Paragraph& paragraph,
                                                   const RichText& at, int lines);

}  // namespace tilestep::ui

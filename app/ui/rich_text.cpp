#include "ui/rich_text.h"

#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr float kLine = 1.4F;  // of the text's size
constexpr float kBetween = 0.55F;
constexpr float kIndent = 1.4F;
constexpr float kCodeSize = 0.97F;
constexpr float kEmboldens = 0.035F;
constexpr const char* kSubscripts[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The end of a name: letters, digits and attached indices: "As[1][2]", "B₂".
std::size_t name_end(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) {
    ++at;
  }
  bool goes_on = true;
  while (goes_on) {
    goes_on = false;
    if (at < text.size() && text[at] == '[') {
      const std::size_t close = text.find(']', at);
      goes_on = close != std::string_view::npos && text.find(' ', at) > close;
      at = goes_on ? close + 1 : at;
    }
    for (const std::string_view subscript : kSubscripts) {
      if (text.substr(at).starts_with(subscript)) {
        at += subscript.size();
        goes_on = true;
      }
    }
  }
  return at;
}

bool begins_sentence(std::string_view before) {
  if (before.ends_with('"') || before.ends_with("“")) {
    return true;  // a quotation
  }
  while (before.ends_with(' ')) {
    before.remove_suffix(1);
  }
  return before.empty() || before.back() == '.' || before.back() == '?' || before.back() == '!' ||
         before.back() == ':';
}

// "A block …" or "A `float` …", but not "A is 2×4".
bool is_article(std::string_view text, std::size_t at, std::size_t end) {
  if (text.substr(at, end - at) != "A" || !begins_sentence(text.substr(0, at)) ||
      end >= text.size() || text[end] != ' ') {
    return false;
  }
  const std::string_view next = text.substr(end + 1);
  const bool is_verb =
      std::ranges::any_of(std::array<std::string_view, 4>{"is ", "has ", "and ", "holds "},
                          [&next](std::string_view word) { return next.starts_with(word); });
  return next.empty() || (is_letter(next.front()) && !is_verb);
}

// "Text B keeps …": one of the texts on which the course is based.
bool is_of_a_text(std::string_view before) {
  for (const std::string_view word : {"Text ", "text ", "Texts ", "texts ", "材料 "}) {
    if (before.ends_with(word)) {
      return true;
    }
  }
  return false;
}

insight::ValueRole role_named(std::string_view name, const std::string& sum) {
  using insight::ValueRole;
  const std::string_view word = name.substr(
      0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
  if (word == "A" || word == "As") {
    return ValueRole::A;
  }
  if (word == "B" || word == "Bs") {
    return ValueRole::B;
  }
  return word == "C" || word == "acc" || (!sum.empty() && word == sum) ? ValueRole::Sum
                                                                       : ValueRole::None;
}

// A name, or a run of words without one.
struct Piece {
  std::string text;
  insight::ValueRole role = insight::ValueRole::None;
};
std::vector<Piece> pieces_by_role(const std::string& text, const std::string& sum) {
  std::vector<Piece> pieces;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts =
        is_letter(text[at]) && (at == 0 || !(is_letter(text[at - 1]) || is_digit(text[at - 1])));
    if (!starts) {
      ++at;
      continue;
    }
    const std::size_t end = name_end(text, at);
    const std::string_view name = std::string_view(text).substr(at, end - at);
    const bool is_text = name.size() == 1 && is_of_a_text(std::string_view(text).substr(0, at));
    const auto role =
        is_article(text, at, end) || is_text ? insight::ValueRole::None : role_named(name, sum);
    if (role != insight::ValueRole::None) {
      pieces.push_back({text.substr(from, at - from), insight::ValueRole::None});
      pieces.push_back({std::string(name), role});
      from = end;
    }
    at = end;
  }
  pieces.push_back({text.substr(from), insight::ValueRole::None});
  std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
  return pieces;
}

// Splits the spans of a paragraph at blanks, and where a line of Chinese, which has no blanks, may
// break. Text without either continues the word before.
class Splitter {
 public:
  explicit Splitter(std::vector<TextWord>& out) : out_(out) {}

  void add(const std::string& text, const TextWord& style) {
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
      unsigned c = 0;
      const int size = std::max(ImTextCharFromUtf8(&c, at, end), 1);
      if (c == ' ' || c == '\n') {
        flush(style);
        has_blank_ = true;
      } else {
        if (may_break_between(before_, c)) {
          flush(style);
          may_break_ = true;
        }
        word_.append(at, static_cast<std::size_t>(size));
      }
      before_ = c;
      at += size;
    }
    flush(style);
  }

 private:
  void flush(const TextWord& style) {
    if (word_.empty()) {
      return;
    }
    TextWord word = style;
    word.text = std::exchange(word_, "");
    word.blank = std::exchange(has_blank_, false);
    word.begins = std::exchange(may_break_, false) || word.blank;
    out_.push_back(std::move(word));
  }

  std::vector<TextWord>& out_;
  std::string word_;
  bool has_blank_ = true;
  bool may_break_ = false;
  unsigned before_ = 0;
};

// "15.9 %", "M = N = 8": no line break inside.
void keep_together(std::vector<TextWord>& words) {
  constexpr std::size_t kShort = 2;   // "M", "N,"
  constexpr std::size_t kNumber = 5;  // "4096,"
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& before = words[i - 1].text;
    const std::string& word = words[i].text;
    const bool is_unit = word.starts_with('%');
    const bool is_equation =
        (word == "=" && before.size() <= kShort) || (before == "=" && word.size() <= kNumber);
    words[i].begins = words[i].begins && !is_unit && !is_equation;
  }
}

ImFont* font_of_word(const Context& context, const TextWord& word) {
  const bool is_heavy = word.strong || word.emphasis;  // there is no italic face
  return word.code ? context.fonts.mono : is_heavy ? context.fonts.bold : context.fonts.text;
}

class Setter {
 public:
  Setter(const Context& context, const RichText& at, Commands& commands)
      : c_(context), at_(at), commands_(commands), y_(at.y) {}

  float run(const std::vector<lesson::Paragraph>& paragraphs) {
    for (const lesson::Paragraph& paragraph : paragraphs) {
      if (y_ > at_.y) {
        y_ += kBetween * at_.size;
      }
      set(paragraph);
    }
    return y_ - at_.y;
  }

 private:
  void set(const lesson::Paragraph& paragraph) {
    const std::string sum = c_.view.run.scene != nullptr ? c_.view.run.scene->accumulator : "";
    const float indent = kIndent * at_.size * static_cast<float>(paragraph.depth);
    left_ = at_.x + indent;
    if (!paragraph.bullet.empty()) {
      put(c_.fonts.text, paragraph.bullet, left_ - at_.size, at_.colour);
    }
    if (paragraph.is_code) {
      code_block(lesson::plain_text(paragraph));
      return;
    }
    x_ = left_;
    const std::vector<TextWord> words = text_words(paragraph, c_.theme, at_.colour, sum);
    for (std::size_t i = 0; i < words.size(); ++i) {
      // Text without a blank before it stays on the same line.
      float whole = width(words[i]);
      for (std::size_t j = i + 1; j < words.size() && !words[j].begins; ++j) {
        whole += width(words[j]);
      }
      const float blank = words[i].blank && x_ > left_ ? 0.27F * at_.size : 0.0F;
      if (words[i].begins && x_ > left_ && x_ + blank + whole > at_.x + at_.width) {
        new_line();
      } else {
        x_ += blank;
      }
      put_in_parts(words[i]);
    }
    new_line();
  }

  // A word that is wider than a line goes on in the next one, after a sign if possible.
  void put_in_parts(TextWord word) {
    const float right = at_.x + at_.width;
    while (word.text.size() > 1 && left_ + width(word) > right) {
      TextWord part = word;
      while (x_ + width(part) > right) {
        const char* const from = part.text.data();
        const auto shorter = static_cast<std::size_t>(
            ImTextFindPreviousUtf8Codepoint(from, from + part.text.size()) - from);
        if (shorter == 0) {
          break;
        }
        part.text.resize(shorter);
      }
      const std::size_t sign = part.text.find_last_of("(,.</");
      part.text.resize(sign == std::string::npos ? part.text.size() : sign + 1);
      word.text.erase(0, part.text.size());
      put(part);
      if (word.text.empty()) {
        return;
      }
      new_line();
    }
    put(word);
  }

  void code_block(const std::string& text) {
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      put_in_parts({text.substr(from, end - from), true, true, false, false, true, "", at_.colour});
      new_line();
      from = end + 1;
    }
  }

  void new_line() {
    y_ += kLine * at_.size;
    x_ = left_;
  }

  // The Chinese font has no bold face; such a word is drawn twice.
  [[nodiscard]] static bool has_no_bold_face(const TextWord& word) {
    unsigned first = 0;
    ImTextCharFromUtf8(&first, word.text.data(), word.text.data() + word.text.size());
    return (word.strong || word.emphasis) && is_wide_character(first);
  }

  [[nodiscard]] float size_of(const TextWord& word) const {
    return word.code ? kCodeSize * at_.size : at_.size;
  }
  [[nodiscard]] float width(const TextWord& word) const {
    return text_width(font_of_word(c_, word), size_of(word), word.text);
  }

  void put(ImFont* font, const std::string& text, float x, ImU32 colour) const {
    if (at_.draws) {
      ImGui::GetWindowDrawList()->AddText(font, at_.size, {std::round(x), std::round(y_)}, colour,
                                          text.c_str());
    }
  }

  void put(const TextWord& word) {
    const float w = width(word);
    if (at_.draws) {
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const ImVec2 from(std::round(x_), std::round(y_));
      list.AddText(font_of_word(c_, word), size_of(word), from, word.colour, word.text.c_str());
      if (has_no_bold_face(word)) {
        const float right = std::max(1.0F, std::round(kEmboldens * at_.size));
        list.AddText(font_of_word(c_, word), size_of(word), {from.x + right, from.y}, word.colour,
                     word.text.c_str());
      }
      if (!word.link.empty()) {
        const float below = from.y + 1.12F * at_.size;
        list.AddLine({from.x, below}, {from.x + w, below}, word.colour,
                     std::max(1.0F, std::round(0.06F * at_.size)));
      }
      if (!word.link.empty()) {
        listen(word, w);
      }
    }
    x_ += w;
  }

  // The cursor stays, because the caller adds one item for all of the text.
  void listen(const TextWord& word, float w) {
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({x_, y_});
    ImGui::PushID(links_++);
    if (hit_button(word.link.c_str(), {w, kLine * at_.size})) {
      commands_.push_back(state::FollowLink{word.link});
    }
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    ImGui::PopID();
    ImGui::SetCursorScreenPos(cursor);
  }

  const Context& c_;
  const RichText& at_;
  Commands& commands_;
  float y_;
  float x_ = 0.0F;
  float left_ = 0.0F;
  int links_ = 0;
};

// The end offset of each sentence of a text.
std::vector<std::size_t> sentence_ends(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool is_stop = text[i] == '.' || text[i] == '?' || text[i] == '!';
    if (is_stop && text[i + 1] == ' ') {
      ends.push_back(i + 1);
    }
    for (const std::string_view wide : {"。", "？", "！"}) {
      if (std::string_view(text).substr(i).starts_with(wide)) {
        ends.push_back(i + wide.size());
      }
    }
  }
  ends.push_back(text.size());
  return ends;
}

lesson::Paragraph first_of(const lesson::Paragraph& paragraph, std::size_t length) {
  lesson::Paragraph begin = paragraph;
  begin.spans.clear();
  for (const lesson::Span& span : paragraph.spans) {
    if (length == 0) {
      break;
    }
    begin.spans.push_back(span);
    begin.spans.back().text = span.text.substr(0, length);
    length -= begin.spans.back().text.size();
  }
  return begin;
}

}  // namespace

std::vector<TextWord> text_words(const lesson::Paragraph& paragraph, const Theme& theme,
                                 ImU32 plain, const std::string& sum) {
  std::vector<TextWord> words;
  Splitter splitter(words);
  for (const lesson::Span& span : paragraph.spans) {
    for (const Piece& piece : pieces_by_role(span.text, sum)) {
      TextWord style{"", true, true, span.strong, span.emphasis, span.code, span.link, plain};
      if (piece.role != insight::ValueRole::None) {
        style.colour = role_colours(theme, piece.role).line;
        style.code = style.code || piece.text.find('[') != std::string::npos;
        style.strong = !style.code;
      } else if (!span.link.empty()) {
        style.colour = theme.accent_text;
      }
      splitter.add(piece.text, style);
    }
  }
  keep_together(words);
  return words;
}

float draw_rich_text(const Context& context, const std::vector<lesson::Paragraph>& paragraphs,
                     const RichText& at, Commands& commands) {
  return Setter(context, at, commands).run(paragraphs);
}

lesson::Paragraph sentences_that_fit(const Context& context, const lesson::Paragraph& paragraph,
                                     const RichText& at, int lines) {
  const std::string text = lesson::plain_text(paragraph);
  RichText measured = at;
  measured.draws = false;
  Commands none;
  lesson::Paragraph best;
  for (const std::size_t end : sentence_ends(text)) {
    lesson::Paragraph begin = first_of(paragraph, end);
    const float height = draw_rich_text(context, {begin}, measured, none);
    if (!best.spans.empty() && height > (static_cast<float>(lines) + 0.5F) * kLine * at.size) {
      break;
    }
    best = std::move(begin);
  }
  return best;
}

}  // namespace tilestep::ui

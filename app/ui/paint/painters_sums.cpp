#include "problem/tr.h"
#include "ui/paint/painters.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// "+ 6·(−2)": the factors in their matrices' hues.
void write_term(TextPen& pen, const Theme& t, const std::string& text, bool from_a_and_b) {
  const std::string dot = "·";
  const std::size_t at = text.find(dot);
  if (!from_a_and_b || at == std::string::npos || text.find(dot, at + 1) != std::string::npos) {
    pen.mono(text, t.text);
    return;
  }
  const std::size_t blank = text.find(' ');
  const std::size_t first = blank < at ? blank + 1 : 0;
  pen.mono(text.substr(0, first), t.text_dim);
  pen.mono(text.substr(first, at - first), role_colours(t, insight::ValueRole::A).line);
  pen.mono(dot, t.text_dim);
  pen.mono(text.substr(at + dot.size()), role_colours(t, insight::ValueRole::B).line);
}

// "= 33 + (−2)·(−4) = 41": the thread's value has the hue of a sum.
void write_result(TextPen& pen, const Theme& t, const std::string& text) {
  const std::size_t at = text.rfind("= ");
  const std::size_t value = at == std::string::npos ? 0 : at + 2;
  pen.mono(text.substr(0, value), t.text);
  pen.mono(text.substr(value), role_colours(t, insight::ValueRole::Sum).line);
}

constexpr float kSumText = 1.1F;    // lines
constexpr float kBoxHeight = 1.4F;  // sizes of the text
constexpr float kStep = 1.75F;      // from the row to the latest step, in sizes of the text

// "+ 7·5" → "+" and "7·5"; the first term has no sign.
struct SignedTerm {
  std::string sign, product;
};
SignedTerm split(const std::string& term) {
  const std::size_t blank = term.find(' ');
  return blank == std::string::npos ? SignedTerm{"", term}
                                    : SignedTerm{term.substr(0, blank), term.substr(blank + 1)};
}

// Draws boxes first, and numbers on them when all are known.
class Row {
 public:
  Row(const Context& context, float size)
      : context_(context), size_(size), column_(text_width(context.fonts.mono, size, "0")) {}

  void words(const std::string& text, ImU32 colour) {
    pieces_.push_back({text, colour, x_, false});
    x_ += column_ * static_cast<float>(sum_columns(text));
  }
  // The products without a box.
  void left_out() {
    words(boxes_.empty() ? "…" : std::string(" ") + kSumEllipsis, context_.theme.text_dim);
    is_first_ = false;
  }
  void product(const std::string& term, bool is_latest) {
    const Theme& t = context_.theme;
    const SignedTerm parts = split(term);
    sign(parts.sign);
    const float width = column_ * (static_cast<float>(sum_columns(parts.product)) + kSumBoxPad);
    const ImU32 border = is_latest ? role_colours(t, insight::ValueRole::Sum).line : t.cell_border;
    pieces_.push_back({parts.product, t.text, x_ + 0.5F * kSumBoxPad * column_, true});
    box(width, {.fill = t.cell.fill, .border = border, .border_width = is_latest ? 2.0F : 1.0F});
  }
  void to_come() {
    const Theme& t = context_.theme;
    sign("+");
    box(kSumComingBox * column_,
        {.fill = t.raised, .border = t.text_dim, .border_width = 1.0F, .marks = mark::kDashed});
  }
  void draw(ImVec2 at, bool from_a_and_b) {
    for (CellInstance& box : boxes_) {
      box.x = std::round(at.x + box.x);
      box.y = std::round(at.y - 0.5F * (kBoxHeight - 1.0F) * size_);
    }
    draw_cells(context_, boxes_);
    TextPen pen(context_, at, size_);
    for (const Piece& piece : pieces_) {
      pen.move_to(at.x + piece.x);
      if (piece.is_term) {
        write_term(pen, context_.theme, piece.text, from_a_and_b);
      } else {
        pen.mono(piece.text, piece.colour);
      }
    }
  }

 private:
  struct Piece {
    std::string text;
    ImU32 colour;
    float x;
    bool is_term;
  };

  // Centered between two boxes.
  void sign(const std::string& text) {
    if (is_first_) {
      return;
    }
    const float width = column_ * static_cast<float>(sum_columns(text));
    pieces_.push_back(
        {text, context_.theme.text_dim, x_ + 0.5F * (kSumSignRoom * column_ - width), false});
    x_ += kSumSignRoom * column_;
  }
  void box(float width, CellInstance looks) {
    looks.x = x_;
    looks.w = std::round(width);
    looks.h = std::round(kBoxHeight * size_);
    looks.radius = 0.15F * looks.h;
    boxes_.push_back(looks);
    is_first_ = false;
    x_ += width;
  }

  const Context& context_;
  float size_, column_;
  float x_ = 0.0F;        // from the row's left edge
  bool is_first_ = true;  // no product yet: no sign is needed
  std::vector<CellInstance> boxes_;
  std::vector<Piece> pieces_;
};

// `story` has a sum; `at`: top left of the row's numbers.
void draw_sum_boxes(const Context& context, const SumStory& story, ImVec2 at, float width) {
  const Theme& t = context.theme;
  const SumText& sum = *story.sum;
  const float size = kSumText * ImGui::GetFontSize();
  const float column = text_width(context.fonts.mono, size, "0");
  const auto columns = static_cast<std::size_t>(std::max(8.0F, width / column));
  const std::size_t head = sum_columns(sum.head) + 1;
  const SumBoxes shown = fit_boxes(sum, story.to_come, columns > head ? columns - head : 0);
  Row row(context, size);
  row.words(sum.head + " ", t.text);
  const std::size_t skipped = sum.terms.size() - shown.front - shown.back;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    if (i < shown.front || i >= shown.front + skipped) {
      row.product(sum.terms[i], false);
    } else if (i == shown.front) {
      row.left_out();
    }
  }
  row.product(sum.latest_term(), true);
  for (std::size_t i = 0; i < shown.coming; ++i) {
    row.to_come();
  }
  if (shown.says_coming) {
    row.words("  " + to_come(story.to_come, shown.coming), t.text_dim);
  } else if (shown.cut_short) {
    row.left_out();
  }
  row.draw(at, sum.from_a_and_b);

  TextPen step(context, {at.x + column * static_cast<float>(head), at.y + kStep * size}, size);
  if (!sum.step.empty()) {
    write_result(step, t, sum.step);
    return;
  }
  const bool is_long = head + sum_columns(sum.last + sum.result) + 1 > columns;
  const bool in_numbers = is_long && !sum.last_numbers.empty();
  write_term(step, t, (in_numbers ? sum.last_numbers : sum.last) + " ", sum.from_a_and_b);
  write_result(step, t, in_numbers ? "= " + sum.value : sum.result);
}

constexpr float kLeastSentence = 0.6F;  // of a line of text

// Draws only the newest term and the value; if that is too long, in numbers, or only the value.
void draw_last(const Context& context, const SumStory& story, ImVec2 at, float width, float font) {
  const Theme& t = context.theme;
  const SumText& sum = *story.sum;
  const float size = 1.1F * font;
  const float advance = text_width(context.fonts.mono, size, "0");
  const std::string head = sum.head + (sum.terms.empty() ? " " : " … ");
  const auto fits = [&](const std::string& last, const std::string& result) {
    return static_cast<float>(sum_columns(head + last + " " + result)) * advance <= width;
  };
  std::string last = sum.last;
  std::string result = sum.result;
  if (!fits(last, result) && !sum.last_numbers.empty()) {
    last = sum.last_numbers;
    result = "= " + sum.value;
  }
  TextPen pen(context, at, size);
  if (!fits(last, result) && !sum.value.empty()) {
    pen.mono(sum.head + " " + sum.value, t.text);
  } else {
    pen.mono(head, t.text);
    write_term(pen, t, last + " ", sum.from_a_and_b);
    write_result(pen, t, result);
  }
  const std::string coming = "  " + to_come(story.to_come);
  if (story.to_come > 0 && pen.x() + text_width(context.fonts.text, font, coming) <= at.x + width) {
    pen.write(coming, t.text_dim, context.fonts.text);
  }
}

// The thread's other sums, as many as fit.
std::string others_text(const Context& context, const SumStory& story, float font, float width) {
  std::string text;
  for (const SumStory::Other& other : story.others) {
    const std::string longer = text + (text.empty() ? "" : " · ") + other.text;
    if (text_width(context.fonts.text, font, longer + " …") > width) {
      return text + (text.empty() ? "" : " …");
    }
    text = longer;
  }
  return text;
}

// Terms in lines of at most `columns`; if there are too many lines, the last ones.
std::vector<std::vector<std::string>> wrapped(const SumText& sum, std::size_t columns,
                                              std::size_t most_lines) {
  std::vector<std::string> terms = sum.terms;
  if (!sum.last_numbers.empty()) {
    terms.push_back(sum.last_numbers);
  }
  std::vector<std::vector<std::string>> lines(1);
  std::size_t used = 0;
  for (const std::string& term : terms) {
    const std::size_t width = sum_columns(term) + 1;
    if (used + width > columns && used > 0) {
      lines.emplace_back();
      used = 0;
    }
    lines.back().push_back(term);
    used += width;
  }
  if (lines.size() > most_lines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
    lines.front().front() = "… " + lines.front().front();
  }
  return lines;
}

// Shrinks the text if it would be cut.
void paint_sum_sentence(const Context& context, const std::string& text, Box box) {
  const float font = ImGui::GetFontSize();
  ImFont* const face = context.fonts.text;
  float size = font;
  const auto is_cut = [&] {
    return face->CalcTextSizeA(size, 1e6F, box.w, text.c_str()).y > box.h - 0.15F * font;
  };
  if (is_cut()) {  // two lines begin higher
    box = {box.x, box.y - 0.35F * font, box.w, box.h + 0.35F * font};
  }
  while (size > kLeastSentence * font && is_cut()) {
    size -= 0.5F;
  }
  ImGui::GetWindowDrawList()->AddText(face, size, {box.x, box.y}, context.theme.text_dim,
                                      text.c_str(), nullptr, box.w);
}

}  // namespace

void draw_large_sum(const Context& context, const SumStory& story, const Box& box) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to(box.right(), box.bottom());
  list.AddRectFilled({box.x, box.y}, to, t.raised, 0.35F * font);
  list.PushClipRect({box.x, box.y}, to, true);
  const float pad = 0.7F * font;
  const ImU32 yellow = role_colours(t, insight::ValueRole::Sum).line;
  TextPen head(context, {box.x + pad, box.y + 0.5F * pad}, font);
  head.mono(story.element, yellow);
  if (!story.element.empty()) {
    head.write(story.progress.empty() ? tr("  so far") : tr("  so far, {}", story.progress),
               t.text_dim, context.fonts.text);
  }
  if (!story.sum) {
    list.AddText(context.fonts.text, font, {box.x + pad, box.y + 2.2F * font}, t.text,
                 story.sentence.c_str(), nullptr, box.w - 2.0F * pad);
    list.PopClipRect();
    return;
  }
  const float advance = text_width(context.fonts.mono, font, "0");
  const float large = 1.5F * font;
  const std::string result = "= " + story.sum->value;
  const float result_width = text_width(context.fonts.mono, large, result);
  const auto columns = static_cast<std::size_t>((box.w - 2.0F * pad) / advance);
  const auto lines = wrapped(*story.sum, columns, 3);
  float y = box.y + 2.0F * font;
  for (const auto& line : lines) {
    TextPen pen(context, {box.x + pad, y}, font);
    for (const std::string& term : line) {
      write_term(pen, t, term + " ", story.sum->from_a_and_b);
    }
    y += 1.3F * font;
  }
  TextPen end(context, {box.right() - pad - result_width, box.bottom() - 0.4F * pad - large},
              large);
  end.mono("= ", t.text_dim);
  end.mono(story.sum->value, yellow);
  list.PopClipRect();
}

void draw_sum_strip(const Context& context, const std::string& note, const SumStory& story,
                    ImVec2 from, ImVec2 size, bool is_short) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to(from.x + size.x, from.y + size.y);
  list.AddRectFilled(from, to, t.raised, 0.35F * font);
  list.AddRect(from, to, t.border, 0.35F * font);
  list.PushClipRect(from, to, true);
  const float pad = 0.6F * font;
  if (!is_short) {
    TextPen head(context, {from.x + pad, from.y + 0.4F * font}, font);
    head.write(note + "   ", t.text_dim, context.fonts.text);
    head.write(story.title, t.text, context.fonts.text);
    if (!story.progress.empty()) {
      head.write(" · " + story.progress, t.text, context.fonts.text);
    }
    const std::string also = " · " + story.also;
    const float width = text_width(context.fonts.text, font, also);
    if (!story.also.empty() && head.x() + width <= to.x - pad) {  // a number is never cut
      head.write(also, t.text_dim, context.fonts.text);
    }
    const float left = head.x() + 1.5F * font;
    head.write("   " + others_text(context, story, font, to.x - pad - left), t.text_dim,
               context.fonts.text);
  }
  const ImVec2 at(from.x + pad, from.y + (is_short ? 0.55F : 1.85F) * font);
  if (story.sum && size.y < 2.8F * font) {
    draw_last(context, story, at, size.x - 2.0F * pad, font);
  } else if (story.sum) {
    draw_sum_boxes(context, story, at, size.x - 2.0F * pad);
  } else {
    paint_sum_sentence(context, story.sentence, {at.x, at.y, size.x - 2.0F * pad, to.y - at.y});
  }
  list.PopClipRect();
}

}  // namespace tilestep::ui

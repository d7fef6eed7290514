#include "ui/stage/sum_boxes.h"

#include "ui/stage/sum_pen.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr float kText = 1.1F;       // lines
constexpr float kBoxHeight = 1.4F;  // sizes of the text
constexpr float kStep = 1.75F;      // from the row to the latest step, sizes of the text

// "+ 7·5" → "+" and "7·5"; the first term has no sign.
struct SignedTerm {
  std::string sign, product;
};
SignedTerm split(const std::string& term) {
  const std::size_t blank = term.find(' ');
  return blank == std::string::npos ? SignedTerm{"", term}
                                    : SignedTerm{term.substr(0, blank), term.substr(blank + 1)};
}

// Boxes first, numbers on them when all are known.
class Row {
 public:
  Row(const Context& context, float size)
      : context_(context),
        size_(size),
        column_(context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, "0").x) {}

  void words(const std::string& text, ImU32 colour) {
    pieces_.push_back({text, colour, x_, false});
    x_ += column_ * static_cast<float>(sum_columns(text));
  }
  // Products without a box.
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
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (context_.cells != nullptr) {
      const ImVec2 from = list.GetClipRectMin();
      const ImVec2 to = list.GetClipRectMax();
      context_.cells->draw(list, boxes_, {from.x, from.y, to.x, to.y});
    }
    SumPen pen(context_, at, size_);
    for (const Piece& piece : pieces_) {
      pen.move_to(at.x + piece.x);
      if (piece.is_term) {
        pen.term(piece.text, from_a_and_b);
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

  // In the middle between two boxes.
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
  float x_ = 0.0F;        // from the row's left
  bool is_first_ = true;  // no product yet: none needs a sign
  std::vector<CellInstance> boxes_;
  std::vector<Piece> pieces_;
};

}  // namespace

void draw_sum_boxes(const Context& context, const SumStory& story, ImVec2 at, float width) {
  const Theme& t = context.theme;
  const SumText& sum = *story.sum;
  const float size = kText * ImGui::GetFontSize();
  const float column = context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, "0").x;
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
  }
  row.draw(at, sum.from_a_and_b);

  SumPen step(context, {at.x + column * static_cast<float>(head), at.y + kStep * size}, size);
  if (!sum.step.empty()) {
    step.result(sum.step);
    return;
  }
  const bool is_long = head + sum_columns(sum.last + sum.result) + 1 > columns;
  const bool in_numbers = is_long && !sum.last_numbers.empty();
  step.term((in_numbers ? sum.last_numbers : sum.last) + " ", sum.from_a_and_b);
  step.result(in_numbers ? "= " + sum.value : sum.result);
}

}  // namespace tilestep::ui

#include "narration/templates.h"
#include "problem/tr.h"
#include "ui/number_text.h"
#include "ui/paint/painters.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kWanted = 1.7F;  // lines: height of a number
constexpr float kLeast = 1.0F;
constexpr float kShare = 0.3F;  // of the stage's width, at most
constexpr float kCell = 2.1F;   // of a number: height, with the product below it
constexpr float kTitle = 2.4F;  // lines
constexpr float kPad = 0.7F;
constexpr float kRowLabel = 2.0F;
constexpr float kGap = 0.7F;
constexpr float kWords = 3.6F;  // column numbers, names, and the words below
constexpr int kLeastDigits = 3;

int digits_of(const std::vector<std::optional<double>>& values, int least) {
  int digits = least;
  for (const auto& value : values) {
    digits = std::max(digits, value ? std::min(number_room(*value).longest, 6) : 1);
  }
  return digits;
}

struct Widths {
  float fragment = 0.0F;  // width of a cell of A's fragment, in heights of a number
  float sum = 0.0F;
};

Widths widths_of(const RegisterTile& tile) {
  std::vector<std::optional<double>> sums;
  for (const RegisterSum& sum : tile.sums) {
    sums.push_back(sum.value);
  }
  const int digits = std::max(digits_of(sums, kLeastDigits), digits_of(tile.b.values, 2));
  return {cell_width(digits_of(tile.a.values, 2)), cell_width(digits)};
}

float tile_width(const RegisterTile& tile, float number, float font) {
  const Widths w = widths_of(tile);
  return number * (w.fragment + w.sum * static_cast<float>(tile.cols.size())) +
         font * (kRowLabel + kGap + 2.0F * kPad);
}

float height_of(const RegisterTile& tile, float number, float font) {
  return number * kCell * static_cast<float>(tile.rows.size() + 1) +
         font * (kTitle + kWords + kGap + 2.0F * kPad);
}

// The largest size that fits, up to the preferred one.
float number_for(const RegisterTile& tile, ImVec2 room, float font) {
  float number = kWanted * font;
  while (number > 1.0F &&
         (tile_width(tile, number, font) > room.x || height_of(tile, number, font) > room.y)) {
    number -= 1.0F;
  }
  return number;
}

class RegisterPainter {
 public:
  RegisterPainter(const Context& context, const RegisterTile& tile, const Box& box,
                  std::vector<CellInstance>& instances)
      : c_(context), tile_(tile), box_(box), list_(*ImGui::GetWindowDrawList()), cells_(instances) {
    font_ = ImGui::GetFontSize();
    number_ = number_for(tile, {box.w, box.h}, font_);
    const Widths w = widths_of(tile);
    fragment_ = std::round(w.fragment * number_);
    width_ = std::round(w.sum * number_);
    height_ = std::round(kCell * number_);
    left_ = std::round(box.x + (kPad + kRowLabel) * font_);
    sums_x_ = std::round(left_ + fragment_ + kGap * font_);
    top_ = std::round(box.y + (kPad + kTitle + 1.1F) * font_);
    sums_y_ = std::round(top_ + height_ + (kGap + 1.1F) * font_);
  }

  void paint(const std::string& thread) {
    frame(thread);
    cells_.clear();
    add_cells();
    if (c_.cells != nullptr) {
      c_.cells->draw(list_, cells_, {box_.x, box_.y, box_.right(), box_.bottom()});
    }
    numbers();
    labels();
  }

 private:
  [[nodiscard]] const RoleColours& colours(insight::ValueRole role) const {
    return role_colours(c_.theme, role);
  }
  [[nodiscard]] Box a_box(std::size_t row) const {
    return {left_, sums_y_ + height_ * static_cast<float>(row), fragment_, height_};
  }
  [[nodiscard]] Box b_box(std::size_t col) const {
    return {sums_x_ + width_ * static_cast<float>(col), top_, width_, height_};
  }
  [[nodiscard]] Box sum_box(std::size_t i) const {
    const std::size_t cols = tile_.cols.size();
    const std::size_t row = i / cols;
    return {sums_x_ + width_ * static_cast<float>(i % cols),
            sums_y_ + height_ * static_cast<float>(row), width_, height_};
  }
  // Whether the current statement multiplied the numbers of this row or column.
  [[nodiscard]] bool is_used(bool is_row, std::size_t at) const {
    const std::size_t cols = tile_.cols.size();
    for (std::size_t i = 0; i < tile_.sums.size(); ++i) {
      if (tile_.sums[i].is_added_to && (is_row ? i / cols : i % cols) == at) {
        return true;
      }
    }
    return false;
  }

  // " · a_reg: k = 2 · b_reg: k = 1": positions along k in the tile.
  [[nodiscard]] std::string rounds() const {
    if (tile_.a.round && tile_.a.round == tile_.b.round) {
      return fmt::format(" · k = {}", *tile_.a.round);
    }
    std::string text;
    for (const Fragment* const fragment : {&tile_.a, &tile_.b}) {
      text += fragment->round ? fmt::format(" · {}: k = {}", fragment->name, *fragment->round) : "";
    }
    return text;
  }

  void frame(const std::string& thread) {
    const Theme& t = c_.theme;
    list_.AddRect({box_.x, box_.y}, {box_.right(), box_.bottom()}, t.focus, 0.5F * font_,
                  ImDrawFlags_None, std::max(2.0F, 0.13F * font_));
    const float x = std::round(box_.x + kPad * font_);
    const float y = std::round(box_.y + kPad * font_);
    const std::string title = tr("registers of {}", thread);
    list_.AddText(c_.fonts.bold, font_, {x, y}, t.text, title.c_str());
    std::string note;
    for (const std::size_t count :
         {tile_.a.values.size(), tile_.b.values.size(), tile_.sums.size()}) {
      note += count == 0 ? "" : fmt::format("{}{}", note.empty() ? "" : " + ", count);
    }
    note = tr("{} floats", note) + rounds();
    list_.AddText(c_.fonts.text, 0.9F * font_, {x, y + 1.2F * font_}, t.text_dim, note.c_str());
  }

  void cell(const Box& box, const Fill& fill, ImU32 border, float width, std::uint32_t marks) {
    cells_.push_back(instance({box.x + 1.0F, box.y + 1.0F, box.w - 2.0F, box.h - 2.0F},
                              {fill, border, width, marks, c_.theme.panel}, 0.25F * font_));
  }

  void add_fragment(const Fragment& fragment, insight::ValueRole role, bool is_row) {
    const Theme& t = c_.theme;
    for (std::size_t i = 0; i < fragment.values.size(); ++i) {
      const Box box = is_row ? a_box(i) : b_box(i);
      if (!fragment.values[i]) {
        cell(box, t.cell_empty, t.cell_border, 1.0F, mark::kDashed);
      } else if (is_used(is_row, i)) {
        cell(box, colours(role).tint, colours(role).line, std::max(2.0F, 0.14F * font_),
             mark::kNone);
      } else if (fragment.is_old(i)) {
        cell(box, t.cell_empty, colours(role).tint.fill, std::max(1.5F, 0.09F * font_),
             mark::kNone);
      } else {
        cell(box, colours(role).tint, colours(role).tint.fill, 0.0F, mark::kNone);
      }
    }
  }

  void add_cells() {
    const Theme& t = c_.theme;
    const RoleColours& sum_colours = colours(insight::ValueRole::Sum);
    add_fragment(tile_.a, insight::ValueRole::A, true);
    add_fragment(tile_.b, insight::ValueRole::B, false);
    for (std::size_t i = 0; i < tile_.sums.size(); ++i) {
      const RegisterSum& sum = tile_.sums[i];
      if (!sum.value) {
        cell(sum_box(i), t.cell_empty, t.cell_border, 1.0F, mark::kNone);
      } else if (sum.is_added_to) {
        cell(sum_box(i), sum_colours.solid, t.focus, 0.0F, mark::kCut);
      } else if (sum.is_behind) {
        cell(sum_box(i), sum_colours.tint, sum_colours.line, std::max(1.5F, 0.09F * font_),
             mark::kDashed);
      } else {
        cell(sum_box(i), sum_colours.tint, sum_colours.line, 0.0F, mark::kNone);
      }
      if (sum.is_chosen) {
        cells_.push_back(
            outline(sum_box(i), t.focus, std::max(2.0F, 0.12F * font_), 0.25F * font_));
      }
    }
  }

  // Writes at `middle` of a box's height.
  void centred(const Box& box, const std::string& text, float size, ImU32 colour, float middle) {
    const float width = kDigitWidth * size * static_cast<float>(sum_columns(text));
    const float fit = fitted_size(size, width, box.w - 0.2F * font_);
    const float drawn = kDigitWidth * fit * static_cast<float>(sum_columns(text));
    list_.AddText(c_.fonts.mono, fit,
                  {std::round(box.x + 0.5F * (box.w - drawn)),
                   std::round(box.y + middle * box.h - 0.5F * fit)},
                  colour, text.c_str());
  }

  void numbers() {
    const auto write = [this](const Fragment& fragment, insight::ValueRole role, bool is_row) {
      for (std::size_t i = 0; i < fragment.values.size(); ++i) {
        const bool is_stale = fragment.is_old(i) && !is_used(is_row, i);
        if (fragment.values[i]) {
          centred(is_row ? a_box(i) : b_box(i), with_minus(short_number(*fragment.values[i], 6)),
                  number_, is_stale ? c_.theme.text_dim : colours(role).tint.text, 0.5F);
        }
      }
    };
    write(tile_.a, insight::ValueRole::A, true);
    write(tile_.b, insight::ValueRole::B, false);
    const RoleColours& yellow = colours(insight::ValueRole::Sum);
    for (std::size_t i = 0; i < tile_.sums.size(); ++i) {
      const RegisterSum& sum = tile_.sums[i];
      if (!sum.value) {
        continue;
      }
      const ImU32 colour = sum.is_added_to ? yellow.solid.text : yellow.tint.text;
      const bool has_product = !sum.product.empty();
      centred(sum_box(i), with_minus(short_number(*sum.value, 6)), number_, colour,
              has_product ? 0.38F : 0.5F);
      if (has_product) {
        centred(sum_box(i), sum.product, std::max(0.85F * font_, 0.5F * number_), colour, 0.8F);
      }
    }
  }

  void labels() {
    const Theme& t = c_.theme;
    const float small = 0.9F * font_;
    const auto box_of = [this](std::size_t col) {
      return tile_.b.values.empty() ? sum_box(col) : b_box(col);
    };
    const bool are_narrow = std::ranges::any_of(tile_.cols, [&](const auto& col) {
      return text_width(c_.fonts.text, small, tr("col {}", col)) + 0.3F * font_ > box_of(0).w;
    });
    for (std::size_t i = 0; i < tile_.cols.size(); ++i) {
      const std::string text =
          are_narrow && i > 0 ? std::to_string(tile_.cols[i]) : tr("col {}", tile_.cols[i]);
      const float width = text_width(c_.fonts.text, small, text);
      const Box box = box_of(i);
      list_.AddText(c_.fonts.text, small,
                    {std::round(box.x + 0.5F * (box.w - width)), std::round(box.y - 1.1F * font_)},
                    t.text_dim, text.c_str());
    }
    for (std::size_t i = 0; i < tile_.rows.size(); ++i) {
      const std::string text = std::to_string(tile_.rows[i]);
      const float width = text_width(c_.fonts.text, small, text);
      const Box box = tile_.a.values.empty() ? sum_box(i * tile_.cols.size()) : a_box(i);
      list_.AddText(
          c_.fonts.text, small,
          {std::round(box.x - 0.4F * font_ - width), std::round(box.y + 0.5F * (box.h - small))},
          t.text_dim, text.c_str());
    }
    list_.AddText(c_.fonts.bold, font_, {left_, std::round(sums_y_ - 1.15F * font_)},
                  colours(insight::ValueRole::A).line, tile_.a.name.c_str());
    const float b_width = text_width(c_.fonts.bold, font_, tile_.b.name);
    list_.AddText(
        c_.fonts.bold, font_,
        {std::round(sums_x_ - 0.4F * font_ - b_width), std::round(top_ + 0.5F * (height_ - font_))},
        colours(insight::ValueRole::B).line, tile_.b.name.c_str());
    const std::string sums = tile_.name.empty()
                                 ? narration::plain_text(narration::part("register_sums", {}))
                                 : tile_.name;
    const bool some_behind = std::ranges::any_of(tile_.sums, &RegisterSum::is_behind);
    std::string name = some_behind ? narration::plain_text(narration::part(
                                         "register_dashed", {{"sums", narration::plain(sums)}}))
                                   : sums;
    if (sums_x_ + text_width(c_.fonts.text, small, name) > box_.right()) {
      name = sums;
    }
    list_.AddText(c_.fonts.text, small,
                  {sums_x_, std::round(sums_y_ + height_ * static_cast<float>(tile_.rows.size()) +
                                       0.25F * font_)},
                  colours(insight::ValueRole::Sum).line, name.c_str());
  }

  const Context& c_;
  const RegisterTile& tile_;
  Box box_;
  ImDrawList& list_;
  std::vector<CellInstance>& cells_;
  float font_ = 0.0F;
  float number_ = 0.0F;
  float fragment_ = 0.0F;  // pixels: width of a cell of A's fragment
  float width_ = 0.0F;     // pixels: width of a sum
  float height_ = 0.0F;
  float left_ = 0.0F;
  float sums_x_ = 0.0F;
  float top_ = 0.0F;
  float sums_y_ = 0.0F;
};

}  // namespace

float register_width(const RegisterTile& tile, ImVec2 room, float font) {
  const float number = number_for(tile, {kShare * room.x, room.y}, font);
  return number < kLeast * font ? 0.0F : std::ceil(tile_width(tile, number, font));
}

void paint_registers(const Context& context, const RegisterTile& tile, const std::string& thread,
                     const Box& box, std::vector<CellInstance>& instances) {
  const float font = ImGui::GetFontSize();
  const float height =
      std::min(box.h, height_of(tile, number_for(tile, {box.w, box.h}, font), font));
  // Aligned with the other L's.
  RegisterPainter(context, tile, {box.x, box.bottom() - height, box.w, height}, instances)
      .paint(thread);
}

}  // namespace tilestep::ui

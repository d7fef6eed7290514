#include "problem/tr.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/source/source.h"
#include "ui/stage/geometry.h"
#include "ui/sum_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kTextSize = 0.85F;  // of a line of text
constexpr float kStripSize = 1.0F;  // for a strip
constexpr float kRowHeight = 1.5F;  // of the code's own size
constexpr float kStripRow = 1.35F;
constexpr float kFade = 3.0F;  // characters
constexpr float kWordsMargin = 2.0F;
constexpr float kBarrierSign = 1.6F;  // characters of the margin

// Indexed by Token.
constexpr std::array kTokenColours{&SyntaxColours::text,         &SyntaxColours::keyword,
                                   &SyntaxColours::type,         &SyntaxColours::number,
                                   &SyntaxColours::string,       &SyntaxColours::comment,
                                   &SyntaxColours::preprocessor, &SyntaxColours::function};

class CodePainter {
 public:
  CodePainter(const Context& context, const CodeRequest& request, CodeMemory& memory)
      : c_(context), request_(request), memory_(memory), list_(*ImGui::GetWindowDrawList()) {
    size_ = (request.is_strip ? kStripSize : kTextSize) * ImGui::GetFontSize();
    advance_ = text_width(c_.fonts.mono, size_, "0");
    row_ = std::round((request.is_strip ? kStripRow : kRowHeight) * size_);
  }

  Commands draw() {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 avail = ImGui::GetContentRegionAvail();
    box_ = {from.x, from.y, std::max(avail.x, 1.0F), std::max(avail.y, 1.0F)};
    if (request_.is_strip) {  // whole lines only
      const float lines = std::max(1.0F, std::round(box_.h / row_));
      row_ = std::floor(box_.h / lines) >= 1.1F * size_ ? std::floor(box_.h / lines) : row_;
    }
    const auto digits =
        static_cast<float>(std::max<std::size_t>(2, std::to_string(memory_.lines.size()).size()));
    signs_ = memory_.has_barriers ? kBarrierSign * advance_ : 0.0F;
    gutter_ = (request_.is_strip ? 2.5F : 4.5F) * advance_ + digits * advance_ + signs_;
    if (request_.is_strip) {
      rows_ = rows_of(memory_.lines.size(), 0, 0);
    } else {
      if (c_.state.header_open) {
        words_ = header_rows(c_, memory_.lines, memory_.header, size_,
                             box_.w - 2.0F * kWordsMargin * advance_);
      }
      rows_ = rows_of(memory_.lines.size(), memory_.header, words_.size());
    }
    wrap_lines();
    follow();
    hit_area("##code", {box_.w, box_.h});
    list_.PushClipRect(from, {box_.right(), box_.bottom()}, true);
    const auto first = static_cast<std::size_t>(std::floor(memory_.top));
    std::size_t end = first;
    for (; is_shown(end); ++end) {
      draw_row(end, y_of(end));
    }
    for (std::size_t i = first; i < end; ++i) {
      if (const auto point = request_.marks.pointed.find(rows_[i]);
          rows_[i] > 0 && parts_[i].from == 0 && point != request_.marks.pointed.end()) {
        draw_point(point->second, i);
      }
    }
    list_.PopClipRect();
    return handle_mouse();
  }

 private:
  // Whole rows, because half a line at the lower edge is unreadable.
  [[nodiscard]] float room() const { return std::max(1.0F, std::floor(box_.h / row_)); }

  [[nodiscard]] bool is_shown(std::size_t row) const {
    const auto at = static_cast<float>(row);
    return row < rows_.size() && at >= std::floor(memory_.top) && at < memory_.top + room();
  }

  [[nodiscard]] float y_of(std::size_t row) const {
    return std::round(box_.y + (static_cast<float>(row) - memory_.top) * row_);
  }

  // The part of a line that a row shows; to: npos for a line in one row.
  struct Part {
    std::size_t from = 0;
    std::size_t to = std::string::npos;
  };

  // A whole line (LineMarks::whole_lines) that is too long takes several rows.
  void wrap_lines() {
    Rows rows;
    for (const int row : rows_) {
      std::vector<std::size_t> starts{0};
      if (request_.marks.whole_lines.contains(row) && row > 0) {
        starts = row_starts(code_at(row), columns_of(row));
      }
      for (std::size_t i = 0; i < starts.size(); ++i) {
        rows.push_back(row);
        parts_.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1]
                                     : i > 0               ? code_at(row).size()
                                                           : std::string::npos});
      }
    }
    rows_ = std::move(rows);
  }

  [[nodiscard]] std::string_view code_at(int line) const {
    const auto index = static_cast<std::size_t>(line - 1);
    return std::string_view(memory_.lines[index]).substr(0, memory_.code[index]);
  }

  // The right edge of a line's text: before its value, if it has one.
  [[nodiscard]] float end_of_text(int line) const {
    const auto value = memory_.values.find(line);
    const float reserved = value == memory_.values.end()
                               ? 0.0F
                               : advance_ * static_cast<float>(sum_columns(value->second.text) + 1);
    return box_.right() - advance_ - reserved;
  }

  [[nodiscard]] std::size_t columns_of(int line) const {
    return static_cast<std::size_t>(
        std::max(0.0F, (end_of_text(line) - box_.x - gutter_) / advance_));
  }

  void draw_row(std::size_t at, float y) {
    const int row = rows_[at];
    if (row > 0) {
      draw_line(row, parts_[at], y);
    } else if (row == 0) {
      paint_header_bar(c_, {box_.x, y, box_.w, row_}, {size_, advance_}, memory_.header);
    } else {
      const HeaderRow& words = words_[static_cast<std::size_t>(-1 - row)];
      list_.AddText(words.is_label ? c_.fonts.bold : c_.fonts.text, size_,
                    {box_.x + kWordsMargin * advance_, y + 0.5F * (row_ - size_)},
                    words.is_label ? c_.theme.text : c_.theme.text_dim, words.text.c_str());
    }
  }

  void follow() {
    const LineMarks& marks = request_.marks;
    // The last line if the thread has exited.
    const int line = marks.wanted_line > 0     ? marks.wanted_line
                     : !marks.pointed.empty()  ? marks.pointed.begin()->first
                     : marks.executed_line > 0 ? marks.executed_line
                     : marks.focus_line > 0    ? marks.focus_line
                                               : static_cast<int>(memory_.lines.size());
    const bool moved =
        line != memory_.followed || room() != memory_.room || rows_.size() != memory_.rows;
    memory_.followed = line;
    memory_.room = room();
    memory_.rows = rows_.size();
    const bool opens = !memory_.words_shown && !words_.empty();
    memory_.words_shown = !words_.empty();
    if (request_.reveal > 0) {
      memory_.top = scrolled_to(memory_.top, row_of(rows_, request_.reveal), room(), rows_.size());
    } else if (opens) {
      memory_.top = 0.0F;  // the position of its words
    } else if (moved && line > 0) {
      memory_.top = scrolled_to(memory_.top, row_of(rows_, line), room(), rows_.size());
      show_whole(line);
    }
  }

  // All rows of a line that takes several, or the first ones.
  void show_whole(int line) {
    const auto count = static_cast<float>(std::ranges::count(rows_, line));
    const auto first = static_cast<float>(row_of(rows_, line));
    if (count > 1.0F) {
      memory_.top = std::clamp(memory_.top, std::min(first + count - room(), first), first);
    }
  }

  [[nodiscard]] ImU32 colour_of(Token token) const {
    return c_.theme.syntax.*kTokenColours[static_cast<std::size_t>(token)];
  }

  // A name has the hue of its contents.
  [[nodiscard]] ImU32 name_colour(const std::string& name, int line) const {
    const auto hue = memory_.roles ? memory_.roles->hue(name, static_cast<std::uint32_t>(line))
                                   : narration::Hue::None;
    return hue_colour(c_.theme, hue, c_.theme.syntax.text);
  }

  void text(float x, float y, ImU32 colour, std::string_view what) {
    list_.AddText(c_.fonts.mono, size_, {x, y}, colour, what.data(), what.data() + what.size());
  }

  // The breakpoint's dot, the number, an arrow at the thread's next line, bars at other warps'
  // lines.
  void draw_margin(int line, float y) {
    const Theme& t = c_.theme;
    const LineMarks& marks = request_.marks;
    const float middle = y + 0.5F * row_;
    if (marks.breakpoints.contains(line)) {
      const ImVec2 dot(box_.x + 0.9F * advance_, middle);
      const float radius = 0.3F * size_;
      list_.AddCircleFilled(dot, radius, t.breakpoint);
      for (const float at : {-0.25F, 0.35F}) {  // an equals sign: a conditional breakpoint
        if (marks.conditions.contains(line)) {
          list_.AddLine({dot.x - 0.55F * radius, middle + at * radius},
                        {dot.x + 0.55F * radius, middle + at * radius}, t.panel, 1.5F);
        }
      }
    } else if (hovered_margin(y)) {
      list_.AddCircle({box_.x + 0.9F * advance_, middle}, 0.3F * size_, t.breakpoint, 0, 1.5F);
    }
    const float small = 0.85F * size_;
    const std::string number = std::to_string(line);
    const float end = box_.x + gutter_ - signs_ - 1.6F * advance_;
    const float width = 0.85F * advance_ * static_cast<float>(number.size());
    list_.AddText(c_.fonts.mono, small,
                  {std::round(end - width), std::round(middle - 0.5F * small)},
                  line == marks.executed_line ? t.text : t.text_dim, number.c_str());
    const float x = end + 0.3F * advance_;
    if (line == marks.focus_line && !request_.is_strip) {
      list_.AddTriangleFilled({x, middle - 0.28F * size_}, {x + 0.42F * size_, middle},
                              {x, middle + 0.28F * size_}, t.text_dim);
    } else if (marks.warp_lines.contains(line) && !request_.is_strip) {
      list_.AddRectFilled({x + 0.1F * size_, middle - 0.25F * size_},
                          {x + 0.25F * size_, middle + 0.25F * size_}, t.text_dim, 1.0F);
    }
  }

  void draw_barrier(int line, float y) {
    const problem::BarrierLine barrier = memory_.barriers[static_cast<std::size_t>(line - 1)];
    const bool is_on = barrier == problem::BarrierLine::On;
    if (barrier != problem::BarrierLine::None && (is_on || !hides_findings_)) {
      paint_barrier_sign(c_.theme, {box_.x + gutter_ - 0.95F * advance_, y + 0.5F * row_},
                         {size_, advance_}, is_on);
    }
  }

  [[nodiscard]] bool is_over_sign(float x, int line) const {
    return memory_.barriers[static_cast<std::size_t>(line - 1)] != problem::BarrierLine::None &&
           x >= box_.x + gutter_ - signs_ - 0.2F * advance_ && x < box_.x + gutter_;
  }

  [[nodiscard]] bool hovered_margin(float y) const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return ImGui::IsItemHovered() && mouse.x < box_.x + gutter_ - signs_ && mouse.y >= y &&
           mouse.y < y + row_;
  }

  // The nearest row whose code leaves `width` at its right edge free; the row itself if none does.
  [[nodiscard]] std::size_t row_for_label(std::size_t row, float width) const {
    for (const int by : {0, 1, -1, 2, -2}) {
      const std::size_t at = row + static_cast<std::size_t>(by);
      if (!is_shown(at) || rows_[at] <= 0) {
        continue;
      }
      const std::size_t columns = std::min(parts_[at].to, code_at(rows_[at]).size());
      if (left_of(rows_[at], parts_[at]) + advance_ * static_cast<float>(columns + 1) <
              box_.right() - width &&
          !memory_.values.contains(rows_[at])) {
        return at;
      }
    }
    return row;
  }

  // A frame, with its label at the right, on no code.
  void draw_point(const std::string& label, std::size_t row) {
    const Theme& t = c_.theme;
    const float thick = std::max(1.5F, 0.1F * size_);
    const float y = y_of(row);
    list_.AddRect({box_.x + 0.5F * thick, y}, {box_.right() - 0.5F * thick, y + row_}, t.text,
                  0.25F * size_, ImDrawFlags_None, thick);
    if (label.empty()) {
      return;
    }
    const float size = 0.9F * size_;
    const float width = text_width(c_.fonts.bold, size, label) + size;
    const ImVec2 from(std::max(box_.x, box_.right() - width), y_of(row_for_label(row, width)));
    list_.AddRectFilled(from, {box_.right(), from.y + row_}, t.raised, 0.25F * size_);
    list_.AddRect(from, {box_.right(), from.y + row_}, t.text, 0.25F * size_);
    list_.AddText(c_.fonts.bold, size,
                  {std::round(from.x + 0.5F * size), std::round(from.y + 0.5F * (row_ - size))},
                  t.text, label.c_str());
  }

  void draw_line(int line, const Part& part, float y) {
    const Theme& t = c_.theme;
    const bool is_current = line == request_.marks.executed_line;
    const bool is_fault = request_.marks.fault_lines.contains(line);
    const bool is_linked = request_.marks.linked_lines.contains(line);
    const ImU32 ground = is_current  ? t.current_line.fill
                         : is_fault  ? t.fault.fill
                         : is_linked ? t.hover
                                     : t.panel;
    if (is_current) {
      list_.AddRectFilled({box_.x, y}, {box_.right(), y + row_}, ground, 0.2F * size_);
      list_.AddRectFilled({box_.x, y}, {box_.x + std::max(3.0F, 0.2F * size_), y + row_}, t.focus);
    }
    if (is_fault) {
      if (!is_current) {
        list_.AddRectFilled({box_.x, y}, {box_.right(), y + row_}, ground, 0.2F * size_);
      }
      list_.AddRectFilled({box_.x, y}, {box_.x + std::max(3.0F, 0.2F * size_), y + row_}, t.bad);
    }
    if (!is_current && !is_fault && is_linked) {
      list_.AddRectFilled({box_.x, y}, {box_.right(), y + row_}, t.hover, 0.2F * size_);
    }
    if (!is_current && !is_fault && request_.marks.phase_lines.contains(line)) {
      list_.AddRectFilled({box_.x, y}, {box_.x + std::max(2.0F, 0.12F * size_), y + row_},
                          t.text_dim);
    }
    if (const auto mark = answer_mark(c_, line)) {
      list_.AddRect({box_.x, y}, {box_.right(), y + row_}, answer_colour(t, *mark), 0.2F * size_,
                    ImDrawFlags_None, std::max(2.0F, 0.14F * size_));
    }
    if (part.from == 0) {
      draw_margin(line, y);
      draw_barrier(line, y);
    }
    if (part.to != std::string::npos) {
      draw_part(line, part, y);
    } else {
      draw_code_text(line, y, end_of_text(line), ground);
    }
    const auto value = memory_.values.find(line);
    if (value != memory_.values.end() && part.from == 0) {
      const float value_width = advance_ * static_cast<float>(sum_columns(value->second.text));
      const ImU32 colour = value->second.role == insight::ValueRole::None
                               ? t.text
                               : role_colours(t, value->second.role).line;
      text(box_.right() - advance_ - value_width, y + 0.5F * (row_ - size_), colour,
           value->second.text);
    }
  }

  // The left edge of the whole line of which a row shows a part.
  [[nodiscard]] float left_of(int line, const Part& part) const {
    const std::string_view code = code_at(line);
    const std::size_t hang = part.from == 0 ? 0 : code.find_first_not_of(' ') + kHang;
    return box_.x + gutter_ + advance_ * (static_cast<float>(hang) - static_cast<float>(part.from));
  }

  void draw_part(int line, const Part& part, float y) {
    const std::string_view code = code_at(line);
    for (const TokenAt& token : memory_.tokens[static_cast<std::size_t>(line - 1)]) {
      const std::size_t from = std::max(token.from, part.from);
      const std::size_t to = std::min({token.to, part.to, code.size()});
      if (from < to) {
        const std::string_view word = code.substr(from, to - from);
        text(left_of(line, part) + advance_ * static_cast<float>(from), y + 0.5F * (row_ - size_),
             token.is_name ? name_colour(std::string(word), line) : colour_of(token.token), word);
      }
    }
  }

  void draw_code_text(int line, float y, float right, ImU32 ground) {
    const auto index = static_cast<std::size_t>(line - 1);
    const std::string& all = memory_.lines[index];
    const std::string_view code = std::string_view(all).substr(0, memory_.code[index]);
    const std::string_view shown = request_.is_strip ? code : std::string_view(all);
    const float left = box_.x + gutter_;
    const auto width = [this](std::string_view s) {
      return advance_ * static_cast<float>(sum_columns(std::string(s)));
    };
    const bool is_current = line == request_.marks.executed_line;
    const float slide = is_current ? std::max(0.0F, width(code) + advance_ - (right - left)) : 0.0F;
    const std::size_t target =
        slide > 0.0F ? stored_part(code, static_cast<std::size_t>((right - left) / advance_)) : 0;
    const float tail = target > 0 ? left + width(code.substr(0, target)) + advance_ : left;
    // Clipped on the CPU: a clip rectangle would cost a draw call per line.
    const ImVec4 clip(tail, y, right, y + row_);
    const ImVec4 whole(left, y, right, y + row_);
    const float at = y + 0.5F * (row_ - size_);
    if (target > 0) {
      list_.AddText(c_.fonts.mono, size_, {tail - advance_, at}, c_.theme.text_dim, "…");
    }
    for (const TokenAt& token : memory_.tokens[index]) {
      if (token.from >= shown.size()) {
        break;
      }
      if (hides_findings_ && token.token == Token::Comment) {
        continue;  // "missing: __syncthreads()"
      }
      const std::string word(shown.substr(token.from, token.to - token.from));
      const bool is_target = token.from < target;
      const float x = left - (is_target ? 0.0F : slide) + width(shown.substr(0, token.from));
      list_.AddText(c_.fonts.mono, size_, {x, at},
                    token.is_name ? name_colour(word, line) : colour_of(token.token), word.data(),
                    word.data() + word.size(), 0.0F, is_target ? &whole : &clip);
    }
    const float fade = kFade * advance_;
    const ImU32 clear = with_alpha(ground, 0.0F);
    if (width(shown) - slide > right - left) {
      list_.AddRectFilledMultiColor({right - fade, y}, {right, y + row_}, clear, ground, ground,
                                    clear);
    }
    if (slide > 0.0F) {
      list_.AddRectFilledMultiColor({tail, y}, {tail + fade, y + row_}, ground, clear, clear,
                                    ground);
    }
  }

  Commands handle_mouse() {
    if (!ImGui::IsItemHovered()) {
      return {};
    }
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const float last = std::max(0.0F, static_cast<float>(rows_.size()) - room());
    memory_.top = std::clamp(memory_.top - 3.0F * io.MouseWheel, 0.0F, last);
    const float at = (io.MousePos.y - box_.y) / row_ + memory_.top;
    const auto row = static_cast<std::size_t>(std::max(at, 0.0F));
    if (row >= rows_.size()) {
      return {};
    }
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (request_.hovered_line != nullptr) {
      *request_.hovered_line = std::max(rows_[row], 0);
    }
    if (rows_[row] <= 0) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      return clicked ? Commands{state::ShowHeader{!c_.state.header_open}} : Commands{};
    }
    if (is_over_sign(io.MousePos.x, rows_[row])) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      const bool is_on =
          memory_.barriers[static_cast<std::size_t>(rows_[row] - 1)] == problem::BarrierLine::On;
      ImGui::SetTooltip(
          "%s", tr(is_on ? "Click to disable this barrier; the source text shows the change."
                         : "Click to enable this barrier."));
      return clicked ? Commands{state::ToggleBarrier{rows_[row]}} : Commands{};
    }
    if (io.MousePos.x < box_.x + gutter_) {
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        return {state::EditCondition{rows_[row]}};
      }
      return clicked ? Commands{state::ToggleBreakpoint{rows_[row]}} : Commands{};
    }
    if (is_asked(c_) && c_.view.lesson->question->kind == lesson::QuestionKind::Line) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      return clicked ? clicked_answer(c_, lesson::QuestionKind::Line, fmt::format("{}", rows_[row]))
                     : Commands{};
    }
    if (clicked && request_.clicked_line != nullptr) {
      *request_.clicked_line = rows_[row];
    }
    const std::string& line = memory_.lines[static_cast<std::size_t>(rows_[row] - 1)];
    const std::string word =
        word_at(line, (io.MousePos.x - left_of(rows_[row], parts_[row])) / advance_);
    const bool is_known = !word.empty() && request_.hover && request_.hover(word);
    const bool is_cut = parts_[row].to == std::string::npos &&
                        static_cast<float>(line.size()) * advance_ > box_.w - gutter_;
    if (!is_known && is_cut) {
      ImGui::PushFont(c_.fonts.mono, 0.0F);
      ImGui::SetTooltip("%s", line.substr(line.find_first_not_of(' ')).c_str());
      ImGui::PopFont();
    }
    return {};
  }

  const Context& c_;
  const CodeRequest& request_;
  CodeMemory& memory_;
  ImDrawList& list_;
  std::vector<HeaderRow> words_;  // the unfolded header by row
  Rows rows_;
  std::vector<Part> parts_;  // as rows_
  Box box_;
  float size_ = 0.0F;
  float advance_ = 0.0F;
  float row_ = 0.0F;
  float signs_ = 0.0F;  // width of the margin's barrier signs
  bool hides_findings_ = hides(c_, course::Topic::Findings);
  float gutter_ = 0.0F;
};

}  // namespace

Commands draw_code(const Context& context, const CodeRequest& request) {
  auto& memory = context.memory.of<CodeMemory>();
  refresh_text(request.text, memory);
  refresh_values(context, memory);
  return CodePainter(context, request, memory).draw();
}

}  // namespace tilestep::ui

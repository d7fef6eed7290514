#include "problem/tr.h"
#include "ui/paint/painters.h"
#include "ui/stage/thread_tile.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// Heights of text, in lines.
constexpr float kEyebrow = 0.95F;
constexpr float kSentence = 1.55F;
constexpr float kSmallSentence = 1.1F;
constexpr float kNote = 0.92F;
constexpr float kLeastOfLines = 0.6F;  // in several lines
constexpr float kSentenceAt = 1.45F;
constexpr float kNoteAt = 3.5F;
constexpr float kBetweenLines = 1.15F;  // of the text's size

// Draws pieces side by side; returns their end.
float paint_pieces(const Context& context, const narration::Pieces& pieces, ImVec2 at, float size,
                   ImU32 plain) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const narration::Piece& piece : pieces) {
    ImFont* font = font_of(context, piece);
    list.AddText(font, size, at, hue_colour(context.theme, piece.hue, plain), piece.text.c_str());
    at.x += text_width(font, size, piece.text);
  }
  return at.x;
}

// In several lines, broken at blanks and between ideographs. Returns how many; without a list, it
// only counts them.
int paint_lines(const Context& context, const narration::Pieces& pieces, ImVec2 at, float width,
                float size, ImDrawList* list) {
  const float left = at.x;
  int lines = 1;
  unsigned before = ' ';
  for (const narration::Piece& piece : pieces) {
    ImFont* const font = font_of(context, piece);
    const ImU32 colour = hue_colour(context.theme, piece.hue, context.theme.text);
    const char* const end = piece.text.data() + piece.text.size();
    for (const char* from = piece.text.data(); from < end;) {
      unsigned next = 0;
      const char* to = from;
      const unsigned first = before;
      unsigned start = 0;
      do {
        const int bytes = ImTextCharFromUtf8(&next, to, end);
        start = to == from ? next : start;
        if (to > from && (before == ' ' || may_break_between(before, next))) {
          break;
        }
        before = next;
        to += bytes;
      } while (to < end);
      const std::string word(from, to);
      const float wide = text_width(font, size, word.substr(0, word.find_last_not_of(' ') + 1));
      if (at.x + wide > left + width && (first == ' ' || may_break_between(first, start))) {
        at = {left, at.y + std::round(kBetweenLines * size)};
        ++lines;
      }
      if (list != nullptr) {
        list->AddText(font, size, at, colour, word.c_str());
      }
      at.x += text_width(font, size, word);
      from = to;
    }
  }
  return lines;
}

// The long form if it fits, else the short one, else smaller letters, else two lines.
void paint_sentence(const Context& context, const narration::Sentence& sentence, ImVec2 at,
                    float width) {
  const float font = ImGui::GetFontSize();
  const narration::Pieces* pieces = &sentence.long_form;
  float size = kSentence * font;
  if (pieces_width(context, *pieces, size) > width) {
    const bool small_fits = pieces_width(context, *pieces, kSmallSentence * font) <= width;
    if (small_fits && pieces_width(context, *pieces, 1.3F * font) <= width) {
      size = 1.3F * font;
    } else if (!sentence.short_form.empty()) {
      pieces = &sentence.short_form;
    }
  }
  const float least = 0.85F * font;
  for (float needed = pieces_width(context, *pieces, size); needed > width && size > least;
       needed = pieces_width(context, *pieces, size)) {
    size = std::max(least, std::min(size - 1.0F, std::floor(size * width / needed)));
  }
  at.y += 0.5F * (kSentence * font - size);
  paint_lines(context, *pieces, {at.x, std::round(at.y)}, width, size, ImGui::GetWindowDrawList());
}

narration::Pieces eyebrow_of(const Headline& headline, bool is_short) {
  const narration::Eyebrow& eyebrow = headline.narrated.eyebrow;
  narration::Pieces pieces;
  const auto add = [&pieces](const std::string& text, bool strong, narration::Hue hue) {
    if (!text.empty()) {
      pieces.push_back({(pieces.empty() ? "" : "   ") + text, hue, strong});
    }
  };
  add(eyebrow.phase, false, narration::Hue::None);
  add(eyebrow.name, true, narration::Hue::None);
  if (!is_short) {
    add(eyebrow.pass, false, narration::Hue::None);
    add(eyebrow.block, false, narration::Hue::None);
  }
  add(eyebrow.lanes, false, narration::Hue::Fault);
  return pieces;
}

// Returns its end.
float paint_eyebrow(const Context& context, const narration::Pieces& pieces, ImVec2 at,
                    float size) {
  const Theme& t = context.theme;
  for (const narration::Piece& piece : pieces) {
    at.x = paint_pieces(context, {piece}, at, size, piece.strong ? t.text : t.text_dim);
  }
  return at.x;
}

void paint_one_line(const Context& context, const Headline& headline, const Box& box) {
  const float font = ImGui::GetFontSize();
  const float size = kEyebrow * font;
  const float y = std::round(box.y + 0.5F * (box.h - size));
  const narration::Sentence& sentence = headline.narrated.sentence;
  const narration::Pieces eyebrow = eyebrow_of(headline, true);
  const float least = 0.8F * font;
  float left = box.x + pieces_width(context, eyebrow, size) + font;
  // All of it if there is room, in a size that needs no short form.
  const bool has_room =
      pieces_width(context, sentence.long_form, 1.1F * font) <= box.right() - left;
  const narration::Pieces& pieces =
      has_room || sentence.short_form.empty() ? sentence.long_form : sentence.short_form;
  if (pieces_width(context, pieces, least) > box.right() - left) {
    left = box.x;  // the sentence is more important than its source
  } else {
    paint_eyebrow(context, eyebrow, {box.x, y}, size);
  }
  float text = 1.3F * font;
  while (text > least && pieces_width(context, pieces, text) > box.right() - left) {
    text -= 1.0F;
  }
  const float x = std::max(left, box.right() - pieces_width(context, pieces, text));
  const float width = box.right() - x + 1.0F;
  const auto height = [&](float at_size) {
    const int lines = paint_lines(context, pieces, {x, 0.0F}, width, at_size, nullptr);
    return (1.0F + kBetweenLines * static_cast<float>(lines - 1)) * at_size;
  };
  while (text > kLeastOfLines * font && height(text) > box.h) {
    text -= 1.0F;
  }
  paint_lines(context, pieces, {std::round(x), std::round(box.y + 0.5F * (box.h - height(text)))},
              width, text, ImGui::GetWindowDrawList());
}

// The box around the cells of threads `first` to `last`.
Box box_around(const StagePicture& p, std::uint32_t first, std::uint32_t last) {
  const Sheet& sheet = p.shape.sheets[size(p.shape.threads)];
  CellPlace from{sheet.rows, sheet.cols};
  CellPlace to;
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      const std::uint32_t thread = cell_thread(p.shape, {row, col});
      if (first <= thread && thread <= last) {
        from = {std::min(from.row, row), std::min(from.col, col)};
        to = {std::max(to.row, row), std::max(to.col, col)};
      }
    }
  }
  const Box a = cell_box(p.arrangement, p.shape.threads, from.row, from.col);
  const Box b = cell_box(p.arrangement, p.shape.threads, to.row, to.col);
  return p.view.to_window({a.x, a.y, b.right() - a.x, b.bottom() - a.y});
}

}  // namespace

void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     const Box& box, bool is_short) {
  if (is_short) {
    paint_one_line(context, headline, box);
    return;
  }
  const float font = ImGui::GetFontSize();
  const float size = kEyebrow * font;
  const float end =
      paint_eyebrow(context, eyebrow_of(headline, false), {box.x, std::round(box.y)}, size);
  const float note_width = text_width(context.fonts.text, size, note);
  if (end + 2.0F * size + note_width <= box.right()) {
    ImGui::GetWindowDrawList()->AddText(context.fonts.text, size,
                                        {std::round(box.right() - note_width), std::round(box.y)},
                                        context.theme.text_dim, note.c_str());
  }
  paint_sentence(context, headline.narrated.sentence, {box.x, box.y + kSentenceAt * font}, box.w);
  if (!headline.narrated.notes.empty() && box.h >= (kNoteAt + kNote) * font) {
    const narration::Sentence& about = headline.narrated.notes.front();
    const bool fits = pieces_width(context, about.long_form, kNote * font) <= box.w;
    paint_pieces(context, fits || about.short_form.empty() ? about.long_form : about.short_form,
                 {box.x, std::round(box.y + kNoteAt * font)}, kNote * font, context.theme.text_dim);
  }
}

void paint_waiting(const StagePicture& p, const record::State& state,
                   const record::Activity* statement) {
  const std::uint32_t block = p.context.state.focus.block;
  if (p.shape.threads == kNoSheet ||
      state.machine().block_status(block) != simt::BlockStatus::Running) {
    return;
  }
  const ImU32 colour = p.context.theme.focus;
  const float width = std::max(2.0F, 0.13F * p.font);
  const bool all_here =
      statement != nullptr &&
      std::any_of(statement->barriers.begin(), statement->barriers.end(), [block](const auto& b) {
        return b.warp.block == block && b.event.whole_block &&
               b.event.action == simt::BarrierAction::Release;
      });
  if (all_here) {
    const Box box = p.window_box(p.shape.threads);
    const float thin = std::max(1.5F, 0.08F * p.font);  // the array's name is right above
    for (const float out : {0.75F * thin, 2.25F * thin}) {
      p.list.AddRect({box.x - out, box.y - out}, {box.right() + out, box.bottom() + out}, colour,
                     0.2F * p.font, 0, thin);
    }
    return;
  }
  const auto warp_size = p.program.warp_size();
  const std::uint32_t threads = p.program.threads_per_block();
  for (std::uint32_t warp = 0; warp < p.program.warps_per_block(); ++warp) {
    if (state.machine().warp({block, warp}).status != simt::WarpStatus::AtBarrier) {
      continue;
    }
    const Box box = box_around(p, warp * warp_size, std::min((warp + 1) * warp_size, threads) - 1);
    for (const float out : {0.5F * width, 2.5F * width}) {
      p.list.AddRectFilled({std::round(box.x - out - width), box.y + 1.0F},
                           {std::round(box.x - out), box.bottom() - 1.0F}, colour);
    }
  }
}

namespace {

// Sizes in lines of text.
constexpr float kWarpsBelow = 3.0F;  // the block's name and its memory are above
constexpr float kWarpName = 1.25F;   // including its position
constexpr float kWarpCode = 1.35F;
constexpr std::size_t kLeastCodeOfWarps = 2;  // bytes: a brace has no information

// Neighboring warps at the same line.
struct WarpsAtLine {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t line = 0;  // 0: they have exited
};

std::vector<WarpsAtLine> warps_at_lines(const StagePicture& p, const record::State& state) {
  const std::uint32_t block = p.context.state.focus.block;
  const auto lanes = p.program.warp_size();
  std::vector<WarpsAtLine> all;
  for (std::uint32_t warp = 0; warp < p.program.warps_per_block(); ++warp) {
    const bool is_over = state.machine().warp({block, warp}).status == simt::WarpStatus::Exited;
    const std::uint32_t line = is_over ? 0 : state.line(block, warp * lanes);
    if (all.empty() || all.back().line != line) {
      all.push_back({warp, warp, line});
    }
    all.back().last = warp;
  }
  return all;
}

std::string words_of(const WarpsAtLine& warps, bool waits) {
  const std::string who = warps.first == warps.last ? tr("warp {}", warps.first)
                                                    : tr("warps {} to {}", warps.first, warps.last);
  return warps.line == 0 ? tr("{} · ended", who)
         : waits         ? tr("{} · waits at line {}", who, warps.line)
                         : tr("{} · line {}", who, warps.line);
}

}  // namespace

void paint_warps(const StagePicture& p, const record::State& state,
                 const std::set<std::uint32_t>& mbarriers) {
  const std::uint32_t block = p.context.state.focus.block;
  if (!p.arrangement.block_corner || mbarriers.empty() || p.program.warps_per_block() < 2 ||
      state.machine().block_status(block) != simt::BlockStatus::Running) {
    return;
  }
  const Theme& t = p.context.theme;
  const auto lanes = p.program.warp_size();
  const std::uint32_t focus = p.context.state.focus.thread / lanes;
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const ImVec4 clip(corner.x, corner.y, corner.right() - 0.5F * p.font, corner.bottom());
  float y = corner.y + kWarpsBelow * p.font;
  for (const WarpsAtLine& warps : warps_at_lines(p, state)) {
    if (y + kWarpName * p.font > corner.bottom()) {
      return;
    }
    const bool is_focus = warps.first <= focus && focus <= warps.last;
    p.list.AddText(is_focus ? p.context.fonts.bold : p.context.fonts.text, p.font,
                   {std::round(corner.x), std::round(y)}, is_focus ? t.text : t.text_dim,
                   words_of(warps, mbarriers.contains(warps.line)).c_str(), nullptr, 0.0F, &clip);
    y += kWarpName * p.font;
    const std::string code = code_of_line(p.context.view.source.text, warps.line);
    if (code.size() > kLeastCodeOfWarps && y + kWarpCode * p.font <= corner.bottom()) {
      p.list.AddText(p.context.fonts.mono, 0.9F * p.font, {std::round(corner.x), std::round(y)},
                     t.text_dim, code.c_str(), nullptr, 0.0F, &clip);
      y += kWarpCode * p.font;
    }
  }
}

}  // namespace tilestep::ui

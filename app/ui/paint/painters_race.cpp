#include "insight/names.h"
#include "narration/templates.h"
#include "ui/paint/painters.h"
#include "ui/stage/race_effects.h"
#include "ui/stage/shape.h"
#include "ui/stage/thread_tile.h"
#include "ui/text.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

using narration::Hue;
using narration::part;
using narration::plain;
using narration::strong;

// Sizes in lines of text.
constexpr float kSide = 2.9F;     // one thread's box
constexpr float kBarrier = 2.3F;  // between the two
constexpr float kRaceHeight = 1.9F + 2.0F * kSide + kBarrier + 1.4F;
constexpr float kLeastWidth = 12.0F;
constexpr float kLeastFont = 0.6F;  // of the stage's
constexpr float kRaceWidth = 17.0F;
constexpr float kArrow = 0.5F;

ImVec2 centre(const Box& box) {
  return {box.x + 0.5F * box.w, box.y + 0.5F * box.h};
}

// The thread's cell; without one, all of the block's cells.
Box thread_box(const StagePicture& p, std::uint32_t thread) {
  const auto place = thread_cell(p.shape, thread);
  return p.view.to_window(place ? cell_box(p.arrangement, p.shape.threads, place->row, place->col)
                                : sheet_box(p.shape, p.arrangement, p.shape.threads));
}

void value_in(const StagePicture& p, const Box& box, const std::string& text, ImU32 colour) {
  ImFont* font = p.context.fonts.mono;
  const float width = kDigitWidth * static_cast<float>(std::max<std::size_t>(text.size(), 1));
  const float height = std::min(0.62F * box.h, 0.9F * box.w / width);
  if (height < 1.0F) {
    return;  // the array has no room
  }
  const ImVec2 extent = font->CalcTextSizeA(height, 1e6F, 0.0F, text.c_str());
  p.write(font, height, {box.x + 0.5F * (box.w - extent.x), box.y + 0.5F * (box.h - extent.y)},
          colour, text);
}

// A box beside the array, in free space: left of an upper array, above a left one.
Box pushed_out(const StagePicture& p, const SheetPlace& place, const Box& cell) {
  const Box sheet = p.window_box(place.sheet);
  const float away = 1.15F * p.font;
  if (place.sheet == p.shape.left) {
    return {cell.x, sheet.y - away - 1.2F * p.font - cell.h, cell.w, cell.h};
  }
  return {sheet.x - away - cell.w, cell.y, cell.w, cell.h};
}

void paint_needed(const StagePicture& p, const ShownRaceEffect& shown, const SheetPlace& place,
                  const Box& cell, std::vector<CellInstance>& instances) {
  const Theme& t = p.context.theme;
  const bool lost = shown.effect.is_lost();
  const Box box = pushed_out(p, place, cell);
  CellInstance ghost = outline(box, t.bad, std::max(2.0F, 0.1F * p.font), 0.2F * p.font);
  ghost.fill = t.panel;
  ghost.marks = mark::kDashed;
  instances.assign(1, ghost);
  p.draw(instances);
  value_in(p, box, race_value(p.program, shown.effect, shown.values.should), t.text);
  if (lost) {
    p.list.AddLine({box.x + 0.1F * box.w, box.bottom() - 0.15F * box.h},
                   {box.right() - 0.1F * box.w, box.y + 0.15F * box.h}, t.bad,
                   std::max(2.0F, 0.12F * p.font));
  }
  const std::string word = narration::plain_text(
      part(lost ? narration::Say("race_lost_value") : narration::Say("race_late_value"), {}));
  ImFont* font = p.context.fonts.bold;
  const float width = text_width(font, p.font, word);
  p.write(font, p.font, {box.x + 0.5F * (box.w - width), box.y - 1.2F * p.font}, t.bad, word);
  if (lost) {
    paint_arc(p, cell, box, t.bad);
  } else {
    paint_arc(p, box, cell, t.bad);
  }
}

narration::Pieces side_title(const StagePicture& p, const ShownRaceEffect& shown, bool writer) {
  const insight::RaceEffect& s = shown.effect;
  const problem::Launch& launch = p.program.launch();
  const auto name = [&](std::uint32_t thread) {
    return strong(insight::thread_name(launch.block.at(thread), launch));
  };
  const auto value = [&](std::optional<std::uint32_t> bits, Hue hue) {
    return strong(race_value(p.program, s, bits), hue);
  };
  if (!writer) {
    return part("race_reads", {{"thread", name(s.reader.thread)},
                               {"found", value(shown.values.found, Hue::Fault)},
                               {"should", value(shown.values.should, Hue::Good)}});
  }
  // The value it stored: the reader found it, or should have.
  const auto stored = s.is_lost() ? shown.values.found : shown.values.should;
  return part("race_writes", {{"thread", name(s.writer.thread)},
                              {"value", value(stored, s.is_lost() ? Hue::Fault : Hue::Good)}});
}

void write(const StagePicture& p, const narration::Pieces& pieces, ImVec2 at, float size,
           float room, ImU32 colour) {
  size = fitted_size(size, pieces_width(p.context, pieces, size), room);
  TextPen(p.context, {at.x, std::round(at.y)}, size, &p.list).pieces(pieces, colour);
}

void paint_side(const StagePicture& p, const ShownRaceEffect& shown, bool writer, const Box& box) {
  const Theme& t = p.context.theme;
  const insight::RaceAccess& side = writer ? shown.effect.writer : shown.effect.reader;
  const std::size_t statement = p.context.view.run.scene->recording->statement_of(side.step) + 1;
  p.list.AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, t.panel, 0.3F * p.font);
  p.list.AddRect({box.x, box.y}, {box.right(), box.bottom()}, writer ? t.bad : t.focus,
                 0.3F * p.font, 0, std::max(1.5F, 0.1F * p.font));
  const float pad = 0.5F * p.font;
  const float room = box.w - 2.0F * pad;
  write(p, side_title(p, shown, writer), {box.x + pad, box.y + 0.35F * p.font}, 1.05F * p.font,
        room, t.text);
  write(p,
        part("race_at", {{"line", plain(fmt::format("{}", side.line))},
                         {"statement", plain(fmt::format("{}", statement))}}),
        {box.x + pad, box.y + 1.6F * p.font}, 0.95F * p.font, room, t.text_dim);
}

void paint_race_effect(const StagePicture& p, const ShownRaceEffect& shown,
                       std::vector<CellInstance>& instances) {
  const Theme& t = p.context.theme;
  const auto place = sheet_place(p.shape, p.program, p.program.locate(shown.effect.address, 4));
  if (!place || !place->inside) {
    return;
  }
  const Box cell = p.window_box(place->sheet, place->row, place->col);
  const float thick = std::max(2.0F, 0.13F * p.font);
  CellInstance inner = outline(cell, t.bad, thick, 0.15F * p.font);
  inner.fill = t.fault.fill;
  inner.marks = mark::kHatched;
  inner.mark_colour = mix(t.fault.fill, t.bad, 0.35F);
  const float out = 1.8F * thick;
  instances = {
      inner, outline({cell.x - out, cell.y - out, cell.w + 2.0F * out, cell.h + 2.0F * out}, t.bad,
                     thick, 0.25F * p.font)};
  p.draw(instances);
  value_in(p, cell, race_value(p.program, shown.effect, shown.values.found), t.fault.text);
  paint_needed(p, shown, *place, cell, instances);
  if (p.shape.threads != kNoSheet) {
    paint_arc(p, thread_box(p, shown.effect.writer.thread), cell, t.bad);
    paint_arc(p, cell, thread_box(p, shown.effect.reader.thread), t.focus);
  }
}

// The room left of B and above A, down to the legend; without these, or zoomed in, the stage's top.
Box card_room(const StagePicture& p) {
  const float left = p.clip.x + 0.3F * p.font;
  if (p.context.state.camera.zoom > 0.0F || !p.shape.has_matrix_l()) {
    return {left, p.clip.y, p.clip.z - left, 0.0F};
  }
  if (p.arrangement.hides_matrices && p.arrangement.block_group) {
    const float right = p.view.to_window(*p.arrangement.block_group).x - 0.3F * p.font;
    return {left, p.clip.y, right - left, p.clip.w - p.clip.y};
  }
  const Box a = p.window_box(p.shape.a);
  const Box b = p.window_box(p.shape.b);
  const bool few = p.arrangement.labels == Labels::Few;
  const float right = b.x - (few ? 0.2F : 1.0F) * p.font;
  const float bottom =
      a.y - (few ? 1.2F : 2.3F) * p.font - (p.arrangement.corner ? 2.9F : 0.0F) * p.font;
  return {left, p.clip.y, right - left, bottom - p.clip.y};
}

void paint_race_card(const StagePicture& p, const ShownRaceEffect& shown, const Box& room,
                     std::vector<CellInstance>& instances) {
  const Theme& t = p.context.theme;
  const float font = p.font;
  const float width =
      std::min(std::max(room.w - 0.5F * font, kLeastWidth * font), kRaceWidth * font);
  const float height = kRaceHeight * font;
  const Box card{std::round(room.x), std::round(std::max(room.y, room.bottom() - height)), width,
                 height};
  CellInstance ground = outline(card, t.bad, 1.5F, 0.4F * font);
  ground.fill = t.panel;
  instances.assign(1, ground);
  p.draw(instances);
  const float pad = 0.6F * font;
  const float inner = width - 2.0F * pad;
  float y = card.y + 0.45F * font;
  narration::Pieces head{{std::string(icon::kWarning) + "  ", Hue::Fault, false}};
  const narration::Pieces on =
      part("race_on", {{"element", strong(shown.finding.element, Hue::Fault)}});
  head.insert(head.end(), on.begin(), on.end());
  write(p, head, {card.x + pad, y}, 1.1F * font, inner, t.text);
  y += 1.55F * font;
  const bool writer_first = shown.effect.is_lost();
  paint_side(p, shown, writer_first, {card.x + pad, y, inner, kSide * font});
  y += kSide * font;
  const float x = card.x + pad + 0.8F * font;
  for (float dash = y; dash < y + kBarrier * font - 0.3F * font; dash += 0.55F * font) {
    p.list.AddLine({x, dash}, {x, dash + 0.3F * font}, t.bad, std::max(2.0F, 0.13F * font));
  }
  const float tip = y + kBarrier * font;
  p.list.AddTriangleFilled({x, tip}, {x - 0.35F * font, tip - 0.5F * font},
                           {x + 0.35F * font, tip - 0.5F * font}, t.bad);
  write(p, part("race_no_barrier", {}), {x + 0.8F * font, y + 0.6F * font}, font,
        inner - 1.8F * font, t.bad);
  y += kBarrier * font;
  paint_side(p, shown, !writer_first, {card.x + pad, y, inner, kSide * font});
  y += (kSide + 0.3F) * font;
  if (shown.others > 0) {
    write(p, part("race_others", {{"count", plain(fmt::format("{}", shown.others))}}),
          {card.x + pad, y}, 0.9F * font, inner, t.text_dim);
  }
}

}  // namespace

void paint_arc(const StagePicture& p, const Box& from, const Box& to, ImU32 colour) {
  const ImVec2 a = centre(from);
  const ImVec2 b = centre(to);
  const float length = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
  const ImVec2 along((b.x - a.x) / length, (b.y - a.y) / length);
  const float bow = std::min(0.28F * length, 6.0F * p.font);
  const ImVec2 mid(0.5F * (a.x + b.x) + bow * along.y, 0.5F * (a.y + b.y) - bow * along.x);
  const auto outside = [](ImVec2 inner, ImVec2 towards, const Box& box) {
    const float dx = towards.x - inner.x;
    const float dy = towards.y - inner.y;
    const float share = std::min(std::abs(dx) > 1e-3F ? 0.5F * box.w / std::abs(dx) : 1e9F,
                                 std::abs(dy) > 1e-3F ? 0.5F * box.h / std::abs(dy) : 1e9F);
    return ImVec2(inner.x + std::min(share, 0.9F) * dx, inner.y + std::min(share, 0.9F) * dy);
  };
  const ImVec2 start = outside(a, mid, from);
  const ImVec2 end = outside(b, mid, to);
  const float width = std::max(2.5F, 0.16F * p.font);
  p.list.AddBezierQuadratic(start, mid, end, colour, width);
  const float back = std::max(1.0F, std::hypot(end.x - mid.x, end.y - mid.y));
  const ImVec2 d((end.x - mid.x) / back, (end.y - mid.y) / back);
  const float head = kArrow * p.font;
  p.list.AddTriangleFilled(
      end, {end.x - head * d.x + 0.6F * head * d.y, end.y - head * d.y - 0.6F * head * d.x},
      {end.x - head * d.x - 0.6F * head * d.y, end.y - head * d.y + 0.6F * head * d.x}, colour);
}

void paint_race(const StagePicture& p, std::vector<CellInstance>& instances) {
  const ShownRaceEffect* effect = shown_race_effect(p.context);
  if (effect == nullptr) {
    return;
  }
  paint_race_effect(p, *effect, instances);
  const Box room = card_room(p);
  StagePicture sized = p;
  // Its text shrinks before it covers cells.
  const float fits =
      std::min(room.w / ((kLeastWidth + 0.5F) * p.font), room.h / (kRaceHeight * p.font));
  if (p.arrangement.hides_matrices && fits < kLeastFont) {
    return;  // the sentence above says it, too
  }
  sized.font *= room.h > 0.0F ? std::clamp(fits, kLeastFont, 1.0F) : 1.0F;
  paint_race_card(sized, *effect, room, instances);
}

}  // namespace tilestep::ui

#include "ui/stage/overlay.h"

#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ui/names.h"
#include "ui/stage/labels.h"
#include "ui/stage/map_paint.h"
#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

Box grown(const Box& box, float by) {
  return {std::round(box.x) - by, std::round(box.y) - by,
          std::round(box.right()) - std::round(box.x) + 2.0F * by,
          std::round(box.bottom()) - std::round(box.y) + 2.0F * by};
}

// What a block loads stands in the hue of its numbers; blocks' colours are for what they own.
ImU32 tile_colour(const Theme& theme, const Sheet& sheet) {
  return sheet.role == insight::ValueRole::None ? theme.text_dim
                                                : role_colours(theme, sheet.role).line;
}

CellInstance frame_instance(const StagePicture& p, const CellFrame& frame) {
  const Theme& t = p.context.theme;
  const Box box = p.window_box(frame);
  const ImU32 block = block_colour(t, p.program.block_index(frame.block));
  const float thin = std::max(1.5F, 0.09F * p.font);
  const bool is_focus = frame.block == p.context.state.focus.block;
  switch (frame.kind) {
    case FrameKind::Block: {
      // The inner line of a neighbour's frame stays visible beside it.
      const float width = is_focus ? 2.2F * thin : thin;
      CellInstance instance =
          outline(grown(box, is_focus ? 0.5F * thin : -0.5F), block, width, 0.15F * p.font);
      instance.marks = is_focus ? mark::kNone : mark::kDashed;
      return instance;
    }
    case FrameKind::Tile:
      return outline(grown(box, 0.5F * thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]),
                     1.8F * thin, 0.15F * p.font);
    case FrameKind::Visited: {
      CellInstance instance =
          outline(grown(box, thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]), thin,
                  0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::LastTile: {
      CellInstance instance =
          outline(grown(box, 0.5F * thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]),
                  1.2F * thin, 0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::FocusCell:
      return outline(grown(box, 0.5F * thin), t.focus, 1.5F * thin, 0.2F * p.font);
    case FrameKind::FocusSum:
      return outline(grown(box, 0.5F * thin), t.focus, thin, 0.2F * p.font);
    case FrameKind::Finding:
      return outline(grown(box, 2.0F * thin), t.bad, 2.2F * thin, 0.25F * p.font);
    case FrameKind::Guide:
      return outline(grown(box, 0.5F * thin), t.focus, 1.5F * thin, 0.2F * p.font);
    case FrameKind::Factors: {
      CellInstance instance = outline(box, t.text_dim, thin, 0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::BlockGuide: {
      const ImU32 hue = tile_colour(t, p.shape.sheets[size(frame.sheet)]);
      CellInstance instance = outline(box, hue, thin, 0.15F * p.font);
      instance.fill = with_alpha(hue, 0.16F);
      return instance;
    }
    case FrameKind::FocusReads:
      break;
  }
  return outline(grown(box, 0.12F * p.font), t.focus, 1.2F * thin, 0.25F * p.font);
}

// The cell where the focus thread's result stands, or is going to.
void add_focus_cells(const StagePicture& p, std::vector<CellInstance>& out) {
  const state::Focus& focus = p.context.state.focus;
  const float width = std::max(2.0F, 0.13F * p.font);
  if (p.shape.threads != kNoSheet) {
    const auto place =
        p.content.focus_cell ? p.content.focus_cell : thread_cell(p.shape, focus.thread);
    if (place) {
      const Box box = cell_box(p.arrangement, p.shape.threads, place->row, place->col);
      out.push_back(outline(grown(p.view.to_window(box), 0.5F * width), p.context.theme.focus,
                            width, 0.2F * p.font));
    }
  }
  if (p.content.focus_result) {
    const SheetPlace& place = *p.content.focus_result;
    const Box box = cell_box(p.arrangement, place.sheet, place.row, place.col);
    out.push_back(outline(grown(p.view.to_window(box), 0.5F * width), p.context.theme.focus, width,
                          0.2F * p.font));
  }
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    const Sheet& sheet = p.shape.sheets[i];
    if (sheet.name != focus.cell_of ||
        !p.arrangement.sheets[i].shown.has(focus.cell_row, focus.cell_col)) {
      continue;
    }
    const Box box = cell_box(p.arrangement, static_cast<int>(i), focus.cell_row, focus.cell_col);
    CellInstance chosen = outline(grown(p.view.to_window(box), width), p.context.theme.accent_text,
                                  width, 0.2F * p.font);
    chosen.marks = mark::kDashed;
    out.push_back(chosen);
  }
}

// "(1,0)" on the upper left corner of a block's frame.
void paint_block_chips(const StagePicture& p) {
  const Theme& t = p.context.theme;
  const problem::Dim3 grid = p.program.launch().grid;
  for (const CellFrame& frame : p.content.frames) {
    if (frame.kind != FrameKind::Block || grid.count() == 1 ||
        p.arrangement.labels == Labels::Few) {  // names stand there
      continue;
    }
    const Box box = p.window_box(frame);
    // Between the numbers of two rows.
    const ValueText value = sheet_text(p, frame.sheet);
    const float free = p.cell_size(frame.sheet).y - (value.chars > 0 ? value.size : 0.0F);
    const float text_size = std::min(0.7F * p.font, 0.9F * free);
    if (text_size < kLeastChip) {  // may be none at all: no font has that size
      continue;
    }
    const std::string name =
        insight::coordinates(p.program.block_index(frame.block), p.program.launch());
    ImFont* font = p.context.fonts.bold;
    const ImVec2 text = font->CalcTextSizeA(text_size, 1e6F, 0.0F, name.c_str());
    const float pad = 0.25F * text_size;
    const float chip_height = text_size + 0.3F * pad;
    if (p.cell_size(frame.sheet).y < 1.25F * p.font || text.x + 2.0F * pad > 0.9F * box.w ||
        !p.is_visible(box)) {
      continue;
    }
    const ImVec2 from(std::round(box.x), std::round(box.y - 0.5F * chip_height));
    const ImVec2 to(from.x + text.x + 2.0F * pad, from.y + chip_height);
    const ImU32 colour = block_colour(t, p.program.block_index(frame.block));
    const bool dark_text = contrast(colour, rgb(0x05080B)) > contrast(colour, rgb(0xFFFFFF));
    p.list.AddRectFilled(from, to, colour, 0.15F * p.font);
    p.list.AddText(font, text_size, {from.x + pad, from.y + 0.15F * pad},
                   dark_text ? rgb(0x05080B) : rgb(0xFFFFFF), name.c_str());
  }
}

}  // namespace

void paint_block_card(const StagePicture& p) {
  if (!p.arrangement.block_group) {
    return;
  }
  const Theme& t = p.context.theme;
  const problem::Dim3 block = p.program.block_index(p.context.state.focus.block);
  const ImU32 colour = block_colour(t, block);
  const Box card = p.view.to_window(*p.arrangement.block_group);
  const ImVec2 from(std::round(card.x), std::round(card.y));
  const ImVec2 to(std::round(card.right()), std::round(card.bottom()));
  p.list.AddRectFilled(from, to, mix(t.panel, t.raised, 0.6F), 0.5F * p.font);
  p.list.AddRect(from, to, mix(t.border, colour, 0.45F), 0.5F * p.font, ImDrawFlags_None,
                 std::max(1.0F, 0.08F * p.font));
}

void paint_block_name(const StagePicture& p, bool with_memory) {
  if (!p.arrangement.block_corner) {
    return;
  }
  const ImU32 colour =
      block_colour(p.context.theme, p.program.block_index(p.context.state.focus.block));
  const Theme& t = p.context.theme;
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const std::string name = block_name(p.program, p.context.state.focus.block);
  const std::string memory = tr("{} B shared", p.program.shared_bytes());
  const float dot = 0.75F * p.font;
  const float wanted =
      dot + 0.4F * p.font + p.context.fonts.bold->CalcTextSizeA(p.font, 1e6F, 0.0F, name.c_str()).x;
  if (corner.w < wanted || corner.h < 1.2F * p.font) {
    return;
  }
  const ImVec2 at(std::round(corner.x), std::round(corner.y));
  p.list.AddRectFilled({at.x, at.y + 0.15F * p.font}, {at.x + dot, at.y + 0.15F * p.font + dot},
                       colour, 0.15F * p.font);
  p.list.AddText(p.context.fonts.bold, p.font, {at.x + dot + 0.4F * p.font, at.y}, t.text,
                 name.c_str());
  if (with_memory && corner.h > 2.6F * p.font) {
    paint_backed_text(p, p.context.fonts.text, p.font, {at.x, at.y + 1.35F * p.font}, t.text_dim,
                      memory);
  }
}

void paint_frames(const StagePicture& picture, std::vector<CellInstance>& instances) {
  instances.clear();
  const auto is_of_thread = [](const CellFrame& frame) {
    return frame.kind == FrameKind::FocusReads || frame.kind == FrameKind::FocusSum ||
           frame.kind == FrameKind::FocusCell || frame.kind == FrameKind::Finding;
  };
  // The focus block's frames lie over the others', which are lines of a map.
  for (const bool focus : {false, true}) {
    for (const CellFrame& frame : picture.content.frames) {
      const bool is_line = !focus && frame.kind == FrameKind::Block && is_map(picture, frame.sheet);
      if ((frame.block == picture.context.state.focus.block) == focus && !is_of_thread(frame) &&
          !is_line) {
        instances.push_back(frame_instance(picture, frame));
      }
    }
  }
  for (const CellFrame& frame : picture.content.frames) {
    if (is_of_thread(frame)) {
      instances.push_back(frame_instance(picture, frame));
    }
  }
  add_focus_cells(picture, instances);
  if (picture.context.cells != nullptr) {
    picture.context.cells->draw(picture.list, instances, picture.clip);
  }
  paint_block_chips(picture);
}

}  // namespace tilestep::ui

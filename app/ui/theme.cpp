#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace tilestep::ui {
namespace {

constexpr Theme kDark{
    .dark = true,
    .window = rgb(0x0E1217),
    .panel = rgb(0x181D24),
    .raised = rgb(0x222932),
    .field = rgb(0x10151B),
    .hover = rgb(0x2C3541),
    .border = rgb(0x343E4A),
    .text = rgb(0xEDF1F5),
    .text_dim = rgb(0xAEB9C4),
    .accent = {rgb(0x56B4E9), rgb(0x04121C)},
    .accent_text = rgb(0x6CC1F2),
    .selected = {rgb(0x1F3B52), rgb(0xF4F8FB)},
    .good = rgb(0x3CCB9A),
    .warning = rgb(0xF0B43C),
    .bad = rgb(0xFF8A70),
    .fault = {rgb(0xE8613A), rgb(0x160502)},
    .cell = {rgb(0x2B333E), rgb(0xEDF1F5)},
    .cell_empty = {rgb(0x1C222A), rgb(0xAEB9C4)},
    .cell_border = rgb(0x3D4854),
    .hatch = rgb(0x46525F),
    .read = {rgb(0x56B4E9), rgb(0x04121C)},
    .write = {rgb(0xF0A818), rgb(0x1A1000)},
    .focus = rgb(0xFFFFFF),
    .breakpoint = rgb(0xF0563A),
    .current_line = {rgb(0x1F3B52), rgb(0xF4F8FB)},
    .phase_load = {rgb(0x4FA3D6), rgb(0x04121C)},
    .phase_multiply = {rgb(0xE0A020), rgb(0x1A1000)},
    .phase_store = {rgb(0x2FB58A), rgb(0x03140E)},
    .phase_other = {rgb(0x7E8B99), rgb(0x0B0F13)},
    .syntax = {.text = rgb(0xE6EBF0),
               .keyword = rgb(0xC9A3F5),
               .type = rgb(0x7CC7F2),
               .number = rgb(0xF2A97E),
               .string = rgb(0x9FD8A4),
               .comment = rgb(0x98A7B5),
               .preprocessor = rgb(0xE39AC0),
               .function = rgb(0xF0CF7A)},
    .blocks = {rgb(0x12B086), rgb(0xD98AB8), rgb(0x3D8FE0), rgb(0xF0E442), rgb(0xE8702A)},
};

constexpr Theme kLight{
    .dark = false,
    .window = rgb(0xE4E9EE),
    .panel = rgb(0xFFFFFF),
    .raised = rgb(0xF2F5F8),
    .field = rgb(0xF7F9FB),
    .hover = rgb(0xE3EAF1),
    .border = rgb(0xC3CCD5),
    .text = rgb(0x0E151C),
    .text_dim = rgb(0x46525E),
    .accent = {rgb(0x00609C), rgb(0xFFFFFF)},
    .accent_text = rgb(0x005A94),
    .selected = {rgb(0xCFE6F7), rgb(0x0B1D2B)},
    .good = rgb(0x00694B),
    .warning = rgb(0x7D5200),
    .bad = rgb(0xB02A0C),
    .fault = {rgb(0xC8401C), rgb(0xFFFFFF)},
    .cell = {rgb(0xE9EEF3), rgb(0x0E151C)},
    .cell_empty = {rgb(0xFAFBFC), rgb(0x46525E)},
    .cell_border = rgb(0xB9C4CF),
    .hatch = rgb(0xBCC6D0),
    .read = {rgb(0x0072B2), rgb(0xFFFFFF)},
    .write = {rgb(0xF0A010), rgb(0x1A1000)},
    .focus = rgb(0x05080B),
    .breakpoint = rgb(0xC42B10),
    .current_line = {rgb(0xCFE6F7), rgb(0x0B1D2B)},
    .phase_load = {rgb(0x2F86BE), rgb(0x020A10)},
    .phase_multiply = {rgb(0xEBA22A), rgb(0x1A1000)},
    .phase_store = {rgb(0x23A37A), rgb(0x02120C)},
    .phase_other = {rgb(0x9AA6B2), rgb(0x0B0F13)},
    .syntax = {.text = rgb(0x141B22),
               .keyword = rgb(0x6A1FB0),
               .type = rgb(0x00598F),
               .number = rgb(0x9A3A00),
               .string = rgb(0x1B6B2A),
               .comment = rgb(0x4E5B67),
               .preprocessor = rgb(0x9A1F66),
               .function = rgb(0x6B4E00)},
    .blocks = {rgb(0x008A64), rgb(0xB0518A), rgb(0x0060B8), rgb(0x8F7A00), rgb(0xC24A00)},
};

struct Rgb {
  float r, g, b;
};

Rgb channels(ImU32 colour) {
  return {static_cast<float>((colour >> IM_COL32_R_SHIFT) & 0xffU),
          static_cast<float>((colour >> IM_COL32_G_SHIFT) & 0xffU),
          static_cast<float>((colour >> IM_COL32_B_SHIFT) & 0xffU)};
}

// Relative luminance, WCAG 2.1.
double luminance(ImU32 colour) {
  const auto linear = [](float channel) {
    const double c = static_cast<double>(channel) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const Rgb c = channels(colour);
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

ImVec4 vec(ImU32 colour) {
  return ImGui::ColorConvertU32ToFloat4(colour);
}

void apply_colours(const Theme& t, ImVec4* c) {
  const auto set = [c](std::initializer_list<ImGuiCol> which, ImU32 colour) {
    for (const ImGuiCol i : which) {
      c[i] = vec(colour);
    }
  };
  set({ImGuiCol_Text, ImGuiCol_InputTextCursor}, t.text);
  set({ImGuiCol_TextDisabled}, t.text_dim);
  set({ImGuiCol_WindowBg, ImGuiCol_ChildBg}, t.panel);
  set({ImGuiCol_PopupBg}, t.raised);
  set({ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderStrong, ImGuiCol_TableBorderLight,
       ImGuiCol_TreeLines},
      t.border);
  set({ImGuiCol_BorderShadow, ImGuiCol_TableRowBg, ImGuiCol_DragDropTargetBg}, 0);
  set({ImGuiCol_FrameBg}, t.field);
  set({ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered,
       ImGuiCol_HeaderHovered, ImGuiCol_TabHovered},
      t.hover);
  set({ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed, ImGuiCol_Tab,
       ImGuiCol_TabSelected, ImGuiCol_TabDimmed, ImGuiCol_TabDimmedSelected},
      t.panel);
  set({ImGuiCol_TabSelectedOverline, ImGuiCol_TabDimmedSelectedOverline}, 0);
  set({ImGuiCol_DockingEmptyBg, ImGuiCol_MenuBarBg}, t.window);
  set({ImGuiCol_ScrollbarBg}, with_alpha(t.panel, 0.0F));
  set({ImGuiCol_ScrollbarGrab}, t.border);
  set({ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ScrollbarGrabActive}, t.text_dim);
  set({ImGuiCol_CheckboxSelectedBg}, t.accent.fill);
  set({ImGuiCol_CheckMark}, t.accent.text);
  set({ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_TextLink, ImGuiCol_UnsavedMarker},
      t.accent_text);
  set({ImGuiCol_Button, ImGuiCol_TableHeaderBg, ImGuiCol_TableRowBgAlt}, t.raised);
  set({ImGuiCol_ButtonActive, ImGuiCol_Header, ImGuiCol_HeaderActive, ImGuiCol_TextSelectedBg},
      t.selected.fill);
  set({ImGuiCol_SeparatorHovered, ImGuiCol_SeparatorActive, ImGuiCol_ResizeGripHovered,
       ImGuiCol_ResizeGripActive, ImGuiCol_NavCursor, ImGuiCol_NavWindowingHighlight},
      t.accent.fill);
  set({ImGuiCol_ResizeGrip}, with_alpha(t.border, 0.0F));
  set({ImGuiCol_DockingPreview, ImGuiCol_DragDropTarget}, with_alpha(t.accent.fill, 0.5F));
  set({ImGuiCol_ModalWindowDimBg, ImGuiCol_NavWindowingDimBg}, with_alpha(t.window, 0.65F));
  set({ImGuiCol_PlotLines, ImGuiCol_PlotHistogram}, t.accent.fill);
  set({ImGuiCol_PlotLinesHovered, ImGuiCol_PlotHistogramHovered}, t.accent_text);
}

}  // namespace

const Theme& theme(state::Theme which) {
  return which == state::Theme::Dark ? kDark : kLight;
}

ImU32 block_colour(const Theme& theme, problem::Dim3 block) {
  return theme.blocks[(block.x + 2U * block.y + 4U * block.z) % theme.blocks.size()];
}

Fill phase_colour(const Theme& theme, record::PhaseKind kind) {
  switch (kind) {
    case record::PhaseKind::Load:
      return theme.phase_load;
    case record::PhaseKind::Multiply:
    case record::PhaseKind::LoadAndMultiply:
      return theme.phase_multiply;
    case record::PhaseKind::WriteBack:
      return theme.phase_store;
    case record::PhaseKind::Setup:
    case record::PhaseKind::Compute:
    case record::PhaseKind::Other:
      break;
  }
  return theme.phase_other;
}

ImU32 mix(ImU32 a, ImU32 b, float share) {
  const Rgb x = channels(a);
  const Rgb y = channels(b);
  const auto blend = [share](float p, float q) {
    return static_cast<ImU32>(std::lround(p + (q - p) * share));
  };
  return IM_COL32(blend(x.r, y.r), blend(x.g, y.g), blend(x.b, y.b), 0xffU);
}

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255.0F));
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

Fill block_cell(const Theme& theme, problem::Dim3 block) {
  return {mix(theme.cell.fill, block_colour(theme, block), theme.dark ? 0.30F : 0.28F),
          theme.cell.text};
}

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a);
  const double y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

std::vector<TextPair> text_pairs(const Theme& t) {
  std::vector<TextPair> pairs;
  const struct {
    const char* what;
    ImU32 colour;
  } on_surfaces[] = {{"text", t.text}, {"dim text", t.text_dim}, {"accent", t.accent_text},
                     {"good", t.good}, {"warning", t.warning},   {"bad", t.bad}};
  for (const auto& text : on_surfaces) {
    for (const ImU32 surface : {t.window, t.panel, t.raised, t.field, t.hover}) {
      pairs.push_back({text.what, text.colour, surface});
    }
  }
  const struct {
    const char* what;
    Fill fill;
  } fills[] = {{"accent button", t.accent},  {"selected row", t.selected},
               {"fault", t.fault},           {"cell", t.cell},
               {"empty cell", t.cell_empty}, {"read cell", t.read},
               {"stored cell", t.write},     {"current line", t.current_line},
               {"load", t.phase_load},       {"multiply", t.phase_multiply},
               {"store", t.phase_store},     {"other phase", t.phase_other}};
  for (const auto& [what, fill] : fills) {
    pairs.push_back({what, fill.text, fill.fill});
  }
  const SyntaxColours& s = t.syntax;
  for (const ImU32 colour :
       {s.text, s.keyword, s.type, s.number, s.string, s.comment, s.preprocessor, s.function}) {
    pairs.push_back({"source", colour, t.panel});
    pairs.push_back({"source on the current line", colour, t.current_line.fill});
  }
  pairs.push_back({"dim text on a selected row", t.text_dim, t.selected.fill});
  for (std::uint32_t i = 0; i < t.blocks.size(); ++i) {
    const Fill tinted = block_cell(t, {i, 0, 0});
    pairs.push_back({"cell of a block", tinted.text, tinted.fill});
  }
  return pairs;
}

void apply_style(const Theme& theme, float font_size) {
  ImGuiStyle& style = ImGui::GetStyle();
  apply_colours(theme, style.Colors);
  const float em = font_size;
  const auto px = [em](float x) { return std::floor(em * x + 0.5F); };
  style.WindowPadding = {px(0.6F), px(0.5F)};
  style.FramePadding = {px(0.45F), px(0.28F)};
  style.ItemSpacing = {px(0.5F), px(0.4F)};
  style.ItemInnerSpacing = {px(0.35F), px(0.3F)};
  style.CellPadding = {px(0.35F), px(0.2F)};
  style.IndentSpacing = px(1.0F);
  style.ScrollbarSize = px(0.7F);
  style.GrabMinSize = px(0.7F);
  style.WindowRounding = px(0.3F);
  style.ChildRounding = px(0.3F);
  style.FrameRounding = px(0.3F);
  style.PopupRounding = px(0.3F);
  style.ScrollbarRounding = px(0.35F);
  style.GrabRounding = px(0.35F);
  style.TabRounding = px(0.25F);
  style.WindowBorderSize = 1.0F;
  style.ChildBorderSize = 1.0F;
  style.PopupBorderSize = 1.0F;
  style.FrameBorderSize = 1.0F;
  style.TabBorderSize = 0.0F;
  style.TabBarBorderSize = 1.0F;
  style.TabBarOverlineSize = 0.0F;
  style.DockingSeparatorSize = px(0.35F);
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.SeparatorTextBorderSize = 1.0F;
  style.HoverDelayShort = 0.15F;
  style.HoverStationaryDelay = 0.05F;
}

}  // namespace tilestep::ui

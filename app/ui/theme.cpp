#include "ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>

namespace tilestep::ui {
namespace {

constexpr Theme kDark{
    .dark = true,
    .window = rgb(0x0A0D11),
    .panel = rgb(0x11161C),
    .raised = rgb(0x1A2129),
    .field = rgb(0x0C1015),
    .hover = rgb(0x2C3541),
    .border = rgb(0x343E4A),
    .text = rgb(0xF0F4F8),
    .text_dim = rgb(0xAAB6C2),
    .accent = {rgb(0xFFFFFF), rgb(0x0B0F14)},
    .accent_text = rgb(0xF0F4F8),
    .selected = {rgb(0x2A3440), rgb(0xFFFFFF)},
    .good = rgb(0x3DF5A0),
    .warning = rgb(0xF0B43C),
    .bad = rgb(0xFF8A70),
    .fault = {rgb(0x3A120A), rgb(0xFFB8A8)},
    .cell = {rgb(0x1B222B), rgb(0xB7C2CD)},
    .cell_empty = {rgb(0x0D1117), rgb(0xAEB9C4)},
    .cell_border = rgb(0x2B3540),
    .hatch = rgb(0x46525F),
    .roles = {{{rgb(0xAAB6C2), {rgb(0x1B222B), rgb(0xB7C2CD)}, {rgb(0xC3CFDA), rgb(0x0B0F14)}},
               {rgb(0x4AA6FA), {rgb(0x12324F), rgb(0xD8EAFF)}, {rgb(0x5BB0FB), rgb(0x0B0F14)}},
               {rgb(0xE884A4), {rgb(0x482230), rgb(0xFFE0E9)}, {rgb(0xEE93B0), rgb(0x0B0F14)}},
               {rgb(0xFFD23F), {rgb(0x453708), rgb(0xFFEFB8)}, {rgb(0xFFD23F), rgb(0x0B0F14)}}}},
    .focus = rgb(0xFFFFFF),
    .breakpoint = rgb(0xF0563A),
    .current_line = {rgb(0x2A3440), rgb(0xF4F8FB)},
    .phase = {rgb(0x26303B), rgb(0xE4EBF1)},
    .phase_done = {rgb(0x3A4653), rgb(0xF0F4F8)},
    .phase_now = {rgb(0x4A5B70), rgb(0xFFFFFF)},
    .syntax = {.text = rgb(0xE6EBF0),
               .keyword = rgb(0xC9A6F7),
               .type = rgb(0xC9A6F7),
               .number = rgb(0xE8A87C),
               .string = rgb(0x9FD8A4),
               .comment = rgb(0x98A4B0),
               .preprocessor = rgb(0x9FD8A4),
               .function = rgb(0xE6D08A)},
    .blocks = {rgb(0x22B892), rgb(0xA594FA), rgb(0x9FB2C4), rgb(0xDE8F45)},
    .states = {rgb(0xF0F4F8), rgb(0x586761), rgb(0x1B5CD7), rgb(0x16DAAB), rgb(0xDB327E),
               rgb(0xF7D614), rgb(0x8B5635), rgb(0xC380FF), rgb(0x13A82F), rgb(0x7F91A5),
               rgb(0xAEC5E3)},
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
    .text_dim = rgb(0x43505C),
    .accent = {rgb(0x05080B), rgb(0xFFFFFF)},
    .accent_text = rgb(0x0E151C),
    .selected = {rgb(0xDDE4EB), rgb(0x05080B)},
    .good = rgb(0x1F6B43),
    .warning = rgb(0x7D5200),
    .bad = rgb(0x841000),
    .fault = {rgb(0xFFE1D8), rgb(0x841000)},
    .cell = {rgb(0xEBEFF3), rgb(0x4A5763)},
    .cell_empty = {rgb(0xFAFBFC), rgb(0x46525E)},
    .cell_border = rgb(0xB9C4CF),
    .hatch = rgb(0xBCC6D0),
    .roles = {{{rgb(0x43505C), {rgb(0xEBEFF3), rgb(0x4A5763)}, {rgb(0xA9B6C2), rgb(0x0B0F14)}},
               {rgb(0x0A50BE), {rgb(0xD8E7FC), rgb(0x06264F)}, {rgb(0x5BB0FB), rgb(0x0B0F14)}},
               {rgb(0xC0398A), {rgb(0xFADDEC), rgb(0x571039)}, {rgb(0xEE93B0), rgb(0x0B0F14)}},
               {rgb(0x806000), {rgb(0xFBECB8), rgb(0x443300)}, {rgb(0xFFC92E), rgb(0x0B0F14)}}}},
    .focus = rgb(0x05080B),
    .breakpoint = rgb(0xC42B10),
    .current_line = {rgb(0xDDE4EB), rgb(0x05080B)},
    .phase = {rgb(0xD5DDE5), rgb(0x1A242E)},
    .phase_done = {rgb(0xBAC6D1), rgb(0x0E151C)},
    .phase_now = {rgb(0x9FB0C0), rgb(0x05080B)},
    .syntax = {.text = rgb(0x141B22),
               .keyword = rgb(0x6A1FB0),
               .type = rgb(0x6A1FB0),
               .number = rgb(0x9A3A00),
               .string = rgb(0x1B6B2A),
               .comment = rgb(0x4E5B67),
               .preprocessor = rgb(0x1B6B2A),
               .function = rgb(0x6B4E00)},
    .blocks = {rgb(0x008A68), rgb(0x6A55D8), rgb(0x5A6B7B), rgb(0xB55A00)},
    .states = {rgb(0x0E151C), rgb(0x777E7D), rgb(0x1D4096), rgb(0x0B9FB2), rgb(0xFF1E85),
               rgb(0xA98E0C), rgb(0x68390D), rgb(0x7407FF), rgb(0x248147), rgb(0x5A5759),
               rgb(0x8971FF)},
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
  return theme.blocks[(block.x % 2U + 2U * (block.y % 2U) + block.z) % theme.blocks.size()];
}

const RoleColours& role_colours(const Theme& theme, insight::ValueRole role) {
  return theme.roles[static_cast<std::size_t>(role)];
}

const char* phase_sign(record::PhaseKind kind) {
  switch (kind) {
    case record::PhaseKind::Load:
      return "\u2193";
    case record::PhaseKind::Multiply:
    case record::PhaseKind::LoadAndMultiply:
    case record::PhaseKind::Compute:
      return "\u00d7";
    case record::PhaseKind::WriteBack:
      return "\u2191";
    case record::PhaseKind::Setup:
    case record::PhaseKind::Other:
      break;
  }
  return "\u00b7";
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
  } fills[] = {{"accent button", t.accent},
               {"selected row", t.selected},
               {"fault", t.fault},
               {"cell", t.cell},
               {"empty cell", t.cell_empty},
               {"current line", t.current_line},
               {"phase", t.phase},
               {"phase that is over", t.phase_done},
               {"current phase", t.phase_now}};
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
  for (const RoleColours& role : t.roles) {
    pairs.push_back({"number in a cell", role.tint.text, role.tint.fill});
    pairs.push_back({"number that was written", role.solid.text, role.solid.fill});
    pairs.push_back({"a role's name", role.line, t.panel});
    pairs.push_back({"a role's name on a card", role.line, t.raised});
  }
  return pairs;
}

std::vector<ColourPair> colour_pairs(const Theme& t) {
  std::vector<ColourPair> pairs;
  const auto add = [&pairs](const char* what, std::span<const ImU32> colours, const char* sign) {
    for (std::size_t i = 0; i < colours.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        pairs.push_back({fmt::format("{} {} and {}", what, k, i), colours[k], colours[i], sign});
      }
    }
  };
  add("warp state", t.states, nullptr);
  add("block", t.blocks, nullptr);
  std::array<ImU32, 4> lines{};
  std::array<ImU32, 4> tints{};
  std::array<ImU32, 4> solids{};
  for (std::size_t i = 0; i < t.roles.size(); ++i) {
    lines.at(i) = t.roles.at(i).line;
    tints.at(i) = t.roles.at(i).tint.fill;
    solids.at(i) = t.roles.at(i).solid.fill;
  }
  constexpr const char* kPlace = "the matrix has its name, and a product its order";
  add("role line", lines, kPlace);
  add("role tint", tints, kPlace);
  add("role solid", solids, kPlace);
  for (std::size_t i = 0; i < t.roles.size(); ++i) {
    pairs.push_back({fmt::format("just stored, role {}", i), tints.at(i), solids.at(i),
                     "a cut corner (mark::kCut)"});
  }
  add("verdict", std::array{t.good, t.warning, t.bad}, "a sign: check, triangle, cross");
  add("phase", std::array{t.phase.fill, t.phase_done.fill, t.phase_now.fill},
      "the position's line is in the current one; later ones are right of it");
  pairs.push_back(
      {"stored and never stored", t.cell.fill, t.cell_empty.fill, "a number, or hatching"});
  pairs.push_back({"faulty cell", t.cell.fill, t.fault.fill, "hatching and a dashed outline"});
  pairs.push_back({"breakpoint and current line", t.breakpoint, t.focus,
                   "a dot in the margin, a bar beside it"});
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

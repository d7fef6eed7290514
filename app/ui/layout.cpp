#include "ui/layout.h"

#include "ui/controls_panel.h"
#include "ui/inspector/panel.h"
#include "ui/memory.h"
#include "ui/source_panel.h"
#include "ui/stage_panel.h"
#include "ui/theme.h"
#include "ui/timeline_panel.h"
#include "ui/timing_panel.h"
#include "ui/widgets.h"

#include <imgui_internal.h>

#include <cmath>
#include <cstddef>

namespace tilestep::ui {
namespace {

constexpr float kSourceShare = 0.285F;     // of the width
constexpr float kInspectorShare = 0.205F;  // of the width
constexpr float kTimelineShare = 0.235F;   // of the height below the top bar

enum class Side { Left, Centre, Right, Bottom };
struct DockedPanel {
  const char* window;  // title, then the id that layouts are saved under
  Side side;           // in the default layout; panels of one side are tabs there
  Commands (*draw)(const Context&);
  bool shows_recording = true;
};
constexpr DockedPanel kPanels[] = {
    {"Source###source", Side::Left, draw_source, false},
    {"Stage###stage", Side::Centre, draw_stage},
    {"Inspector###inspector", Side::Right, draw_inspector},
    {"Timeline###timeline", Side::Bottom, draw_timeline},
};

// An answer that comes sooner is not announced: it would flicker.
constexpr double kUnnoticed = 0.1;  // seconds

// What is still on stage, but is not what was asked for, is dimmed.
void dim_what_is_old(const Context& context) {
  if (!context.view.busy || context.view.scene == nullptr) {
    return;
  }
  const double due = context.view.busy_since + kUnnoticed;
  if (context.now < due) {
    context.memory.animate_until(due);
    return;
  }
  const ImVec2 from = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled(from, {from.x + size.x, from.y + size.y},
                     (context.theme.panel & ~IM_COL32_A_MASK) | (0xA0U << IM_COL32_A_SHIFT));
  list.PopClipRect();
}

struct LayoutMemory {
  ImVec2 dock_size{0.0F, 0.0F};
};

void build_default_layout(ImGuiID dockspace, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dockspace);
  ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dockspace, size);
  ImGuiID rest = dockspace;
  const ImGuiID bottom =
      ImGui::DockBuilderSplitNode(rest, ImGuiDir_Down, kTimelineShare, nullptr, &rest);
  const ImGuiID left =
      ImGui::DockBuilderSplitNode(rest, ImGuiDir_Left, kSourceShare, nullptr, &rest);
  const ImGuiID right = ImGui::DockBuilderSplitNode(
      rest, ImGuiDir_Right, kInspectorShare / (1.0F - kSourceShare), nullptr, &rest);
  const ImGuiID nodes[] = {left, rest, right, bottom};  // by Side
  for (const DockedPanel& panel : kPanels) {
    ImGui::DockBuilderDockWindow(panel.window, nodes[static_cast<std::size_t>(panel.side)]);
  }
  ImGui::DockBuilderFinish(dockspace);
}

// Side panels keep their share of the window; ImGui alone would give all growth to the centre.
void scale_layout(ImGuiDockNode* node, ImVec2 ratio) {
  if (node == nullptr) {
    return;
  }
  node->SizeRef = {node->SizeRef.x * ratio.x, node->SizeRef.y * ratio.y};
  scale_layout(node->ChildNodes[0], ratio);
  scale_layout(node->ChildNodes[1], ratio);
}

void keep_layout(LayoutMemory& memory, ImGuiID dockspace, ImVec2 size) {
  ImGuiDockNode* node = ImGui::DockBuilderGetNode(dockspace);
  if (node == nullptr) {
    build_default_layout(dockspace, size);
  } else if (memory.dock_size.x > 0.0F &&
             (memory.dock_size.x != size.x || memory.dock_size.y != size.y)) {
    scale_layout(node, {size.x / memory.dock_size.x, size.y / memory.dock_size.y});
  }
  memory.dock_size = size;
}

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNavFocus;

Commands draw_top_bar(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const float pad = std::floor((size.y - ImGui::GetFrameHeight()) * 0.5F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(std::floor(em * 0.8F), pad));
  Commands commands;
  if (ImGui::Begin("###top", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse)) {
    commands = draw_controls(context);
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
  return commands;
}

Commands draw_timing_tab(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  Commands commands;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.window);
  if (ImGui::Begin("###timing", nullptr, kFixed)) {
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    commands = draw_timing(context);
  } else {
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  ImGui::End();
  return commands;
}

// The window that holds the dock space. On the Timing tab it stays alive, empty, so that the panels
// stay docked.
void draw_dock_host(const Context& context, ImVec2 pos, ImVec2 size) {
  const bool shown = context.state.tab == state::Tab::Step;
  const float margin = std::floor(ImGui::GetFontSize() * 0.35F);
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(margin, margin));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.window);
  const ImGuiWindowFlags hidden =
      shown ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground;
  ImGui::Begin("###dock_host", nullptr, kFixed | hidden);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  const ImGuiID dockspace = ImGui::GetID("dockspace");
  const ImVec2 inner(size.x - 2.0F * margin, size.y - 2.0F * margin);
  keep_layout(context.memory.of<LayoutMemory>(), dockspace, inner);
  const ImGuiDockNodeFlags keep_alive =
      shown ? ImGuiDockNodeFlags_None : ImGuiDockNodeFlags_KeepAliveOnly;
  // Panels are cards on the window's ground: no lines between them until a splitter is hovered.
  // (Dear ImGui draws splitters in the border's colour.)
  ImGui::PushStyleColor(ImGuiCol_Border, context.theme.window);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::DockSpace(
      dockspace, inner,
      keep_alive | static_cast<ImGuiDockNodeFlags>(ImGuiDockNodeFlags_NoWindowMenuButton));
  ImGui::PopFont();
  ImGui::PopStyleColor();
  ImGui::End();
}

}  // namespace

float top_bar_height(float font_size) {
  return std::floor(font_size * 2.6F);
}

Commands draw_layout(const Context& context) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float bar = top_bar_height(ImGui::GetFontSize());
  const ImVec2 below(viewport->Pos.x, viewport->Pos.y + bar);
  const ImVec2 room(viewport->Size.x, viewport->Size.y - bar);
  Commands commands = draw_top_bar(context, viewport->Pos, {viewport->Size.x, bar});
  draw_dock_host(context, below, room);
  if (context.state.tab == state::Tab::Timing) {
    append(commands, draw_timing_tab(context, below, room));
    return commands;
  }
  for (const DockedPanel& panel : kPanels) {
    if (ImGui::Begin(panel.window, nullptr, ImGuiWindowFlags_NoCollapse)) {
      append(commands, panel.draw(context));
      if (panel.shows_recording) {
        dim_what_is_old(context);
      }
    }
    ImGui::End();
  }
  return commands;
}

void draw_title_note(const Context& context, const char* text) {
  const ImGuiDockNode* node = ImGui::GetWindowDockNode();
  if (node == nullptr || node->TabBar == nullptr || node->HostWindow == nullptr) {
    return;
  }
  const ImRect bar = node->TabBar->BarRect;
  const float em = ImGui::GetFontSize();
  const float from = bar.Min.x + node->TabBar->WidthAllTabs + em;
  const float to = bar.Max.x - 0.6F * em;
  const ImVec2 size = ImGui::CalcTextSize(text);
  const float x = std::max(from, to - size.x);
  if (to - from < 3.0F * em) {
    return;
  }
  const float y = bar.Min.y + std::floor((bar.GetHeight() - size.y) * 0.5F);
  ImDrawList* list = node->HostWindow->DrawList;
  list->PushClipRect(bar.Min, bar.Max);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
  ImGui::RenderTextEllipsis(list, {x, y}, {to, bar.Max.y}, to, text, nullptr, &size);
  ImGui::PopStyleColor();
  list->PopClipRect();
}

}  // namespace tilestep::ui

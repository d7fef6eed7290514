#include "ui/caption.h"

#include "problem/problem.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// What is said.
constexpr const char* kLaunch = "{}  ·  {}×{}×{}";
constexpr const char* kBlockSize = "  ·  BLOCK_SIZE {}";
constexpr Message kPhase = "phase {} of {}: {}";
constexpr Message kStatement = "statement {} of {}";
constexpr const char* kBetween = "  ·  ";

constexpr float kHeight = 1.9F;   // in font sizes
constexpr float kShare = 0.026F;  // of the window's height: the least size of its letters

std::string phase_text(const Context& context) {
  const record::Recording& run = *context.view.scene->recording;
  const auto phases = run.phases_of(context.state.focus.block);
  std::optional<std::size_t> at;
  if (context.view.shows_phase) {
    at = context.view.phase_over;
  } else if (const auto* const phase =
                 run.phase_at(context.state.focus.block, context.state.step)) {
    at = static_cast<std::size_t>(phase - phases.data());
  }
  return at && *at < phases.size()
             ? fmt::format(fmt::runtime(kPhase.text()), *at + 1, phases.size(), *phases[*at].name)
             : std::string();
}

}  // namespace

std::string caption_of_launch(const Context& context) {
  if (context.view.scene == nullptr) {
    return {};
  }
  const problem::LaunchSpec& spec = context.view.scene->spec;
  const problem::Parameters& p = context.view.scene->launch.parameters;
  std::string text = fmt::format(fmt::runtime(kLaunch), tr(spec.title.c_str()), p.problem.M,
                                 p.problem.N, p.problem.K);
  if (spec.uses_block_size) {
    text += fmt::format(fmt::runtime(kBlockSize), p.block_size);
  }
  return text;
}

std::string caption_of_place(const Context& context) {
  if (context.view.scene == nullptr) {
    return {};
  }
  const record::Recording& run = *context.view.scene->recording;
  const std::size_t statements = run.statement_starts().size();
  const std::uint64_t step = std::min(context.state.step, run.step_count());
  std::string text = phase_text(context);
  if (step > 0 && statements > 1) {
    text += (text.empty() ? "" : kBetween) + fmt::format(fmt::runtime(kStatement.text()),
                                                         run.statement_of(step - 1) + 1,
                                                         statements - 1);
  }
  return text;
}

void draw_caption(const Context& context) {
  const float em =
      std::max(ImGui::GetFontSize(), std::floor(kShare * ImGui::GetMainViewport()->Size.y));
  ImGui::PushFont(context.fonts.text, em / ImGui::GetStyle().FontScaleMain);
  const float height = std::floor(kHeight * em);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      ImVec2(em, std::floor(0.5F * (height - ImGui::GetTextLineHeight()))));
  if (ImGui::BeginViewportSideBar("###caption", ImGui::GetMainViewport(), ImGuiDir_Down, height,
                                  ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoDocking)) {
    const std::string place = caption_of_place(context);
    const float width = ImGui::CalcTextSize(place.c_str()).x;
    const float room = ImGui::GetContentRegionAvail().x;
    coloured_text(context.theme.text,
                  cut_to(caption_of_launch(context), std::max(room - width - em, 0.0F)).c_str());
    ImGui::SameLine(ImGui::GetCursorStartPos().x + std::max(0.0F, room - width));
    coloured_text(context.theme.text_dim, place.c_str());
  }
  ImGui::End();
  ImGui::PopFont();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

}  // namespace tilestep::ui

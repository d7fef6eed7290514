#include "ui/second_menu.h"

#include "problem/tr.h"
#include "record/words.h"
#include "simt/machine/schedule.h"
#include "ui/builds.h"
#include "ui/compare_actions.h"
#include "ui/compare_pairs.h"
#include "ui/icons.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr float kMenuWidth = 16.0F;  // lines
constexpr std::array kPairActions{ActionId::BesideRight,     ActionId::BesideOwnText,
                                  ActionId::BesideBarrier,   ActionId::BesideNaive,
                                  ActionId::BesideBlockSize, ActionId::BesideFastBuild,
                                  ActionId::BesideStepBuild, ActionId::BesideAdversary};

Commands with_second(const Context& context, state::Setup second) {
  state::Comparison comparison = context.state.comparison;
  comparison.second = std::move(second);
  return {state::Compare{std::move(comparison)}};
}

void pair_rows(const Context& context, Commands& commands) {
  for (const ActionId id : kPairActions) {
    const Action& pair = action(id);
    Commands of_pair = pair.commands(context);
    if (!of_pair.empty() && ImGui::Selectable(pair.label)) {
      append(commands, std::move(of_pair));
    }
  }
}

void second_kernel(const Context& context, Commands& commands) {
  state::Setup second = context.state.comparison.second;
  const problem::Catalog& catalog = *context.view.catalog;
  ImGui::SetNextItemWidth(kMenuWidth * ImGui::GetFontSize());
  if (ImGui::BeginCombo("##second kernel", title_of(second, catalog).c_str(),
                        ImGuiComboFlags_HeightLarge)) {
    for (const problem::LaunchSpec& spec : catalog.kernels) {
      if (ImGui::Selectable(tr(spec.title.c_str()), spec.id == second.kernel)) {
        second.kernel = spec.id;
        second.edited_source.clear();
        append(commands, with_second(context, second));
      }
      tooltip(tr(spec.summary.c_str()));
    }
    ImGui::EndCombo();
  }
}

void second_block_size(const Context& context, Commands& commands) {
  state::Setup second = context.state.comparison.second;
  const problem::LaunchSpec* const spec = context.view.catalog->find(second.kernel);
  if (spec != nullptr && !spec->uses_block_size) {
    return;
  }
  field_label(context, "BLOCK_SIZE");
  int size = second.parameters.block_size;
  const Slider slider{.id = "##second block",
                      .low = 1.0F,
                      .high = static_cast<float>(problem::kLargestBlockSize),
                      .width = 0.6F * kMenuWidth * ImGui::GetFontSize(),
                      .shown = std::to_string(size),
                      .widest = "32"};
  if (value_slider(context, slider, size)) {
    second.parameters.block_size = size;
    append(commands, with_second(context, std::move(second)));
  }
}

void second_schedule(const Context& context, Commands& commands) {
  state::Setup second = context.state.comparison.second;
  ImGui::SetNextItemWidth(kMenuWidth * ImGui::GetFontSize());
  if (ImGui::BeginCombo("##second schedule", word_of(second.schedule.kind).label)) {
    for (const Word<simt::ScheduleKind>& word : words_of<simt::ScheduleKind>()) {
      if (ImGui::Selectable(word.label, word.value == second.schedule.kind)) {
        second.schedule.kind = word.value;
        append(commands, with_second(context, second));
      }
      tooltip(word.tooltip.text());
    }
    ImGui::EndCombo();
  }
}

void second_build(const Context& context, Commands& commands) {
  state::Setup second = context.state.comparison.second;
  if (const auto chosen = build_choice("##second build", second.build, kMenuWidth)) {
    second.build = *chosen;
    append(commands, with_second(context, std::move(second)));
  }
}

void alignment_rows(const Context& context, Commands& commands) {
  field_label(context, tr("align by"));
  for (const Word<record::Alignment>& word : words_of<record::Alignment>()) {
    if (ImGui::RadioButton(word.label, word.value == context.state.comparison.alignment)) {
      state::Comparison comparison = context.state.comparison;
      comparison.alignment = word.value;
      commands.emplace_back(state::Compare{std::move(comparison)});
    }
    tooltip(word.tooltip.text());
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

}  // namespace

Commands draw_second_menu(const Context& context, float width) {
  Commands commands;
  std::string face = tr("change {}", icon::kDown);
  if (ImGui::CalcTextSize(face.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x > width) {
    face = icon::kDown;
  }
  if (ImGui::SmallButton(face.c_str())) {
    ImGui::OpenPopup("second side");
  }
  tooltip(tr("What stands on side 2: another kernel, BLOCK_SIZE, schedule, build or text."));
  if (ImGui::BeginPopup("second side")) {
    pair_rows(context, commands);
    ImGui::Separator();
    second_kernel(context, commands);
    second_block_size(context, commands);
    second_schedule(context, commands);
    second_build(context, commands);
    alignment_rows(context, commands);
    ImGui::Separator();
    for (const ActionId id : {ActionId::SwapSides, ActionId::OpenSecond, ActionId::ToggleCompare}) {
      const Action& row = action(id);
      const char* const label =
          id == ActionId::ToggleCompare ? tr("Side 1 alone") : row.label.text();
      if (ImGui::MenuItem(label, key_name(row.key).c_str())) {
        append(commands, row.commands(context));
      }
    }
    ImGui::EndPopup();
  }
  return commands;
}

}  // namespace tilestep::ui

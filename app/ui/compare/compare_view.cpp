#include "problem/source/syntax_check.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "record/words.h"
#include "simt/machine/schedule.h"
#include "ui/compare/compare.h"
#include "ui/inspector/pages.h"
#include "ui/instrument.h"
#include "ui/source/source.h"
#include "ui/stage/stage_memory.h"
#include "ui/stage_panel.h"
#include "ui/theme.h"
#include "ui/timeline/timeline.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr float kMenuWidth = 16.0F;  // lines
constexpr std::array kPairActions{
    ActionId::BesideRight,     ActionId::BesideOwnText,     ActionId::BesideBarrier,
    ActionId::BesideNaive,     ActionId::BesideBlockSize,   ActionId::BesideFastBuild,
    ActionId::BesideStepBuild, ActionId::BesideMachineCode, ActionId::BesideAdversary};

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
  const problem::Catalog& catalog = *context.view.kernels.catalog;
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
  const problem::LaunchSpec* const spec = context.view.kernels.catalog->find(second.kernel);
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
  if (const auto chosen = word_choice("##second schedule", second.schedule.kind)) {
    second.schedule.kind = *chosen;
    append(commands, with_second(context, std::move(second)));
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
  field_label(context, tr("Align by"));
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

// Draws at the cursor, `width` pixels wide.
Commands draw_second_menu(const Context& context, float width) {
  Commands commands;
  std::string face = tr("Change {}", icon::kDown);
  if (ImGui::CalcTextSize(face.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x > width) {
    face = icon::kDown;
  }
  if (ImGui::SmallButton(face.c_str())) {
    ImGui::OpenPopup("second side");
  }
  tooltip(tr("Side 2's settings: another kernel, BLOCK_SIZE, schedule, build or text."));
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

constexpr float kMenu = 2.4F;         // lines: the least width of the menu's button
constexpr float kBand = 2.0F;         // lines, above each stage
constexpr float kSideDrawer = 22.0F;  // lines: the inspector

// The result of the whole run, whatever step is on stage.
struct Outcome {
  std::string words;
  bool is_bad = false;
};
Outcome outcome_of(const workspace::FrameView& view) {
  if (!view.messages.error.empty()) {
    return {view.messages.error, true};
  }
  const auto& check = view.run.check;
  if (check == nullptr) {
    return {tr(view.jobs.busy ? "recording …" : "checking …"), false};
  }
  const problem::Comparison& all = check->comparison;
  if (check->has_reference && all.wrong > 0) {
    return {tr("{} wrong: {} of {}", check->compared, all.wrong, all.compared), true};
  }
  const std::string right =
      check->has_reference ? tr("{} is correct", check->compared) : tr("the run has ended");
  if (!check->findings.empty()) {
    return {fmt::format("{} · {}", right, plural(check->findings.size(), "finding")), true};
  }
  return {fmt::format("{} {}", icon::kCheck, right), false};
}

// The box for number, name and result of a side; the menu may be placed after the name: its left
// edge and width.
struct Room {
  float left = 0.0F;
  float width = 0.0F;
};
Room draw_band(const Context& side, const Box& box, int number, const std::string& title) {
  const Theme& t = side.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Outcome outcome = outcome_of(side.view);
  const Fill ground = outcome.is_bad ? t.fault : Fill{t.raised, t.text};
  list.AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, ground.fill, 0.35F * font,
                     ImDrawFlags_RoundCornersTop);
  const float y = std::round(box.y + 0.5F * (box.h - font));
  const float pad = 0.5F * font;
  const std::string digit = std::to_string(number);
  list.AddRectFilled({box.x + pad, y - 0.15F * font}, {box.x + pad + 1.4F * font, y + 1.15F * font},
                     t.accent.fill, 0.25F * font);
  list.AddText(side.fonts.bold, font, {box.x + pad + 0.45F * font, y}, t.accent.text,
               digit.c_str());
  ImGui::PushFont(side.fonts.bold, 0.0F);
  const std::string words = cut_to(outcome.words, 0.5F * box.w);
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float right = box.right() - pad - width;
  list.AddText(side.fonts.bold, font, {right, y}, outcome.is_bad ? ground.text : t.good,
               words.c_str());
  const float left = box.x + pad + 2.0F * font;
  const float menu = number == 2 ? kMenu * font : 0.0F;
  const std::string name = cut_to(title, right - pad - menu - left);
  list.AddText(side.fonts.bold, font, {left, y}, ground.text, name.c_str());
  const float end = left + ImGui::CalcTextSize(name.c_str()).x + pad;
  ImGui::PopFont();
  return {end, right - pad - end};
}

// Draws the band and the stage below it; `room` is left for a menu.
Commands draw_side(const Context& side, const Box& box, int number, const std::string& title,
                   Room& room) {
  const float font = ImGui::GetFontSize();
  const float band = std::round(kBand * font);
  const Box stage{box.x, box.y + band, box.w, box.h - band};
  room = draw_band(side, {box.x, box.y, box.w, band}, number, title);
  const WindowPlan plan = plan_side(
      stage, font, [&side](const WindowPlan& tried) { return stage_numbers(side, tried); });
  return draw_stage(side, plan);
}

bool has_stage(const Context& context) {
  return context.view.run.scene != nullptr && context.view.run.state != nullptr;
}

void mark_differing(const Context& one, const Context& two) {
  auto& first = one.memory.of<StageMemory>();
  auto& second = two.memory.of<StageMemory>();
  if (!has_stage(one) || !has_stage(two)) {
    first.differing.clear();
    second.differing.clear();
    return;
  }
  refresh(one, first);
  refresh(two, second);
  const auto is_fast = [](const Context& side) {
    return build_of(side.view.run.scene->recording->program()) != problem::Build::Step;
  };
  find_differing(first, second, !is_fast(one) && !is_fast(two));
}

// Selections on side 2 apply to both sides; its thread becomes side 1's if the blocks have the same
// shape.
Commands of_both(const Context& second, const Context& first, Commands commands) {
  for (state::Command& command : commands) {
    if (const auto* toggled = command.as<state::ToggleBarrier>()) {
      state::Comparison comparison = first.state.comparison;
      const std::string& text = second.view.source.text;
      comparison.second.edited_source = problem::toggle_barrier(text, toggled->line).value_or(text);
      command = state::Compare{std::move(comparison)};
    }
  }
  std::erase_if(commands, [](const state::Command& command) {
    return command.is<state::PointAt>() || command.is<state::SeekStep>() ||
           command.is<state::ToggleBreakpoint>() || command.is<state::EditSource>();
  });
  return commands;
}

Box drawer_box(const Box& stage, float font) {
  const float width = std::min(kSideDrawer * font, 0.9F * stage.w);
  const float top = stage.y + 2.0F * kBand * font;
  return {stage.right() - width, top, width, stage.bottom() - top};
}

}  // namespace

Commands draw_compared(const Context& context, const Box& room) {
  const Context second = second_context(context);
  const float font = ImGui::GetFontSize();
  const ComparePlan plan = plan_compare(room, font, context.state.editing, context.state.lecture,
                                        instrument_height(context, room.h, ImGui::GetFontSize()));
  mark_differing(context, second);
  const problem::Catalog& catalog = *context.view.kernels.catalog;
  const state::Setup one = setup_of(context.state);
  const std::string first_title = first_side_words(one, catalog);
  Commands commands;
  Room room_of_menu;
  draw_panel(context, {"Stage###stage", plan.sides[0], true, true}, [&] {
    append(commands, draw_side(context, plan.sides[0], 1, first_title, room_of_menu));
  });
  draw_panel(second, {"Stage 2###stage2", plan.sides[1], true, true}, [&] {
    std::string title = difference_words(one, context.state.comparison.second, catalog);
    if (!second.memory.of<StageMemory>().differing.empty()) {
      title += tr(" · dashed: differs from side 1");
    }
    append(commands,
           of_both(second, context, draw_side(second, plan.sides[1], 2, title, room_of_menu)));
    ImGui::SetCursorScreenPos(
        {room_of_menu.left, std::round(plan.sides[1].y + 0.5F * (kBand - 1.0F) * font)});
    append(commands, draw_second_menu(context, room_of_menu.width));
  });
  const float pad = std::floor(0.35F * font);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  const bool edits = context.state.editing;
  if (plan.sources[0].w > 0.0F) {
    draw_panel(context, {"Source###source", plan.sources[0], false},
               [&] { append(commands, draw_source(context, !edits)); });
  }
  if (plan.sources[1].w > 0.0F) {
    draw_panel(second, {"Source 2###source2", plan.sources[1], false},
               [&] { append(commands, of_both(second, context, draw_source(second, true))); });
  }
  if (plan.card.w > 0.0F) {
    draw_panel(context, {"Differences###card", plan.card},
               [&] { append(commands, draw_compare_card(context)); });
  }
  ImGui::PopStyleVar();
  draw_panel(context, {"Timeline###timeline", plan.timeline},
             [&] { append(commands, draw_timeline(context, plan.is_short)); });
  append(commands, draw_instrument(context, plan.instrument));
  const float bottom = plan.timeline.y - 0.3F * font;
  append(commands, draw_said(context, {plan.timeline.x + 0.4F * plan.timeline.w, plan.sides[0].y,
                                       0.6F * plan.timeline.w, bottom - plan.sides[0].y}));
  if (context.state.inspector_open) {
    draw_panel(context, {"Inspector###inspector", drawer_box(plan.sides[0], font)},
               [&] { append(commands, draw_inspector(context)); });
  }
  context.memory.animate_until(second.memory.animates_until());
  return commands;
}

}  // namespace tilestep::ui

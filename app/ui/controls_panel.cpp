#include "problem/describe/spec_parts.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "simt/machine/schedule.h"
#include "state/words.h"
#include "ui/controls.h"
#include "ui/film.h"
#include "ui/lesson/lesson.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "workspace/survey.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace tilestep::ui {
namespace {

// The room for the sizes in the bar, in multiples of the font size.
struct SizeRoom {
  bool has_room = true;  // else M, N and K are behind a button
  bool is_tight = false;
  float more_for_sizes = 0.0F;
};

// Tooltips of the sizes.
constexpr Message kRowsTip =
    "Rows of A and C. Arrow keys or wheel: change by 1; Ctrl+click: type a number.";
constexpr Message kColumnsTip =
    "Columns of B and C. Arrow keys or wheel: change by 1; Ctrl+click: type a number.";
constexpr Message kTermsTip =
    "Columns of A, rows of B. Arrow keys or wheel: change by 1; Ctrl+click: type a number.";
constexpr Message kSizeTip =
    "M, N and K. Arrow keys or wheel: change by 1; Ctrl+click: type a number.";
constexpr const char* kLockedName = "M = N = K";
constexpr const char* kLockFace = "=";

// In multiples of the font size, chosen so that the whole bar fits 1280×720.
constexpr float kSizeWidth = 4.4F;

// Steps by wheel and arrow keys for the slider under the pointer, which takes them from the stage.
int steps_over_item() {
  if (!ImGui::IsItemHovered()) {
    return 0;
  }
  const ImGuiID owner = ImGui::GetID("##steps");  // a group has no id of its own
  ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, owner);
  int steps = static_cast<int>(ImGui::GetIO().MouseWheel);
  for (const auto& [key, step] : {std::pair(ImGuiKey_LeftArrow, -1),
                                  {ImGuiKey_DownArrow, -1},
                                  {ImGuiKey_RightArrow, 1},
                                  {ImGuiKey_UpArrow, 1}}) {
    ImGui::SetKeyOwner(key, owner);
    steps += ImGui::IsKeyPressed(key) ? step : 0;
  }
  return steps;
}

struct SizeSlider {
  const char* name;
  const char* tip;
  int max;
  float width;             // in multiples of the font size
  std::vector<int> ticks;  // marked values
};

bool size_slider(const Context& context, const SizeSlider& slider, int& value) {
  field_label(context, slider.name);
  ImGui::PushID(slider.name);
  bool changed = value_slider(context,
                              {.low = 1.0F,
                               .high = static_cast<float>(slider.max),
                               .width = slider.width * ImGui::GetFontSize(),
                               .shown = std::to_string(value),
                               .ticks = slider.ticks},
                              value);
  if (const int steps = steps_over_item(); steps != 0) {
    value = std::max(1, value + steps);
    changed = true;
  }
  ImGui::PopID();
  tooltip(slider.tip);
  ImGui::SameLine();
  return changed;
}

// All sizes until the kernel is loaded.
problem::UsedSizes sizes_in_use(const Context& context) {
  return context.view.run.scene == nullptr ? problem::UsedSizes{true, true, true}
                                           : problem::used_sizes(context.view.run.scene->spec);
}

bool uses_block_size(const Context& context) {
  return context.view.run.scene == nullptr || context.view.run.scene->spec.uses_block_size;
}

// One slider for all three sizes, as wide as three.
bool locked_slider(const Context& context, const std::vector<int>& ticks, float width,
                   problem::Problem& size) {
  const bool changed = size_slider(
      context, {kLockedName, kSizeTip.text(), workspace::kLargestSliderSize, 3.0F * width, ticks},
      size.M);
  if (changed) {
    size.N = size.K = size.M;
  }
  return changed;
}

// Marks the sizes that consist of whole tiles. Sizes that the kernel does not use have no slider.
bool problem_sliders(const Context& context, const SizeRoom& room, problem::Problem& size,
                     Commands& commands) {
  const problem::UsedSizes used = sizes_in_use(context);
  const int step = uses_block_size(context) ? context.state.parameters.block_size : 8;
  std::vector<int> whole;
  for (int value = step; step > 0 && value <= workspace::kLargestSliderSize; value += step) {
    whole.push_back(value);
  }
  const float width = kSizeWidth + room.more_for_sizes;
  bool changed = false;
  if (context.state.sizes_locked) {
    changed = locked_slider(context, whole, width, size);
  } else {
    for (const auto& [name, tip, is_used, value] :
         {std::tuple("M", kRowsTip.text(), used.M, &size.M),
          {"N", kColumnsTip.text(), used.N, &size.N},
          {"K", kTermsTip.text(), used.K, &size.K}}) {
      changed |=
          is_used &&
          size_slider(context, {name, tip, workspace::kLargestSliderSize, width, whole}, *value);
    }
  }
  if (used.M + used.N + used.K > 1) {
    append(commands,
           action_button(context, ActionId::LockSizes, kLockFace, context.state.sizes_locked));
    ImGui::SameLine();
  }
  return changed;
}

// One button that opens the three sliders.
bool problem_button(const Context& context, const SizeRoom& room, problem::Problem& size,
                    Commands& commands) {
  bool changed = false;
  const std::string face =
      fmt::format("{}{}·{}·{}###sizes", room.is_tight ? "" : "M N K  ", size.M, size.N, size.K);
  if (ImGui::Button(face.c_str())) {
    ImGui::OpenPopup("sizes");
  }
  tooltip(tr("M: rows of A and C. N: columns of B and C. K: columns of A, rows of B."));
  if (ImGui::BeginPopup("sizes")) {
    changed = problem_sliders(context, room, size, commands);
    ImGui::NewLine();
    ImGui::EndPopup();
  }
  ImGui::SameLine();
  return changed;
}

// Draws the sizes that the kernel on stage uses. The next item follows on the same line.
Commands draw_sizes(const Context& context, const SizeRoom& room) {
  Commands commands;
  problem::Parameters p = context.state.parameters;
  const problem::UsedSizes used = sizes_in_use(context);
  bool changed = false;
  if (used.M || used.N || used.K) {
    changed = room.has_room ? problem_sliders(context, room, p.problem, commands)
                            : problem_button(context, room, p.problem, commands);
  }
  if (changed) {
    commands.push_back(state::SetParameters{p});
  }
  return commands;
}

// Widths in multiples of the font size, chosen so that the whole bar fits 1280×720.
constexpr float kKernelWidth = 9.1F;
constexpr float kInputWidth = 8.8F;
constexpr float kScheduleWidth = 6.6F;

// In multiples of the font size. A narrower bar puts data and schedule into a menu, and M, N and K
// behind one button.
constexpr float kWholeBar = 83.5F;
constexpr float kFindingsSign = 8.0F;
constexpr float kRoomyBar = 104.5F;  // wider: longer sliders and room for the findings
constexpr float kBarWithSizes = 60.0F;
constexpr float kBarWithLessons = 65.5F;
constexpr float kBarWithNames = 56.0F;
constexpr float kBarWithKernelLabel = 88.0F;
constexpr float kBarWithWords = 100.0F;  // the signs at the right have words
constexpr float kWideBar = 50.0F;        // narrower: short labels, and only the keys at the right

constexpr std::array kWarpSizes{32, 16, 8, 4, 2, 1};

float bar_ems() {
  return ImGui::GetWindowWidth() / ImGui::GetFontSize();
}

// Extra width of the kernel's name and the sliders in a wide bar: at most `most` each.
float wider(float share, float most) {
  return std::clamp(share * (bar_ems() - kRoomyBar), 0.0F, most);
}

// The same ImGui id in every language.
std::string same_id(const char* face, const char* id) {
  return fmt::format("{}###{}", face, id);
}

bool is_tight() {
  return bar_ems() < kWideBar;
}

void brand_and_tabs(const Context& context, Commands& commands) {
  if (bar_ems() >= kBarWithNames) {
    ImGui::PushFont(context.fonts.bold, 0.0F);
    ImGui::AlignTextToFramePadding();
    coloured_text(context.theme.accent_text, "Tilestep");
    ImGui::PopFont();
    ImGui::SameLine();
  }
  Commands step = action_button(context, ActionId::StepTab, word_of(state::Tab::Step).label,
                                context.state.tab == state::Tab::Step);
  if (!step.empty() && context.view.lesson != nullptr) {
    commands.emplace_back(state::CloseLesson{});
  }
  append(commands, std::move(step));
  ImGui::SameLine(0.0F, 2.0F);
  append(commands, action_button(context, ActionId::TimingTab, word_of(state::Tab::Timing).label,
                                 context.state.tab == state::Tab::Timing));
  if (bar_ems() >= kBarWithLessons || (context.view.lesson != nullptr && !is_tight())) {
    ImGui::SameLine(0.0F, 2.0F);
    append(commands, action_button(context, ActionId::ShowLessons, tr("Lessons"),
                                   context.view.lesson != nullptr));
  }
  ImGui::SameLine();
}

void kernel_choice(const Context& context, Commands& commands) {
  const std::string& current = context.state.kernel;
  const problem::LaunchSpec* spec = context.view.kernels.catalog->find(current);
  const std::string shown =
      spec != nullptr ? tr(spec->title.c_str()) : current.substr(current.find_last_of('/') + 1);
  if (bar_ems() >= kBarWithKernelLabel) {
    field_label(context, tr("Kernel"));
  }
  const float ems = (is_tight() ? 0.62F : 1.0F) * kKernelWidth + wider(0.44F, 7.0F);
  const float width = ems * ImGui::GetFontSize();
  const float room = width - ImGui::GetFrameHeight() - 2.0F * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo("##kernel", cut_to(shown, room).c_str(), ImGuiComboFlags_HeightLargest)) {
    const std::string more = spec != nullptr ? tr(spec->summary.c_str()) : current;
    tooltip(cut_to(shown, room) == shown ? more : shown + "\n" + more);
    return;
  }
  append(commands, draw_kernel_list(context));
  ImGui::EndCombo();
}

void input_choice(const Context& context, Commands& commands) {
  problem::InputSpec input = context.state.input;
  field_label(context, tr("Data"));
  ImGui::SetNextItemWidth(kInputWidth * ImGui::GetFontSize());
  if (!ImGui::BeginCombo("##input", word_of(input.pattern).label, ImGuiComboFlags_HeightLargest)) {
    tooltip(tr("Initial values of A and B."));
    return;
  }
  for (const auto& [pattern, file, name, tip] : words_of<problem::Pattern>()) {
    if (pattern == problem::Pattern::Npy) {  // only for buffers of a description
      continue;
    }
    const bool needs_file = pattern == problem::Pattern::Csv && input.csv.empty();
    if (ImGui::Selectable(name, input.pattern == pattern,
                          needs_file ? ImGuiSelectableFlags_Disabled : 0)) {
      input.pattern = pattern;
      commands.push_back(state::SetInput{input});
    }
    tooltip(needs_file ? tr("Drop a .csv file on the window to use it.") : tip.text());
  }
  ImGui::Separator();
  int seed = static_cast<int>(input.seed);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 6.0F);
  if (ImGui::InputInt(same_id(tr("Seed"), "seed").c_str(), &seed) && seed >= 0) {
    input.seed = static_cast<std::uint32_t>(seed);
    commands.push_back(state::SetInput{input});
  }
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 6.0F);
  if (ImGui::InputDouble(same_id(tr("Constant"), "constant").c_str(), &input.constant, 0.0, 0.0,
                         "%.9g")) {
    commands.push_back(state::SetInput{input});
  }
  ImGui::EndCombo();
}

void schedule_details(const Context& context, simt::Schedule schedule, Commands& commands) {
  ImGui::Separator();
  ImGui::PushItemWidth(ImGui::GetFontSize() * 6.0F);
  int warp = static_cast<int>(schedule.run_ahead_warp);
  if (ImGui::InputInt(same_id(tr("Warp that runs ahead"), "warp").c_str(), &warp) && warp >= 0) {
    schedule.run_ahead_warp = static_cast<std::uint32_t>(warp);
    commands.push_back(state::SetSchedule{schedule});
  }
  int seed = static_cast<int>(schedule.seed);
  if (ImGui::InputInt(same_id(tr("Random seed"), "random").c_str(), &seed) && seed >= 0) {
    schedule.seed = static_cast<std::uint32_t>(seed);
    commands.push_back(state::SetSchedule{schedule});
  }
  if (ImGui::BeginCombo(same_id(tr("Lanes per warp"), "lanes").c_str(),
                        std::to_string(context.state.warp_size).c_str())) {
    for (int size : kWarpSizes) {
      if (ImGui::Selectable(
              (size == 32 ? fmt::format("{}", size) : tr("{}  (teaching warp)", size)).c_str(),
              size == context.state.warp_size)) {
        commands.push_back(state::SetWarpSize{size});
      }
    }
    ImGui::EndCombo();
  }
  tooltip(
      tr("A GPU's warp has 32 lanes. A smaller teaching warp splits a small block into several "
         "warps."));
  if (const auto build =
          build_choice(same_id(tr("Build"), "build").c_str(), context.state.build, 6.0F)) {
    commands.push_back(state::SetBuild{*build});
  }
  ImGui::PopItemWidth();
}

void schedule_choice(const Context& context, Commands& commands) {
  simt::Schedule schedule = context.state.schedule;
  field_label(context, tr("Schedule"));
  ImGui::SetNextItemWidth(kScheduleWidth * ImGui::GetFontSize());
  if (!ImGui::BeginCombo("##schedule", word_of(schedule.kind).label,
                         ImGuiComboFlags_HeightLargest)) {
    tooltip(tr("Which warp runs next; below: how the kernel is compiled."));
    return;
  }
  for (const auto& [kind, file, name, tip] : words_of<simt::ScheduleKind>()) {
    if (ImGui::Selectable(name, schedule.kind == kind)) {
      schedule.kind = kind;
      commands.push_back(state::SetSchedule{schedule});
    }
    tooltip(tip.text());
  }
  schedule_details(context, schedule, commands);
  ImGui::EndCombo();
}

// Draws the menu of items that a narrow bar has no room for.
void more_menu(const Context& context, Commands& commands) {
  if (ImGui::Button(same_id(is_tight() ? "…" : tr("Data, schedule"), "more").c_str())) {
    ImGui::OpenPopup("more");
  }
  tooltip(tr("Initial values of A and B; which warp runs next; how the kernel is compiled."));
  if (ImGui::BeginPopup("more")) {
    input_choice(context, commands);
    schedule_choice(context, commands);
    ImGui::EndPopup();
  }
}

// Findings are shown also while the inspector is closed.
bool has_findings_sign(const Context& context) {
  const auto& check = context.view.run.check;
  return context.state.tab == state::Tab::Step && check != nullptr && !check->findings.empty();
}

void findings_sign(const Context& context, Commands& commands) {
  if (!has_findings_sign(context)) {
    return;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.bad);
  const std::string count = plural(context.view.run.check->findings.size(), "finding");
  append(commands, action_button(context, ActionId::FindingsPage,
                                 fmt::format("{} {}", icon::kWarning, count).c_str()));
  ImGui::PopStyleColor();
  ImGui::SameLine();
}

float button_width(const std::string& face) {
  return ImGui::CalcTextSize(face.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x;
}

// A long recording shows its progress and can be stopped.
void busy_sign(const Context& context, Commands& commands) {
  if (!context.view.jobs.busy) {
    ImGui::Dummy({ImGui::GetFontSize(), 0.0F});  // a bar without room has no more
    return;
  }
  if (ImGui::Button(icon::kSpinner)) {
    commands.push_back(state::CancelRecording{});
  }
  tooltip(tr("Compiling and recording: {:.1f} million steps so far. Click to stop.",
             static_cast<double>(context.view.jobs.recorded_steps) * 1e-6),
          TooltipDelay::None);
}

// The sign with its word, if the bar has room.
std::string with_word(const char* sign, const char* word) {
  return bar_ems() >= kBarWithWords ? fmt::format("{} {}", sign, word) : sign;
}

void right_side(const Context& context, Commands& commands) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const std::string colours = with_word(
      icon::kHalfCircle, context.state.theme == state::Theme::Dark ? tr("Light") : tr("Dark"));
  const std::string keys = with_word(icon::kKeyboard, tr("Keys"));
  const float width =
      is_tight() ? button_width(keys)
                 : ImGui::GetFontSize() + button_width(colours) + button_width(keys) + 2.0F * gap;
  const float right = ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - width;
  ImGui::SameLine();
  if (right > ImGui::GetCursorPosX()) {
    ImGui::SetCursorPosX(right);
  }
  if (!is_tight()) {
    busy_sign(context, commands);
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::ToggleTheme, colours.c_str()));
    ImGui::SameLine();
  }
  append(commands,
         action_button(context, ActionId::ShowKeys, keys.c_str(), context.state.show_keys));
}

// Draws in a popup everything that the bar holds without a lesson.
void whole_setup(const Context& context, Commands& commands) {
  kernel_choice(context, commands);
  append(commands, draw_sizes(context, {}));
  ImGui::NewLine();
  input_choice(context, commands);
  schedule_choice(context, commands);
}

}  // namespace

Commands draw_controls(const Context& context) {
  Commands commands;
  brand_and_tabs(context, commands);
  if (reads_lesson(context)) {
    append(commands,
           draw_lesson_bar(context, [&context](Commands& made) { whole_setup(context, made); }));
    right_side(context, commands);
    return commands;
  }
  kernel_choice(context, commands);
  ImGui::SameLine();
  if (context.state.tab == state::Tab::Step) {
    append(commands, draw_sizes(context, {.has_room = bar_ems() >= kBarWithSizes,
                                          .is_tight = is_tight(),
                                          .more_for_sizes = wider(0.18F, 6.0F)}));
    if (bar_ems() >= kWholeBar + (has_findings_sign(context) ? kFindingsSign : 0.0F)) {
      input_choice(context, commands);
      ImGui::SameLine();
      schedule_choice(context, commands);
    } else {
      more_menu(context, commands);
    }
  }
  ImGui::SameLine();
  findings_sign(context, commands);
  right_side(context, commands);
  return commands;
}

}  // namespace tilestep::ui

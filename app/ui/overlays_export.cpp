#include "lesson/place.h"
#include "problem/words.h"
#include "state/exporting.h"
#include "state/words.h"
#include "ui/draw.h"
#include "ui/overlays.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace tilestep::ui {
namespace {

using state::ExportFormat;
using state::ExportOf;
using state::ExportView;

// Texts of the panel.
constexpr Message kTitle = "Export";
constexpr Message kAs = "Format";
constexpr Message kScaleLabel = "Scale";
constexpr Message kScaleTip = "The picture is redrawn at this multiple of the window's resolution.";
constexpr Message kPixels = "{} × {} pixels";
constexpr Message kFromLabel = "From";
constexpr Message kToLabel = "To";
constexpr Message kHere = "Here";
constexpr Message kHereTip = "Uses the step on the stage.";
constexpr Message kByLabel = "By";
constexpr Message kPaceLabel = "pace";
constexpr const char* kPace = "{:.1f}/s";
constexpr Message kSizeLabel = "Picture size";
constexpr Message kCaption = "Caption";
constexpr Message kCaptionTip = "A line below the picture: kernel, sizes and place in the run.";
constexpr Message kLecture = "lecture";
constexpr Message kLectureTip =
    "Lecture layout: the stage, five lines of source and the sum. Off: the whole window.";
constexpr const char* kPlaceHint = "start, end, phase:2, statement:31, step:500";
constexpr Message kStudent = "Name";
constexpr Message kStudentHint = "as your course knows you: name, e-mail address or student number";
constexpr Message kFile = "File";
constexpr Message kExport = "Export";
constexpr Message kReplace = "Replace";
constexpr Message kClose = "Close";
constexpr Message kWriting = "Writing …";
constexpr Message kFilming = "Film: {:.0f}%";
constexpr Message kNoPlot = "No plot is shown. Open one in the Timing tab: Ctrl+3.";

constexpr std::array kScales{1, 2, 3, 4, 6, 8};
constexpr std::array kFilmHeights{480, 720, 1080, 2160};

constexpr float kLabelWidth = 4.0F;  // in font sizes

using ExportLine = std::array<char, 1024>;
void set(ExportLine& line, const std::string& text) {
  line[text.copy(line.data(), line.size() - 1)] = '\0';
}

struct ExportMemory {
  bool is_open = false;
  std::string proposed;  // the last name that `path` was set to
  float height = 0.0F;   // of the panel in the previous frame
  ExportLine path{};
  ExportLine student{};
  std::string known_student;  // the last name that `student` was set to
  ExportLine from{};
  ExportLine to{};
};

// A row of words of which one is chosen.
template <class Enum>
std::optional<Enum> choice(const Context& context, std::span<const Enum> from, Enum chosen,
                           bool (*is_possible)(const Context&, Enum), const char* why_not) {
  std::optional<Enum> wanted;
  for (const Enum one : from) {
    const Word<Enum>& word = word_of(one);
    const bool possible = is_possible == nullptr || is_possible(context, one);
    ImGui::BeginDisabled(!possible);
    if (lit_button(context, word.label, one == chosen)) {
      wanted = one;
    }
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_DelayNormal)) {
      ImGui::SetTooltip("%s", possible ? word.tooltip.text() : why_not);
    }
    ImGui::SameLine(0.0F, 0.25F * ImGui::GetFontSize());
  }
  ImGui::NewLine();
  return wanted;
}

void label(const Context& context, const char* text) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.theme.text_dim, text);
  ImGui::SameLine(kLabelWidth * ImGui::GetFontSize());
}

bool can_export(const Context& context, ExportOf of) {
  return of != ExportOf::Plot ||
         (context.state.tab == state::Tab::Timing && is_plot(context.state.timing.page));
}

void choose_what(const Context& context, ExportView& view) {
  constexpr std::array kWhat{ExportOf::Stage,    ExportOf::Window,    ExportOf::Plot,
                             ExportOf::Trace,    ExportOf::Variables, ExportOf::Counters,
                             ExportOf::Findings, ExportOf::Film,      ExportOf::Progress};
  if (const auto of = choice<ExportOf>(context, kWhat, view.of, can_export, kNoPlot)) {
    view.of = *of;
  }
  wrapped_text(context.theme.text_dim, word_of(view.of).tooltip.text());
  label(context, kAs);
  if (const auto format = choice<ExportFormat>(context, state::export_formats(view.of),
                                               state::export_format(view), nullptr, "")) {
    view.format = *format;
  }
}

// The size of the exported area in window pixels; nullopt if it is not on screen.
std::optional<ImVec2> size_of_area(ExportOf of) {
  if (of == ExportOf::Window) {
    return ImGui::GetMainViewport()->Size;
  }
  const auto box = of == ExportOf::Stage ? stage_box() : plot_box();
  return box ? std::optional(ImVec2(box->w, box->h)) : std::nullopt;
}

void choose_scale(const Context& context, ExportView& view) {
  label(context, kScaleLabel);
  for (const int scale : kScales) {
    ImGui::PushID(scale);
    if (lit_button(context, fmt::format("{}×", scale).c_str(), scale == view.scale)) {
      view.scale = scale;
    }
    tooltip(kScaleTip.text());
    ImGui::PopID();
    ImGui::SameLine(0.0F, 0.25F * ImGui::GetFontSize());
  }
  const auto area = size_of_area(view.of);
  const auto scale = static_cast<float>(view.scale) * ImGui::GetIO().DisplayFramebufferScale.x;
  coloured_text(context.theme.text_dim,
                area ? fmt::format(fmt::runtime(kPixels.text()), std::lround(area->x * scale),
                                   std::lround(area->y * scale))
                           .c_str()
                     : "");
}

// The mistake in a place of the run on stage; empty: none.
std::string mistake_of(const Context& context, const std::string& text) {
  const auto place = lesson::parse_place(text);
  if (!place) {
    return place.error().message;
  }
  if (context.view.run.scene == nullptr) {
    return {};
  }
  const auto beyond =
      lesson::beyond_end(*place, *context.view.run.scene->recording, context.state.focus.block);
  return beyond ? beyond->message : std::string();
}

void choose_place(const Context& context, Message name, ExportLine& line, std::string& place) {
  ImGui::PushID(name.english);
  label(context, name);
  ImGui::SetNextItemWidth(16.0F * ImGui::GetFontSize());
  if (ImGui::InputTextWithHint("##place", kPlaceHint, line.data(), line.size())) {
    place = line.data();
  }
  ImGui::SameLine();
  if (ImGui::Button(kHere)) {
    place = fmt::format("step:{}", context.state.step);
    set(line, place);
  }
  tooltip(kHereTip.text());
  const std::string mistake = mistake_of(context, place);
  if (!mistake.empty()) {
    wrapped_text(context.theme.bad, mistake);
  }
  ImGui::PopID();
}

void choose_film(const Context& context, ExportMemory& memory, ExportView& view) {
  choose_place(context, kFromLabel, memory.from, view.film_from);
  choose_place(context, kToLabel, memory.to, view.film_to);
  label(context, kByLabel);
  ImGui::SetNextItemWidth(8.0F * ImGui::GetFontSize());
  view.film_by = word_choice("##by", view.film_by, false).value_or(view.film_by);
  label(context, kPaceLabel);
  const Slider slider{.id = "##film pace",
                      .low = state::kLeastFilmPace,
                      .high = state::kLargestFilmPace,
                      .width = 14.0F * ImGui::GetFontSize(),
                      .shown = fmt::format(fmt::runtime(kPace), view.film_pace),
                      .widest = "25.0/s",
                      .flags = ImGuiSliderFlags_Logarithmic};
  (void)value_slider(context, slider, view.film_pace);
  label(context, kSizeLabel);
  ImGui::SetNextItemWidth(8.0F * ImGui::GetFontSize());
  const auto size_text = [](int height) {
    return fmt::format("{} × {}", state::film_width(height), height);
  };
  if (ImGui::BeginCombo("##size", size_text(view.film_height).c_str())) {
    for (const int height : kFilmHeights) {
      if (ImGui::Selectable(size_text(height).c_str(), height == view.film_height)) {
        view.film_height = height;
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine(0.0F, ImGui::GetFontSize());
  ImGui::Checkbox(kCaption, &view.film_caption);
  tooltip(kCaptionTip.text());
  ImGui::SameLine(0.0F, ImGui::GetFontSize());
  ImGui::Checkbox(kLecture, &view.film_lecture);
  tooltip(kLectureTip.text());
}

void enter_student(const Context& context, ExportMemory& memory) {
  const std::string& known = context.view.exporting.student;
  if (memory.known_student != known) {
    memory.known_student = known;
    set(memory.student, known);
  }
  label(context, kStudent);
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::IsWindowAppearing() && known.empty()) {
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::InputTextWithHint("##student", kStudentHint.text(), memory.student.data(),
                           memory.student.size());
}

bool can_start(const Context& context, const ExportView& view) {
  const bool has_places =
      view.of != ExportOf::Film ||
      (mistake_of(context, view.film_from).empty() && mistake_of(context, view.film_to).empty());
  return has_places && can_export(context, view.of) && !context.view.exporting.running;
}

// The path, and its buttons.
void draw_export_path(const Context& context, ExportMemory& memory, const ExportView& view,
                      Commands& commands) {
  const workspace::ExportStatus& status = context.view.exporting;
  if (memory.proposed != status.path) {
    memory.proposed = status.path;
    set(memory.path, status.path);
  }
  label(context, kFile);
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::IsWindowAppearing() && view.of != ExportOf::Progress) {
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered =
      ImGui::InputText("##path", memory.path.data(), memory.path.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_ElideLeft);
  if (!status.mistake.empty()) {
    wrapped_text(context.theme.bad, status.mistake);
  }
  if (status.running && view.of == ExportOf::Film) {
    ImGui::ProgressBar(static_cast<float>(status.fraction), {14.0F * ImGui::GetFontSize(), 0.0F},
                       fmt::format(fmt::runtime(kFilming.text()), 100.0 * status.fraction).c_str());
    ImGui::SameLine();
    append(commands,
           action_button(context, ActionId::CancelExport, action(ActionId::CancelExport).label));
    ImGui::SameLine();
  } else if (status.running) {
    coloured_text(context.theme.text_dim, kWriting);
    ImGui::SameLine();
  }
  const bool ready = can_start(context, view);
  ImGui::BeginDisabled(!ready);
  const bool pressed = ImGui::Button(kExport);
  const bool enters = entered || ImGui::Shortcut(ImGuiKey_Enter, ImGuiInputFlags_RouteFocused);
  if ((enters && ready) || pressed) {
    commands.emplace_back(state::Export{memory.path.data(), false, memory.student.data()});
  }
  if (status.exists) {
    ImGui::SameLine();
    if (ImGui::Button(kReplace)) {
      commands.emplace_back(state::Export{memory.path.data(), true, memory.student.data()});
    }
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button(kClose) || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    commands.emplace_back(state::ShowExport{false});
  }
}

}  // namespace

Commands draw_export(const Context& context) {
  auto& memory = context.memory.of<ExportMemory>();
  if (!context.state.show_export) {
    memory.is_open = false;
    return {};
  }
  ExportView view = context.state.exporting;
  if (!memory.is_open) {
    memory.is_open = true;
    set(memory.path, context.view.exporting.path);
    memory.proposed = context.view.exporting.path;
    set(memory.from, view.film_from);
    set(memory.to, view.film_to);
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  // With large letters in a small window: higher up, and finally with a scroll bar.
  const float top = std::clamp(viewport.Size.y - memory.height, 0.0F, 4.0F * em);
  ImGui::SetNextWindowPos({viewport.GetCenter().x, viewport.Pos.y + top}, ImGuiCond_Always,
                          {0.5F, 0.0F});
  ImGui::SetNextWindowSizeConstraints({0.0F, 0.0F}, {viewport.Size.x, viewport.Size.y});
  ImGui::SetNextWindowSize({std::min(0.95F * viewport.Size.x, 42.0F * em), 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em, 0.8F * em));
  Commands commands;
  ImGui::Begin("###export", nullptr,
               (ImGuiWindowFlags_NoDecoration & ~ImGuiWindowFlags_NoScrollbar) |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  heading(context, kTitle);
  choose_what(context, view);
  if (state::export_format(view) == ExportFormat::Png) {
    choose_scale(context, view);
  }
  if (view.of == ExportOf::Film) {
    choose_film(context, memory, view);
  }
  if (view.of == ExportOf::Progress) {
    enter_student(context, memory);
  }
  draw_export_path(context, memory, view, commands);
  memory.height = ImGui::GetWindowHeight();
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (!(view == context.state.exporting)) {
    commands.insert(commands.begin(), state::SetExport{view});
  }
  return commands;
}

}  // namespace tilestep::ui

#include "ui/source_header.h"

#include "problem/tr.h"
#include "problem/words.h"
#include "state/words.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace tilestep::ui {
namespace {

// What is said about the file.
constexpr Message kFileChangedOnDisk =
    "{} was changed by another program. Take what the file holds now, or keep the text on screen?";
constexpr Message kFileTake = "Take the file's";
constexpr Message kFileTakeTip = "The file's text comes on screen; Ctrl+Z brings yours back.";
constexpr Message kFileKeep = "Keep mine";
constexpr Message kFileKeepTip = "The text on screen stays, as a change that is not saved.";
constexpr Message kFileUnsaved = "Changed, not saved.";

constexpr float kFileLongestName = 0.4F;  // of the row

struct HeaderButton {
  ActionId action;
  std::string face;
  bool lit = false;
};

// On the next row where this one has no room.
void button_in_row(const Context& context, const HeaderButton& button, Commands& commands) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::CalcTextSize(button.face.c_str()).x + 2.0F * style.FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - style.WindowPadding.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
  }
  append(commands, action_button(context, button.action, button.face.c_str(), button.lit));
}

void draw_file_name(const Context& context) {
  // Of a text that does not compile no run is on stage but that of the one before.
  const bool is_its =
      context.view.scene != nullptr && context.view.scene->spec.id == context.state.kernel;
  const std::string name = is_its ? context.view.scene->launch.source_name
                                  : std::filesystem::path(context.state.kernel).filename().string();
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(cut_to(name, kFileLongestName * ImGui::GetWindowWidth()).c_str());
  ImGui::PopFont();
  const std::string& path = context.view.file.path;
  if (is_changed(context)) {
    tooltip(path.empty() ? kFileUnsaved.text() : fmt::format("{}\n{}", path, kFileUnsaved));
    ImGui::SameLine(0.0F, 0.3F * ImGui::GetFontSize());
    coloured_text(context.theme.warning, icon::kCircle);
    tooltip(kFileUnsaved.text());
  } else if (!path.empty()) {
    tooltip(path);
  }
}

void ask_about_disk(const Context& context, Commands& commands) {
  const workspace::FileView& file = context.view.file;
  if (!file.mistake.empty()) {
    wrapped_text(context.theme.bad, file.mistake);
  }
  if (!file.on_disk) {
    return;
  }
  wrapped_text(context.theme.warning,
               fmt::format(fmt::runtime(kFileChangedOnDisk.text()),
                           std::filesystem::path(file.path).filename().string()));
  if (ImGui::Button(kFileTake)) {
    commands.emplace_back(state::AnswerDisk{true});
  }
  tooltip(kFileTakeTip.text());
  ImGui::SameLine();
  if (ImGui::Button(kFileKeep)) {
    commands.emplace_back(state::AnswerDisk{false});
  }
  tooltip(kFileKeepTip.text());
}

}  // namespace

bool is_changed(const Context& context) {
  const std::string& edited = context.state.edited_source;
  return !edited.empty() && edited != context.view.file.text;
}

Commands draw_source_header(const Context& context) {
  Commands commands;
  const state::SourcePage page = context.state.source_page;
  const bool editing = context.state.editing;
  const bool changed = is_changed(context);
  draw_file_name(context);
  button_in_row(context, {ActionId::TogglePtx, "PTX", page == state::SourcePage::Ptx}, commands);
  button_in_row(context, {ActionId::ShowSass, "SASS", page == state::SourcePage::Sass}, commands);
  button_in_row(context,
                {ActionId::EditSource,
                 fmt::format("{} {}", icon::kEdit, tr(editing ? "done" : "edit")), editing},
                commands);
  if (changed) {
    button_in_row(context, {ActionId::SaveSource, tr("save")}, commands);
    button_in_row(context, {ActionId::ResetSource, tr("reset")}, commands);
  }
  if (changed || context.view.file.on_disk || page == state::SourcePage::Difference) {
    button_in_row(
        context,
        {ActionId::ShowDifference, tr("difference"), page == state::SourcePage::Difference},
        commands);
  }
  ask_about_disk(context, commands);
  return commands;
}

}  // namespace tilestep::ui

#include "ui/difference_view.h"

#include "problem/words.h"
#include "ui/editor_looks.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <TextDiff.h>
#include <string>

namespace tilestep::ui {
namespace {

constexpr Message kDiffSame = "Nothing was changed: the text on screen is the file's own.";
constexpr Message kDiffBefore = "−  the file's own";
constexpr Message kDiffAfter = "+  on screen";
constexpr float kDiffSideBySide = 56.0F;  // of this width, in multiples of the font size
constexpr float kDiffTextScale = 0.92F;
constexpr float kDiffTint = 0.25F;

struct DifferenceMemory {
  TextDiff diff;
  TextEditor::Language language = cuda_language();
  std::string left;
  std::string right;
  const Theme* theme = nullptr;

  DifferenceMemory() {
    diff.SetLanguage(&language);
    diff.SetTabSize(2);
    diff.SetShowWhitespacesEnabled(false);
    diff.SetWordWrapEnabled(true);
  }
};

}  // namespace

void draw_difference(const Context& context) {
  auto& memory = context.memory.of<DifferenceMemory>();
  const workspace::FileView& file = context.view.file;
  const std::string& left = file.on_disk ? *file.on_disk : file.text;
  const std::string& edited = context.state.edited_source;
  const std::string& right = edited.empty() ? file.text : edited;
  if (left == right) {
    coloured_text(context.theme.text_dim, kDiffSame);
    return;
  }
  if (memory.left != left || memory.right != right) {
    memory.left = left;
    memory.right = right;
    memory.diff.SetText(left, right);
  }
  if (memory.theme != &context.theme) {
    memory.theme = &context.theme;
    memory.diff.SetPalette(editor_palette(context.theme));
    memory.diff.SetColors(with_alpha(context.theme.good, kDiffTint),
                          with_alpha(context.theme.bad, kDiffTint));
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool side_by_side = room.x > kDiffSideBySide * ImGui::GetFontSize();
  memory.diff.SetSideBySideMode(side_by_side);
  coloured_text(context.theme.bad, kDiffBefore);
  ImGui::SameLine(side_by_side ? 0.5F * room.x : 0.0F);
  coloured_text(context.theme.good, kDiffAfter);
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * kDiffTextScale);
  memory.diff.Render("##difference", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
}

}  // namespace tilestep::ui

#include "ui/builds.h"

#include "problem/describe/words.h"
#include "ui/widgets.h"

#include <imgui.h>

namespace tilestep::ui {

bool is_fast_build(const simt::Program& program) {
  return !program.module().is_debug;
}

std::optional<problem::Build> build_choice(const char* label, problem::Build now, float width) {
  std::optional<problem::Build> chosen;
  ImGui::SetNextItemWidth(width * ImGui::GetFontSize());
  if (ImGui::BeginCombo(label, word_of(now).label)) {
    for (const Word<problem::Build>& word : words_of<problem::Build>()) {
      if (ImGui::Selectable(word.label, word.value == now)) {
        chosen = word.value;
      }
      tooltip(word.tooltip.text());
    }
    ImGui::EndCombo();
  }
  return chosen;
}

}  // namespace tilestep::ui

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/controls.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace tilestep::ui {
namespace {

// Sizes in lines of text.
constexpr float kListWidth = 52.0F;
constexpr float kListHeight = 34.0F;
constexpr float kTitleWidth = 17.0F;
constexpr float kMostOfWindow = 0.92F;

constexpr Message kFilterHint = "type to filter: tile, naive, broken …";
constexpr Message kNoneMatches = "No kernel matches these words. Delete some.";
constexpr Message kFileTitle = "Your own .cu file (Ctrl+O, or drop it on the window)";
constexpr Message kFileHint = "path of a .cu file, then Enter";

struct KernelListMemory {
  std::array<char, 64> typed{};
};

bool has_every_word(const problem::LaunchSpec& spec, const std::string& typed) {
  std::string all = spec.id;
  for (const std::string& text : {spec.title, spec.family, spec.summary}) {
    all += ' ' + text + ' ' + tr(text.c_str());
  }
  all = lower(std::move(all));
  std::istringstream words(lower(typed));
  for (std::string word; words >> word;) {
    if (all.find(word) == std::string::npos) {
      return false;
    }
  }
  return true;
}

void draw_kernel(const Context& context, const problem::LaunchSpec& spec, Commands& commands) {
  if (ImGui::Selectable(tr(spec.title.c_str()), spec.id == context.state.kernel)) {
    commands.emplace_back(state::SelectKernel{spec.id});
  }
  ImGui::SameLine(kTitleWidth * ImGui::GetFontSize());
  const std::string summary = tr(spec.summary.c_str());
  const std::string shown = cut_to(summary, ImGui::GetContentRegionAvail().x);
  coloured_text(context.theme.text_dim, shown.c_str());
  if (shown != summary) {
    tooltip(summary);
  }
}

// The path of a user's own kernel, typed or dropped on the window.
void draw_own_file(Commands& commands) {
  ImGui::Separator();
  ImGui::TextUnformatted(kFileTitle);
  std::array<char, 1024> path{};
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::InputTextWithHint("##path", kFileHint, path.data(), path.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue) &&
      path[0] != '\0') {
    commands.emplace_back(state::OpenFile{path.data()});
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

std::vector<KernelGroup> matching_kernels(const problem::Catalog& catalog,
                                          const std::string& typed) {
  std::vector<KernelGroup> groups;
  for (const problem::Family& family : problem::families(catalog)) {
    KernelGroup group{family.name.empty() ? tr("More") : tr(family.name.c_str()), {}};
    std::ranges::copy_if(family.kernels, std::back_inserter(group.kernels),
                         [&](std::size_t i) { return has_every_word(catalog.kernels[i], typed); });
    if (!group.kernels.empty()) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

Commands draw_kernel_list(const Context& context) {
  auto& memory = context.memory.of<KernelListMemory>();
  const float em = ImGui::GetFontSize();
  const ImVec2 window = ImGui::GetMainViewport()->Size;
  if (ImGui::IsWindowAppearing()) {
    memory.typed = {};
    ImGui::SetKeyboardFocusHere();
  }
  Commands commands;
  const float width = std::min(kListWidth * em, kMostOfWindow * window.x);
  ImGui::SetNextItemWidth(width);
  const bool enters =
      ImGui::InputTextWithHint("##filter", kFilterHint, memory.typed.data(), memory.typed.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue);
  const problem::Catalog& catalog = *context.view.kernels.catalog;
  const std::vector<KernelGroup> groups = matching_kernels(catalog, memory.typed.data());
  if (enters && !groups.empty()) {
    commands.emplace_back(state::SelectKernel{catalog.kernels[groups[0].kernels[0]].id});
    ImGui::CloseCurrentPopup();
  }
  ImGui::BeginChild("kernels", {width, std::min(kListHeight * em, 0.6F * window.y)},
                    ImGuiChildFlags_NavFlattened);
  if (groups.empty()) {
    coloured_text(context.theme.text_dim, kNoneMatches);
  }
  for (const KernelGroup& group : groups) {
    ImGui::SeparatorText(group.family.c_str());
    for (const std::size_t index : group.kernels) {
      draw_kernel(context, catalog.kernels[index], commands);
    }
  }
  ImGui::EndChild();
  draw_own_file(commands);
  if (!commands.empty()) {
    ImGui::CloseCurrentPopup();
  }
  return commands;
}

}  // namespace tilestep::ui

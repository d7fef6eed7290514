#include "ui/palette_panel.h"

#include "ui/actions.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <imcmd_command_palette.h>
#include <optional>
#include <string>

namespace tilestep::ui {
namespace {

// The library keeps a context of its own; a choice is noted here and carried out by the panel.
struct PaletteMemory {
  ImCmd::Context* context = nullptr;
  std::optional<ActionId> chosen;
  std::optional<std::string> chosen_kernel;
  bool was_open = false;

  PaletteMemory() : context(ImCmd::CreateContext()) {}
  ~PaletteMemory() { ImCmd::DestroyContext(context); }
  PaletteMemory(const PaletteMemory&) = delete;
  PaletteMemory& operator=(const PaletteMemory&) = delete;
  PaletteMemory(PaletteMemory&&) = delete;
  PaletteMemory& operator=(PaletteMemory&&) = delete;
};

// Every action, and every kernel of the catalog by name.
void fill(PaletteMemory& memory, const Context& context) {
  for (const Action& action : actions()) {
    ImCmd::Command command;
    const std::string key = key_name(action.key);
    command.Name = key.empty() ? action.label : fmt::format("{}   {}", action.label, key);
    command.InitialCallback = [&memory, id = action.id] { memory.chosen = id; };
    ImCmd::AddCommand(std::move(command));
  }
  if (context.view.catalog == nullptr) {
    return;
  }
  for (const problem::LaunchSpec& spec : context.view.catalog->kernels) {
    ImCmd::Command command;
    command.Name = "Kernel: " + spec.title;
    command.InitialCallback = [&memory, id = spec.id] { memory.chosen_kernel = id; };
    ImCmd::AddCommand(std::move(command));
  }
}

}  // namespace

Commands draw_palette(const Context& context) {
  if (!context.state.show_palette) {
    return {};
  }
  auto& memory = context.memory.of<PaletteMemory>();
  ImCmd::SetCurrentContext(memory.context);
  if (!memory.was_open) {
    memory.was_open = true;
    fill(memory, context);
    ImCmd::SetStyleColor(ImCmdTextType_Highlight, context.theme.accent_text);
    ImCmd::SetStyleFont(ImCmdTextType_Regular, context.fonts.text);
    ImCmd::SetStyleFont(ImCmdTextType_Highlight, context.fonts.bold);
    ImCmd::SetNextCommandPaletteSearchBoxFocused();
  }
  // The library measures in the size the font was loaded with, and draws in the current one.
  context.fonts.text->LegacySize = ImGui::GetStyle().FontSizeBase;
  bool open = true;
  ImCmd::SetNextWindowAffixedTop(ImGuiCond_Always);
  ImGui::SetNextWindowSize({ImGui::GetMainViewport()->Size.x * 0.4F, 0.0F}, ImGuiCond_Always);
  ImCmd::CommandPaletteWindow("###palette", &open);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    open = false;
  }
  Commands commands;
  if (memory.chosen) {
    commands = action(*memory.chosen).commands(context);
  } else if (memory.chosen_kernel) {
    commands.push_back(state::SelectKernel{*memory.chosen_kernel});
  }
  if (!open || memory.chosen || memory.chosen_kernel) {
    const bool palette_itself = memory.chosen == ActionId::ShowPalette;
    ImCmd::DestroyContext(memory.context);
    memory.context = ImCmd::CreateContext();
    memory.chosen.reset();
    memory.chosen_kernel.reset();
    memory.was_open = false;
    if (!palette_itself) {
      commands.push_back(state::ShowPalette{false});
    }
  }
  return commands;
}

}  // namespace tilestep::ui

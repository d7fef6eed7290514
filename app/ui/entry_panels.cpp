#include "ui/entry_panels.h"

#include "insight/events/breakpoint.h"
#include "insight/events/go_to.h"
#include "ui/memory.h"
#include "ui/stage/shape.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

// What is said in the fields.
constexpr const char* kGoToHint = "As[1][2], C[3][4], line 29, step 500";
constexpr const char* kGoToTitle = "Go to";
constexpr const char* kConditionHint = "tx == 3 && t == 1";
constexpr const char* kConditionTitle = "Breakpoint on line {} stops where";
constexpr const char* kConditionHelp =
    "Enter sets it, Esc leaves it as it was. Nothing written: it always stops.";

constexpr const char* kSaveHint = "path of a .cu file";
constexpr const char* kSaveTitle = "Save the kernel as";
constexpr const char* kSaveHelp =
    "Enter saves it, and its launch in a .toml of the same name. Esc leaves everything as it is.";
constexpr const char* kSaveEnding = "Write a name that ends in .cu.";
constexpr const char* kSaveReplace = "replace the files that are there";

struct Entry {
  std::array<char, 512> text{};
  bool asks_again = false;  // what was entered could not be done
  bool is_open = false;
  int line = 0;  // that it was opened for
};
struct GoToMemory {
  Entry entry;
};
struct SaveAsMemory {
  Entry entry;
  bool replaces = false;
};
struct ConditionMemory {
  Entry entry;
};

void begin_entry(Entry& entry, const std::string& text, int line) {
  entry.is_open = true;
  entry.line = line;
  entry.text[text.copy(entry.text.data(), entry.text.size() - 1)] = '\0';
}

enum class Answer { None, Enter, Leave };

struct Field {
  const char* window;
  std::string title;
  const char* hint;
  const char* help;
  std::function<void()> below = nullptr;  // drawn under it
};

// `mistake`: of what is typed now; empty: none.
template <class Mistake>
Answer draw_field(const Context& context, Entry& entry, const Field& field, Mistake mistake) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({viewport.GetCenter().x, viewport.Pos.y + 4.0F * em}, ImGuiCond_Always,
                          {0.5F, 0.0F});
  ImGui::SetNextWindowSize({std::min(0.9F * viewport.Size.x, 36.0F * em), 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::Begin(field.window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::TextUnformatted(field.title.c_str());
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::IsWindowAppearing() || std::exchange(entry.asks_again, false)) {
    ImGui::SetKeyboardFocusHere();
  }
  Answer answer = Answer::None;
  if (ImGui::InputTextWithHint("##entry", field.hint, entry.text.data(), entry.text.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue)) {
    answer = Answer::Enter;
  }
  const std::string wrong = mistake(std::string(entry.text.data()));
  if (!wrong.empty()) {
    wrapped_text(context.theme.bad, wrong);
    answer = Answer::None;
    if (!ImGui::IsItemActive() && ImGui::IsKeyPressed(ImGuiKey_Enter)) {
      ImGui::SetKeyboardFocusHere(-1);  // Enter leaves the field; a mistake is mended in it
    }
  } else if (field.help != nullptr) {
    wrapped_text(context.theme.text_dim, field.help);
  }
  if (field.below) {
    field.below();
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    answer = Answer::Leave;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  return answer;
}

// Where a cell stands on stage decides what is marked there.
Commands commands_to(const Context& context, const insight::GoTo& place) {
  if (place.kind == insight::GoTo::Kind::Step) {
    return {state::Play{false}, state::SeekStep{place.step}};
  }
  if (place.kind == insight::GoTo::Kind::Line) {
    return {state::RunToLine{place.line}};
  }
  const workspace::Scene& scene = *context.view.scene;
  const simt::Program& program = scene.recording->program();
  const StageShape shape = make_shape(program, scene.accumulator);
  const auto on_stage = sheet_place(shape, program, program.locate(place.address, 1));
  const std::string array = place.cell.substr(0, place.cell.find('['));
  return {on_stage ? state::FocusCell{array, on_stage->row, on_stage->col, place.cell}
                   : state::FocusCell{array, 0, 0, place.cell}};
}

}  // namespace

Commands draw_go_to(const Context& context) {
  Entry& entry = context.memory.of<GoToMemory>().entry;
  if (!context.state.show_go_to || context.view.scene == nullptr) {
    entry.is_open = false;
    return {};
  }
  if (!entry.is_open) {
    begin_entry(entry, "", 0);
  }
  const record::Recording& run = *context.view.scene->recording;
  std::optional<insight::GoTo> place;
  const Answer answer = draw_field(context, entry, {"###go to", kGoToTitle, kGoToHint, nullptr},
                                   [&](const std::string& text) -> std::string {
                                     if (text.empty()) {
                                       return {};
                                     }
                                     const auto found = insight::parse_go_to(run, text);
                                     place = found ? std::optional(*found) : std::nullopt;
                                     return found ? "" : found.error().message;
                                   });
  if (answer == Answer::None) {
    return {};
  }
  Commands commands = answer == Answer::Enter && place ? commands_to(context, *place) : Commands{};
  commands.emplace_back(state::ShowGoTo{false});
  return commands;
}

Commands draw_condition(const Context& context) {
  Entry& entry = context.memory.of<ConditionMemory>().entry;
  const int line = context.state.condition_line;
  if (line == 0 || context.view.scene == nullptr) {
    entry.is_open = false;
    return {};
  }
  if (!entry.is_open || entry.line != line) {
    const auto known = context.state.conditions.find(line);
    begin_entry(entry, known == context.state.conditions.end() ? "" : known->second, line);
  }
  const simt::Program& program = context.view.scene->recording->program();
  const Answer answer = draw_field(
      context, entry,
      {"###condition", fmt::format(fmt::runtime(kConditionTitle), line), kConditionHint,
       kConditionHelp},
      [&](const std::string& text) -> std::string {
        const auto wrong = text.empty() ? std::nullopt : insight::condition_mistake(program, text);
        return wrong ? wrong->message : "";
      });
  Commands commands;
  if (answer == Answer::Enter) {
    commands.emplace_back(state::SetCondition{line, entry.text.data()});
  }
  if (answer != Answer::None) {
    commands.emplace_back(state::EditCondition{0});
  }
  return commands;
}

Commands draw_save_as(const Context& context) {
  auto& memory = context.memory.of<SaveAsMemory>();
  Entry& entry = memory.entry;
  if (!context.state.show_save_as) {
    entry.is_open = false;
    return {};
  }
  const workspace::FileView& file = context.view.file;
  if (!entry.is_open) {
    begin_entry(entry, file.proposed, 0);
    memory.replaces = false;
  }
  const Answer answer = draw_field(context, entry,
                                   {"###save as", kSaveTitle, kSaveHint, kSaveHelp,
                                    [&] {
                                      if (!file.mistake.empty()) {
                                        wrapped_text(context.theme.bad, file.mistake);
                                        ImGui::Checkbox(kSaveReplace, &memory.replaces);
                                      }
                                    }},
                                   [](const std::string& text) -> std::string {
                                     return text.ends_with(".cu") ? "" : kSaveEnding;
                                   });
  if (answer == Answer::Leave) {
    return {state::ShowSaveAs{false}};
  }
  if (answer == Answer::Enter) {
    entry.asks_again = true;
    return {state::SaveSource{entry.text.data(), memory.replaces}};
  }
  return {};
}

}  // namespace tilestep::ui

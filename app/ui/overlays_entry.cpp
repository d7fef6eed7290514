#include "insight/events/breakpoint.h"
#include "problem/tr.h"
#include "state/words.h"
#include "ui/overlays.h"
#include "ui/stage/shape.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "workspace/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

struct EntryField {
  std::array<char, 512> text{};
  bool is_open = false;
  bool asks_again = false;  // the entry was invalid: it gets the keyboard again
};

enum class EntryAnswer { None, Enter, Leave };

struct EntryWords {
  const char* window;  // its ImGui id
  std::string title;
  const char* hint;
  const char* help;  // null: none
};

struct EntryWays {
  // The mistake in the current text; empty: none. Enter does not accept a mistake.
  std::function<std::string(const std::string& text)> mistake{};
  // Completes the text on Tab; null: Tab has no effect.
  std::function<std::string(const std::string& text)> complete{};
  std::function<void()> below{};  // draws further choices
};

// Replaces the field's text by its completion.
int complete_entry(ImGuiInputTextCallbackData* data) {
  const auto& ways = *static_cast<const EntryWays*>(data->UserData);
  const std::string typed(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const std::string whole = ways.complete(typed);
  if (whole != typed && whole.size() < static_cast<std::size_t>(data->BufSize)) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, whole.c_str());
  }
  return 0;
}

// Opens it with a text in it.
void begin_entry(EntryField& entry, const std::string& text) {
  entry.is_open = true;
  entry.text[text.copy(entry.text.data(), entry.text.size() - 1)] = '\0';
}

EntryAnswer draw_entry(const Context& context, EntryField& entry, const EntryWords& words,
                       const EntryWays& ways) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({viewport.GetCenter().x, viewport.Pos.y + 4.0F * em}, ImGuiCond_Always,
                          {0.5F, 0.0F});
  ImGui::SetNextWindowSize({std::min(0.9F * viewport.Size.x, 36.0F * em), 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::Begin(words.window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::TextUnformatted(words.title.c_str());
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::IsWindowAppearing() || std::exchange(entry.asks_again, false)) {
    ImGui::SetKeyboardFocusHere();
  }
  EntryAnswer answer = EntryAnswer::None;
  EntryWays used = ways;
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue |
                                    (ways.complete ? ImGuiInputTextFlags_CallbackCompletion : 0);
  if (ImGui::InputTextWithHint("##entry", words.hint, entry.text.data(), entry.text.size(), flags,
                               ways.complete ? complete_entry : nullptr, &used)) {
    answer = EntryAnswer::Enter;
  }
  const std::string wrong = ways.mistake ? ways.mistake(entry.text.data()) : "";
  if (!wrong.empty()) {
    wrapped_text(context.theme.bad, wrong);
    answer = EntryAnswer::None;
    if (!ImGui::IsItemActive() && ImGui::IsKeyPressed(ImGuiKey_Enter)) {
      ImGui::SetKeyboardFocusHere(-1);  // Enter leaves the field; a mistake must be corrected in it
    }
  } else if (words.help != nullptr) {
    wrapped_text(context.theme.text_dim, words.help);
  }
  if (ways.below) {
    ways.below();
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    answer = EntryAnswer::Leave;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  return answer;
}

// Texts of the fields.
constexpr const char* kGoToHint = "As[1][2], line 29, step 500, phase 1, block 1,0, thread 3,1";
constexpr Message kGoToTitle = "Go to";
constexpr const char* kConditionHint = "tx == 3 && t == 1";
constexpr Message kConditionTitle = "Breakpoint on line {} stops if";
constexpr Message kConditionHelp =
    "Enter sets it, Esc cancels. Without a condition, it always stops.";
constexpr Message kOpenHint = "path of a .cu, .toml, .md, .json or .csv file";
constexpr Message kOpenHelp =
    "A kernel, its description, a scene, a lesson, a timing data set or a matrix. Tab completes.";
constexpr Message kSaveHint = "path of the scene's .toml";
constexpr Message kSaveHelp =
    "Contains the kernel, sizes, data, place and view; for your own kernel, also its text. Tab "
    "completes.";
constexpr const char* kSessionHint = "lecture-4";
constexpr Message kSessionHelp =
    "The new session starts in the initial state. This session is kept: return to it with the "
    "command palette.";

constexpr std::size_t kMostListed = 8;  // matches of a path

constexpr Message kKernelHint = "path of a .cu file";
constexpr Message kKernelTitle = "Save the kernel as";
constexpr Message kKernelHelp =
    "Enter saves the kernel, and its launch in a .toml of the same name. Esc cancels.";
constexpr Message kKernelEnding = "Write a name that ends in .cu.";
constexpr Message kKernelReplace = "Replace existing files";

struct GoToMemory {
  EntryField entry;
};
struct SaveAsMemory {
  EntryField entry;
  bool replaces = false;
};
struct ConditionMemory {
  EntryField entry;
  int line = 0;  // for which it was opened
};
struct AskedMemory {
  EntryField entry;
  state::Asked what = state::Asked::Nothing;
};

// The common prefix of all matches.
std::string common_begin(const std::vector<std::string>& matches) {
  std::string common = matches.empty() ? "" : matches.front();
  for (const std::string& match : matches) {
    const auto [end, ignored] =
        std::mismatch(common.begin(), common.end(), match.begin(), match.end());
    common.erase(end, common.end());
  }
  return common;
}

// A click enters a folder or chooses a file. Returns true if a file was chosen.
bool draw_matches(const workspace::FilesView& files, EntryField& entry) {
  bool is_taken = false;
  for (std::size_t i = 0; i < std::min(files.matches.size(), kMostListed); ++i) {
    const std::string& match = files.matches[i];
    if (ImGui::Selectable(match.c_str(), false, ImGuiSelectableFlags_NoAutoClosePopups)) {
      begin_entry(entry, match);
      is_taken = !match.ends_with('/');
    }
  }
  if (files.matches.size() > kMostListed) {
    ImGui::TextDisabled("%s", tr("… {} more", files.matches.size() - kMostListed).c_str());
  }
  return is_taken;
}

Commands taken(state::Asked what, const std::string& text) {
  Commands commands{state::Ask{state::Asked::Nothing}};
  if (text.empty()) {
    return commands;
  }
  if (what == state::Asked::Open) {
    commands.emplace_back(state::OpenFile{text});
  } else if (what == state::Asked::SaveScene) {
    commands.emplace_back(state::SaveScene{text});
  } else {
    commands.emplace_back(state::OpenSession{text});
  }
  return commands;
}

Commands draw_path(const Context& context, EntryField& entry, state::Asked what) {
  const workspace::FilesView& files = context.view.files;
  const bool opens = what == state::Asked::Open;
  bool is_clicked = false;
  EntryWays ways;
  ways.complete = [&files](const std::string& text) {
    const std::string common = files.completed == text ? common_begin(files.matches) : "";
    return common.empty() ? text : common;
  };
  if (opens) {
    ways.below = [&] { is_clicked = draw_matches(files, entry); };
  }
  const EntryAnswer answer =
      draw_entry(context, entry,
                 {"###path", word_of(what).label.text(), opens ? kOpenHint : kSaveHint,
                  opens ? kOpenHelp : kSaveHelp},
                 ways);
  const std::string text = entry.text.data();
  if (answer == EntryAnswer::Leave) {
    return {state::Ask{state::Asked::Nothing}};
  }
  const bool is_folder = opens && text.ends_with('/');
  if (is_clicked || (answer == EntryAnswer::Enter && !is_folder)) {
    return taken(what, text);
  }
  return text == files.completed ? Commands{} : Commands{state::CompletePath{text}};
}

Commands draw_session(const Context& context, EntryField& entry) {
  const EntryWays ways{.mistake = [](const std::string& text) -> std::string {
    const auto file = workspace::session_file({}, text);
    return file ? "" : file.error().message;
  }};
  const state::Asked what = state::Asked::NewSession;
  const EntryAnswer answer = draw_entry(
      context, entry, {"###session", word_of(what).label.text(), kSessionHint, kSessionHelp}, ways);
  return answer == EntryAnswer::None    ? Commands{}
         : answer == EntryAnswer::Enter ? taken(what, entry.text.data())
                                        : Commands{state::Ask{state::Asked::Nothing}};
}

// The cell's position on stage decides what is marked.
Commands to_cell(const Context& context, const insight::GoTo& place) {
  const workspace::Scene& scene = *context.view.run.scene;
  const simt::Program& program = scene.recording->program();
  const StageShape shape = make_shape(program, scene.accumulator);
  const auto on_stage = sheet_place(shape, program, program.locate(place.address, 1));
  const std::string array = place.cell.substr(0, place.cell.find('['));
  return {on_stage ? state::FocusCell{array, on_stage->row, on_stage->col, place.cell}
                   : state::FocusCell{array, 0, 0, place.cell}};
}

}  // namespace

Commands draw_go_to(const Context& context) {
  EntryField& entry = context.memory.of<GoToMemory>().entry;
  if (!context.state.show_go_to || context.view.run.scene == nullptr) {
    entry.is_open = false;
    return {};
  }
  if (!entry.is_open) {
    begin_entry(entry, "");
  }
  const record::Recording& run = *context.view.run.scene->recording;
  std::optional<insight::GoTo> place;
  const EntryWays ways{.mistake = [&](const std::string& text) -> std::string {
    if (text.empty()) {
      return {};
    }
    const auto found = insight::parse_go_to(run, context.state.focus.block, text);
    place = found ? std::optional(*found) : std::nullopt;
    return found ? "" : found.error().message;
  }};
  const EntryAnswer answer =
      draw_entry(context, entry, {"###go to", kGoToTitle.text(), kGoToHint, nullptr}, ways);
  if (answer == EntryAnswer::None) {
    return {};
  }
  Commands commands =
      answer == EntryAnswer::Enter && place ? commands_to(context, *place) : Commands{};
  commands.emplace_back(state::ShowGoTo{false});
  return commands;
}

Commands draw_condition(const Context& context) {
  auto& [entry, opened_for] = context.memory.of<ConditionMemory>();
  const int line = context.state.condition_line;
  if (line == 0 || context.view.run.scene == nullptr) {
    entry.is_open = false;
    return {};
  }
  if (!entry.is_open || opened_for != line) {
    const auto known = context.state.conditions.find(line);
    begin_entry(entry, known == context.state.conditions.end() ? "" : known->second);
    opened_for = line;
  }
  const simt::Program& program = context.view.run.scene->recording->program();
  const EntryWays ways{.mistake = [&program](const std::string& text) -> std::string {
    const auto wrong = text.empty() ? std::nullopt : insight::condition_mistake(program, text);
    return wrong ? wrong->message : "";
  }};
  const EntryAnswer answer =
      draw_entry(context, entry,
                 {"###condition", fmt::format(fmt::runtime(kConditionTitle.text()), line),
                  kConditionHint, kConditionHelp},
                 ways);
  Commands commands;
  if (answer == EntryAnswer::Enter) {
    commands.emplace_back(state::SetCondition{line, entry.text.data()});
  }
  if (answer != EntryAnswer::None) {
    commands.emplace_back(state::EditCondition{0});
  }
  return commands;
}

Commands draw_asked(const Context& context) {
  auto& [entry, opened_for] = context.memory.of<AskedMemory>();
  const state::Asked what = context.state.asked;
  if (what == state::Asked::Nothing) {
    entry.is_open = false;
    return {};
  }
  if (!entry.is_open || opened_for != what) {
    begin_entry(entry, context.view.files.proposed);
    opened_for = what;
  }
  return what == state::Asked::NewSession ? draw_session(context, entry)
                                          : draw_path(context, entry, what);
}

Commands draw_save_as(const Context& context) {
  auto& memory = context.memory.of<SaveAsMemory>();
  if (!context.state.show_save_as) {
    memory.entry.is_open = false;
    return {};
  }
  const workspace::FileView& file = context.view.source.file;
  if (!memory.entry.is_open) {
    begin_entry(memory.entry, file.proposed);
    memory.replaces = false;
  }
  EntryWays ways;
  ways.mistake = [](const std::string& text) -> std::string {
    return text.ends_with(".cu") ? "" : kKernelEnding.text();
  };
  ways.below = [&] {
    if (!file.mistake.empty()) {
      wrapped_text(context.theme.bad, file.mistake);
      ImGui::Checkbox(kKernelReplace, &memory.replaces);
    }
  };
  const EntryAnswer answer = draw_entry(
      context, memory.entry, {"###save as", kKernelTitle.text(), kKernelHint, kKernelHelp}, ways);
  if (answer == EntryAnswer::Leave) {
    return {state::ShowSaveAs{false}};
  }
  if (answer != EntryAnswer::Enter) {
    return {};
  }
  memory.entry.asks_again = true;
  return {state::SaveSource{memory.entry.text.data(), memory.replaces}};
}

bool has_open_field(const state::AppState& state) {
  return state.show_palette || state.show_go_to || state.show_save_as || state.show_export ||
         state.asked != state::Asked::Nothing || state.condition_line != 0;
}

bool OpeningField::is_awaited(const state::AppState& state, bool has_keyboard) {
  const bool is_open = has_open_field(state) || state.show_find;
  if (is_open && !was_open_) {
    frames_left_ = kMostFrames;
  }
  was_open_ = is_open;
  const bool is_awaited = is_open && frames_left_ > 0 && !has_keyboard;
  frames_left_ = is_awaited ? frames_left_ - 1 : 0;
  return is_awaited;
}

Commands commands_to(const Context& context, const insight::GoTo& place) {
  switch (place.kind) {
    case insight::GoTo::Kind::Step:
      return {state::Play{false}, state::SeekStep{place.step}};
    case insight::GoTo::Kind::Line:
      return {state::RunToLine{place.line}};
    case insight::GoTo::Kind::Phase:  // as a whole, as after F10
      return {state::Play{false}, state::SeekStep{place.step}, state::Step{state::Unit::Phase, +1}};
    case insight::GoTo::Kind::Block:
      return {state::FocusThread{place.block, context.state.focus.thread}};
    case insight::GoTo::Kind::Thread:
      return {state::FocusThread{context.state.focus.block, place.thread}};
    case insight::GoTo::Kind::Cell:
      return to_cell(context, place);
  }
  return {};
}

}  // namespace tilestep::ui

#include "problem/language.h"
#include "problem/words.h"
#include "ui/overlays.h"
#include "ui/palette_rows.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr Message kHint = "a command, a setting, a kernel, a file, or a place: As[1][2], line 29";
constexpr Message kNothing = "No match.";
constexpr Message kLikely = "Next";
constexpr Message kUsed = "Last used";
constexpr Message kGoTo = "Go to";

constexpr std::size_t kMostUsed = 4;
constexpr float kWidest = 46.0F;            // in multiples of the font size
constexpr float kTallest = 0.6F;            // of the window's height
constexpr float kPaletteRowHeight = 1.45F;  // in multiples of the font size

struct PaletteMemory {
  std::array<char, 256> query{};
  std::vector<PaletteRow> rows;         // as when it was opened
  std::string language;                 // of rows
  std::shared_ptr<const void> lessons;  // in rows
  std::vector<std::string> used;        // full names, the latest first
  std::size_t chosen = 0;               // index in the list
  bool is_open = false;
  bool has_moved = false;  // by a key: the list scrolls to it
};

// A line of the list: a row, and the heading before it if a new group begins.
struct Line {
  const PaletteRow* row = nullptr;
  std::vector<std::size_t> letters{};
  const char* heading = nullptr;
};

std::optional<PaletteRow> place_row(const Context& context, const std::string& query) {
  if (context.view.run.scene == nullptr || query.empty()) {
    return std::nullopt;
  }
  const auto place =
      insight::parse_go_to(*context.view.run.scene->recording, context.state.focus.block, query);
  if (!place) {
    return std::nullopt;
  }
  return PaletteRow{kGoTo.text(), query, "", "",
                    [place = *place](const Context& c) { return commands_to(c, place); }};
}

void add_group(const char* heading, const std::vector<std::size_t>& rows,
               const std::vector<PaletteRow>& all, std::vector<Line>& lines) {
  const char* first = heading;
  for (const std::size_t row : rows) {
    lines.push_back({&all[row], {}, std::exchange(first, nullptr)});
  }
}

std::vector<std::size_t> used_rows(const PaletteMemory& memory) {
  std::vector<std::size_t> rows;
  for (const std::string& name : memory.used) {
    const auto found = std::ranges::find_if(
        memory.rows, [&name](const PaletteRow& row) { return row.full_name() == name; });
    if (found != memory.rows.end()) {
      rows.push_back(static_cast<std::size_t>(found - memory.rows.begin()));
    }
  }
  return rows;
}

// Without a query: likely rows, recently used rows, then everything by groups.
std::vector<Line> all_lines(const Context& context, const PaletteMemory& memory) {
  std::vector<Line> lines;
  add_group(kLikely, likely_rows(context, memory.rows), memory.rows, lines);
  add_group(kUsed, used_rows(memory), memory.rows, lines);
  std::string_view group;
  for (const PaletteRow& row : memory.rows) {
    const bool is_first = std::exchange(group, row.group) != row.group;
    lines.push_back({&row, {}, is_first ? row.group : nullptr});
  }
  return lines;
}

std::vector<Line> lines_of(const Context& context, const PaletteMemory& memory,
                           const std::optional<PaletteRow>& place) {
  const std::string query = memory.query.data();
  if (query.empty()) {
    return all_lines(context, memory);
  }
  std::vector<Line> lines;
  if (place) {
    lines.push_back({&*place, {}, nullptr});
  }
  for (PaletteMatch& match : matching_rows(memory.rows, query)) {
    lines.push_back({&memory.rows[match.row], std::move(match.letters), nullptr});
  }
  return lines;
}

// True for the first byte of a UTF-8 character.
bool begins_character(char c) {
  constexpr unsigned kFollows = 0x80U;
  constexpr unsigned kMask = 0xC0U;
  return (static_cast<unsigned char>(c) & kMask) != kFollows;
}

// Draws the name in runs of one color; matched letters are underlined.
void draw_name(const Context& context, ImVec2 at, const Line& line, bool with_group) {
  const std::string full = line.row->full_name();
  const std::size_t from = with_group ? 0 : full.size() - line.row->name.size();
  const std::size_t name_at = full.size() - line.row->name.size();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto ink_of = [&](std::size_t i) {
    const bool is_matched = std::ranges::binary_search(line.letters, i);
    return std::pair(i < name_at ? context.theme.text_dim : context.theme.text, is_matched);
  };
  for (std::size_t i = from; i < full.size();) {
    const auto ink = ink_of(i);
    std::size_t end = i + 1;
    while (end < full.size() && (!begins_character(full[end]) || ink_of(end) == ink)) {
      ++end;
    }
    const char* const text = full.c_str();
    list.AddText(at, ink.first, text + i, text + end);
    const float width = ImGui::CalcTextSize(text + i, text + end).x;
    if (ink.second) {
      const float below = at.y + ImGui::GetFontSize();
      list.AddLine({at.x, below}, {at.x + width, below}, context.theme.focus);
    }
    at.x += width;
    i = end;
  }
}

// Returns true if clicked.
bool draw_line(const Context& context, const Line& line, bool is_chosen, bool with_group) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool clicked = ImGui::Selectable("##row", is_chosen, ImGuiSelectableFlags_None,
                                         {width, kPaletteRowHeight * em});
  if (!ImGui::IsItemVisible()) {
    return clicked;
  }
  if (!line.row->tip.empty()) {
    tooltip(line.row->tip);
  }
  const float top = at.y + 0.5F * (kPaletteRowHeight - 1.0F) * em;
  draw_name(context, {at.x + 0.5F * em, top}, line, with_group);
  const float key = ImGui::CalcTextSize(line.row->key.c_str()).x;
  ImGui::GetWindowDrawList()->AddText({at.x + width - key - 0.5F * em, top}, context.theme.text_dim,
                                      line.row->key.c_str());
  return clicked;
}

// Returns the clicked line.
std::optional<std::size_t> draw_list(const Context& context, const std::vector<Line>& lines,
                                     PaletteMemory& memory) {
  const float em = ImGui::GetFontSize();
  const float tallest = kTallest * ImGui::GetMainViewport()->Size.y;
  const float height =
      std::min(tallest, (static_cast<float>(std::max<std::size_t>(lines.size(), 1)) + 0.5F) *
                            kPaletteRowHeight * em);
  std::optional<std::size_t> clicked;
  ImGui::BeginChild("list", {0.0F, height}, ImGuiChildFlags_None,
                    ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoNavFocus);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0.0F, 0.0F});
  if (lines.empty()) {
    coloured_text(context.theme.text_dim, kNothing);
  }
  const bool with_group = memory.query[0] != '\0';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].heading != nullptr) {
      ImGui::Dummy({0.0F, 0.3F * em});
      text_in(context.fonts.bold, lines[i].heading, context.theme.text_dim);
    }
    ImGui::PushID(static_cast<int>(i));
    if (draw_line(context, lines[i], i == memory.chosen, with_group)) {
      clicked = i;
    }
    ImGui::PopID();
    if (i == memory.chosen && memory.has_moved) {
      ImGui::SetScrollHereY(i == 0 ? 1.0F : 0.5F);
      memory.has_moved = false;
    }
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  return clicked;
}

void move_choice(std::size_t count, PaletteMemory& memory) {
  if (count == 0) {
    return;
  }
  const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow);
  const bool up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  memory.chosen = std::min(memory.chosen, count - 1);
  if (down != up) {
    memory.chosen = (memory.chosen + (down ? 1 : count - 1)) % count;
    memory.has_moved = true;
  }
}

void note_used(const PaletteRow& row, PaletteMemory& memory) {
  if (row.group == std::string_view(kGoTo.text())) {
    return;
  }
  std::erase(memory.used, row.full_name());
  memory.used.insert(memory.used.begin(), row.full_name());
  memory.used.resize(std::min(memory.used.size(), kMostUsed));
}

void open_palette(PaletteMemory& memory) {
  memory.is_open = true;
  memory.query[0] = '\0';
  memory.chosen = 0;
  memory.language.clear();
}

// Rebuilds the rows when the language changes or the lessons are loaded.
void list_rows(const Context& context, PaletteMemory& memory) {
  std::string language = spoken_language();
  if (memory.language != language || memory.lessons != context.view.lessons) {
    memory.lessons = context.view.lessons;
    memory.rows = palette_rows(context);
    memory.language = std::move(language);
  }
}

void begin_palette_window(const Context& context) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float width = std::min(kWidest * ImGui::GetFontSize(), 0.9F * viewport.Size.x);
  ImGui::SetNextWindowPos({viewport.GetCenter().x, viewport.Pos.y + 2.0F * ImGui::GetFontSize()},
                          ImGuiCond_Always, {0.5F, 0.0F});
  ImGui::SetNextWindowSize({width, 0.0F}, ImGuiCond_Always);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::Begin("###palette", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
}

}  // namespace

Commands draw_palette(const Context& context) {
  auto& memory = context.memory.of<PaletteMemory>();
  if (!context.state.show_palette) {
    memory.is_open = false;
    return {};
  }
  const bool appears = !memory.is_open;
  if (appears) {
    open_palette(memory);
  }
  list_rows(context, memory);
  begin_palette_window(context);
  if (appears) {
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1.0F);
  const std::string before = memory.query.data();
  bool is_taken =
      ImGui::InputTextWithHint("##search", kHint, memory.query.data(), memory.query.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue);
  if (before != memory.query.data()) {
    memory.chosen = 0;
    memory.has_moved = true;
  }
  const std::optional<PaletteRow> place = place_row(context, memory.query.data());
  const std::vector<Line> lines = lines_of(context, memory, place);
  move_choice(lines.size(), memory);
  if (const auto clicked = draw_list(context, lines, memory)) {
    memory.chosen = *clicked;
    is_taken = true;
  }
  const bool clicked_away = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                            !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && !appears;
  ImGui::End();
  ImGui::PopStyleColor();
  Commands commands;
  if (is_taken && memory.chosen < lines.size()) {
    const PaletteRow row = *lines[memory.chosen].row;
    note_used(row, memory);
    commands = row.run(context);
  }
  if (is_taken || clicked_away || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    commands.emplace_back(state::ShowPalette{false});
  }
  return commands;
}

}  // namespace tilestep::ui

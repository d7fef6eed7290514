#include "lesson/rich_text.h"
#include "problem/tr.h"
#include "ui/control_keys.h"
#include "ui/lesson/lesson.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/overlays.h"
#include "ui/rich_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

using lesson::QuestionKind;
using state::Answering;

// Heights of text, in lines.
constexpr float kKeyRow = 1.55F;
constexpr float kEyebrowRow = 1.25F;
constexpr float kHighForEyebrow = 5.2F;
constexpr int kMostChoices = 9;

constexpr ImGuiKey kHintKey = ImGuiKey_H;

// Replay stops here.
struct WatchMemory {
  std::optional<std::uint64_t> until;
};

// True if another panel or field is open over it.
bool is_covered(const Context& context) {
  const state::AppState& s = context.state;
  return has_open_field(s) || s.show_keys || s.show_find || s.editing || s.blank || s.course.list ||
         ImGui::GetIO().WantTextInput;
}

// True if there is a hint that is not shown yet. In a lecture only the lecturer's window shows it.
bool has_hint(const Context& context) {
  return !context.view.lesson->hint.empty() && !context.state.course.hint && !context.state.lecture;
}

bool is_chosen_by_arrows(QuestionKind kind) {
  return kind == QuestionKind::Cell || kind == QuestionKind::Thread || kind == QuestionKind::Line;
}

// The digit of a key in the number row or the keypad.
std::optional<int> digit_of(ImGuiKey key) {
  if (key >= ImGuiKey_0 && key <= ImGuiKey_9) {
    return key - ImGuiKey_0;
  }
  if (key >= ImGuiKey_Keypad0 && key <= ImGuiKey_Keypad9) {
    return key - ImGuiKey_Keypad0;
  }
  return std::nullopt;
}

bool is_enter(ImGuiKey key) {
  return key == ImGuiKey_Enter || key == ImGuiKey_KeypadEnter;
}

bool is_arrow(ImGuiKey key) {
  return key == ImGuiKey_LeftArrow || key == ImGuiKey_RightArrow || key == ImGuiKey_UpArrow ||
         key == ImGuiKey_DownArrow;
}

// The character that a key adds to a number; 0: none.
char typed_by(ImGuiKey key) {
  if (const auto digit = digit_of(key)) {
    return static_cast<char>('0' + *digit);
  }
  switch (key) {
    case ImGuiKey_Period:
    case ImGuiKey_KeypadDecimal:
      return '.';
    case ImGuiKey_Minus:
    case ImGuiKey_KeypadSubtract:
      return '-';
    case ImGuiKey_Slash:
    case ImGuiKey_KeypadDivide:
      return '/';
    case ImGuiKey_Backspace:
      return 'b';
    default:
      return 0;
  }
}

// A number that is not chosen by votes.
bool is_typed(const Context& context) {
  return context.view.lesson->question->kind == QuestionKind::Number && !is_voted(context);
}

// "yes", "2": the answer that a key gives at once; empty: none.
std::string answered_by(const Context& context, ImGuiKey key) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const auto digit = digit_of(key);
  if (lesson.question->kind == QuestionKind::YesNo) {
    return key == ImGuiKey_Y || digit == 1 ? "yes" : key == ImGuiKey_N || digit == 2 ? "no" : "";
  }
  const auto count = std::min(numbered_choice_count(context), std::size_t{kMostChoices});
  const bool is_one = digit && *digit >= 1 && static_cast<std::size_t>(*digit) <= count;
  return is_one ? fmt::format("{}", *digit) : "";
}

Commands moved_by(const Context& context, const StageShape& shape, ImGuiKey key) {
  const int dx = key == ImGuiKey_RightArrow ? 1 : key == ImGuiKey_LeftArrow ? -1 : 0;
  const int dy = key == ImGuiKey_DownArrow ? 1 : key == ImGuiKey_UpArrow ? -1 : 0;
  const std::string& given = context.state.course.given;
  if (context.view.run.scene == nullptr) {
    return {};
  }
  const problem::Launch& launch = context.view.run.scene->launch;
  switch (context.view.lesson->question->kind) {
    case QuestionKind::Cell:
      return {state::ChooseAnswer{moved_cell(shape, given, dx, dy, context.view.lesson->ask)}};
    case QuestionKind::Thread:
      return {state::ChooseAnswer{moved_thread(launch, given, dx, dy)}};
    case QuestionKind::Line: {
      const auto lines = std::ranges::count(context.view.source.text, '\n') + 1;
      const auto from = context.view.run.state == nullptr
                            ? 1
                            : static_cast<int>(context.view.run.state->line(
                                  context.state.focus.block, context.state.focus.thread));
      return dy == 0 ? Commands{}
                     : Commands{state::ChooseAnswer{
                           moved_line(given, dy, std::max(from, 1), static_cast<int>(lines))}};
    }
    default:
      return {};
  }
}

Commands give(const Context& context) {
  const std::string& given = context.state.course.given;
  return given.empty() || given == "-" || given == "." ? Commands{}
                                                       : Commands{state::GiveAnswer{given}};
}

std::optional<std::uint64_t> watched_step(const Context& context) {
  const bool is_its =
      context.view.run.scene != nullptr &&
      static_cast<const state::Setup&>(context.state) == context.view.lesson->question->at.state;
  return is_its ? step_of_answer(*context.view.lesson->question, *context.view.run.scene->recording)
                : std::nullopt;
}

Commands watch(const Context& context) {
  const auto step = watched_step(context);
  if (!step) {
    return {};
  }
  const lesson::Question& question = *context.view.lesson->question;
  const lesson::Position& at = question.at;
  const state::Focus who = watched_thread(question.answer.expression, at.state.focus);
  context.memory.of<WatchMemory>().until = step;
  return {state::SeekStep{
              lesson::resolve(at.place, *context.view.run.scene->recording, at.state.focus.block)},
          state::FocusThread{who.block, who.thread}, state::Play{true}};
}

// Stops playing at the step that shows the answer.
Commands stop_watching(const Context& context) {
  auto& until = context.memory.of<WatchMemory>().until;
  if (!until || context.state.step < *until) {
    return {};
  }
  const std::uint64_t step = *std::exchange(until, std::nullopt);
  return context.state.playing ? Commands{state::Play{false}, state::SeekStep{step}} : Commands{};
}

Commands pressed(const Context& context, const StageShape& shape, ImGuiKey key) {
  const state::LessonView& course = context.state.course;
  if (course.answering != Answering::Asked) {
    return is_enter(key)       ? Commands{state::AskAgain{}}
           : key == ImGuiKey_G ? watch(context)
                               : Commands{};
  }
  if (key == ImGuiKey_Escape) {
    return {state::ShowAnswer{}};
  }
  if (is_enter(key)) {
    return is_voted(context) ? give_commonest(context) : give(context);
  }
  if (is_arrow(key)) {
    return moved_by(context, shape, key);
  }
  if (key == kHintKey) {
    return has_hint(context) ? Commands{state::ShowHint{}} : Commands{};
  }
  if (const char what = typed_by(key); is_typed(context) && what != 0) {
    return {state::ChooseAnswer{typed(course.given, what)}};
  }
  if (is_voted(context) && key == ImGuiKey_Backspace) {
    return take_back_vote(context);
  }
  return answered(context, answered_by(context, key));
}

Commands pressed_keys(const Context& context, const StageShape& shape) {
  Commands commands;
  if (ImGui::GetIO().KeyMods != ImGuiMod_None) {
    return commands;
  }
  for (int k = ImGuiKey_NamedKey_BEGIN; k < ImGuiKey_NamedKey_END; ++k) {
    const auto key = static_cast<ImGuiKey>(k);
    const bool repeats = is_arrow(key) || key == ImGuiKey_Backspace || is_voted(context);
    if (question_takes(context, key) && ImGui::IsKeyPressed(key, repeats)) {
      append(commands, pressed(context, shape, key));
    }
  }
  return commands;
}

// Choices side by side, only their keys if their words are listed above; leaves room for the keys
// that follow.
Commands choice_buttons(const Context& context, QuestionRow& row, bool is_listed, float following) {
  Commands commands;
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const bool is_yes_no = lesson.question->kind == QuestionKind::YesNo;
  const std::vector<std::string> choices = numbered_choices(context);
  const float most = is_yes_no ? row.room() : row.most_of_choice(choices, row.room() - following);
  const int all = all_hands(context);
  const auto one = [&](const std::string& key, const std::string& words, const std::string& given) {
    const std::optional<Hands> hands =
        is_voted(context) ? std::optional(Hands{hands_for(context, choice_of(given)), all})
                          : std::nullopt;
    if (row.choice(key, words, most, hands)) {
      append(commands, answered(context, given));
    }
  };
  if (is_yes_no) {
    one("Y", tr("Yes"), "yes");
    one("N", tr("No"), "no");
    return commands;
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    one(fmt::format("{}", i + 1), is_listed ? "" : choices[i], fmt::format("{}", i + 1));
  }
  return commands;
}

const char* how_to_choose(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::Cell:
      return tr("a cell, or arrow keys");
    case QuestionKind::Thread:
      return tr("a thread, or arrow keys");
    default:
      return tr("a line of the source, or arrow keys");
  }
}

Commands asked_row(const Context& context, QuestionRow& row, bool is_listed) {
  Commands commands;
  const QuestionKind kind = context.view.lesson->question->kind;
  const bool types = is_typed(context);
  const bool is_pointed = is_chosen_by_arrows(kind);
  const bool has_chosen = !context.state.course.given.empty();
  const std::string gives =
      has_chosen && is_pointed ? tr("Submit {}", context.state.course.given) : tr("Submit");
  const char* const shows = tr("Show answer");
  const char* const helps = tr("Hint");
  const bool votes = is_voted(context);
  const char* const reveals =
      all_hands(context) > 0 ? tr("Submit the most common answer") : tr("Reveal the answer");
  const float escape =
      (votes ? row.width_of_key("Enter", reveals) : row.width_of_key("Esc", shows)) +
      (has_hint(context) ? row.width_of_key("H", helps) : 0.0F);
  if (types) {
    row.number(row.width_of_key("Enter", gives.c_str()) + escape);
  } else if (is_pointed) {
    (void)row.key(tr("Click"), how_to_choose(kind));
  } else {
    append(commands, choice_buttons(context, row, is_listed,
                                    row.width_of_key(votes ? "Enter" : "Esc", "") +
                                        (has_hint(context) ? row.width_of_key("H", "") : 0.0F)));
  }
  if ((types || is_pointed) && row.key("Enter", gives.c_str(), has_chosen)) {
    append(commands, give(context));
  }
  if (has_hint(context) && row.key("H", helps)) {
    commands.emplace_back(state::ShowHint{});
  }
  if (votes && row.key("Enter", reveals)) {
    append(commands, give_commonest(context));
  }
  if (!votes && row.key("Esc", shows)) {
    commands.emplace_back(state::ShowAnswer{});
  }
  return commands;
}

Commands answered_row(const Context& context, QuestionRow& row) {
  Commands commands;
  if (row.key("PgDn", tr("Continue"), true)) {
    commands.emplace_back(state::GoToBeat{context.state.course.beat + 1});
  }
  if (row.key("Enter", tr("Try again"))) {
    commands.emplace_back(state::AskAgain{});
  }
  if (watched_step(context) && row.key("G", tr("Watch it happen"))) {
    append(commands, watch(context));
  }
  return commands;
}

// How keys answer, for those who do not see the row of keys.
const char* how_to_answer(const Context& context) {
  const QuestionKind kind = context.view.lesson->question->kind;
  switch (is_voted(context) && kind == QuestionKind::Number ? QuestionKind::Choice : kind) {
    case QuestionKind::Number:
      return tr("Type the number; Enter submits it, Esc shows the answer.");
    case QuestionKind::YesNo:
      return tr("Press Y or N; Esc shows the answer.");
    case QuestionKind::Choice:
      return tr("Press the number of a choice; Esc shows the answer.");
    case QuestionKind::Cell:
    case QuestionKind::Thread:
    case QuestionKind::Line:
      break;
  }
  return tr("Arrow keys choose, Enter submits, Esc shows the answer.");
}

void say_question(const Context& context, const std::string& ask) {
  const state::LessonView& course = context.state.course;
  if (course.answering != Answering::Asked) {
    if (context.view.lesson->verdict) {
      say_aloud(context, plain_words(verdict_words(*context.view.lesson, context.state)));
    }
    return;
  }
  for (const lesson::Paragraph& paragraph : lesson::paragraphs_of(ask)) {
    say_aloud(context, lesson::plain_text(paragraph));
  }
  say_aloud(context, how_to_answer(context));
  if (!course.given.empty()) {
    say_aloud(context, tr("Chosen: {}.", course.given));
  }
}

const char* eyebrow_words(const Context& context) {
  switch (context.state.course.answering) {
    case Answering::Asked:
      return context.view.lesson->missed ? tr("Second try") : tr("Question");
    case Answering::Given:
      return tr("Answered");
    case Answering::Shown:
      break;
  }
  return tr("Shown");
}

void paint_question_eyebrow(const Context& context, const Box& box) {
  const Theme& t = context.theme;
  const float size = 0.95F * ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool is_asked = context.state.course.answering == Answering::Asked;
  const std::string head = eyebrow_words(context);
  list.AddText(context.fonts.bold, size, {box.x, box.y}, t.text, head.c_str());
  const float end = box.x + text_width(context.fonts.bold, size, head);
  const std::string what =
      is_asked ? context.view.lesson->title : plain_words(context.view.lesson->ask);
  const float room = (box.right() - end - size) * ImGui::GetFontSize() / size;
  list.AddText(context.fonts.text, size, {end + size, box.y}, t.text_dim,
               cut_to(what, room).c_str());
}

}  // namespace

bool question_takes(const Context& context, ImGuiKeyChord chord) {
  if (!has_question(context) || (chord & ImGuiMod_Mask_) != 0 || is_covered(context) ||
      controls_take(context.state, chord)) {
    return false;
  }
  const auto key = static_cast<ImGuiKey>(chord);
  if (context.state.course.answering != Answering::Asked) {
    return is_enter(key) || (key == ImGuiKey_G && watched_step(context).has_value());
  }
  const QuestionKind kind = context.view.lesson->question->kind;
  if (key == ImGuiKey_Escape || is_enter(key) || key == kHintKey) {
    return true;
  }
  if (is_typed(context)) {
    return typed_by(key) != 0 && (key != ImGuiKey_Backspace || !context.state.course.given.empty());
  }
  if (is_voted(context) && key == ImGuiKey_Backspace) {
    return all_hands(context) > 0;
  }
  return is_chosen_by_arrows(kind) ? is_arrow(key) : !answered_by(context, key).empty();
}

Commands clicked_answer(const Context& context, lesson::QuestionKind kind,
                        const std::string& what) {
  if (!is_asked(context) || context.view.lesson->question->kind != kind || what.empty()) {
    return {};
  }
  return what == context.state.course.given ? Commands{state::GiveAnswer{what}}
                                            : Commands{state::ChooseAnswer{what}};
}

Commands draw_question(const Context& context, const Box& box, const StageShape& shape) {
  const float font = ImGui::GetFontSize();
  Commands commands = stop_watching(context);
  append(commands, pressed_keys(context, shape));
  Box room = box;
  if (box.h >= kHighForEyebrow * font) {
    paint_question_eyebrow(context, room);
    room.y += kEyebrowRow * font;
    room.h -= kEyebrowRow * font;
  }
  const float keys_size = size_of_keys(context, room.w, font);
  const float row = std::max(kKeyRow * font, ImGui::GetFrameHeight() + (keys_size - 1.0F) * font);
  const bool is_asked_now = context.state.course.answering == Answering::Asked;
  const Box words{room.x, room.y, room.w, std::max(room.h - row - 0.25F * font, font)};
  if (is_asked_now) {
    const workspace::ShownLesson& shown = *context.view.lesson;
    const std::string ask = shown.is_other_run
                                ? tr("On {}: {}", setup_words(context, shown.home), shown.ask)
                                : shown.ask;
    paint_ask(context, words,
              ask + listed_choices(context, room.w, font) + missed_in_lecture(context));
    say_question(context, ask);
  } else {
    say_question(context, "");
    paint_verdict(context, words);
  }
  ImGui::PushFont(nullptr, keys_size * font / ImGui::GetStyle().FontScaleMain);
  QuestionRow keys(context, room);
  append(commands, is_asked_now
                       ? asked_row(context, keys, listed_choice_count(context, room.w, font) > 0)
                       : answered_row(context, keys));
  ImGui::PopFont();
  return commands;
}

}  // namespace tilestep::ui

#include "lesson/rich_text.h"
#include "problem/tr.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/rich_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilestep::ui {
namespace {

using lesson::QuestionKind;

// Sizes in lines of text.
constexpr float kBetweenKeys = 1.2F;
constexpr float kBesideKey = 0.45F;
constexpr float kBetweenChoices = 0.8F;
constexpr float kBetweenParts = 0.6F;  // key, words and hands of a choice
constexpr float kLeastOfWords = 3.0F;  // fewer are not worth their place
constexpr float kInChoice = 2.1F;      // around its key and its words
constexpr float kLinesOfKeys = 6.0F;   // what follows the choices
constexpr float kLinesOfKey = 3.5F;    // of one choice beside its words
constexpr float kLectureKeys = 1.4F;
constexpr float kLeastLectureKeys = 1.1F;
constexpr float kField = 10.0F;
constexpr float kLeastField = 5.0F;
constexpr float kStrip = 0.2F;
constexpr float kAskSize = 1.55F;
constexpr float kAskAlone = 2.0F;
constexpr float kLeastAsk = 0.85F;

float padding() {
  return 2.0F * ImGui::GetStyle().FramePadding.x;
}

// As large as there is room for, at most kAskSize.
void paint_words(const Context& context, const Box& box, const std::string& text, ImU32 colour) {
  const float font = ImGui::GetFontSize();
  ImFont* const face = context.fonts.text;
  float size = kAskSize * font;
  while (size > kLeastAsk * font &&
         face->CalcTextSizeA(size, 1e6F, box.w, text.c_str()).y > box.h) {
    size -= 1.0F;
  }
  ImGui::GetWindowDrawList()->AddText(face, size, {std::round(box.x), std::round(box.y)}, colour,
                                      text.c_str(), nullptr, box.w);
}

// The choice with the latest counted hand.
struct VoteMemory {
  int latest = 0;
};

// The largest size at which the row has room for all choices, in lines of the question's text.
float size_of_row(const Context& context, float room, float font) {
  float lines = kLinesOfKeys;
  for (const std::string& words : numbered_choices(context)) {
    lines += ImGui::CalcTextSize(words.c_str()).x / ImGui::GetFontSize() + kLinesOfKey;
  }
  return room / (lines * font);
}

}  // namespace

QuestionRow::QuestionRow(const Context& context, const Box& box)
    : c_(context), box_(box), x_(box.x) {
  const float height = ImGui::GetFrameHeight();
  box_ = {box.x, std::round(box.bottom() - height), box.w, height};
}

float QuestionRow::width_of_key(const char* key, const char* words) const {
  const float font = ImGui::GetFontSize();
  const float bold = text_width(c_.fonts.bold, font, key);
  return bold + padding() + kBesideKey * font + ImGui::CalcTextSize(words).x + kBetweenKeys * font;
}

bool QuestionRow::key(const char* key, const char* words, bool is_main) {
  const Theme& t = c_.theme;
  const float font = ImGui::GetFontSize();
  const float button = text_width(c_.fonts.bold, font, key) + padding();
  if (button > room()) {
    return false;
  }
  ImGui::SetCursorScreenPos({x_, box_.y});
  ImGui::PushStyleColor(ImGuiCol_Button, is_main ? t.text : t.field);
  ImGui::PushStyleColor(ImGuiCol_Text, is_main ? t.panel : t.text);
  ImGui::PushFont(c_.fonts.bold, 0.0F);
  const bool is_pressed = ImGui::Button(fmt::format("{}##{}", key, words).c_str());
  ImGui::PopFont();
  ImGui::PopStyleColor(2);
  tooltip(words);
  x_ += button + kBesideKey * font;
  const float text = ImGui::CalcTextSize(words).x;
  if (text <= room()) {
    ImGui::SetCursorScreenPos({x_, box_.y});
    ImGui::AlignTextToFramePadding();
    coloured_text(t.text_dim, words);
    x_ += text + kBetweenKeys * font;
  }
  return is_pressed;
}

void QuestionRow::number(float following) {
  const Theme& t = c_.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = std::clamp(room() - following, kLeastField * font, kField * font);
  const ImVec2 from(std::round(box_.x), box_.y);
  const ImVec2 to(from.x + width, from.y + box_.h);
  list.AddRectFilled(from, to, t.field, 0.2F * font);
  list.AddRect(from, to, t.focus, 0.2F * font, ImDrawFlags_None, std::max(1.5F, 0.1F * font));
  const std::string& given = c_.state.course.given;
  const float size = 1.1F * font;
  const float text = text_width(c_.fonts.mono, size, given);
  const ImVec2 at(std::round(from.x + 0.5F * (width - text)),
                  std::round(from.y + 0.5F * (box_.h - size)));
  list.AddText(c_.fonts.mono, size, at, t.text, given.c_str());
  list.AddRectFilled({at.x + text + 1.0F, at.y},
                     {at.x + text + 1.0F + std::max(1.5F, 0.09F * font), at.y + size}, t.text);
  x_ = to.x + kBetweenKeys * font;
}

float QuestionRow::most_of_choice(const std::vector<std::string>& choices, float room) const {
  const float font = ImGui::GetFontSize();
  std::vector<float> widths;
  for (const std::string& words : choices) {
    // "00": room for counted hands.
    const float hands =
        c_.state.lecture ? ImGui::CalcTextSize("00").x + kBetweenParts * font : 0.0F;
    widths.push_back(ImGui::CalcTextSize(("0" + words).c_str()).x + kInChoice * font + hands);
  }
  std::ranges::sort(widths);
  room -= kBetweenChoices * font * static_cast<float>(widths.size());
  // Short choices take what they need, the others share the rest.
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const float share = room / static_cast<float>(widths.size() - i);
    if (widths[i] > share) {
      return share;
    }
    room -= widths[i];
  }
  return widths.empty() ? room : widths.back() + 1.0F;
}

bool QuestionRow::choice(const std::string& key, const std::string& words, float share,
                         const std::optional<Hands>& hands) {
  const float font = ImGui::GetFontSize();
  const float pad = kBetweenParts * font;
  const std::string count = hands && hands->all > 0 ? fmt::format("{}", hands->count) : "";
  const float of_key = std::round(text_width(c_.fonts.bold, font, key) + 1.2F * pad);
  const float of_count = count.empty() ? 0.0F : text_width(c_.fonts.bold, font, count) + pad;
  const float most = std::min(share, room()) - of_key - of_count - 2.0F * pad;
  std::string face = words.empty() ? "" : cut_to(words, std::max(most, 0.0F));
  if (face != words && most < kLeastOfWords * font) {
    face.clear();  // the panel has the words
  }
  const float of_face = face.empty() ? 0.0F : ImGui::CalcTextSize(face.c_str()).x + pad;
  const float after = face.empty() && count.empty() ? 0.0F : pad;
  const float width = of_key + std::round(of_face + of_count + after);
  if (width > room()) {
    return false;
  }
  ImGui::SetCursorScreenPos({x_, box_.y});
  ImGui::PushStyleColor(ImGuiCol_Button, c_.theme.field);
  const bool is_pressed = ImGui::Button(fmt::format("###choice {}", key).c_str(), {width, box_.h});
  ImGui::PopStyleColor();
  if (face != words) {
    tooltip(words);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({x_, box_.y}, {x_ + of_key, box_.bottom()}, c_.theme.text,
                     ImGui::GetStyle().FrameRounding,
                     after > 0.0F ? ImDrawFlags_RoundCornersLeft : ImDrawFlags_RoundCornersAll);
  const float y = std::round(box_.y + 0.5F * (box_.h - font));
  const auto write = [&](float x, ImFont* in, const std::string& text, ImU32 colour) {
    list.AddText(in, font, {std::round(x), y}, colour, text.c_str());
  };
  write(x_ + 0.6F * pad, c_.fonts.bold, key, c_.theme.panel);
  write(x_ + of_key + pad, c_.fonts.text, face, c_.theme.text);
  if (!count.empty()) {
    write(x_ + of_key + of_face + pad, c_.fonts.bold, count, c_.theme.accent_text);
    const float height = std::max(3.0F, kStrip * font);
    const float part = static_cast<float>(hands->count) / static_cast<float>(hands->all);
    list.AddRectFilled({x_ + of_key, box_.bottom() - height},
                       {x_ + of_key + part * (width - of_key), box_.bottom()},
                       c_.theme.accent_text);
  }
  x_ += width + kBetweenChoices * font;
  return is_pressed;
}

bool is_voted(const Context& context) {
  const QuestionKind kind = context.view.lesson->question->kind;
  return context.state.lecture &&
         (kind == QuestionKind::YesNo || numbered_choice_count(context) > 0);
}

std::size_t numbered_choice_count(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  if (lesson.question->kind != QuestionKind::Number) {
    return lesson.choices.size();
  }
  return context.state.lecture && lesson.numbers.size() > 1 ? lesson.numbers.size() : 0;
}

std::vector<std::string> numbered_choices(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  if (lesson.question->kind != QuestionKind::Number) {
    return lesson.choices;
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbered_choice_count(context); ++i) {
    texts.push_back(lesson.numbers[i].text);
  }
  return texts;
}

int hands_for(const Context& context, std::size_t choice) {
  const std::vector<int>& votes = context.state.course.votes;
  return choice < votes.size() ? votes[choice] : 0;
}

int all_hands(const Context& context) {
  const std::vector<int>& votes = context.state.course.votes;
  return std::accumulate(votes.begin(), votes.end(), 0);
}

std::size_t choice_of(const std::string& answer) {
  return answer == "yes" ? 0 : answer == "no" ? 1 : static_cast<std::size_t>(answer[0] - '1');
}

Commands answered(const Context& context, const std::string& answer) {
  if (answer.empty()) {
    return {};
  }
  if (!is_voted(context)) {
    return {state::GiveAnswer{answer}};
  }
  const auto choice = static_cast<int>(choice_of(answer));
  context.memory.of<VoteMemory>().latest = choice;
  return {state::Vote{choice, +1}};
}

Commands take_back_vote(const Context& context) {
  return {state::Vote{context.memory.of<VoteMemory>().latest, -1}};
}

Commands give_commonest(const Context& context) {
  const std::vector<int>& votes = context.state.course.votes;
  if (all_hands(context) == 0) {
    return {state::ShowAnswer{}};
  }
  const auto choice = std::ranges::max_element(votes) - votes.begin();
  const workspace::ShownLesson& lesson = *context.view.lesson;
  switch (lesson.question->kind) {
    case QuestionKind::YesNo:
      return {state::GiveAnswer{choice == 0 ? "yes" : "no"}};
    case QuestionKind::Number:
      return {state::GiveAnswer{lesson.numbers[static_cast<std::size_t>(choice)].given}};
    default:
      return {state::GiveAnswer{fmt::format("{}", choice + 1)}};
  }
}

std::string counted_hands(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const QuestionKind kind = lesson.question->kind;
  const auto is_number = [&](std::size_t i) {
    return kind == QuestionKind::Number && i < lesson.numbers.size();
  };
  std::string counted;
  for (std::size_t i = 0; i < context.state.course.votes.size(); ++i) {
    const std::string name = kind == QuestionKind::YesNo ? tr(i == 0 ? "yes" : "no")
                             : is_number(i)              ? lesson.numbers[i].text + ":"
                                                         : fmt::format("({})", i + 1);
    counted += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, hands_for(context, i));
  }
  return counted;
}

bool is_alone(const Context& context) {
  return is_asked(context) && context.state.tab == state::Tab::Timing && hides_timings(context);
}

std::size_t listed_choice_count(const Context& context, float room, float font) {
  const bool is_listed = is_alone(context) || size_of_row(context, room, font) < kLeastLectureKeys;
  return context.state.lecture && is_listed ? numbered_choice_count(context) : 0;
}

float size_of_keys(const Context& context, float room, float font) {
  if (!context.state.lecture) {
    return 1.0F;
  }
  return listed_choice_count(context, room, font) > 0
             ? kLectureKeys
             : std::min(kLectureKeys, size_of_row(context, room, font));
}

std::string listed_choices(const Context& context, float room, float font) {
  const std::vector<std::string> choices = numbered_choices(context);
  std::string listed;
  for (std::size_t i = 0; i < listed_choice_count(context, room, font); ++i) {
    listed += fmt::format("\n\n**{}**  {}", i + 1, choices[i]);
  }
  return listed;
}

std::string missed_words(const workspace::ShownLesson& lesson, const state::LessonView& course) {
  return tr("**{} is not correct.** {}", answer_words(lesson, course.missed), lesson.missed->says);
}

// Without Markdown's code marks.
std::string plain_words(std::string text) {
  std::erase(text, '`');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Names have the hues of their matrices.
void paint_ask(const Context& context, const Box& box, const std::string& ask) {
  const float font = ImGui::GetFontSize();
  const auto paragraphs = lesson::paragraphs_of(ask);
  const float most = is_alone(context) && context.state.lecture ? kAskAlone : kAskSize;
  RichText at{std::round(box.x), std::round(box.y), box.w, most * font, context.theme.text, false};
  Commands none;
  while (at.size > kLeastAsk * font && draw_rich_text(context, paragraphs, at, none) > box.h) {
    at.size -= 1.0F;
  }
  at.draws = true;
  (void)draw_rich_text(context, paragraphs, at, none);
}

// The verdict and, in a lecture, what a wrong answer reveals and why the correct one is correct;
// else the panel has this.
std::string verdict_words(const workspace::ShownLesson& lesson, const state::AppState& state) {
  const state::LessonView& course = state.course;
  const workspace::ShownVerdict& verdict = *lesson.verdict;
  const std::string given = answer_words(lesson, course.given);
  const bool was_shown = course.answering == state::Answering::Shown;
  std::string words;
  if (was_shown || verdict.is_right) {
    words = tr("{}.", verdict.answer_text);
  } else if (!state.lecture || verdict.says.empty()) {
    words = tr("{}. Correct answer: {}.", given, verdict.answer_text);
  } else if (verdict.says.starts_with(given)) {
    words = tr("{} Correct answer: {}.", verdict.says, verdict.answer_text);
  } else {
    words = tr("{}: {} Correct answer: {}.", given, verdict.says, verdict.answer_text);
  }
  return state.lecture && !lesson.right.empty() ? words + " " + lesson.right : words;
}

// In a lecture, whose panel does not explain a wrong first answer.
std::string missed_in_lecture(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  if (!lesson.missed || !context.state.lecture) {
    return "";
  }
  const std::string words = "\n\n" + missed_words(lesson, context.state.course);
  return lesson.hint.empty() ? words : words + " " + tr("Hint: {}", lesson.hint);
}

void paint_verdict(const Context& context, const Box& box) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const float font = ImGui::GetFontSize();
  if (!lesson.mistake.empty()) {
    paint_words(context, box, lesson.mistake, context.theme.warning);
    return;
  }
  if (!lesson.verdict) {
    paint_words(context, box, tr("Executing to find the answer …"), context.theme.text_dim);
    return;
  }
  const bool was_shown = context.state.course.answering == state::Answering::Shown;
  const AnswerMark mark =
      was_shown || lesson.verdict->is_right ? AnswerMark::Right : AnswerMark::Wrong;
  const float sign = 1.3F * font;
  draw_answer_sign(*ImGui::GetWindowDrawList(), context.theme, mark, {box.x, box.y + 0.15F * font},
                   sign);
  const Box words{box.x + 1.5F * sign, box.y, box.w - 1.5F * sign, box.h};
  std::string text = verdict_words(lesson, context.state);
  if (const int all = all_hands(context); all > 0) {
    text += " " + tr("Votes: {}.", counted_hands(context));
  }
  if (context.state.lecture && lesson.right.empty() && !lesson.text.empty()) {
    text += " " + lesson::plain_text(lesson::paragraphs_of(lesson.text).front());
  }
  paint_words(context, words, plain_words(text), context.theme.text);
}

}  // namespace tilestep::ui

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

// Sizes in lines of text.
constexpr float kBetweenKeys = 1.2F;
constexpr float kBesideKey = 0.45F;
constexpr float kBetweenChoices = 0.8F;
constexpr float kField = 10.0F;
constexpr float kLeastField = 5.0F;
constexpr float kStrip = 0.2F;
constexpr float kAskSize = 1.55F;
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
    const char* const key = c_.state.lecture ? "0   00   " : "0   ";
    widths.push_back(ImGui::CalcTextSize((key + words).c_str()).x + padding());
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
  const std::string count = hands ? fmt::format("{}   ", hands->count) : "";
  const std::string whole = fmt::format("{}   {}{}", key, count, words);
  const float most = std::min(share, room()) - padding();
  const std::string face = cut_to(whole, std::max(most, ImGui::CalcTextSize(key.c_str()).x));
  const float width = ImGui::CalcTextSize(face.c_str()).x + padding();
  if (width > room()) {
    return false;
  }
  ImGui::SetCursorScreenPos({x_, box_.y});
  ImGui::PushStyleColor(ImGuiCol_Button, c_.theme.field);
  const bool is_pressed = ImGui::Button(fmt::format("{}###choice {}", face, key).c_str());
  ImGui::PopStyleColor();
  if (face != whole) {
    tooltip(words);
  }
  if (hands && hands->all > 0) {
    const float height = std::max(3.0F, kStrip * ImGui::GetFontSize());
    const float part = static_cast<float>(hands->count) / static_cast<float>(hands->all);
    ImGui::GetWindowDrawList()->AddRectFilled({x_, box_.bottom() - height},
                                              {x_ + part * width, box_.bottom()}, c_.theme.text);
  }
  x_ += width + kBetweenChoices * ImGui::GetFontSize();
  return is_pressed;
}

bool is_voted(const Context& context) {
  const lesson::QuestionKind kind = context.view.lesson->question->kind;
  return context.state.lecture &&
         (kind == lesson::QuestionKind::Choice || kind == lesson::QuestionKind::YesNo);
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
  const bool is_yes_no = context.view.lesson->question->kind == lesson::QuestionKind::YesNo;
  return {
      state::GiveAnswer{is_yes_no ? (choice == 0 ? "yes" : "no") : fmt::format("{}", choice + 1)}};
}

std::string counted_hands(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const bool is_yes_no = lesson.question->kind == lesson::QuestionKind::YesNo;
  std::string counted;
  for (std::size_t i = 0; i < context.state.course.votes.size(); ++i) {
    const std::string name = is_yes_no ? tr(i == 0 ? "yes" : "no") : fmt::format("({})", i + 1);
    counted += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, hands_for(context, i));
  }
  return counted;
}

std::size_t listed_choice_count(const Context& context, float room) {
  const auto& choices = context.view.lesson->choices;
  float width = 0.0F;
  for (const std::string& words : choices) {
    width += ImGui::CalcTextSize(words.c_str()).x + 4.0F * ImGui::GetFontSize();
  }
  const bool are_listed = context.state.lecture &&
                          context.view.lesson->question->kind == lesson::QuestionKind::Choice &&
                          width > room - 6.0F * ImGui::GetFontSize();
  return are_listed ? choices.size() : 0;
}

std::string listed_choices(const Context& context, float room) {
  std::string listed;
  for (std::size_t i = 0; i < listed_choice_count(context, room); ++i) {
    listed += fmt::format("\n\n{}  {}", i + 1, context.view.lesson->choices[i]);
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
  RichText at{std::round(box.x), std::round(box.y),  box.w,
              kAskSize * font,   context.theme.text, false};
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

#include "workspace/lesson_evaluator.h"

#include "course/reveal.h"
#include "lesson/text.h"
#include "problem/in_language.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "problem/words.h"
#include "state/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tilestep::workspace {
namespace {

constexpr Message kNoNumber = "'{}' is not a number. Type one, for example 389 or -12.5.";
constexpr Message kNoThread = "'{}' is not a thread of this block. Click one, or type (2,1).";
constexpr Message kNoChoice = "'{}' is not one of the choices. Press a number from 1 to {}.";

// Text with values is empty until they are known.
std::string unfilled(const lesson::Words& words, const std::string& language) {
  const auto pieces = lesson::pieces_of(words.text(language));
  const bool waits = pieces && std::ranges::any_of(*pieces, &lesson::TextPiece::is_expression);
  return waits ? "" : words.in(language);
}

// "−1,234.5" → -1234.5; "5/16" → 0.3125
std::optional<double> number_typed(std::string text) {
  if (const std::size_t over = text.find('/'); over != std::string::npos) {
    const auto top = number_typed(text.substr(0, over));
    const auto bottom = number_typed(text.substr(over + 1));
    return top && bottom && *bottom != 0.0 ? std::optional(*top / *bottom) : std::nullopt;
  }
  constexpr std::string_view kMinus = "−";
  for (std::size_t at = text.find(kMinus); at != std::string::npos; at = text.find(kMinus)) {
    text.replace(at, kMinus.size(), "-");
  }
  std::erase_if(text, [](char c) { return c == ' ' || c == ','; });
  const char* const end = text.data() + text.size();
  const char* const from = text.data() + (text.starts_with('+') ? 1 : 0);
  double number = 0.0;
  const auto [stop, mistake] = problem::read_number(from, end, number);
  return mistake == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

// "(2,1)" or "(2,1,0)": its linear index in the block.
std::optional<std::uint32_t> thread_typed(std::string_view text, problem::Dim3 block) {
  problem::Dim3 at{0, 0, 0};
  std::uint32_t* const parts[] = {&at.x, &at.y, &at.z};
  std::size_t part = 0;
  std::string plain(text);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '(' || c == ')'; });
  const char* from = plain.data();
  const char* const end = plain.data() + plain.size();
  while (part < std::size(parts)) {
    const auto [stop, mistake] = std::from_chars(from, end, *parts[part]);
    if (mistake != std::errc{}) {
      return std::nullopt;
    }
    ++part;
    if (stop == end) {
      break;
    }
    if (*stop != ',') {
      return std::nullopt;
    }
    from = stop + 1;
  }
  const bool is_inside = at.x < block.x && at.y < block.y && at.z < block.z;
  return is_inside ? std::optional(static_cast<std::uint32_t>(block.linear(at))) : std::nullopt;
}

std::optional<std::size_t> choice_typed(const std::string& text, std::size_t count) {
  const auto number = number_typed(text);
  const bool is_one = number && *number >= 1.0 && *number <= static_cast<double>(count) &&
                      *number == static_cast<double>(static_cast<std::size_t>(*number));
  return is_one ? std::optional(static_cast<std::size_t>(*number) - 1) : std::nullopt;
}

// Passes every text of a beat through `fill`.
template <class Fill>
BeatWords words_by(const lesson::Lesson& lesson, std::size_t index, const Fill& fill) {
  BeatWords words;
  const lesson::Beat& beat = lesson.beats[index];
  words.title = fill(lesson.title_of(beat));
  words.intro = index == 0 ? fill(lesson.text) : "";
  if (beat.kind == lesson::BeatKind::Scene) {
    const lesson::Scene& scene = lesson.scenes[beat.index];
    words.text = fill(scene.text);
    words.note = fill(scene.note);
    for (const lesson::Annotation& point : scene.points) {
      words.labels.push_back(fill(point.label));
    }
    for (const lesson::Words& one : scene.tries) {
      words.tries.push_back(fill(one));
    }
  } else if (beat.kind == lesson::BeatKind::Question) {
    const lesson::Question& question = lesson.questions[beat.index];
    words.ask = fill(question.ask);
    for (const lesson::Choice& choice : question.choices) {
      words.choices.push_back(fill(choice.text));
    }
    words.text = fill(question.text);
    words.hint = fill(question.hint);
    words.right = fill(question.right);
    words.note = fill(question.note);
  } else {
    const lesson::Lab& lab = lesson.labs[beat.index];
    words.text = fill(lab.text);
    words.hint = fill(lab.hint);
    words.note = fill(lab.note);
  }
  return words;
}

}  // namespace

lesson::Position position_of(const lesson::Lesson& lesson, const lesson::Beat& beat) {
  switch (beat.kind) {
    case lesson::BeatKind::Scene:
      return lesson.scenes[beat.index].position();
    case lesson::BeatKind::Question:
      return lesson.questions[beat.index].at;
    case lesson::BeatKind::Lab:
      break;
  }
  return {lesson.labs[beat.index].rows.front().state, {}};
}

BeatWords unfilled_words(const lesson::Lesson& lesson, std::size_t beat,
                         const std::string& language) {
  return words_by(lesson, beat, [&language](const lesson::Words& words) {
    return words.empty() ? std::string() : unfilled(words, language);
  });
}

std::string name_to_press(const lesson::Lesson& lesson, std::size_t beat, const BeatWords& words) {
  return lesson.beats[beat].kind == lesson::BeatKind::Question ? tr("question") : words.title;
}

LessonEvaluator::LessonEvaluator(std::shared_ptr<const lesson::Lesson> lesson, CatalogPtr catalog,
                                 compile::Compiler& compiler, std::filesystem::path dataset)
    : lesson_(std::move(lesson)),
      catalog_(std::move(catalog)),
      compiler_(compiler),
      dataset_(std::move(dataset)) {}

course::Answers& LessonEvaluator::answers() {
  if (!answers_) {
    answers_.emplace(course::Tools{compiler_, *catalog_, &dataset_, &cancel_}, lesson_->follow());
  }
  return *answers_;
}

std::string LessonEvaluator::filled(const lesson::Words& words, const lesson::Position& at,
                                    const std::string& language, std::string& mistake) {
  if (words.empty()) {
    return "";
  }
  auto text = answers().filled(words.text(language), at);
  if (text) {
    return std::move(*text);
  }
  mistake = mistake.empty() ? text.error().message : mistake;
  return unfilled(words, language);
}

BeatWords LessonEvaluator::words(std::size_t beat, const std::string& language) {
  const lesson::Position at = position_of(*lesson_, lesson_->beats[beat]);
  std::string mistake;
  BeatWords words = words_by(
      *lesson_, beat, [&](const lesson::Words& one) { return filled(one, at, language, mistake); });
  if (lesson_->beats[beat].kind == lesson::BeatKind::Question) {
    const lesson::Question& question = lesson_->questions[lesson_->beats[beat].index];
    if (auto answer = answers().of(question.answer.expression, question.at)) {
      words.answer_text = right_text(question, *answer, language);
      if (question.kind == lesson::QuestionKind::Number) {
        words.numbers = numbers_of(question, *answer);
      }
      words.answer = std::move(*answer);
    } else {
      mistake = answer.error().message;
    }
  }
  words.where = where(at);
  words.mistake = std::move(mistake);
  return words;
}

std::vector<NumberChoice> LessonEvaluator::numbers_of(const lesson::Question& question,
                                                      const course::Value& answer) {
  std::vector<double> values{answer.number};
  for (const lesson::Wrong& wrong : question.wrong) {
    if (const auto value = answers().of(wrong.is.expression, question.at);
        value && course::is_countable(*value)) {
      values.push_back(value->number);
    }
  }
  std::ranges::sort(values);
  std::vector<NumberChoice> numbers;
  for (const double value : values) {
    std::string text = value == std::round(value) ? course::text_of(course::number_value(value))
                                                  : fmt::format("{:.3g}", value);
    if (numbers.empty() || numbers.back().text != text) {
      numbers.push_back({std::move(text), course::plain_text_of(course::number_value(value))});
    }
  }
  return numbers;
}

// "Tiled · 8×8×8 · BLOCK_SIZE 4 · load tile 1".
std::string LessonEvaluator::where(const lesson::Position& at) {
  if (at.state.tab == state::Tab::Timing) {
    return tr("Timing · {}", word_of(at.state.timing.page).label);
  }
  const problem::Parameters& p = at.state.parameters;
  const problem::LaunchSpec* const spec = catalog_->find(at.state.kernel);
  std::string text =
      fmt::format("{} · {}×{}×{}",
                  spec == nullptr ? std::filesystem::path(at.state.kernel).stem().string()
                                  : tr(spec->title.c_str()),
                  p.problem.M, p.problem.N, p.problem.K);
  text +=
      spec == nullptr || spec->uses_block_size ? fmt::format(" · BLOCK_SIZE {}", p.block_size) : "";
  const auto& run = answers().run_of(at).recording();
  if (!run) {
    return text;
  }
  const std::uint64_t step = lesson::resolve(at.place, **run, at.state.focus.block);
  const record::Phase* const phase =
      step == 0 ? nullptr : (*run)->phase_at(at.state.focus.block, step - 1);
  return phase == nullptr ? text : fmt::format("{} · {}", text, *phase->name);
}

Result<course::Value> LessonEvaluator::value_of_given(const lesson::Question& question,
                                                      const std::string& given) {
  switch (question.kind) {
    case lesson::QuestionKind::Number:
    case lesson::QuestionKind::Line: {
      const auto number = number_typed(given);
      if (!number) {
        return fail(fmt::format(fmt::runtime(kNoNumber.text()), given));
      }
      return course::number_value(*number);
    }
    case lesson::QuestionKind::Cell:
      return course::cell_value(given);
    case lesson::QuestionKind::YesNo:
      return course::yes_no_value(given == "yes");
    case lesson::QuestionKind::Choice:
      break;
    case lesson::QuestionKind::Thread: {
      const auto launch = answers().run_of(question.at).shape();
      TILESTEP_RETURN_IF_ERROR(launch);
      const auto thread = thread_typed(given, launch->block);
      if (!thread) {
        return fail(fmt::format(fmt::runtime(kNoThread.text()), given));
      }
      course::Value value;
      value.kind = course::Value::Kind::Thread;
      value.text = given;
      value.block = question.at.state.focus.block;
      value.thread = *thread;
      return value;
    }
  }
  return fail("");
}

std::string LessonEvaluator::right_text(const lesson::Question& question,
                                        const course::Value& answer, const std::string& language) {
  return course::answer_text(question, answer, answers(), language)
      .value_or(course::answer_text(answer));
}

Result<ShownVerdict> LessonEvaluator::verdict(std::size_t beat,
                                              const std::optional<std::string>& given,
                                              const std::string& language) {
  const lesson::Question& question = lesson_->questions[lesson_->beats[beat].index];
  if (!given) {
    auto answer = answers().of(question.answer.expression, question.at);
    return answer ? Result<ShownVerdict>(
                        ShownVerdict{false, "", *answer, right_text(question, *answer, language)})
                  : tl::unexpected(answer.error());
  }
  Result<course::Verdict> judged = fail("");
  std::optional<course::Value> value;
  if (question.kind == lesson::QuestionKind::Choice) {
    const auto choice = choice_typed(*given, question.choices.size());
    if (!choice) {
      return fail(fmt::format(fmt::runtime(kNoChoice.text()), *given, question.choices.size()));
    }
    judged = course::judge_choice(question, *choice, answers());
    const auto chosen = answers().of(question.choices[*choice].is.expression, question.at);
    value = chosen ? std::optional(*chosen) : std::nullopt;
  } else {
    auto read = value_of_given(question, *given);
    TILESTEP_RETURN_IF_ERROR(read);
    judged = course::judge(question, *read, answers());
    value = std::move(*read);
  }
  TILESTEP_RETURN_IF_ERROR(judged);
  std::string ignored;
  ShownVerdict verdict{judged->is_right, "", judged->answer,
                       right_text(question, judged->answer, language)};
  if (judged->says != nullptr) {
    verdict.says = filled(*judged->says, question.at, language, ignored);
  } else if (!judged->is_right && value) {
    const InLanguage here(language);
    verdict.says = course::what_it_is(question, *value, answers());
  }
  if (!judged->is_right && question.hint.empty() && course::has_second_try(question)) {
    const InLanguage here(language);
    const std::string asked = course::what_is_asked(question, answers());
    verdict.says += verdict.says.ends_with(asked) ? "" : " " + asked;  // in place of a hint
  }
  return verdict;
}

}  // namespace tilestep::workspace

#include "course/practice.h"

#include "course/asked.h"
#include "lesson/place.h"
#include "problem/in_language.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "record/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace tilestep::course {
namespace {

constexpr std::size_t kTries = 24;  // per question, for each kind

lesson::Words words_of(const TextByLanguage& texts) {
  lesson::Words words;
  for (const auto& [language, text] : texts) {
    words.by_language[language] = {text, {}};
  }
  return words;
}

std::optional<lesson::Formula> formula_of(const std::string& text) {
  auto expression = lesson::parse_expression(text);
  return expression ? std::optional(lesson::Formula{std::move(*expression), 0}) : std::nullopt;
}

bool suits(lesson::QuestionKind kind, Value::Kind value) {
  switch (kind) {
    case lesson::QuestionKind::Number:
      return value == Value::Kind::Number;
    case lesson::QuestionKind::Cell:
      return value == Value::Kind::Cell;
    case lesson::QuestionKind::Line:
      return value == Value::Kind::Line;
    case lesson::QuestionKind::Thread:
      return value == Value::Kind::Thread;
    case lesson::QuestionKind::YesNo:
      return value == Value::Kind::YesNo;
    case lesson::QuestionKind::Choice:
      break;
  }
  return false;
}

bool is_among(const std::vector<Value>& values, const Value& value) {
  return std::ranges::any_of(values, [&](const Value& one) { return are_same(one, value); });
}

// The question with its values; nullopt: it has no answer, or no mistake leads to another value.
std::optional<PracticeQuestion> settled(const Draft& draft, Ground& ground) {
  PracticeQuestion made;
  lesson::Question& question = made.question;
  question.kind = draft.kind;
  question.ask = words_of(draft.ask);
  question.right = words_of(draft.right);
  question.at = ground.from;
  question.at.place = draft.at;
  question.at.state.focus = {};
  question.at.state.focus.block = draft.block;
  question.at.state.focus.thread = draft.thread;
  const auto answer = formula_of(draft.answer);
  const auto value =
      answer ? ground.answers.of(answer->expression, question.at) : fail("not an expression");
  if (!value || !suits(draft.kind, value->kind)) {
    return std::nullopt;
  }
  question.answer = *answer;
  made.answer = *value;
  for (const Draft::Mistake& mistake : draft.wrong) {
    const auto is = formula_of(mistake.is);
    const auto wrong = is ? ground.answers.of(is->expression, question.at) : fail("");
    if (wrong && suits(draft.kind, wrong->kind) && !are_same(*wrong, *value) &&
        !is_among(made.wrong, *wrong)) {
      made.wrong.push_back(*wrong);
      question.wrong.push_back({*is, words_of(mistake.says)});
    }
  }
  return made.wrong.empty() ? std::nullopt : std::optional(std::move(made));
}

// The kinds in an order that depends on the seed.
std::vector<std::size_t> shuffled(std::size_t count, Dice& dice) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[dice.of(i)]);
  }
  return order;
}

constexpr std::size_t kLooks = 12;  // statements to search for a suitable one
constexpr std::size_t kBack = 48;   // statements back to the line's previous execution

// The array of an element with two indices; empty for another form.
std::string array_of(const std::string& element) {
  const std::size_t bracket = element.find('[');
  const bool is_plain = bracket != std::string::npos && bracket > 0 && element.back() == ']' &&
                        element.find_first_of("+.:") == std::string::npos;
  return is_plain ? element.substr(0, bracket) : "";
}

std::optional<std::uint32_t> some_lane(Ground& ground, const record::Access& access) {
  const auto size = static_cast<std::uint32_t>(ground.program().warp_size());
  const state::Focus& focus = ground.from.state.focus;
  if (ground.is_here) {
    const bool is_its = access.warp.block == focus.block &&
                        access.warp.warp == focus.thread / size &&
                        (access.event.mask >> (focus.thread % size) & 1U) != 0;
    return is_its ? std::optional(focus.thread % size) : std::nullopt;
  }
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t lane = 0; lane < size; ++lane) {
    if (access.event.mask >> lane & 1U) {
      lanes.push_back(lane);
    }
  }
  return lanes.empty() ? std::nullopt : std::optional(lanes[ground.dice.of(lanes.size())]);
}

std::optional<Picked> picked_of(Ground& ground, const Moment& moment,
                                const record::Access& access) {
  const auto lane = some_lane(ground, access);
  if (!lane) {
    return std::nullopt;
  }
  const simt::Program& program = ground.program();
  const simt::Place at = program.locate_array(access.event.addresses[*lane], access.event.bytes);
  if (!at.inside || at.allocation >= program.arrays().size()) {
    return std::nullopt;
  }
  Picked picked{.statement = moment.statement, .line = access.line, .pc = access.pc};
  picked.warp = access.warp;
  picked.block = access.warp.block;
  picked.thread = access.warp.warp * static_cast<std::uint32_t>(program.warp_size()) + *lane;
  picked.is_shared = program.arrays()[at.allocation].kind == simt::AllocationKind::Shared;
  picked.element = record::place_name(
      program, program.locate(access.event.addresses[*lane], access.event.bytes));
  picked.array = array_of(picked.element);
  return picked.array.empty() || picked.array != program.arrays()[at.allocation].name
             ? std::nullopt
             : std::optional(std::move(picked));
}

}  // namespace

Result<std::vector<PracticeQuestion>> practise(const lesson::Position& from,
                                               const PracticeOptions& options, Answers& answers) {
  const auto& recording = answers.run_of(from).recording();
  TILESTEP_RETURN_IF_ERROR(recording);
  const std::shared_ptr<const record::Recording> kept = *recording;
  Ground ground{answers, from, *kept, options.is_here, Dice(options.seed)};
  const auto kinds = makers();
  const std::vector<std::size_t> order = shuffled(kinds.size(), ground.dice);
  std::vector<PracticeQuestion> made;
  std::set<std::string> asked;
  std::vector<std::size_t> failed(kinds.size(), 0);
  for (std::size_t turn = 0; made.size() < options.count; ++turn) {
    const std::size_t kind = order[turn % order.size()];
    if (std::ranges::all_of(failed, [](std::size_t n) { return n >= kTries; })) {
      break;  // nothing left to ask
    }
    if (failed[kind] >= kTries) {
      continue;
    }
    const auto draft = kinds[kind].make(ground);
    const std::string what = draft ? draft->ask.at(kEnglishTag) + draft->answer : std::string();
    auto question = draft && !asked.contains(what) ? settled(*draft, ground) : std::nullopt;
    if (!question) {
      ++failed[kind];
      continue;
    }
    asked.insert(what);
    question->question.name = fmt::format("{}-{}", kinds[kind].name, made.size() + 1);
    made.push_back(std::move(*question));
  }
  if (made.empty()) {
    return fail(options.is_here ? tr("There is nothing to ask here: no thread reads, stores or "
                                     "computes a traced value. Choose another place.")
                                : tr("There is nothing to ask about this kernel: no thread reads, "
                                     "stores or computes a traced value. Choose another kernel."));
  }
  return made;
}

lesson::Lesson practice_lesson(const std::vector<PracticeQuestion>& questions) {
  lesson::Lesson lesson;
  lesson.id = kPracticeId;
  lesson.file = kPracticeId;
  lesson.title = words_of(in_all_languages([] { return tr("Practice"); }));
  lesson.languages.clear();
  for (const Language& language : languages()) {
    lesson.languages.push_back(language.tag);
  }
  for (const PracticeQuestion& made : questions) {
    lesson.beats.push_back({lesson::BeatKind::Question, lesson.questions.size()});
    lesson.questions.push_back(made.question);
  }
  return lesson;
}

TextByLanguage in_all_languages(const std::function<std::string()>& make) {
  TextByLanguage all;
  for (const Language& language : languages()) {
    const InLanguage here(language.tag);
    all[language.tag] = make();
  }
  return all;
}

std::size_t looks_of(const Ground& ground) {
  return ground.is_here ? 1 : kLooks;
}

std::size_t statements_of(const record::Recording& recording) {
  const auto starts = recording.statement_starts();
  return starts.empty() ? 0 : starts.size() - 1;
}

record::Activity activity_of(const record::Recording& recording, std::size_t statement) {
  const auto starts = recording.statement_starts();
  return recording.activity(starts[statement], starts[statement + 1]);
}

std::optional<Moment> some_moment(Ground& ground) {
  const std::size_t count = statements_of(ground.recording);
  if (count == 0) {
    return std::nullopt;
  }
  std::size_t statement = ground.dice.of(count);
  if (ground.is_here) {
    const std::uint64_t step =
        lesson::resolve(ground.from.place, ground.recording, ground.from.state.focus.block);
    statement = std::min(ground.recording.statement_of(step), count - 1);
  }
  return Moment{statement, activity_of(ground.recording, statement)};
}

std::string values_at(const Ground& ground, std::size_t statement, std::uint32_t block,
                      std::uint32_t thread) {
  constexpr std::size_t kMost = 6;
  const record::State state =
      ground.recording.state_at(ground.recording.statement_starts()[statement]);
  std::vector<std::string> values;
  for (const record::NamedValue& variable : state.variables(block, thread)) {
    const std::string text = record::format_value(ground.program(), variable.value);
    const bool is_integer =
        !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
    if (is_integer && !variable.is_parameter && values.size() < kMost) {
      values.push_back(fmt::format("{} = {}", variable.name, text));
    }
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string statement_place(std::size_t statement) {
  return fmt::format("statement:{}", statement);
}

std::optional<Picked> some_access(Ground& ground, const WantedAccess& wanted) {
  for (std::size_t i = 0; i < looks_of(ground); ++i) {
    const auto moment = some_moment(ground);
    if (!moment || moment->activity.accesses.empty()) {
      continue;
    }
    const auto& all = moment->activity.accesses;
    const std::size_t first = ground.dice.of(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      const record::Access& access = all[(first + k) % all.size()];
      const bool by_thread = access.event.agent == simt::AccessAgent::Thread;
      if (access.event.mask == 0 || !by_thread || !wanted(access)) {
        continue;
      }
      if (auto picked = picked_of(ground, *moment, access)) {
        return picked;
      }
    }
  }
  return std::nullopt;
}

std::string who(const Ground& ground, std::uint32_t block, std::uint32_t thread) {
  return thread_value(ground.program(), block, thread).phrase;
}

std::optional<std::uint32_t> exchanged(const Ground& ground, std::uint32_t thread) {
  const problem::Dim3& block = ground.program().launch().block;
  const problem::Dim3 at = ground.program().thread_index(thread);
  return at.x == at.y || at.y >= block.x || at.x >= block.y ? std::nullopt
                                                            : std::optional(at.x * block.x + at.y);
}

std::optional<std::uint32_t> neighbour(const Ground& ground, std::uint32_t thread) {
  const problem::Dim3& block = ground.program().launch().block;
  const problem::Dim3 at = ground.program().thread_index(thread);
  return block.x < 2 ? std::nullopt : std::optional(at.x + 1 < block.x ? thread + 1 : thread - 1);
}

std::optional<std::size_t> other_time(const Ground& ground, const Picked& picked) {
  const std::size_t count = statements_of(ground.recording);
  for (std::size_t away = 1; away <= kBack; ++away) {
    for (const bool is_later : {true, false}) {
      if (is_later ? picked.statement + away >= count : picked.statement < away) {
        continue;
      }
      const std::size_t there = is_later ? picked.statement + away : picked.statement - away;
      const record::Activity activity = activity_of(ground.recording, there);
      if (std::ranges::any_of(activity.accesses, [&](const record::Access& access) {
            return access.pc == picked.pc && access.warp == picked.warp;
          })) {
        return there;
      }
    }
  }
  return std::nullopt;
}

Draft draft_at(const Picked& picked, lesson::QuestionKind kind) {
  Draft draft{.kind = kind, .at = {lesson::Place::Kind::Statement, picked.statement}};
  draft.block = picked.block;
  draft.thread = picked.thread;
  return draft;
}

TextByLanguage exchange_text() {
  return in_all_languages(
      [] { return tr("x and y are exchanged: x is the column, y is the row."); });
}

void add_other_threads(const Ground& ground, const Picked& picked, const std::string& form,
                       Draft& draft) {
  if (const auto other = exchanged(ground, picked.thread)) {
    draft.wrong.push_back({fmt::format(fmt::runtime(form), *other), exchange_text()});
  }
  if (const auto other = neighbour(ground, picked.thread)) {
    draft.wrong.push_back({fmt::format(fmt::runtime(form), *other), in_all_languages([&] {
                             return tr("That is the answer for the neighboring {}.",
                                       who(ground, picked.block, *other));
                           })});
  }
}

}  // namespace tilestep::course

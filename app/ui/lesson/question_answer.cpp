#include "insight/names.h"
#include "lesson/place.h"
#include "problem/tr.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/paint/painters.h"
#include "ui/stage/thread_tile.h"
#include "ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace tilestep::ui {
namespace {

constexpr std::size_t kLongestTyped = 14;  // characters

// "[1][2]", "(2,1)", "29": the numbers in it.
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    int number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = end;
    } else {
      ++at;
    }
  }
  return numbers;
}

// As a whole word.
bool has_name(const std::string& text, const std::string& name) {
  const auto is_letter = [&text](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + name.size())) {
      return true;
    }
  }
  return false;
}

bool can_be_chosen(const Sheet& sheet) {
  return sheet.kind != SheetKind::Threads && sheet.rows > 0 && sheet.cols > 0;
}

// The previous or next sheet with selectable cells; the same if there is none.
int next_sheet(const StageShape& shape, int sheet, int by) {
  const auto count = static_cast<int>(shape.sheets.size());
  for (int i = 1; i <= count; ++i) {
    const int next = ((sheet + by * i) % count + count) % count;
    if (can_be_chosen(shape.sheets[size(next)])) {
      return next;
    }
  }
  return sheet;
}

void find_latest(const lesson::Expression& expression, std::uint32_t block,
                 const record::Recording& recording, std::optional<std::uint64_t>& latest) {
  for (const lesson::Expression& part : expression.parts) {
    if (part.kind == lesson::Expression::Kind::Block) {
      block = static_cast<std::uint32_t>(part.number);
    }
  }
  for (const lesson::Expression& part : expression.parts) {
    if (part.kind == lesson::Expression::Kind::Place) {
      latest = std::max(latest.value_or(0), lesson::resolve(part.place, recording, block));
    }
    find_latest(part, block, recording, latest);
  }
}

struct MarkedAnswer {
  std::string text;
  AnswerMark mark = AnswerMark::Chosen;
};

// At most two: the given answer and the correct one, or the first answer and the chosen one.
std::vector<MarkedAnswer> marked_answers(const Context& context) {
  std::vector<MarkedAnswer> marks;
  if (!has_question(context)) {
    return marks;
  }
  const state::LessonView& course = context.state.course;
  const auto& verdict = context.view.lesson->verdict;
  const bool is_over = course.answering != state::Answering::Asked && verdict.has_value();
  if (!is_over && context.view.lesson->missed && course.missed != course.given) {
    marks.push_back({course.missed, AnswerMark::Wrong});
  }
  if (!course.given.empty() && course.answering != state::Answering::Shown) {
    const AnswerMark mark = !is_over            ? AnswerMark::Chosen
                            : verdict->is_right ? AnswerMark::Right
                                                : AnswerMark::Wrong;
    marks.push_back({course.given, mark});
  }
  if (is_over && (marks.empty() || marks.front().mark != AnswerMark::Right)) {
    marks.push_back({course::plain_text_of(verdict->answer), AnswerMark::Right});
  }
  return marks;
}

std::optional<Box> box_of_thread(const StagePicture& p, std::uint32_t thread) {
  if (p.shape.threads == kNoSheet) {
    return std::nullopt;
  }
  const Sheet& sheet = p.shape.sheets[size(p.shape.threads)];
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      if (cell_thread(p.shape, {row, col}) == thread) {
        return p.window_box(
            {.sheet = p.shape.threads, .row = row, .col = col, .rows = 1, .cols = 1});
      }
    }
  }
  return std::nullopt;
}

std::optional<Box> box_of(const StagePicture& p, lesson::QuestionKind kind,
                          const std::string& text) {
  if (kind == lesson::QuestionKind::Thread) {
    const auto thread = find_thread(p.program.launch(), text);
    return thread ? box_of_thread(p, *thread) : std::nullopt;
  }
  const auto at = find_element(p.shape, text);
  return at ? std::optional(p.window_box(
                  {.sheet = at->sheet, .row = at->row, .col = at->col, .rows = 1, .cols = 1}))
            : std::nullopt;
}

void paint_landing(const StagePicture& p, const ContentInputs& in, const std::string& text,
                   const Box& from) {
  const auto at = find_element(p.shape, text);
  const auto landing = at ? landing_of(in, {at->sheet, at->row, at->col}) : std::nullopt;
  if (!landing) {
    return;
  }
  const Box to = p.window_box({.sheet = landing->to.sheet,
                               .row = landing->to.row,
                               .col = landing->to.col,
                               .rows = 1,
                               .cols = 1});
  if (!p.is_visible(to)) {
    return;
  }
  paint_arc(p, from, to, answer_colour(p.context.theme, AnswerMark::Right));
}

}  // namespace

std::string element_of(const Sheet& sheet, CellPlace place) {
  return sheet.wrapped || sheet.rows == 1
             ? fmt::format("{}[{}]", sheet.name, cell_index(sheet, place))
             : fmt::format("{}[{}][{}]", sheet.name, place.row, place.col);
}

std::string named_array(const StageShape& shape, const std::string& text) {
  std::string named;
  for (const Sheet& sheet : shape.sheets) {
    if (!can_be_chosen(sheet) || !has_name(text, sheet.name)) {
      continue;
    }
    if (!named.empty()) {
      return "";
    }
    named = sheet.name;
  }
  return named;
}

std::optional<CellHit> find_element(const StageShape& shape, const std::string& name) {
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos) {
    return std::nullopt;
  }
  const std::vector<int> at = numbers_in(name.substr(bracket));
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    if (sheet.name != name.substr(0, bracket) || !can_be_chosen(sheet) || at.empty()) {
      continue;
    }
    const CellPlace place = at.size() > 1 ? CellPlace{at[0], at[1]}
                                          : cell_place(sheet, static_cast<std::size_t>(at[0]));
    const bool is_there =
        place.row >= 0 && place.row < sheet.rows && place.col >= 0 && place.col < sheet.cols;
    return is_there ? std::optional(CellHit{static_cast<int>(i), place.row, place.col})
                    : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> find_thread(const problem::Launch& launch,
                                         const std::string& coordinates) {
  std::vector<int> at = numbers_in(coordinates);
  if (at.empty()) {
    return std::nullopt;
  }
  at.resize(3, 0);
  const auto x = static_cast<std::uint32_t>(at[0]);
  const auto y = static_cast<std::uint32_t>(at[1]);
  const auto z = static_cast<std::uint32_t>(at[2]);
  const bool is_there = x < launch.block.x && y < launch.block.y && z < launch.block.z;
  return is_there ? std::optional(static_cast<std::uint32_t>(launch.block.linear({x, y, z})))
                  : std::nullopt;
}

std::string moved_cell(const StageShape& shape, const std::string& given, int dx, int dy,
                       const std::string& ask) {
  if (shape.sheets.empty()) {
    return given;
  }
  auto at = find_element(shape, given);
  if (!at) {
    const std::string named = named_array(shape, ask);
    const auto its = std::ranges::find(shape.sheets, named, &Sheet::name);
    const int first =
        named.empty() ? next_sheet(shape, -1, +1) : static_cast<int>(its - shape.sheets.begin());
    return first < 0 ? given : element_of(shape.sheets[size(first)], {0, 0});
  }
  int sheet = at->sheet;
  const Sheet& from = shape.sheets[size(sheet)];
  int row = std::clamp(at->row + dy, 0, from.rows - 1);
  int col = at->col + dx;
  if (col < 0 || col >= from.cols) {
    sheet = next_sheet(shape, sheet, dx);
    const Sheet& to = shape.sheets[size(sheet)];
    row = std::min(row, to.rows - 1);
    col = dx > 0 ? 0 : to.cols - 1;
  }
  return element_of(shape.sheets[size(sheet)], {row, col});
}

std::string moved_thread(const problem::Launch& launch, const std::string& given, int dx, int dy) {
  const auto thread = find_thread(launch, given);
  if (!thread) {
    return insight::coordinates({0, 0, 0}, launch);
  }
  problem::Dim3 at = launch.block.at(*thread);
  const auto moved = [](std::uint32_t from, int by, std::uint32_t count) {
    return static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(from) + by, 0, static_cast<int>(count) - 1));
  };
  at.x = moved(at.x, dx, launch.block.x);
  at.y = moved(at.y, dy, launch.block.y);
  return insight::coordinates(at, launch);
}

std::string moved_line(const std::string& given, int by, int from, int last) {
  const std::vector<int> at = numbers_in(given);
  return fmt::format("{}", std::clamp(at.empty() ? from : at.front() + by, 1, std::max(last, 1)));
}

std::string typed(std::string given, char what) {
  if (what == 'b') {
    if (!given.empty()) {
      given.pop_back();
    }
    return given;
  }
  if (what == '-') {
    return given.starts_with('-') ? given.substr(1) : "-" + given;
  }
  const bool is_once = what == '.' || what == '/';
  const bool may_add = !is_once || (given.find(what) == std::string::npos &&
                                    (what != '/' || (!given.empty() && given != "-")));
  return may_add && given.size() < kLongestTyped ? given + what : given;
}

std::string answer_words(const workspace::ShownLesson& asked, const std::string& given) {
  const lesson::QuestionKind kind = asked.question->kind;
  if (kind == lesson::QuestionKind::YesNo) {
    return tr(given == "yes" ? "yes" : "no");
  }
  if (kind != lesson::QuestionKind::Choice || given.size() != 1 || given[0] < '1') {
    return given;
  }
  const auto index = static_cast<std::size_t>(given[0] - '1');
  return index < asked.choices.size() ? asked.choices[index] : given;
}

std::optional<std::uint64_t> step_of_answer(const lesson::Question& question,
                                            const record::Recording& recording) {
  const std::uint32_t block = question.at.state.focus.block;
  std::optional<std::uint64_t> latest;
  find_latest(question.answer.expression, block, recording, latest);
  const std::uint64_t from = lesson::resolve(question.at.place, recording, block);
  return latest && *latest > from ? latest : std::nullopt;
}

state::Focus watched_thread(const lesson::Expression& answer, state::Focus from) {
  for (const lesson::Expression& part : answer.parts) {
    if (part.kind == lesson::Expression::Kind::Block) {
      from.block = static_cast<std::uint32_t>(part.number);
    } else if (part.kind == lesson::Expression::Kind::Thread) {
      from.thread = static_cast<std::uint32_t>(part.number);
    } else {
      from = watched_thread(part, from);
    }
  }
  return from;
}

std::optional<Transfer> landing_of(const ContentInputs& in, const CellHit& element) {
  const std::size_t now = in.log.phase_before(in.state.step());
  for (std::size_t phase = now; phase < in.log.phase_count() && phase <= now + 1; ++phase) {
    for (const Transfer& transfer : in.log.transfers_of(phase)) {
      if (transfer.from.sheet == element.sheet && transfer.from.row == element.row &&
          transfer.from.col == element.col && transfer.to.inside) {
        return transfer;
      }
    }
  }
  return std::nullopt;
}

ImU32 answer_colour(const Theme& theme, AnswerMark mark) {
  switch (mark) {
    case AnswerMark::Right:
      return theme.good;
    case AnswerMark::Wrong:
      return theme.bad;
    case AnswerMark::Chosen:
      break;
  }
  return theme.focus;
}

void draw_answer_sign(ImDrawList& list, const Theme& theme, AnswerMark mark, ImVec2 at,
                      float side) {
  const float line = std::max(2.0F, 0.16F * side);
  const ImU32 colour = answer_colour(theme, mark);
  const auto point = [&](float x, float y) { return ImVec2(at.x + x * side, at.y + y * side); };
  if (mark == AnswerMark::Right) {
    const std::array<ImVec2, 3> check{point(0.08F, 0.55F), point(0.38F, 0.86F),
                                      point(0.92F, 0.16F)};
    list.AddPolyline(check.data(), 3, colour, ImDrawFlags_None, line);
  } else if (mark == AnswerMark::Wrong) {
    list.AddLine(point(0.14F, 0.14F), point(0.86F, 0.86F), colour, line);
    list.AddLine(point(0.86F, 0.14F), point(0.14F, 0.86F), colour, line);
  }
}

void paint_answer_marks(const StagePicture& p, const ContentInputs& in) {
  const Context& context = p.context;
  for (const MarkedAnswer& marked : marked_answers(context)) {
    const auto box = box_of(p, context.view.lesson->question->kind, marked.text);
    if (!box || !p.is_visible(*box)) {
      continue;
    }
    const float width = std::max(3.0F, 0.16F * p.font);
    const ImVec2 from(box->x - 1.0F, box->y - 1.0F);
    const ImVec2 to(box->right() + 1.0F, box->bottom() + 1.0F);
    // With a background, so that it differs from the focus thread's frame.
    p.list.AddRect(from, to, context.theme.panel, 0.25F * p.font, ImDrawFlags_None, width + 3.0F);
    p.list.AddRect(from, to, answer_colour(context.theme, marked.mark), 0.25F * p.font,
                   ImDrawFlags_None, width);
    const float sign = std::min(0.9F * p.font, 0.6F * box->h);
    draw_answer_sign(p.list, context.theme, marked.mark, {to.x - 0.6F * sign, from.y - 0.4F * sign},
                     sign);
    if (marked.mark == AnswerMark::Right &&
        context.view.lesson->question->kind == lesson::QuestionKind::Cell) {
      paint_landing(p, in, marked.text, *box);
    }
  }
}

std::optional<AnswerMark> answer_mark(const Context& context, int line) {
  if (!has_question(context) || context.view.lesson->question->kind != lesson::QuestionKind::Line) {
    return std::nullopt;
  }
  for (const MarkedAnswer& marked : marked_answers(context)) {
    if (marked.text == fmt::format("{}", line)) {
      return marked.mark;
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::ui

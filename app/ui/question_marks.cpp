#include "ui/question_marks.h"

#include "ui/question_answer.h"
#include "ui/stage/race_paint.h"
#include "ui/stage/thread_tile.h"
#include "ui/theme.h"
#include "ui/veiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

struct MarkedAnswer {
  std::string text;
  AnswerMark mark = AnswerMark::Chosen;
};

// At most two: what was given, and what is right.
std::vector<MarkedAnswer> marked_answers(const Context& context) {
  std::vector<MarkedAnswer> marks;
  if (!has_question(context)) {
    return marks;
  }
  const state::LessonView& course = context.state.course;
  const auto& verdict = context.view.lesson->verdict;
  const bool is_over = course.answering != state::Answering::Asked && verdict.has_value();
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
    // On a ground of its own, so that it is told from the focus thread's frame.
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

#include "ui/stage/subject.h"

#include "ui/question_answer.h"
#include "workspace/shown_lesson.h"

#include <algorithm>
#include <string>

namespace tilestep::ui {
namespace {

bool is_matrix(const StageShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.sheets, name, &Sheet::name);
  return found != shape.sheets.end() && found->kind == SheetKind::Buffer;
}

}  // namespace

bool is_about_matrices(const Context& context, const StageShape& shape) {
  const workspace::ShownLesson* const lesson = context.view.lesson;
  if (lesson == nullptr || lesson->has_wandered) {
    return false;
  }
  if (lesson->question != nullptr) {
    return lesson->question->kind == lesson::QuestionKind::Cell &&
           is_matrix(shape, named_array(shape, lesson->ask));
  }
  if (lesson->scene == nullptr) {
    return false;
  }
  bool is_any = false;
  for (const lesson::Annotation& point : lesson->scene->points) {
    if (!point.of.empty() && !is_matrix(shape, point.of)) {
      return false;
    }
    is_any = is_any || !point.of.empty();
  }
  return is_any;
}

}  // namespace tilestep::ui

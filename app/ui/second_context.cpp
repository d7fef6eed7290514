#include "ui/second_context.h"

#include "ui/memory.h"
#include "workspace/shown_lesson.h"

namespace tilestep::ui {
namespace {

struct SecondMemory {
  Memory memory;
  workspace::FrameView view;
};

// A scene's points are on both sides; a question is asked once.
bool is_scene(const workspace::ShownLesson* lesson) {
  return lesson != nullptr && lesson->question == nullptr && lesson->lab == nullptr;
}

}  // namespace

Context second_context(const Context& context) {
  const workspace::Beside& beside = *context.view.beside;
  auto& second = context.memory.of<SecondMemory>();
  Memory& memory = second.memory;
  memory.note_frame(context.now);
  second.view = *beside.view;
  second.view.lesson = is_scene(context.view.lesson) ? context.view.lesson : nullptr;
  return {*beside.state, second.view, context.theme, context.fonts,
          context.cells, memory,      context.now,   context.motion};
}

}  // namespace tilestep::ui

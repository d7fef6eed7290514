#include "ui/second_context.h"

#include "ui/memory.h"

namespace tilestep::ui {
namespace {

struct SecondMemory {
  Memory memory;
};

}  // namespace

Context second_context(const Context& context) {
  const workspace::Beside& beside = *context.view.beside;
  Memory& memory = context.memory.of<SecondMemory>().memory;
  memory.note_frame(context.now);
  return {*beside.state, *beside.view, context.theme, context.fonts,
          context.cells, memory,       context.now,   context.motion};
}

}  // namespace tilestep::ui

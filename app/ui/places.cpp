#include "ui/places.h"

#include "ui/stage/shape.h"

#include <string>

namespace tilestep::ui {
namespace {

// Where a cell stands on stage decides what is marked there.
Commands to_cell(const Context& context, const insight::GoTo& place) {
  const workspace::Scene& scene = *context.view.scene;
  const simt::Program& program = scene.recording->program();
  const StageShape shape = make_shape(program, scene.accumulator);
  const auto on_stage = sheet_place(shape, program, program.locate(place.address, 1));
  const std::string array = place.cell.substr(0, place.cell.find('['));
  return {on_stage ? state::FocusCell{array, on_stage->row, on_stage->col, place.cell}
                   : state::FocusCell{array, 0, 0, place.cell}};
}

}  // namespace

Commands commands_to(const Context& context, const insight::GoTo& place) {
  switch (place.kind) {
    case insight::GoTo::Kind::Step:
      return {state::Play{false}, state::SeekStep{place.step}};
    case insight::GoTo::Kind::Line:
      return {state::RunToLine{place.line}};
    case insight::GoTo::Kind::Phase:  // as a whole: as F10 leaves it
      return {state::Play{false}, state::SeekStep{place.step}, state::Step{state::Unit::Phase, +1}};
    case insight::GoTo::Kind::Block:
      return {state::FocusThread{place.block, context.state.focus.thread}};
    case insight::GoTo::Kind::Thread:
      return {state::FocusThread{context.state.focus.block, place.thread}};
    case insight::GoTo::Kind::Cell:
      return to_cell(context, place);
  }
  return {};
}

}  // namespace tilestep::ui

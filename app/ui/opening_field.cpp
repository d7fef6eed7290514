#include "ui/opening_field.h"

namespace tilestep::ui {
namespace {

bool has_open_field(const state::AppState& state) {
  return state.show_palette || state.show_go_to || state.show_find || state.show_save_as ||
         state.show_export || state.asked != state::Asked::Nothing || state.condition_line > 0;
}

}  // namespace

bool OpeningField::is_awaited(const state::AppState& state, bool has_keyboard) {
  const bool is_open = has_open_field(state);
  if (is_open && !was_open_) {
    frames_left_ = kMostFrames;
  }
  was_open_ = is_open;
  const bool is_awaited = is_open && frames_left_ > 0 && !has_keyboard;
  frames_left_ = is_awaited ? frames_left_ - 1 : 0;
  return is_awaited;
}

}  // namespace tilestep::ui

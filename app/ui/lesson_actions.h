// Lessons by key: beats with Page Down and Page Up, which a presenter's remote sends, the way back
// to a beat, the list, the lecturer's notes.
#pragma once

#include "ui/actions.h"
#include "ui/lab_panel.h"

#include <array>

namespace tilestep::ui {

template <int direction>
Commands walk_beats(const Context& c) {
  if (c.view.lesson != nullptr) {
    return {state::GoToBeat{static_cast<int>(c.view.lesson->beat) + direction}};
  }
  return {state::Step{state::Unit::Phase, direction}};
}

// To the scene of a lesson, from where one has wandered off; else to the place before.
inline Commands go_back(const Context& c) {
  if (c.view.lesson == nullptr) {
    return {state::GoBack{}};
  }
  return c.view.lesson->has_wandered ? Commands{state::ReturnToBeat{}} : Commands{};
}

inline Commands show_lessons(const Context& c) {
  return {state::ShowLessons{!c.state.course.list}};
}
inline Commands close_lesson(const Context& c) {
  return c.state.course.lesson.empty() ? Commands{} : Commands{state::CloseLesson{}};
}
inline Commands grade_lab(const Context& c) {
  return has_lab(c) ? Commands{state::GradeLab{}} : Commands{};
}
inline Commands show_notes(const Context& c) {
  return c.view.lesson != nullptr ? Commands{state::ShowNotes{!c.state.course.notes}} : Commands{};
}

// A ring, then a spotlight, then neither.
inline Commands show_ring(const Context& c) {
  return {state::ShowRing{!c.state.course.spotlight, c.state.course.ring}};
}

inline constexpr std::array kLessonActions{
    Action{ActionId::NextBeat, ActionGroup::Stepping, "Next beat of the lesson",
           "To the lesson's next scene or question; without a lesson as F10.", ImGuiKey_PageDown, 0,
           true, walk_beats<+1>},
    Action{ActionId::PreviousBeat, ActionGroup::Stepping, "Previous beat of the lesson",
           "To the scene or question before; without a lesson as Shift+F10.", ImGuiKey_PageUp, 0,
           true, walk_beats<-1>},
    Action{ActionId::ShowLessons, ActionGroup::Working, "Lessons …",
           "Lists the lessons with their goals, minutes and your progress.",
           ImGuiMod_Ctrl | ImGuiKey_L, 0, false, show_lessons},
    Action{ActionId::CloseLesson, ActionGroup::Working, "Close the lesson",
           "Ends the lesson; the stage and your progress stay.", ImGuiMod_Ctrl | ImGuiKey_W, 0,
           false, close_lesson},
    Action{ActionId::GradeLab, ActionGroup::Working, "Grade the lab",
           "Runs what you have written through the lab's rows; the first that fails is shown.",
           ImGuiMod_Ctrl | ImGuiKey_Enter, 0, false, grade_lab},
    Action{ActionId::ShowRing, ActionGroup::Arranging, "Ring, spotlight",
           "Shows a hall where the mouse points: a ring; again a spotlight; again neither.",
           ImGuiKey_O, 0, false, show_ring},
    Action{ActionId::ShowNotes, ActionGroup::Arranging, "Lecturer's window",
           "A window of your own, on another screen: note, next beat, clock, minutes left, keys.",
           ImGuiKey_S, 0, false, show_notes},
};

}  // namespace tilestep::ui

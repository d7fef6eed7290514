// Questions that the program makes up of what is on stage, as a lesson of their own.
#pragma once

#include "course/practice.h"
#include "ui/actions.h"

#include <array>

namespace tilestep::ui {

inline Commands ask_something(const Context& c) {
  return c.view.scene == nullptr ? Commands{} : Commands{state::OpenLesson{course::kPracticeId}};
}

inline constexpr std::array kPracticeActions{
    Action{ActionId::AskSomething, ActionGroup::Working, "Ask me something",
           "Makes up questions about this place of this run, with answers from its execution.", 0,
           0, false, ask_something},
};

}  // namespace tilestep::ui

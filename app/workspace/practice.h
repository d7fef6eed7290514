// Questions that the program makes up of what is on stage, as a lesson.
#pragma once

#include "compile/compiler.h"
#include "course/practice.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "workspace/jobs.h"

#include <cstdint>
#include <string>

namespace tilestep::workspace {

[[nodiscard]] inline bool is_practice(const std::string& lesson) {
  return lesson == course::kPracticeId;
}

// Of where the state stands, and of all of the run where it is at the start. Does not begin with
// the question that was asked last. Fails where the kernel does not run, or nothing can be asked
// of it there.
[[nodiscard]] Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                                   const std::string& asked_last,
                                                   const CatalogPtr& catalog,
                                                   compile::Compiler& compiler);

}  // namespace tilestep::workspace

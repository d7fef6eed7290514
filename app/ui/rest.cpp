#include "ui/rest.h"

#include "ui/memory.h"

namespace tilestep::ui {
namespace {

constexpr double kBusySeconds = 0.1;     // a job runs: its progress is shown
constexpr double kFileSeconds = 1.0;     // another program may change the file on screen
constexpr double kClockSeconds = 10.0;   // the lecturer's clock
constexpr double kFilmSeconds = 0.05;    // what has played of a film grows
constexpr double kIdleSeconds = 3600.0;  // nothing moves

}  // namespace

double rest_seconds(const Context& context, bool changed) {
  if (changed || context.state.playing || context.memory.wants_frames()) {
    return 0.0;
  }
  return context.view.busy || context.view.bench.running || context.view.exporting.running
             ? kBusySeconds
         : context.state.course.film      ? kFilmSeconds
         : context.state.course.notes     ? kClockSeconds
         : context.view.file.path.empty() ? kIdleSeconds
                                          : kFileSeconds;
}

}  // namespace tilestep::ui

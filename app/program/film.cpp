#include "program/film.h"

#include "problem/tr.h"
#include "program/picture.h"
#include "state/apply.h"
#include "state/scene.h"
#include "ui/draw.h"
#include "ui/film.h"
#include "ui/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::program {
namespace {

constexpr double kFrame = 1.0 / kFilmRate;  // seconds
// Panels are laid out in the first frames after a change.
constexpr int kFramesOfAChange = 6;
// A phase plays during this share of its time; the rest shows its end.
constexpr float kPlayedAfter = 0.75F;
constexpr int kLongestFilm = kFilmRate * 60 * 30;

lesson::Place beginning_of(lesson::Place place) {
  if (place.kind == lesson::Place::Kind::PhaseMiddle) {
    place.kind = lesson::Place::Kind::Phase;
  }
  return place;
}

lesson::Place end_of(lesson::Place place) {
  if (place.kind == lesson::Place::Kind::PhaseMiddle) {
    place.kind = lesson::Place::Kind::PhaseEnd;
  }
  return place;
}

// The caller's part of a film: progress reports and cancellation.
struct Audience {
  const std::atomic<bool>& cancelled;
  const std::function<void(double)>& report;
};

// Places from the one on stage to the last, inclusive.
std::size_t count_places(const workspace::Workspace& workspace, std::uint64_t last,
                         state::Unit unit) {
  const record::Recording& run = *workspace.view().run.scene->recording;
  const std::uint32_t block = workspace.state().focus.block;
  std::size_t count = 1;
  std::uint64_t next = 0;
  for (std::uint64_t step = workspace.state().step; step < last; step = next, ++count) {
    next = state::step_from(run, step, unit, +1, block);
    if (next <= step) {
      break;
    }
  }
  return count;
}

struct Show {
  bool plays = false;      // a phase is animated
  bool caption = false;    // shows kernel, sizes and place
  float pace = 0.5F;       // places per second
  std::size_t places = 1;  // in total, as far as known in advance
};

class Filming {
 public:
  Filming(workspace::Workspace& workspace, platform::Window& window, const Show& show,
          FilmEncoder& encoder, const Audience& audience)
      : workspace_(workspace),
        window_(window),
        show_(show),
        encoder_(encoder),
        audience_(audience) {}

  // Draws frames that are not in the film, until the layout is stable.
  void come_to_rest() {
    for (int i = 0; i < kFramesOfAChange; ++i) {
      draw();
    }
  }

  // Films what is on stage, for the duration of a place.
  Result<void> show() { return show(1.0, show_.plays); }
  // `places`: the duration. `plays`: a phase is on stage as a whole, and is animated.
  Result<void> show(double places, bool plays) {
    const double before = std::exchange(shown_, shown_ + places);
    const auto until = std::max<long>(std::lround(shown_ * kFilmRate / show_.pace), frames_ + 1);
    const long first = frames_;
    for (; frames_ < until; ++frames_) {
      const auto t = static_cast<float>(frames_ - first) / static_cast<float>(until - first);
      motion_ = plays ? std::optional(std::min(1.0F, t / kPlayedAfter)) : std::nullopt;
      const bool moves = frames_ - first < kFramesOfAChange || (plays && t < kPlayedAfter + 0.1F) ||
                         memory_.wants_frames();
      if (moves) {
        draw();
        image_ = window_.read_pixels();
      } else {
        now_ += kFrame;
      }
      if (auto added = encoder_.add(image_); !added) {
        return added;
      }
      if (audience_.cancelled) {
        return fail(tr("The film was stopped and discarded."));
      }
      audience_.report(std::min(1.0, (before + t) / static_cast<double>(show_.places)));
    }
    if (frames_ > kLongestFilm) {
      return fail(
          tr("The film is longer than {} minutes. Choose places closer together, or a faster pace.",
             kLongestFilm / kFilmRate / 60));
    }
    return {};
  }

  // Its clock, in seconds.
  [[nodiscard]] double now() const { return now_; }
  // The film's length so far, in seconds.
  [[nodiscard]] double length() const { return static_cast<double>(frames_) * kFrame; }

 private:
  void draw() {
    now_ += kFrame;
    set_looks(window_, workspace_.state());
    window_.frame(0.0, [&] {
      ui::Context context =
          frame_context(workspace_.state(), workspace_.view(), window_, memory_, now_);
      context.motion = motion_;
      if (show_.caption) {
        ui::draw_caption(context);
      }
      static_cast<void>(ui::draw(context));
    });
  }

  workspace::Workspace& workspace_;
  platform::Window& window_;
  Show show_;
  FilmEncoder& encoder_;
  const Audience& audience_;
  ui::Memory memory_;
  platform::Image image_;
  std::optional<float> motion_;
  double now_ = 0.0;
  double shown_ = 0.0;  // number of places
  long frames_ = 0;     // of the film
};

// Goes to the next place of a run. False: the last one was shown.
bool step_on(workspace::Workspace& workspace, state::Unit unit, std::uint64_t last, double now) {
  const std::uint64_t from = workspace.state().step;
  if (from >= last) {
    return false;
  }
  workspace.update({state::Step{unit, +1}}, now);
  if (workspace.state().step > last || workspace.state().step <= from) {
    workspace.update({state::SeekStep{last}}, now);
  }
  workspace.settle();
  return true;
}

// Goes to the next beat of the open lesson; from a question first to its answer.
bool walk_on(workspace::Workspace& workspace, double now) {
  const workspace::ShownLesson& shown = *workspace.view().lesson;
  if (shown.question != nullptr && workspace.state().course.answering == state::Answering::Asked) {
    workspace.update({state::ShowAnswer{}}, now);
  } else if (shown.beat + 1 < shown.lesson->beats.size()) {
    workspace.update({state::GoToBeat{static_cast<int>(shown.beat) + 1}}, now);
  } else {
    return false;
  }
  workspace.settle();
  return true;
}

// Plays the run up to the place on stage, which a beat shows: from where the beat before has left
// the same run, else from the beginning of the phase.
class Approach {
 public:
  // `before`: the state at the end of the beat before.
  Approach(workspace::Workspace& workspace, Filming& filming, const state::AppState& before,
           float pace)
      : workspace_(workspace), filming_(filming), pace_(pace), to_(workspace.state().step) {
    const state::AppState& at = workspace.state();
    const auto& scene = workspace.view().run.scene;
    if (scene == nullptr || at.tab != state::Tab::Step || at.comparison.on || to_ == 0) {
      return;
    }
    const std::uint32_t block = at.focus.block;
    const bool goes_on = setup_of(before) == setup_of(at) && before.focus.block == block &&
                         before.tab == state::Tab::Step && before.step < to_;
    const record::Phase* const phase = scene->recording->phase_at(block, to_ - 1);
    from_ = goes_on ? before.step : phase == nullptr ? to_ : phase->first_step;
    std::vector<std::uint64_t> starts;
    for (const record::Phase& one : scene->recording->phases_of(block)) {
      if (one.first_step > from_ && one.first_step < to_) {
        starts.push_back(one.first_step);
      }
    }
    if (starts.size() >= kMostPhases) {
      from_ = starts[starts.size() - kMostPhases];
    }
  }

  // Afterwards the beat's place is on stage again.
  Result<void> film() {
    if (from_ >= to_) {
      return {};
    }
    go({state::SeekStep{from_}});
    while (step(state::Unit::Phase)) {
      TILESTEP_RETURN_IF_ERROR(filming_.show(kPhaseSeconds * pace_, true));
    }
    for (int i = 0; i < kMostStatements && step(state::Unit::Statement); ++i) {
      TILESTEP_RETURN_IF_ERROR(filming_.show(kStatementSeconds * pace_, false));
    }
    go({state::ReturnToBeat{}});
    return {};
  }

 private:
  static constexpr std::size_t kMostPhases = 4;
  static constexpr int kMostStatements = 6;
  static constexpr double kPhaseSeconds = 4.0;
  static constexpr double kStatementSeconds = 1.0;

  void go(const std::vector<state::Command>& commands) {
    workspace_.update(commands, filming_.now());
    workspace_.settle();
  }
  // False: the next place is beyond the beat's.
  bool step(state::Unit unit) {
    const state::AppState& at = workspace_.state();
    const std::uint64_t next = state::step_from(*workspace_.view().run.scene->recording, at.step,
                                                unit, +1, at.focus.block);
    if (next <= at.step || next > to_) {
      return false;
    }
    go({state::Step{unit, +1}});
    return true;
  }

  workspace::Workspace& workspace_;
  Filming& filming_;
  float pace_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
};

// Films what is on stage, and then every place that `go_on` reaches.
Result<void> film_all(Filming& filming, FilmEncoder& encoder, const std::function<bool()>& go_on) {
  filming.come_to_rest();
  do {
    if (auto shown = filming.show(); !shown) {
      return shown;
    }
  } while (go_on());
  return encoder.finish();
}

Result<FilmEncoder> begin(workspace::Workspace& workspace, platform::Window& window,
                          const std::filesystem::path& file) {
  const auto format = film_format(file);
  TILESTEP_RETURN_IF_ERROR(format);
  set_looks(window, workspace.state());
  window.frame(0.0, [] {});
  const platform::Image size = window.read_pixels();
  return FilmEncoder::start({file, *format, size.width, size.height});
}

// Goes to the first place; returns the last step.
Result<std::uint64_t> go_to_first(workspace::Workspace& workspace, state::AppState state,
                                  const FilmRequest& request) {
  state = state::without_moment(std::move(state));
  state.tab = state::Tab::Step;
  workspace.set_state(std::move(state));
  workspace.settle();
  const workspace::FrameView& view = workspace.view();
  if (view.run.scene == nullptr || !view.messages.error.empty()) {
    return fail(view.messages.error.empty() ? tr("no recording") : view.messages.error);
  }
  const record::Recording& run = *view.run.scene->recording;
  state::AppState at = workspace.state();
  const lesson::Place from = beginning_of(request.from);
  const lesson::Place to = end_of(request.to);
  for (const lesson::Place& place : {from, to}) {
    if (const auto error = lesson::beyond_end(place, run, at.focus.block)) {
      return tl::unexpected(*error);
    }
  }
  const std::uint64_t last = lesson::resolve(to, run, at.focus.block);
  lesson::go_to(from, run, at);
  if (at.step >= last) {
    return fail(
        tr("The end of the film, step {}, is not after its start, step {}. Choose a later end.",
           last, at.step));
  }
  workspace.set_state(std::move(at));
  workspace.settle();
  return last;
}

}  // namespace

Result<void> make_film(workspace::Workspace& workspace, platform::Window& window,
                       state::AppState state, const FilmRequest& request,
                       const std::atomic<bool>& cancelled,
                       const std::function<void(double)>& report) {
  TILESTEP_RETURN_IF_ERROR(film_format(request.file));
  const auto last = go_to_first(workspace, std::move(state), request);
  TILESTEP_RETURN_IF_ERROR(last);
  auto encoder = begin(workspace, window, request.file);
  TILESTEP_RETURN_IF_ERROR(encoder);
  const Show show{.plays = request.by == state::Unit::Phase && workspace.state().animate,
                  .caption = request.caption,
                  .pace = request.pace,
                  .places = count_places(workspace, *last, request.by)};
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, show, *encoder, audience);
  return film_all(filming, *encoder,
                  [&] { return step_on(workspace, request.by, *last, filming.now()); });
}

Result<std::vector<course::ShownBeat>> make_lesson_film(workspace::Workspace& workspace,
                                                        platform::Window& window,
                                                        const LessonFilmRequest& request,
                                                        const std::atomic<bool>& cancelled,
                                                        const std::function<void(double)>& report) {
  auto encoder = begin(workspace, window, request.file);
  TILESTEP_RETURN_IF_ERROR(encoder);
  const lesson::Lesson& lesson = *workspace.view().lesson->lesson;
  const Show show{.pace = request.pace, .places = lesson.beats.size() + lesson.questions.size()};
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, show, *encoder, audience);
  filming.come_to_rest();
  std::vector<course::ShownBeat> shown;
  state::AppState before;
  do {
    const workspace::ShownLesson& at = *workspace.view().lesson;
    const bool is_answered = workspace.state().course.answering != state::Answering::Asked;
    shown.push_back({at.beat, is_answered, filming.length(), 0.0});
    if (at.scene != nullptr) {
      TILESTEP_RETURN_IF_ERROR(Approach(workspace, filming, before, request.pace).film());
    }
    TILESTEP_RETURN_IF_ERROR(filming.show());
    shown.back().until = filming.length();
    before = workspace.state();
  } while (walk_on(workspace, filming.now()));
  TILESTEP_RETURN_IF_ERROR(encoder->finish());
  return shown;
}

}  // namespace tilestep::program

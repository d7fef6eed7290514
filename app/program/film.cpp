#include "program/film.h"

#include "problem/tr.h"
#include "program/film_encoder.h"
#include "program/frame_context.h"
#include "state/navigate.h"
#include "state/scene_text.h"
#include "ui/draw.h"
#include "ui/film.h"
#include "ui/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tilestep::program {
namespace {

constexpr double kFrame = 1.0 / kFilmRate;  // seconds
// Panels take their places in the first frames after a change.
constexpr int kFramesOfAChange = 6;
// A phase has played after this share of its time, and is looked at for the rest.
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

// The caller's part of a film: to hear how far it is, and to stop it.
struct Audience {
  const std::atomic<bool>& cancelled;
  const std::function<void(double)>& report;
};

// Places from the one on stage to the last, both counted.
std::size_t count_places(const workspace::Workspace& workspace, std::uint64_t last,
                         state::Unit unit) {
  const record::Recording& run = *workspace.view().scene->recording;
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
  bool plays = false;      // a phase moves
  bool caption = false;    // kernel, sizes and place
  float pace = 0.5F;       // places a second
  std::size_t places = 1;  // in all, as far as is known beforehand
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

  // Frames that are not in the film, until everything stands.
  void come_to_rest() {
    for (int i = 0; i < kFramesOfAChange; ++i) {
      draw();
    }
  }

  // What is on stage, for as long as a place has.
  Result<void> show() {
    const double before = std::exchange(shown_, shown_ + 1.0);
    const auto until = std::max<long>(std::lround(shown_ * kFilmRate / show_.pace), frames_ + 1);
    const long first = frames_;
    for (; frames_ < until; ++frames_) {
      const auto t = static_cast<float>(frames_ - first) / static_cast<float>(until - first);
      motion_ = show_.plays ? std::optional(std::min(1.0F, t / kPlayedAfter)) : std::nullopt;
      const bool moves = frames_ - first < kFramesOfAChange ||
                         (show_.plays && t < kPlayedAfter + 0.1F) || memory_.wants_frames();
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
        return fail(tr("The film was stopped. Nothing of it is kept."));
      }
      audience_.report(std::min(1.0, (before + t) / static_cast<double>(show_.places)));
    }
    if (frames_ > kLongestFilm) {
      return fail(
          tr("The film is longer than {} minutes. Choose places that are closer to each "
             "other, or a faster pace.",
             kLongestFilm / kFilmRate / 60));
    }
    return {};
  }

  // Its clock, in seconds.
  [[nodiscard]] double now() const { return now_; }

 private:
  void draw() {
    now_ += kFrame;
    window_.set_scale(workspace_.state().scale);
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
  double shown_ = 0.0;  // places
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

// Goes to the next beat of the lesson that is open, and from a question to its answer first.
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

// What is on stage, and then all that `go_on` goes to.
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
  if (!format) {
    return tl::unexpected(format.error());
  }
  window.set_scale(workspace.state().scale);
  window.frame(0.0, [] {});
  const platform::Image size = window.read_pixels();
  return FilmEncoder::start({file, *format, size.width, size.height});
}

// The state at the first place, and the last step.
Result<std::uint64_t> go_to_first(workspace::Workspace& workspace, state::AppState state,
                                  const FilmRequest& request) {
  state = state::without_moment(std::move(state));
  state.tab = state::Tab::Step;
  workspace.set_state(std::move(state));
  workspace.settle();
  const workspace::FrameView& view = workspace.view();
  if (view.scene == nullptr || !view.message.empty()) {
    return fail(view.message.empty() ? tr("no recording") : view.message);
  }
  const record::Recording& run = *view.scene->recording;
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
        tr("The film ends at step {}, which is not after step {}, where it begins. Choose a later "
           "end.",
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
  if (const auto format = film_format(request.file); !format) {
    return tl::unexpected(format.error());
  }
  const auto last = go_to_first(workspace, std::move(state), request);
  if (!last) {
    return tl::unexpected(last.error());
  }
  auto encoder = begin(workspace, window, request.file);
  if (!encoder) {
    return tl::unexpected(encoder.error());
  }
  const Show show{.plays = request.by == state::Unit::Phase && workspace.state().animate,
                  .caption = request.caption,
                  .pace = request.pace,
                  .places = count_places(workspace, *last, request.by)};
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, show, *encoder, audience);
  return film_all(filming, *encoder,
                  [&] { return step_on(workspace, request.by, *last, filming.now()); });
}

Result<void> make_lesson_film(workspace::Workspace& workspace, platform::Window& window,
                              const LessonFilmRequest& request, const std::atomic<bool>& cancelled,
                              const std::function<void(double)>& report) {
  auto encoder = begin(workspace, window, request.file);
  if (!encoder) {
    return tl::unexpected(encoder.error());
  }
  const lesson::Lesson& lesson = *workspace.view().lesson->lesson;
  const Show show{.pace = request.pace, .places = lesson.beats.size() + lesson.questions.size()};
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, show, *encoder, audience);
  return film_all(filming, *encoder, [&] { return walk_on(workspace, filming.now()); });
}

}  // namespace tilestep::program

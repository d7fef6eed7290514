#include "program/film.h"

#include "problem/tr.h"
#include "program/film_encoder.h"
#include "program/frame_context.h"
#include "state/navigate.h"
#include "state/scene_text.h"
#include "ui/caption.h"
#include "ui/draw.h"
#include "ui/memory.h"

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

class Filming {
 public:
  Filming(workspace::Workspace& workspace, platform::Window& window, const FilmRequest& request,
          FilmEncoder& encoder, const Audience& audience, std::uint64_t last)
      : workspace_(workspace),
        window_(window),
        request_(request),
        encoder_(encoder),
        audience_(audience),
        last_(last),
        places_(count_places(workspace, last, request.by)) {}

  // Frames that are not in the film, until everything stands.
  void come_to_rest() {
    for (int i = 0; i < kFramesOfAChange; ++i) {
      draw();
    }
  }

  // What is on stage, for as long as a place has.
  Result<void> show() {
    const double before = std::exchange(shown_, shown_ + 1.0);
    const auto until = std::max<long>(std::lround(shown_ * kFilmRate / request_.pace), frames_ + 1);
    const long first = frames_;
    const bool plays = request_.by == state::Unit::Phase && workspace_.state().animate;
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
        return fail(tr("The film was stopped. Nothing of it is kept."));
      }
      audience_.report(std::min(1.0, (before + t) / static_cast<double>(places_)));
    }
    if (frames_ > kLongestFilm) {
      return fail(
          tr("The film is longer than {} minutes. Choose places that are closer to each "
             "other, or a faster pace.",
             kLongestFilm / kFilmRate / 60));
    }
    return {};
  }

  // False: the last place was shown.
  bool go_on() {
    const std::uint64_t from = workspace_.state().step;
    if (from >= last_) {
      return false;
    }
    workspace_.update({state::Step{request_.by, +1}}, now_);
    if (workspace_.state().step > last_ || workspace_.state().step <= from) {
      workspace_.update({state::SeekStep{last_}}, now_);
    }
    workspace_.settle();
    return true;
  }

 private:
  void draw() {
    now_ += kFrame;
    window_.set_scale(workspace_.state().scale);
    window_.frame(0.0, [&] {
      ui::Context context =
          frame_context(workspace_.state(), workspace_.view(), window_, memory_, now_);
      context.motion = motion_;
      if (request_.caption) {
        ui::draw_caption(context);
      }
      static_cast<void>(ui::draw(context));
    });
  }

  workspace::Workspace& workspace_;
  platform::Window& window_;
  const FilmRequest& request_;
  FilmEncoder& encoder_;
  const Audience& audience_;
  std::uint64_t last_;
  std::size_t places_;  // in all, as far as is known beforehand
  ui::Memory memory_;
  platform::Image image_;
  std::optional<float> motion_;
  double now_ = 0.0;
  double shown_ = 0.0;  // places
  long frames_ = 0;     // of the film
};

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
  const auto format = film_format(request.file);
  if (!format) {
    return tl::unexpected(format.error());
  }
  const auto last = go_to_first(workspace, std::move(state), request);
  if (!last) {
    return tl::unexpected(last.error());
  }
  window.set_scale(workspace.state().scale);
  window.frame(0.0, [] {});
  const platform::Image size = window.read_pixels();
  auto encoder = FilmEncoder::start({request.file, *format, size.width, size.height});
  if (!encoder) {
    return tl::unexpected(encoder.error());
  }
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, request, *encoder, audience, *last);
  filming.come_to_rest();
  do {
    if (auto shown = filming.show(); !shown) {
      return shown;
    }
  } while (filming.go_on());
  return encoder->finish();
}

}  // namespace tilestep::program

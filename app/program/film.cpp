#include "program/film.h"

#include "problem/file.h"
#include "problem/text.h"
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
#include <random>
#include <system_error>
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

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Names of intermediate files.
constexpr const char* kLossless = "film.mkv";
constexpr const char* kPalette = "palette.png";

fs::path unfinished(const fs::path& file) {
  return file.string() + std::string(problem::kUnfinishedFile);
}

Words first_words() {
  return {"ffmpeg", "-nostdin", "-loglevel", "error", "-y"};
}

void append(Words& words, Words more) {
  words.insert(words.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// Reads raw pictures from standard input.
Words read_words(const FilmEncoder::Settings& s) {
  Words words = first_words();
  append(words, {"-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
                 fmt::format("{}x{}", s.width, s.height), "-framerate", std::to_string(kFilmRate),
                 "-i", "pipe:0"});
  return words;
}

// Plays everywhere: H.264 with halved colors, and the index at the front.
Words mp4_words(const FilmEncoder::Settings& s) {
  Words words = read_words(s);
  append(words, {"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"});
  append(words, {"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-tune", "animation"});
  append(words, {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"});
  append(words, {"-movflags", "+faststart", "-f", "mp4", unfinished(s.file).string()});
  return words;
}

// A GIF has one palette of 256 colors, which is known after the last picture: the film is stored
// losslessly until then.
Words lossless_words(const FilmEncoder::Settings& s, const fs::path& film,
                     const fs::path& palette) {
  Words words = read_words(s);
  append(words, {"-filter_complex",
                 "split[film][colours];[colours]palettegen=reserve_transparent=0[palette]"});
  append(words, {"-map", "[film]", "-c:v", "ffv1", "-pix_fmt", "bgr0", film.string()});
  append(words, {"-map", "[palette]", "-frames:v", "1", "-update", "1", palette.string()});
  return words;
}

Words gif_words(const FilmEncoder::Settings& s, const fs::path& film, const fs::path& palette) {
  Words words = first_words();
  append(words, {"-i", film.string(), "-i", palette.string()});
  append(words, {"-lavfi", "paletteuse=dither=none:diff_mode=rectangle"});
  append(words, {"-loop", "0", "-f", "gif", unfinished(s.file).string()});
  return words;
}

Result<fs::path> make_scratch() {
  std::error_code error;
  const fs::path folder =
      fs::temp_directory_path(error) / fmt::format("tilestep-film-{:08x}", std::random_device()());
  if (error || !fs::create_directory(folder, error)) {
    return fail(
        tr("Cannot create a folder for intermediate pictures. Set TMPDIR to a writable folder."));
  }
  fs::permissions(folder, fs::perms::owner_all, error);
  return folder;
}

Result<workspace::Child> start_ffmpeg(const Words& words, std::optional<std::string_view> input) {
  auto child = workspace::Child::start(words, input);
  if (!child) {
    return fail(
        tr("A film needs the program ffmpeg. {} Install it (Debian: sudo apt install ffmpeg), then "
           "try again.",
           child.error().message));
  }
  return child;
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

Result<void> make_lesson_film(workspace::Workspace& workspace, platform::Window& window,
                              const LessonFilmRequest& request, const std::atomic<bool>& cancelled,
                              const std::function<void(double)>& report) {
  auto encoder = begin(workspace, window, request.file);
  TILESTEP_RETURN_IF_ERROR(encoder);
  const lesson::Lesson& lesson = *workspace.view().lesson->lesson;
  const Show show{.pace = request.pace, .places = lesson.beats.size() + lesson.questions.size()};
  const Audience audience{cancelled, report};
  Filming filming(workspace, window, show, *encoder, audience);
  return film_all(filming, *encoder, [&] { return walk_on(workspace, filming.now()); });
}

Result<FilmFormat> film_format(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".gif" || ending == ".GIF") {
    return FilmFormat::Gif;
  }
  if (ending == ".mp4" || ending == ".MP4") {
    return FilmFormat::Mp4;
  }
  return fail(tr("{}: a film is a GIF or MP4 file. Choose a name that ends in .gif or .mp4.",
                 file.string()));
}

FilmEncoder::Scratch::~Scratch() {
  if (!folder_.empty()) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
}

Result<FilmEncoder> FilmEncoder::start(const Settings& settings) {
  auto folder = make_scratch();
  TILESTEP_RETURN_IF_ERROR(folder);
  Scratch scratch(std::move(*folder));
  const Words words = settings.format == FilmFormat::Mp4
                          ? mp4_words(settings)
                          : lossless_words(settings, scratch / kLossless, scratch / kPalette);
  auto child = start_ffmpeg(words, std::nullopt);
  TILESTEP_RETURN_IF_ERROR(child);
  return FilmEncoder(settings, std::move(scratch), std::move(*child));
}

FilmEncoder::~FilmEncoder() {
  if (!settings_.file.empty()) {
    std::error_code ignored;
    fs::remove(unfinished(settings_.file), ignored);
  }
}

Error FilmEncoder::failure() const {
  const std::string said(trimmed(child_.errors()));
  return {tr("{} cannot be written: ffmpeg reports '{}'. Choose another path or format.",
             settings_.file.string(), said.substr(0, said.find('\n')))};
}

Result<void> FilmEncoder::end() {
  child_.end_input();
  return child_.wait() == 0 ? Result<void>() : tl::unexpected(failure());
}

Result<void> FilmEncoder::add(const platform::Image& image) {
  if (child_.write(image.rgba)) {
    return {};
  }
  static_cast<void>(end());
  return tl::unexpected(failure());
}

Result<void> FilmEncoder::finish() {
  if (auto ended = end(); !ended) {
    return ended;
  }
  if (settings_.format == FilmFormat::Gif) {
    auto child = start_ffmpeg(gif_words(settings_, scratch_ / kLossless, scratch_ / kPalette), "");
    TILESTEP_RETURN_IF_ERROR(child);
    child_ = std::move(*child);
    if (auto ended = end(); !ended) {
      return ended;
    }
  }
  std::error_code error;
  fs::rename(unfinished(settings_.file), settings_.file, error);
  if (error) {
    return fail(tr("{} cannot be written: {}. Choose another path.", settings_.file.string(),
                   error.message()));
  }
  return {};
}

}  // namespace tilestep::program

#include "program/picture.h"

#include "problem/tr.h"
#include "ui/draw.h"
#include "ui/lesson/lesson.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

namespace tilestep::program {
namespace {

// Docked panels are laid out in the first frames, tables measure their columns in the next.
constexpr int kFramesToRest = 6;
// Marks of a long run are found at 100,000 steps per frame.
constexpr int kMostFrames = 400;

}  // namespace

Studio::Studio(workspace::Workspace& workspace, const workspace::Paths& paths, int width,
               int height, bool has_opengl)
    : workspace_(workspace), window_([&] {
        auto options = platform::off_screen(width, height, paths.assets / "fonts", paths.shaders);
        options.has_opengl = has_opengl;
        return options;
      }()) {}

std::optional<platform::SvgRect> rect_of(Area area, const ui::Context& context) {
  if (area != Area::Stage && area != Area::Picture) {
    return platform::SvgRect{};
  }
  const auto box = area == Area::Stage ? ui::stage_box() : ui::picture_box(context);
  return box ? std::optional(platform::SvgRect{box->x, box->y, box->right(), box->bottom()})
             : std::nullopt;
}

Result<PixelSize> parse_pixels(const std::string& text) {
  PixelSize size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool has_height = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = has_height ? std::from_chars(width.ptr + 1, end, size.height) : width;
  if (!has_height || height.ec != std::errc() || height.ptr != end || size.width < 320 ||
      size.height < 240 || size.width > 16384 || size.height > 16384) {
    return fail(
        tr("--pixels {}: write WIDTHxHEIGHT, at least 320x240, for example 1920x1080.", text));
  }
  return size;
}

Result<platform::Image> Studio::take(state::AppState state,
                                     const std::optional<lesson::Place>& place, const Shot& shot) {
  const auto shown = show(std::move(state), place, shot);
  TILESTEP_RETURN_IF_ERROR(shown);
  return window_.read_pixels(*shown);
}

Result<std::string> Studio::take_svg(state::AppState state,
                                     const std::optional<lesson::Place>& place, const Shot& shot) {
  const auto shown = show(std::move(state), place, {shot.motion, 1, shot.area});
  TILESTEP_RETURN_IF_ERROR(shown);
  return window_.svg(*shown);
}

Result<platform::SvgRect> Studio::show(state::AppState state,
                                       const std::optional<lesson::Place>& place,
                                       const Shot& shot) {
  state.animate = false;
  state.playing = false;
  workspace_.set_state(std::move(state));
  workspace_.settle();
  const workspace::FrameView& view = workspace_.view();
  if (!shot.shows_mistake && (view.run.scene == nullptr || !view.messages.error.empty())) {
    return fail(view.messages.error.empty() ? tr("no recording") : view.messages.error);
  }
  if (place) {
    state::AppState at = workspace_.state();
    if (const auto error = lesson::beyond_end(*place, *view.run.scene->recording, at.focus.block)) {
      return tl::unexpected(*error);
    }
    lesson::go_to(*place, *view.run.scene->recording, at);
    workspace_.set_state(std::move(at));
    workspace_.settle();
  }
  ui::Memory memory;
  set_looks(window_, workspace_.state());
  double now = 0.0;
  const auto frame = [&] {
    return frame_context(workspace_.state(), workspace_.view(), window_, memory, now);
  };
  const auto draw = [&] {
    ui::Context context = frame();
    context.motion = shot.motion;
    if (shot.area == Area::Notes) {
      ui::draw_notes(context);
    } else {
      static_cast<void>(ui::draw(context));
    }
  };
  for (int i = 0; i < kFramesToRest || (memory.wants_frames() && i < kMostFrames); ++i) {
    now = i;
    window_.frame(0.0, draw);
    memory.note_frame(now);
  }
  for (int i = 0; shot.density > 1 && i < kFramesToRest; ++i) {
    window_.draw_aside(shot.density, draw);
  }
  const auto rect = rect_of(shot.area, frame());
  return rect ? Result<platform::SvgRect>(*rect)
              : fail(tr(
                    "The Timing tab has no stage. Leave out --stage-only, or choose another tab."));
}

}  // namespace tilestep::program

#include "ui/timing/sm_pixels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace tilestep::ui {

using clock::StateSpan;
using clock::WarpLife;
using clock::WarpState;

namespace {

// The `count` pixels from `at` show this level.
void add_level(std::vector<Level>& levels, int at, int count, double level) {
  constexpr float kSteps = 16.0F;  // levels that look the same are one
  const float shown = std::round(static_cast<float>(std::min(1.0, level)) * kSteps) / kSteps;
  const auto left = static_cast<float>(at);
  const auto right = static_cast<float>(at + count);
  if (!levels.empty() && levels.back().right == left && levels.back().level == shown) {
    levels.back().right = right;
  } else if (shown > 0.0F) {
    levels.push_back({left, right, shown});
  }
}

using PixelClocks = std::array<double, clock::kWarpStates>;

// Calls f(first pixel, count, clocks of each state in one of them) for pixels that show the same.
template <class F>
void for_each_pixel(const WarpLife& life, ClockRange range, float width, F&& f) {
  const double per_pixel = static_cast<double>(range.clocks) / width;
  const int pixels = static_cast<int>(width);
  auto span = std::ranges::upper_bound(life.spans, range.first, {}, &StateSpan::start);
  span = span == life.spans.begin() ? span : span - 1;
  PixelClocks clocks{};
  int pixel = 0;
  double at = 0.0;  // clocks after the first on screen, as all below
  double edge = per_pixel;
  const auto go_to = [&](int next) {
    pixel = next;
    at = per_pixel * next;
    edge = per_pixel * (next + 1);
    clocks = {};
  };
  for (; span != life.spans.end() && pixel < pixels; ++span) {
    const auto next = span + 1;
    const auto start = static_cast<double>(span->start - range.first);
    const auto end =
        static_cast<double>((next == life.spans.end() ? life.end : next->start) - range.first);
    double& of_state = clocks[static_cast<std::size_t>(span->state)];
    if (start >= edge) {  // the warp starts later
      go_to(static_cast<int>(start / per_pixel));
    }
    at = std::max(at, start);
    if (end < edge) {
      of_state += end - at;
      at = end;
      continue;
    }
    of_state += edge - at;
    f(pixel, 1, clocks);
    go_to(pixel + 1);
    const int whole = std::min(static_cast<int>(end / per_pixel), pixels) - pixel;
    if (whole > 0) {
      of_state = per_pixel;
      f(pixel, whole, clocks);
      go_to(pixel + whole);
    }
    of_state += std::max(0.0, end - at);
    at = std::max(at, end);
  }
  if (pixel < pixels) {
    f(pixel, 1, clocks);
  }
}

// Adds the warp's issues to those of its scheduler, by pixel.
void add_row(const WarpLife& life, ClockRange range, float width, std::vector<double>& issued_of,
             SmPixels& drawn) {
  std::vector<Piece>& states = drawn.states.emplace_back();
  std::vector<Level>& issues = drawn.issues.emplace_back();
  const double per_pixel = static_cast<double>(range.clocks) / width;
  for_each_pixel(life, range, width, [&](int pixel, int count, const PixelClocks& clocks) {
    const auto* const most = std::max_element(clocks.begin(), clocks.end());
    if (*most <= 0.0) {
      return;
    }
    const auto left = static_cast<float>(pixel);
    const auto right = static_cast<float>(pixel + count);
    const auto state = static_cast<WarpState>(most - clocks.begin());
    if (!states.empty() && states.back().state == state && states.back().right == left) {
      states.back().right = right;
    } else {
      states.push_back({left, right, state});
    }
    const double issued = clocks[static_cast<std::size_t>(WarpState::Selected)] / per_pixel;
    if (issued > 0.0) {
      for (int k = pixel; k < pixel + count; ++k) {
        issued_of[static_cast<std::size_t>(k)] += issued;
      }
    }
    add_level(issues, pixel, count, issued);
  });
}

}  // namespace

SmPixels make_pixels(const workspace::ShownSm& sm, const state::SmView& view, ClockRange range,
                     float width) {
  SmPixels drawn;
  const std::vector<WarpLife>& lives = sm.run.lives;
  drawn.warps.resize(lives.size());
  std::iota(drawn.warps.begin(), drawn.warps.end(), std::size_t{0});
  std::ranges::stable_sort(drawn.warps, {}, [&](std::size_t k) {
    const std::uint32_t group = view.by_scheduler ? lives[k].slot % kSchedulers : 0;
    return std::tuple(group, lives[k].block, lives[k].warp);
  });
  std::array<std::vector<double>, kSchedulers> issued;
  for (auto& lane : issued) {
    lane.assign(static_cast<std::size_t>(width) + 1, 0.0);
  }
  const double per_pixel = static_cast<double>(range.clocks) / width;
  for (const std::size_t k : drawn.warps) {
    add_row(lives[k], range, width, issued[lives[k].slot % kSchedulers], drawn);
  }
  for (int pixel = 0; pixel < static_cast<int>(width); ++pixel) {
    for (std::size_t s = 0; s < kSchedulers; ++s) {
      add_level(drawn.schedulers[s], pixel, 1, issued[s][static_cast<std::size_t>(pixel)]);
    }
    const auto first =
        static_cast<std::int64_t>(static_cast<double>(pixel) * per_pixel) + range.first;
    const auto last =
        std::max(first + 1, static_cast<std::int64_t>(static_cast<double>(pixel + 1) * per_pixel) +
                                range.first);
    double busy = 0.0;
    std::int64_t values = 0;
    for (std::int64_t at = first / clock::kBusyClocks; at <= (last - 1) / clock::kBusyClocks;
         ++at) {
      busy += static_cast<std::size_t>(at) < sm.run.busy.size()
                  ? sm.run.busy[static_cast<std::size_t>(at)]
                  : 0;
      ++values;
    }
    add_level(drawn.stage, pixel, 1, busy / static_cast<double>(values * clock::kBusyClocks));
  }
  return drawn;
}

}  // namespace tilestep::ui

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

void add_level(std::vector<Level>& levels, float at, float level) {
  constexpr float kSteps = 16.0F;  // levels that look the same are one
  level = std::round(level * kSteps) / kSteps;
  if (!levels.empty() && levels.back().right == at && levels.back().level == level) {
    levels.back().right = at + 1.0F;
  } else if (level > 0.0F) {
    levels.push_back({at, at + 1.0F, level});
  }
}

// Clocks of each state, pixel by pixel. Calls f(pixel, clocks by state).
template <class F>
void for_each_pixel(const WarpLife& life, ClockRange range, float width, F&& f) {
  const double per_pixel = static_cast<double>(range.clocks) / width;
  const auto pixel_of = [&](std::int64_t clock) {
    return static_cast<double>(clock - range.first) / per_pixel;
  };
  auto span = std::ranges::upper_bound(life.spans, range.first, {}, &StateSpan::start);
  span = span == life.spans.begin() ? span : span - 1;
  std::array<double, clock::kWarpStates> clocks{};
  int pixel = 0;
  const int last_pixel = static_cast<int>(width);
  const auto flush = [&](int until) {
    f(pixel, clocks);
    clocks = {};
    pixel = until;
  };
  for (; span != life.spans.end() && pixel < last_pixel; ++span) {
    const auto next = span + 1;
    const std::int64_t end = next == life.spans.end() ? life.end : next->start;
    double left = std::max(pixel_of(span->start), 0.0);
    const double right = std::min(pixel_of(end), static_cast<double>(width));
    while (left < right) {
      const int at = static_cast<int>(left);
      if (at != pixel) {
        flush(at);
      }
      const double part = std::min(right, static_cast<double>(at) + 1.0);
      clocks[static_cast<std::size_t>(span->state)] += (part - left) * per_pixel;
      left = part;
    }
  }
  flush(last_pixel);
}

// Adds the warp's issues to those of its scheduler, by pixel.
void add_row(const WarpLife& life, ClockRange range, float width, std::vector<double>& issued_of,
             SmPixels& drawn) {
  std::vector<Piece>& states = drawn.states.emplace_back();
  std::vector<Level>& issues = drawn.issues.emplace_back();
  const double per_pixel = static_cast<double>(range.clocks) / width;
  for_each_pixel(life, range, width, [&](int pixel, const auto& clocks) {
    const auto most = std::max_element(clocks.begin(), clocks.end());
    if (*most <= 0.0) {
      return;
    }
    const auto x = static_cast<float>(pixel);
    const auto state = static_cast<WarpState>(most - clocks.begin());
    if (!states.empty() && states.back().state == state && states.back().right == x) {
      states.back().right = x + 1.0F;
    } else {
      states.push_back({x, x + 1.0F, state});
    }
    const double issued = clocks[static_cast<std::size_t>(WarpState::Selected)] / per_pixel;
    issued_of[static_cast<std::size_t>(pixel)] += issued;
    add_level(issues, x, static_cast<float>(std::min(1.0, issued)));
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
    const auto x = static_cast<float>(pixel);
    for (std::size_t s = 0; s < kSchedulers; ++s) {
      add_level(drawn.schedulers[s], x,
                static_cast<float>(std::min(1.0, issued[s][static_cast<std::size_t>(pixel)])));
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
    add_level(
        drawn.stage, x,
        static_cast<float>(std::min(1.0, busy / static_cast<double>(values * clock::kBusyClocks))));
  }
  return drawn;
}

}  // namespace tilestep::ui

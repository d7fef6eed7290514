#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace tilestep::cli {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr int kTicksADrawing = 10;

}  // namespace

ProgressLine::ProgressLine(std::string what, std::uint32_t total)
    : what_(std::move(what)), total_(total) {
  if (isatty(STDERR_FILENO) != 0) {
    drawer_ = std::thread([this] { draw(); });
  }
}

ProgressLine::~ProgressLine() {
  ending_ = true;
  if (drawer_.joinable()) {
    drawer_.join();
  }
}

void ProgressLine::draw() {
  bool drawn = false;
  for (int tick = 1; !ending_; ++tick) {
    std::this_thread::sleep_for(kTick);
    if (tick % kTicksADrawing == 0) {
      // A second run over the same blocks counts on.
      fmt::print(stderr, "\r{}: {} of {} blocks ", what_, std::min<std::uint32_t>(done_, total_),
                 total_);
      std::fflush(stderr);
      drawn = true;
    }
  }
  if (drawn) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace tilestep::cli

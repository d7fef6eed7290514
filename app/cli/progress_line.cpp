#include "cli/progress_line.h"

#include "problem/tr.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace tilestep::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenDrawings{500};

std::string time_left(double seconds) {
  return seconds < 90.0 ? tr("{:.0f} s left", seconds) : tr("{:.0f} min left", seconds / 60.0);
}

}  // namespace

ProgressLine::ProgressLine(std::string what, std::uint32_t total, std::string unit)
    : what_(std::move(what)), unit_(std::move(unit)), total_(total) {
  if (isatty(STDERR_FILENO) != 0) {
    drawer_ = std::jthread([this](const std::stop_token& end) { draw(end); });
  }
}

void ProgressLine::draw(const std::stop_token& end) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  bool drawn = false;
  const auto start = std::chrono::steady_clock::now();
  while (!ended.wait_for(lock, end, kBetweenDrawings, [&] { return end.stop_requested(); })) {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
    if (past.count() < 1.0) {
      continue;
    }
    const std::uint32_t done = std::min<std::uint32_t>(done_, total_);
    // A second run over the same blocks counts on.
    fmt::print(
        stderr, "\r{}{}\x1b[K", tr("{}: {} of {} {}", what_, done, total_, unit_),
        done == 0 || done == total_ ? "" : ", " + time_left(past.count() * (total_ - done) / done));
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace tilestep::cli

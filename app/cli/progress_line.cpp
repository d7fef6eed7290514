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

// By the pace so far. Before anything is done, and behind it, only what has passed is known.
std::string time_left(double past, std::uint32_t done, std::uint32_t total) {
  if (done == 0 || done == total) {
    return tr("{:.0f} s so far", past);
  }
  const double left = past * (total - done) / done;
  return left < 90.0 ? tr("{:.0f} s left", left) : tr("{:.0f} min left", left / 60.0);
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
    fmt::print(stderr, "\r{}, {}\x1b[K",
               total_ == 0 ? what_ : tr("{}: {} of {} {}", what_, done, total_, unit_),
               time_left(past.count(), done, total_));
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace tilestep::cli

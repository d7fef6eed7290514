#include "cli/progress_line.h"

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

}  // namespace

ProgressLine::ProgressLine(std::string what, std::uint32_t total)
    : what_(std::move(what)), total_(total) {
  if (isatty(STDERR_FILENO) != 0) {
    drawer_ = std::jthread([this](const std::stop_token& end) { draw(end); });
  }
}

void ProgressLine::draw(const std::stop_token& end) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  bool drawn = false;
  while (!ended.wait_for(lock, end, kBetweenDrawings, [&] { return end.stop_requested(); })) {
    // A second run over the same blocks counts on.
    fmt::print(stderr, "\r{}: {} of {} blocks ", what_, std::min<std::uint32_t>(done_, total_),
               total_);
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace tilestep::cli

#include "cli/output.h"

#include "cli/prepare.h"
#include "problem/posix.h"

#include <mutex>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>

namespace tilestep::cli {
namespace {

// Columns of a terminal: a character takes one, an ideograph (U+3000 and beyond) two.
std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool goes_on = (byte & 0xc0U) == 0x80U;
    columns += goes_on ? 0 : byte >= 0xe3U && byte <= 0xefU ? 2 : 1;
  }
  return columns;
}

constexpr std::chrono::milliseconds kBetweenDrawings{500};

// The time left at the pace so far. At the beginning and at the end only the elapsed time is known.
std::string time_left(double past, std::uint32_t done, std::uint32_t total) {
  if (done == 0 || done == total) {
    return tr("{:.0f} s so far", past);
  }
  const double left = past * (total - done) / done;
  return left < 90.0 ? tr("{:.0f} s left", left) : tr("{:.0f} min left", left / 60.0);
}

}  // namespace

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(row[c]));
    }
  }
  if (last_ == Last::Sentence) {
    widths.back() = 0;
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = "  " + row[0] + std::string(widths[0] - width(row[0]), ' ');
    for (std::size_t c = 1; c < columns; ++c) {
      const std::size_t cell = width(row[c]);
      line += "  " + std::string(widths[c] > cell ? widths[c] - cell : 0, ' ') + row[c];
    }
    out += line + "\n";
  }
  return out;
}

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
    // A second run over the same blocks continues the count.
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

namespace {
#ifdef _WIN32
constexpr const char* kNothing = "NUL";
#else
constexpr const char* kNothing = "/dev/null";
#endif
}  // namespace

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // Opened in the wrong direction, so that using it fails. The lowest free number is this one.
      static_cast<void>(::open(kNothing, stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

int finish_output(int status, int failed_print) {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  // Some file systems report errors only at closing.
  const bool failed_now = std::fflush(stdout) != 0 || ::close(STDOUT_FILENO) != 0;
  if (!failed_before && !failed_now) {
    return status;
  }
  const int reason = failed_print != 0 ? failed_print : failed_now ? errno : EIO;
  if (reason == EPIPE) {
    return status;
  }
  return wrong_use({tr("Cannot write to standard output: {}. Free some space, or redirect it.",
                       std::strerror(reason))});
}

}  // namespace tilestep::cli

// One line on a terminal that says how far a long run is; nothing where stderr is no terminal.
#pragma once

#include "problem/tr.h"

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

namespace tilestep::cli {

class ProgressLine {
 public:
  // "check: 120 of 4096 blocks, 25 s left" (by the pace so far), from a second on; "check: 0 of 1
  // blocks, 3 s so far"; with a total of 0 "describe, 3 s so far".
  ProgressLine(std::string what, std::uint32_t total, std::string unit = tr("blocks"));

  [[nodiscard]] std::atomic<std::uint32_t>& done() { return done_; }

 private:
  void draw(const std::stop_token& end);

  std::string what_;
  std::string unit_;
  std::uint32_t total_;
  std::atomic<std::uint32_t> done_ = 0;
  std::jthread drawer_;  // last: it ends before what it reads
};

}  // namespace tilestep::cli

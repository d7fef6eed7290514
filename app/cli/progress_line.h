// One line on a terminal that says how far a long run is; nothing where stderr is no terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace tilestep::cli {

class ProgressLine {
 public:
  // "check: 120 of 4096 blocks", from half a second on.
  ProgressLine(std::string what, std::uint32_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

  [[nodiscard]] std::atomic<std::uint32_t>& done() { return done_; }

 private:
  void draw();

  std::string what_;
  std::uint32_t total_;
  std::atomic<std::uint32_t> done_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread drawer_;
};

}  // namespace tilestep::cli

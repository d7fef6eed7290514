// A recorded launch, narrated statement by statement.
#pragma once

#include "insight/check/check.h"
#include "narration/narrator.h"
#include "simulated.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilestep::test {

// Integers of −4 to 9 without 0, so that a sum has at most three digits and a wrong factor is
// visible.
inline void fill_small(problem::Launch& launch) {
  std::size_t salt = 0;
  for (problem::Buffer& buffer : launch.buffers) {
    ++salt;
    if (buffer.role != problem::BufferRole::Input) {
      continue;
    }
    const std::size_t size = problem::byte_size(buffer.type);
    for (std::size_t i = 0; i * size < buffer.contents.size(); ++i) {
      const std::size_t n = (i * 7 + i / 5 + salt * 5 + i * i % 11) % 13;  // −4 … 8
      const double value = static_cast<double>(n) - 4.0;
      problem::store_element(buffer.type, value >= 0.0 ? value + 1.0 : value,
                             buffer.contents.data() + i * size);
    }
  }
}

class Narrated {
 public:
  explicit Narrated(const problem::Launch& launch, const simt::Schedule& schedule = {},
                    int warp_size = simt::kWarpSize)
      : Narrated(Simulated().program(launch, compile::Build::Step, warp_size), schedule) {}
  Narrated(const std::string& kernel, problem::Problem size, int block_size,
           const simt::Schedule& schedule = {}, int warp_size = simt::kWarpSize)
      : Narrated(
            [&] {
              problem::Launch launch = launch_of(kernel, size, block_size);
              fill_small(launch);
              return launch;
            }(),
            schedule, warp_size) {}
  explicit Narrated(std::shared_ptr<const simt::Program> program,
                    const simt::Schedule& schedule = {}) {
    auto made = record::Recording::make(std::move(program), schedule);
    if (!made) {
      throw std::runtime_error(made.error().message);
    }
    recording_ = std::move(*made);
  }

  struct Line {
    std::size_t statement = 0;
    std::uint32_t line = 0;  // of the narrated thread
    narration::Narration narrated;
    [[nodiscard]] std::string text() const {
      return narration::plain_text(narrated.sentence.long_form);
    }
    [[nodiscard]] std::string brief() const {
      return narration::plain_text(narrated.sentence.short_form);
    }
  };
  // Every statement in which the block took part.
  [[nodiscard]] std::vector<Line> all(std::uint32_t block, std::uint32_t thread,
                                      bool with_findings = false) const {
    const narration::Narrator narrator(*recording_, block);
    const insight::BlockSums sums(*recording_, block);
    std::vector<insight::Finding> findings;
    if (with_findings) {
      findings = insight::check(recording_->shared_program(), recording_->schedule()).findings;
    }
    const auto starts = recording_->statement_starts();
    std::vector<Line> lines;
    record::State before = recording_->state_at(0);
    lines.push_back({0, 0, narrator.narrate({nullptr, before, nullptr, thread, &sums, {}})});
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      record::State after = before;
      const record::Activity activity = recording_->advance(after, starts[i + 1]);
      const auto mine = std::find_if(activity.executed.begin(), activity.executed.end(),
                                     [&](const auto& e) { return e.warp.block == block; });
      if (mine != activity.executed.end()) {
        lines.push_back({i, mine->line,
                         narrator.narrate({&before, after, &activity, thread, &sums, findings})});
      }
      before = std::move(after);
    }
    return lines;
  }
  // The sentence of the `nth` statement (from 0) of a line.
  [[nodiscard]] std::string at_line(std::uint32_t line, std::uint32_t block, std::uint32_t thread,
                                    int nth = 0) const {
    for (const Line& l : all(block, thread)) {
      if (l.line == line && nth-- == 0) {
        return l.text();
      }
    }
    throw std::runtime_error("the line is never executed");
  }
  [[nodiscard]] const record::Recording& recording() const { return *recording_; }

 private:
  std::shared_ptr<const record::Recording> recording_;
};

}  // namespace tilestep::test

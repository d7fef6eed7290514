#include "insight/count/line_sample.h"

#include "insight/count/access_pattern.h"
#include "insight/count/block_run.h"
#include "simt/state/lane_mask.h"

#include <algorithm>
#include <unordered_set>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kLineBytes = 128;
// Warp instructions: a block that makes the most of every request, a tuned one or one of tensor
// units, would execute millions of others on its way to as many requests.
constexpr std::uint64_t kMostSteps = 300'000;

class LineObserver : public simt::Observer {
 public:
  void on_memory(const simt::StepInfo& /*info*/, const simt::MemoryEvent& event) override {
    if (event.space == ptx::Space::Shared || event.space == ptx::Space::Local) {
      return;
    }
    lines_of_request_.clear();
    simt::for_each_lane(event.mask, [&](std::size_t lane) {
      const std::uint64_t first = event.addresses[lane];
      const std::uint64_t last = first + event.bytes - 1;
      lines_of_request_.push_back(first / kLineBytes);
      if (last / kLineBytes != first / kLineBytes) {
        lines_of_request_.push_back(last / kLineBytes);
      }
      sectors_.insert(first / kSectorBytes);
      sectors_.insert(last / kSectorBytes);
    });
    std::sort(lines_of_request_.begin(), lines_of_request_.end());
    seen_.lines +=
        static_cast<std::uint64_t>(std::unique(lines_of_request_.begin(), lines_of_request_.end()) -
                                   lines_of_request_.begin());
    ++seen_.requests;
    seen_.distinct_sectors = sectors_.size();
  }
  [[nodiscard]] const LineSample& seen() const { return seen_; }

 private:
  LineSample seen_;
  std::vector<std::uint64_t> lines_of_request_;
  std::unordered_set<std::uint64_t> sectors_;
};

}  // namespace

LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                        std::uint64_t most_requests) {
  const std::uint32_t all = program->block_count();
  const std::uint32_t row = std::max(1U, program->launch().grid.x);
  // Not at an edge of the grid, where it has any inside.
  const std::uint32_t middle = all / row / 2 * row + row / 2;
  LineObserver observer;
  std::uint64_t steps = 0;
  const auto is_enough = [&] {
    return observer.seen().requests >= most_requests || steps >= kMostSteps;
  };
  BlockRun(program, std::min(middle, all - 1)).to_end(&observer, is_enough, &steps);
  LineSample sample = observer.seen();
  sample.is_whole = !is_enough();
  return sample;
}

}  // namespace tilestep::insight

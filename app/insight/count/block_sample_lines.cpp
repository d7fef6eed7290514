#include "insight/count/block_sample.h"
#include "insight/count/counters.h"
#include "simt/state/event.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kPieceBytes = 64;  // bytes that DRAM returns at once
constexpr std::uint32_t kMostBlocks = 16;
// Limit in warp instructions. A block with few requests per instruction (a tuned kernel, or one of
// tensor units) would execute millions of instructions to reach the wanted number of requests.
constexpr std::uint64_t kMostSteps = 300'000;

class LineObserver : public simt::Observer {
 public:
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
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
    std::ranges::sort(lines_of_request_);
    const auto lines =
        static_cast<std::uint64_t>(std::unique(lines_of_request_.begin(), lines_of_request_.end()) -
                                   lines_of_request_.begin());
    seen_.passes += std::max<std::uint64_t>(count_wavefronts(event), lines);
    ++seen_.requests;
    if (event.kind == simt::AccessKind::Load) {
      Loads& loads = loads_[{info.function, info.pc}];
      ++loads.all;
      loads.of_new += touch_pieces(info.id.warp, event) ? 1 : 0;
    }
  }
  // Later requests belong to another block.
  void end_block() {
    seen_.distinct_sectors += sectors_.size();
    sectors_.clear();
    pieces_.clear();
  }
  [[nodiscard]] std::uint64_t requests() const { return seen_.requests; }
  [[nodiscard]] LineSample seen() const {
    LineSample all = seen_;
    for (const auto& [place, loads] : loads_) {
      if (loads.of_new > all.loads_of_new) {
        all.loads = loads.all;
        all.loads_of_new = loads.of_new;
      }
    }
    return all;
  }

 private:
  struct Loads {
    std::uint64_t all = 0;
    std::uint64_t of_new = 0;
  };

  // Whether one of the pieces is new to the warp.
  bool touch_pieces(std::uint32_t warp, const simt::MemoryEvent& event) {
    if (pieces_.size() <= warp) {
      pieces_.resize(warp + 1);
    }
    bool is_new = false;
    simt::for_each_lane(event.mask, [&](std::size_t lane) {
      is_new = pieces_[warp].insert(event.addresses[lane] / kPieceBytes).second || is_new;
    });
    return is_new;
  }

  LineSample seen_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Loads> loads_;  // by function and pc
  std::vector<std::uint64_t> lines_of_request_;
  std::unordered_set<std::uint64_t> sectors_;
  std::vector<std::unordered_set<std::uint64_t>> pieces_;  // by warp
};

// Picks position `step` of `steps` along an axis of `count` blocks, through the middle. Every other
// block if there are enough, and no edge block if there is an inner one.
std::uint32_t along_axis(std::uint32_t count, std::uint32_t step, std::uint32_t steps) {
  const std::uint32_t inside = count > 2 ? count - 2 : count;
  const std::uint32_t stride = inside >= 2 * steps ? 2 : 1;
  const std::uint32_t length = std::min(inside, stride * steps);
  return (count - inside) / 2 + (inside - length) / 2 + stride * step % length;
}

}  // namespace

LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                        std::uint64_t most_requests) {
  const std::uint32_t all = program->block_count();
  const std::uint32_t columns = std::max(1U, program->launch().grid.x);
  const std::uint32_t rows = std::max(1U, all / columns);
  const std::uint32_t blocks = std::min(kMostBlocks, std::max(columns, rows));
  LineObserver observer;
  std::uint64_t steps = 0;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    // The next block may use what a block leaves of its share.
    const auto is_enough = [&] {
      return observer.requests() >= most_requests * (i + 1) / blocks ||
             steps >= kMostSteps * (i + 1) / blocks;
    };
    const std::uint32_t block =
        along_axis(rows, i, blocks) * columns + along_axis(columns, i, blocks);
    BlockRun(program, block).to_end(&observer, is_enough, &steps);
    observer.end_block();
  }
  return observer.seen();
}

}  // namespace tilestep::insight

#include "insight/count/representatives.h"

#include "insight/count/affine_tracker.h"
#include "insight/count/loop_skipper.h"
#include "insight/count/reuse.h"
#include "problem/tr.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace tilestep::insight {
namespace {

// If there are more classes than 1/16 of the blocks, executing all blocks is as fast.
constexpr std::uint64_t kFewBlocks = 16;
// Reads of larger buffers are not counted element by element.
constexpr std::uint64_t kFewElements = 1ULL << 20;

// A proof that needs many blocks is judged by its first part. It is abandoned if the estimate for
// all of it exceeds this share of the limit: edges are executed last and take more steps per block,
// and many classes cost extra time.
constexpr std::uint64_t kManyBlocks = 32;
constexpr std::uint64_t kShareToJudgeBy = 16;
constexpr double kShareThatFits = 0.2;
// The last few blocks are enough to judge by if they took long and represent almost no other
// blocks.
constexpr std::size_t kLastBlocks = 2;
constexpr double kShareFarTooLarge = 4.0;

std::uint64_t blocks(const BlockRange& range) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < kBlockAxes; ++i) {
    count *= std::uint64_t{range.last[i]} - range.first[i] + 1;
  }
  return count;
}

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

// Steps along the axes from one block to the next with the same profile; 1 along the iterations.
AxisPoint steps_along(const AxisPoint& periods) {
  AxisPoint steps = periods;
  steps[kIterations] = 1;
  return steps;
}

class Representatives {
 public:
  // `stores`: also checks that stores are exclusive.
  Representatives(std::shared_ptr<const simt::Program> program, std::uint64_t most_steps,
                  Profile& result, const std::atomic<bool>* cancel, bool stores = false)
      : program_(std::move(program)),
        axes_(program_->launch().grid),
        most_steps_(most_steps),
        meter_(*program_),
        result_(result),
        cancel_(cancel),
        with_stores_(stores) {}

  [[nodiscard]] bool run() {
    begin();
    while (!pending_.empty() && !result_.cancelled) {
      const BlockRange range = pending_.back();
      pending_.pop_back();
      if (!run_first_of(range)) {
        keep_part(range);
        return false;
      }
    }
    result_.classes = classes_.take();
    result_.steps_executed = steps_;
    for (const std::unique_ptr<ReadTally>& reads : reads_) {
      result_.reuse.push_back(reads->reuse());
    }
    return true;
  }

  // Linear indices.
  [[nodiscard]] const std::vector<std::uint32_t>& executed() const { return executed_; }
  [[nodiscard]] const std::optional<ExclusiveStores>& stores() const { return stores_; }

 private:
  // Starts with the whole grid, on the current axes.
  void begin() {
    result_.blocks_executed = 0;
    executed_.clear();
    if (with_stores_) {
      stores_.emplace(*program_);
    }
    pending_ = axes_.ranges();
    // The largest range is next: the share that it proves shows how long the proof will take.
    std::ranges::stable_sort(
        pending_, [](const BlockRange& a, const BlockRange& b) { return blocks(a) < blocks(b); });
    proved_ = 0;
    proved_executed_ = 0;
    first_step_ = steps_;
    latest_.clear();
    classes_ = {};
    reads_.clear();
    for (const problem::Buffer& buffer : program_->launch().buffers) {
      const bool few = problem::byte_count(buffer) / problem::byte_size(buffer.type) < kFewElements;
      if (few) {
        reads_.push_back(std::make_unique<ReadCounts>(buffer));
      } else {
        reads_.push_back(std::make_unique<ReadProducts>(buffer));
      }
    }
  }

  // Executes a range's first block, adds the blocks that do the same, and leaves the others
  // pending.
  bool run_first_of(const BlockRange& range) {
    const auto block =
        static_cast<std::uint32_t>(program_->launch().grid.linear(axes_.block_at(range.first)));
    meter_.clear();
    if (result_.blocks_executed * 2 > result_.blocks && result_.blocks > kFewBlocks) {
      return give_up(tr("almost every block does something different"));
    }
    if (steps_ > most_steps_ || is_hopeless()) {
      return give_up(tr("too many blocks do something different"));
    }
    simt::Machine machine(program_, {block, block + 1});
    AffineTracker tracker(machine, meter_, block, axes_, BlockDomain(range, range.first));
    LoopSkipper run(machine, tracker, meter_, block, loop_periods_);
    run.to_end([&] {
      return !tracker.failure().empty() || tracker.wanted_split().has_value() || is_set(cancel_) ||
             run.steps() > most_steps_;
    });
    steps_ += run.steps();
    ++result_.blocks_executed;
    if (is_set(cancel_)) {
      result_.cancelled = true;
      return true;
    }
    if (!tracker.failure().empty() && loop_periods_.learn(run.periods())) {
      pending_.push_back(range);
      return true;
    }
    if (const auto& split = tracker.wanted_split()) {
      if (!axes_.split(split->axis, split->period)) {
        return give_up(tr("the kernel splits the block index in too many ways"));
      }
      begin();
      return true;
    }
    if (run.steps() > most_steps_) {
      return give_up(tr("a block executes too many instructions"));
    }
    if (tracker.failure().empty() && meter_.splits_elements()) {
      return give_up(tr("an address differs from block to block by a fraction of an element"));
    }
    if (!tracker.failure().empty()) {
      return give_up(tracker.failure());
    }
    loop_periods_.learn_proved(run.periods());
    executed_.push_back(block);
    if (stores_) {
      stores_->add(meter_, tracker.domain().range());
      if (!stores_->failure().empty()) {
        return give_up(stores_->failure());
      }
    }
    const BlockRange& domain = tracker.domain().range();
    add(domain);
    proved_ += blocks(domain);
    ++proved_executed_;
    latest_.push_back({run.steps(), blocks(domain)});
    if (latest_.size() > kLastBlocks) {
      latest_.pop_front();
    }
    leave_rest(range, domain);
    return true;
  }

  // At this rate the proof would exceed its limit.
  [[nodiscard]] bool is_hopeless() const {
    const std::uint64_t steps = steps_ - first_step_;
    const double all = static_cast<double>(steps) * static_cast<double>(result_.blocks) /
                       static_cast<double>(std::max<std::uint64_t>(proved_, 1));
    return steps > most_steps_ / kShareToJudgeBy &&
           ((result_.blocks_executed > kManyBlocks && all > kShareThatFits * budget()) ||
            rest_is_hopeless());
  }
  [[nodiscard]] bool rest_is_hopeless() const {
    if (latest_.size() < kLastBlocks) {
      return false;
    }
    std::uint64_t steps = 0;
    std::uint64_t proved = 0;
    for (const Proved& block : latest_) {
      steps += block.steps;
      proved += block.blocks;
    }
    const auto left = static_cast<double>(result_.blocks - proved_);
    return steps > most_steps_ / kShareToJudgeBy &&
           static_cast<double>(steps) * left / static_cast<double>(proved) >
               kShareFarTooLarge * budget();
  }
  [[nodiscard]] double budget() const { return static_cast<double>(most_steps_); }

  // Keeps the proof so far if it covers most of the launch.
  void keep_part(const BlockRange& failed) {
    if (2 * proved_ <= result_.blocks || proved_ == result_.blocks) {
      return;
    }
    auto part = std::make_shared<PartialProof>(
        PartialProof{classes_.take(), proved_, proved_executed_, axes_, std::move(pending_)});
    part->rest.push_back(failed);
    result_.partial = std::move(part);
  }

  bool give_up(const std::string& why) {
    result_.why_full = why;
    return false;
  }

  // Blocks of the domain have the same profile if their distance is a multiple of the period.
  void add(const BlockRange& domain) {
    const AxisPoint periods = meter_.periods();
    BlockRange residues = domain;
    for (std::size_t i = 0; i < kAxes; ++i) {
      residues.last[i] = std::min(domain.last[i], domain.first[i] + periods[i] - 1);
    }
    AxisPoint at = residues.first;
    do {
      BlockRange alike = domain;
      AxisPoint away{};
      for (std::size_t i = 0; i < kAxes; ++i) {
        alike.first[i] = at[i];
        away[i] = at[i] - domain.first[i];
      }
      classes_.add(meter_.profile(away), axes_.sets(alike, steps_along(periods)));
    } while (next_point(residues, at));
    for (std::size_t buffer = 0; buffer < reads_.size(); ++buffer) {
      reads_[buffer]->add(meter_.footprints()[buffer], domain);
    }
  }

  // Splits the range without the domain into ranges. Both start at the same block.
  void leave_rest(const BlockRange& range, const BlockRange& domain) {
    BlockRange rest = range;
    for (std::size_t i = kBlockAxes; i-- > 0;) {
      if (domain.last[i] < rest.last[i]) {
        BlockRange behind = rest;
        behind.first[i] = domain.last[i] + 1;
        pending_.push_back(behind);
        rest.last[i] = domain.last[i];
      }
    }
  }

  std::shared_ptr<const simt::Program> program_;
  BlockAxes axes_;
  std::uint64_t most_steps_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t first_step_ = 0;  // of the proof on the current axes
  std::uint64_t proved_ = 0;      // blocks
  std::uint64_t proved_executed_ = 0;
  struct Proved {
    std::uint64_t steps = 0;   // of the executed block
    std::uint64_t blocks = 0;  // that the executed block represents
  };
  std::deque<Proved> latest_;
  LoopPeriods loop_periods_;
  BlockMeter meter_;
  Profile& result_;
  const std::atomic<bool>* cancel_;
  std::vector<BlockRange> pending_;
  ProfileClasses classes_;
  std::vector<std::unique_ptr<ReadTally>> reads_;  // by buffer
  bool with_stores_ = false;
  std::optional<ExclusiveStores> stores_;
  std::vector<std::uint32_t> executed_;
};

std::size_t element_count(const problem::Buffer& buffer) {
  return problem::byte_count(buffer) / problem::byte_size(buffer.type);
}

// Whether a block reads only those elements of the buffer that it stores itself.
bool reads_its_own(const BlockMeter::Footprint& reads, const BlockMeter::Footprint& stores) {
  for (const auto& [motion, unsorted] : reads) {
    const auto same = stores.find(motion);
    if (same == stores.end()) {
      return false;
    }
    std::vector<ElementRun> own = same->second;
    merge_runs(own);
    const auto is_own = [&](const ElementRun& run) {
      // Merged runs are in order, and adjacent if their counts differ.
      const auto covers = [](const ElementRun& stored, std::int64_t from) {
        return stored.first <= from && from < stored.first + stored.count;
      };
      std::int64_t from = run.first;
      auto stored = std::ranges::upper_bound(own, from, {}, &ElementRun::first);
      stored -= stored == own.begin() ? 0 : 1;
      for (; stored != own.end() && covers(*stored, from); ++stored) {
        from = stored->first + stored->count;
      }
      return from >= run.first + run.count;
    };
    if (!std::ranges::all_of(unsorted, is_own)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                std::uint64_t most_steps, Profile& result,
                                const std::atomic<bool>* cancel) {
  result.method = Method::Representatives;
  result.blocks = program->block_count();
  result.blocks_executed = 0;
  return Representatives(program, most_steps, result, cancel).run();
}

Result<BlockClasses> block_classes(const std::shared_ptr<const simt::Program>& program,
                                   std::uint64_t most_steps, const std::atomic<bool>* cancel) {
  Profile profile;
  profile.blocks = program->block_count();
  Representatives classes(program, most_steps, profile, cancel, true);
  if (!classes.run()) {
    return fail(profile.why_full);
  }
  if (profile.cancelled) {
    return fail("cancelled");
  }
  const std::vector<problem::Buffer>& buffers = program->launch().buffers;
  for (std::size_t buffer = 0; buffer < buffers.size(); ++buffer) {
    const bool is_looked_at =
        buffers[buffer].role == problem::BufferRole::Output || buffers[buffer].expected;
    if (is_looked_at && !classes.stores()->covers(buffer)) {
      return fail(tr("{} has elements that no block stores", buffers[buffer].name));
    }
  }
  BlockClasses result;
  result.blocks = profile.blocks;
  result.warp_instructions = instructions_of(profile);
  result.representatives = classes.executed();
  std::ranges::sort(result.representatives);
  return result;
}

ExclusiveStores::ExclusiveStores(const simt::Program& program)
    : program_(program),
      stored_(program.launch().buffers.size()),
      read_(program.launch().buffers.size()) {}

void ExclusiveStores::add(const BlockMeter& meter, const BlockRange& range) {
  if (meter.stores_otherwise()) {
    failure_ = tr("blocks share data through atomics, or through memory that is not a buffer");
  }
  for (std::size_t buffer = 0; buffer < stored_.size() && failure_.empty(); ++buffer) {
    const BlockMeter::Footprint& stores = meter.stored()[buffer];
    const BlockMeter::Footprint& reads = meter.footprints()[buffer];
    store(buffer, stores, range);
    read_[buffer] = read_[buffer] || !reads_its_own(reads, stores);
    if (read_[buffer] && !stored_[buffer].empty()) {
      failure_ = tr("blocks may read what other blocks store in {}",
                    program_.launch().buffers[buffer].name);
    }
  }
}

void ExclusiveStores::store(std::size_t buffer, const BlockMeter::Footprint& footprint,
                            const BlockRange& range) {
  std::vector<std::uint64_t>& bits = stored_[buffer];
  if (!footprint.empty() && bits.empty()) {
    bits.resize(element_count(program_.launch().buffers[buffer]) / 64 + 1);
  }
  for (const auto& [motion, unsorted] : footprint) {
    std::vector<ElementRun> runs = unsorted;
    merge_runs(runs);
    BlockRange moving = range;
    moving.last[kIterations] = motion.iterations - 1;
    AxisPoint at = moving.first;
    do {
      std::int64_t by = 0;
      for (std::size_t i = 0; i < kAxes; ++i) {
        by += motion.shift[i] * (std::int64_t{at[i]} - range.first[i]);
      }
      for (const ElementRun& run : runs) {
        if (!set_bits(bits, static_cast<std::size_t>(run.first + by), run.count)) {
          failure_ = tr("several blocks may store one element of {}",
                        program_.launch().buffers[buffer].name);
          return;
        }
      }
    } while (next_point(moving, at));
  }
}

bool ExclusiveStores::set_bits(std::vector<std::uint64_t>& bits, std::size_t first,
                               std::size_t count) {
  bool were_clear = true;
  for (std::size_t at = first; at < first + count;) {
    const std::size_t in_word = std::min<std::size_t>(64 - at % 64, first + count - at);
    const std::uint64_t ones =
        in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1;
    std::uint64_t& word = bits[at / 64];
    were_clear = were_clear && (word & ones << at % 64) == 0;
    word |= ones << at % 64;
    at += in_word;
  }
  return were_clear;
}

bool ExclusiveStores::covers(std::size_t buffer) const {
  const problem::Buffer& of = program_.launch().buffers[buffer];
  const std::vector<std::uint64_t>& bits = stored_[buffer];
  const auto is_set = [&](std::size_t at) {
    return at / 64 < bits.size() && (bits[at / 64] >> at % 64 & 1U) != 0;
  };
  for (std::size_t row = 0; row < static_cast<std::size_t>(of.rows); ++row) {
    for (std::size_t col = 0; col < static_cast<std::size_t>(of.cols); ++col) {
      if (!is_set(row * static_cast<std::size_t>(of.pitch) + col)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tilestep::insight

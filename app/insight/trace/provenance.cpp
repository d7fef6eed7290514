#include "insight/trace/provenance.h"

#include "insight/trace/block_flow.h"
#include "insight/trace/sum_reader.h"

#include <algorithm>
#include <tuple>

namespace tilestep::insight {

struct BlockAccumulations::Impl {
  Impl(const record::Recording& recording, std::uint32_t block, std::uint64_t last_step)
      : flow(recording, block, last_step, Settle::OneMore) {}

  [[nodiscard]] std::optional<Accumulation> read(NodeId node) const {
    return read_sum(flow.program(), flow.graph(), node);
  }

  BlockFlow flow;
};

BlockAccumulations::BlockAccumulations(const record::Recording& recording, std::uint32_t block,
                                       std::uint64_t last_step)
    : impl_(std::make_unique<Impl>(recording, block, last_step)) {}
BlockAccumulations::~BlockAccumulations() = default;
BlockAccumulations::BlockAccumulations(BlockAccumulations&&) noexcept = default;
BlockAccumulations& BlockAccumulations::operator=(BlockAccumulations&&) noexcept = default;

std::optional<Accumulation> BlockAccumulations::at(std::uint64_t step, std::uint32_t thread,
                                                   const std::string& variable) const {
  std::optional<Accumulation> sum = impl_->read(impl_->flow.held(step, thread, variable));
  if (sum) {
    sum->variable = variable;
  }
  return sum;
}

std::string BlockAccumulations::accumulator_name() const {
  // Several variables hold the same products at the end: a compensated sum's helpers, the parameter
  // that the sum is handed on in. The sum itself was added to most often; the kernel's own
  // variables and, of those, what is declared first come before others.
  using Score = std::tuple<std::size_t, std::size_t, bool, std::int64_t>;
  Score best{0, 0, false, 0};
  std::string name;
  for (const FlowTracker::History& history : impl_->flow.tracker().histories()) {
    const std::vector<HeldValue>& values = history.lanes.front();
    const std::optional<Accumulation> sum =
        values.empty() ? std::nullopt : impl_->read(values.back().node);
    if (!sum) {
      continue;
    }
    const auto sums = static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [&](const HeldValue& value) {
          return impl_->flow.graph()[value.node].kind == ValueNode::Kind::Sum;
        }));
    const Score score{sum->terms.size(), sums, history.function == impl_->flow.tables().entry,
                      -std::int64_t{impl_->flow.source(history).decl_line}};
    if (score > best) {
      best = score;
      name = impl_->flow.source(history).name;
    }
  }
  return name;
}

std::optional<Accumulation> accumulation(const record::Recording& recording, std::uint64_t step,
                                         std::uint32_t block, std::uint32_t thread,
                                         const std::string& variable) {
  return BlockAccumulations(recording, block, step).at(step, thread, variable);
}

std::string accumulator_name(const record::Recording& recording) {
  return BlockAccumulations(recording, recording.part().first).accumulator_name();
}

}  // namespace tilestep::insight

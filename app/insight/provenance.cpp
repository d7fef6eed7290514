#include "insight/provenance.h"

#include "insight/flow_tracker.h"
#include "record/place_name.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kNoBuffer = 0xffffffffU;

// Reads the sum of products that a node stands for.
class SumReader {
 public:
  SumReader(const simt::Program& program, const ValueGraph& graph)
      : program_(program), graph_(graph) {}

  [[nodiscard]] Accumulation read(NodeId root) {
    result_.value = graph_[root].value;
    pending_.push_back({root, graph_[root].step});
    while (!pending_.empty()) {
      const Part part = pending_.back();
      pending_.pop_back();
      visit(part);
    }
    return std::move(result_);
  }

 private:
  struct Part {
    NodeId node = kUnknownNode;
    std::uint32_t step = 0;  // of the addition it is a part of
  };

  void visit(const Part& part) {
    const ValueNode& node = graph_[part.node];
    switch (node.kind) {
      case ValueNode::Kind::Sum:
      case ValueNode::Kind::Difference:
      case ValueNode::Kind::Negation:
        // In a compensated sum the same part is met many times over.
        if (!seen_.insert(part.node).second) {
          return;
        }
        result_.complete = result_.complete && node.kind == ValueNode::Kind::Sum;
        if (node.kind != ValueNode::Kind::Negation) {
          pending_.push_back({node.b, node.step});
        }
        pending_.push_back({node.a, node.step});
        return;
      case ValueNode::Kind::Product:
        if (seen_.insert(part.node).second) {
          result_.terms.push_back(term(node, part.step));
        }
        return;
      case ValueNode::Kind::Constant:
        add_constant(node.value);
        return;
      case ValueNode::Kind::Unknown:
      case ValueNode::Kind::Element:
      case ValueNode::Kind::Shared:
        result_.complete = false;
        return;
    }
  }

  void add_constant(float value) {
    if (result_.terms.empty() && result_.initial == 0.0F) {
      result_.initial = value;
    } else if (value != 0.0F) {
      result_.complete = false;
    }
  }

  Term term(const ValueNode& product, std::uint32_t step) {
    Term t{factor(product.a), factor(product.b), step};
    const bool elements = t.a.launch_buffer != kNoBuffer && t.b.launch_buffer != kNoBuffer;
    // The compiler may have swapped them; A comes before B.
    if (elements && t.a.launch_buffer > t.b.launch_buffer) {
      std::swap(t.a, t.b);
    }
    return t;
  }

  Term::Factor factor(NodeId id) {
    Term::Factor f;
    f.launch_buffer = kNoBuffer;
    f.value = graph_[id].value;
    // Through shared memory, perhaps more than once; the last place is the one that was read.
    while (graph_[id].kind == ValueNode::Kind::Shared) {
      const ValueNode& node = graph_[id];
      if (f.via.empty()) {
        f.via = record::place_name(
            program_, program_.locate(simt::kSharedWindow + std::uint64_t{node.b} * 4, 4));
      }
      f.loaded_by = node.thread;
      id = node.a;
    }
    const ValueNode& node = graph_[id];
    if (node.kind == ValueNode::Kind::Element) {
      const problem::Buffer& buffer = program_.launch().buffers[node.a];
      const auto pitch = static_cast<std::uint32_t>(std::max(buffer.pitch, 1));
      f.launch_buffer = node.a;
      f.row = static_cast<int>(node.b / pitch);
      f.col = static_cast<int>(node.b % pitch);
      f.loaded_by = node.thread;
    } else if (node.kind != ValueNode::Kind::Constant) {
      result_.complete = false;
    }
    return f;
  }

  const simt::Program& program_;
  const ValueGraph& graph_;
  std::vector<Part> pending_;
  std::unordered_set<NodeId> seen_;
  Accumulation result_;
};

// The last value held before or at a step; kUnknownNode: none.
HeldValue held_at(const std::vector<HeldValue>& values, std::uint64_t step) {
  const auto after =
      std::upper_bound(values.begin(), values.end(), step,
                       [](std::uint64_t k, const HeldValue& value) { return k < value.step; });
  return after == values.begin() ? HeldValue{} : *std::prev(after);
}

}  // namespace

struct BlockAccumulations::Impl {
  Impl(const record::Recording& recording, std::uint32_t block, std::uint64_t last_step)
      : tables(recording.shared_program()),
        machine(recording.shared_program()),
        tracker(machine, tables, block) {
    last_step = std::min(last_step, recording.step_count());
    const std::vector<record::Recording::BlockStep> steps = recording.steps_of(block);
    if (steps.empty()) {
      run_all(recording, block, last_step);
    } else {
      run_block(steps, block, last_step);
    }
  }

  // A value held at a step may be told only by the instruction after it (record/tables.h), so every
  // warp makes one more step if it can.
  void run_block(const std::vector<record::Recording::BlockStep>& steps, std::uint32_t block,
                 std::uint64_t last_step) {
    std::vector<bool> finished(tables.program->warps_per_block(), false);
    for (const record::Recording::BlockStep& step : steps) {
      const simt::WarpId id{block, step.warp};
      if (step.step >= last_step) {
        const bool ready = machine.block_status(block) == simt::BlockStatus::Running &&
                           machine.warp(id).status == simt::WarpStatus::Ready;
        if (finished[step.warp] || !ready) {
          continue;
        }
        finished[step.warp] = true;
      }
      tracker.set_step(step.step);
      machine.step(id, &tracker);
    }
  }

  void run_all(const record::Recording& recording, std::uint32_t block, std::uint64_t last_step) {
    simt::Scheduler scheduler(recording.program(), recording.schedule());
    std::vector<bool> finished(tables.program->warps_per_block(), false);
    std::size_t unfinished = finished.size();
    for (std::uint64_t step = 0; step < last_step || unfinished > 0; ++step) {
      tracker.set_step(step);
      if (!scheduler.step(machine, &tracker)) {
        return;
      }
      if (step >= last_step && scheduler.last().block == block &&
          !finished[scheduler.last().warp]) {
        finished[scheduler.last().warp] = true;
        --unfinished;
      }
    }
  }

  [[nodiscard]] const ptx::SourceVariable& source(const FlowTracker::History& history) const {
    return tables.program->module().functions[history.function].source_variables[history.variable];
  }

  [[nodiscard]] std::optional<Accumulation> read(NodeId node) const {
    const ValueNode::Kind kind = tracker.graph()[node].kind;
    if (kind != ValueNode::Kind::Sum && kind != ValueNode::Kind::Difference) {
      return std::nullopt;
    }
    Accumulation sum = SumReader(*tables.program, tracker.graph()).read(node);
    return sum.terms.empty() ? std::nullopt : std::optional(std::move(sum));
  }

  record::Tables tables;
  simt::Machine machine;
  FlowTracker tracker;
};

BlockAccumulations::BlockAccumulations(const record::Recording& recording, std::uint32_t block,
                                       std::uint64_t last_step)
    : impl_(std::make_unique<Impl>(recording, block, last_step)) {}
BlockAccumulations::~BlockAccumulations() = default;
BlockAccumulations::BlockAccumulations(BlockAccumulations&&) noexcept = default;
BlockAccumulations& BlockAccumulations::operator=(BlockAccumulations&&) noexcept = default;

std::optional<Accumulation> BlockAccumulations::at(std::uint64_t step, std::uint32_t thread,
                                                   const std::string& variable) const {
  // Of variables with one name the one that was assigned last is the one in scope.
  HeldValue latest;
  for (const FlowTracker::History& history : impl_->tracker.histories()) {
    if (impl_->source(history).name == variable) {
      const HeldValue held = held_at(history.lanes[thread], step);
      if (held.step >= latest.step) {
        latest = held;
      }
    }
  }
  std::optional<Accumulation> sum = impl_->read(latest.node);
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
  for (const FlowTracker::History& history : impl_->tracker.histories()) {
    const std::vector<HeldValue>& values = history.lanes.front();
    const std::optional<Accumulation> sum =
        values.empty() ? std::nullopt : impl_->read(values.back().node);
    if (!sum) {
      continue;
    }
    const auto sums = static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [&](const HeldValue& value) {
          return impl_->tracker.graph()[value.node].kind == ValueNode::Kind::Sum;
        }));
    const Score score{sum->terms.size(), sums, history.function == impl_->tables.entry,
                      -std::int64_t{impl_->source(history).decl_line}};
    if (score > best) {
      best = score;
      name = impl_->source(history).name;
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
  return BlockAccumulations(recording, 0).accumulator_name();
}

}  // namespace tilestep::insight

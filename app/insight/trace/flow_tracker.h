// Follows where one block's floating-point values come from while a machine executes it.
#pragma once

#include "insight/shadow.h"
#include "ptx/model/module.h"
#include "record/place_name.h"
#include "record/recording.h"
#include "record/tables.h"
#include "simt/machine/machine.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Which instructions move or combine floating-point values, worked out once for a program: all that
// provenance has to follow. Integers, addresses and predicates are left out.

inline constexpr std::uint32_t kUntracked = 0xffffffffU;

enum class FlowKind : std::uint8_t {
  None,
  Forget,      // writes tracked registers with something that is not followed
  Copy,        // mov, cvt, and what cuts off the bits that TF32 lacks
  Select,      // selp
  LoadMemory,  // ld from global, shared, local (the machine tells where)
  LoadParam,   // ld.param: this function's parameters, or what a call returned
  StoreMemory,
  CopyMemory,  // cp.async, cp.async.bulk
  StoreParam,
  Shuffle,  // shfl
  Multiply,
  Add,
  Subtract,
  Negate,
  Fma,
  MultiplyMatrices,  // mma.sync, wgmma: TF32 into float
  Call,
  Return,
};

// Where a function's values stand in a frame's rows of 32 lanes.
struct FlowFunction {
  std::vector<FlowKind> kinds;             // by pc
  std::vector<std::uint32_t> row_of_word;  // by register word: its row, or kUntracked
  std::uint32_t register_rows = 0;
  std::uint32_t param_row = 0;  // first of the incoming parameters and returned values, by word
  std::uint32_t call_row = 0;   // first of the call area, by word
  std::uint32_t rows = 0;

  // kUntracked for anything that is not followed.
  [[nodiscard]] std::uint32_t row(const ptx::Operand& operand) const;
};

[[nodiscard]] std::vector<FlowFunction> plan_flow(const ptx::Module& module);

// Where values came from, as a graph: elements of buffers, constants, and what was done with them.

using NodeId = std::uint32_t;
inline constexpr NodeId kUnknownNode = 0;

struct ValueNode {
  enum class Kind : std::uint8_t {
    Unknown,
    Constant,    // a literal, or a value that is not followed; `value`
    Element,     // a: launch buffer, b: element; thread: who loaded it
    Shared,      // a: what was stored in the word, b: the word; thread: who stored it
    Returned,    // read back from a buffer. a: what this block had stored there; thread: who did
    Product,     // a · b
    Sum,         // a + b
    Difference,  // a - b
    Negation,    // -a
  };
  Kind kind = Kind::Unknown;
  std::uint32_t thread = 0;  // linear in the block; of products and sums: who computed them
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t step = 0;
  float value = 0.0F;
};

// A float's or a double's bits as a number.
[[nodiscard]] inline float float_of_bits(std::uint64_t bits, bool is_double) {
  return is_double ? static_cast<float>(std::bit_cast<double>(bits))
                   : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

class ValueGraph {
 public:
  ValueGraph() : nodes_(1) {}

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const ValueNode& operator[](NodeId id) const { return nodes_[id]; }
  [[nodiscard]] ValueNode& operator[](NodeId id) { return nodes_[id]; }
  NodeId add(const ValueNode& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  // Nothing more is added.
  void finish() { nodes_.shrink_to_fit(); }
  // The same constant is the same node.
  NodeId constant(float value);

 private:
  std::vector<ValueNode> nodes_;
  std::unordered_map<std::uint32_t, NodeId> constants_;  // by bits
};

// What a thread's variable held, from which step on. Ascending by step; kUnknownNode: nothing yet,
// or a value that is not followed.
struct HeldValue {
  std::uint64_t step = 0;
  NodeId node = kUnknownNode;
};

// A value that was stored in shared or global memory; 0 where it is not followed.
struct StoredValue {
  std::uint64_t step = 0;
  std::uint64_t address = 0;  // generic, of a word, or of a double
  std::uint32_t thread = 0;   // linear in the block
  NodeId node = kUnknownNode;
  bool atomic = false;
  std::uint32_t function = 0;
  ptx::Register reg;  // of a plain store: the register of the function that held it
};

// A value that a thread stored in its local memory: an element of an array, a member of a struct.
struct LocalValue {
  std::uint32_t step = 0;
  std::uint32_t cell = 0;  // index into local_cells()
  std::uint32_t thread = 0;
  NodeId node = kUnknownNode;
};

class FlowTracker final : public simt::Observer {
 public:
  // `machine` is the one that runs; both must outlive this.
  // follows_matrices: what products of matrices (mma.sync, wgmma) give as sums of products, 2,048
  // values and more an instruction; else it counts as constants.
  FlowTracker(const simt::Machine& machine, const record::Tables& tables, std::uint32_t block,
              bool follows_matrices = true);

  // Number of the step that is about to execute: set by whoever steps the machine.
  void set_step(std::uint64_t step) { step_ = step; }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  [[nodiscard]] const ValueGraph& graph() const { return graph_; }
  // Whether a product of matrices has been followed.
  [[nodiscard]] bool has_matrices() const { return has_matrices_; }
  // Whether one of them had numbers that TF32 does not hold. What was cut off them is added at
  // another time than their products: until then no sum of products of elements is what is there.
  [[nodiscard]] bool has_rests() const { return has_rests_; }
  struct History {
    std::uint32_t function = 0;
    std::uint32_t variable = 0;                 // index into Function::source_variables
    std::vector<std::vector<HeldValue>> lanes;  // by thread of the block
  };
  [[nodiscard]] std::span<const History> histories() const { return histories_; }
  // After the last step: empties stores() and local_stores(), and whatever only a further step
  // would need.
  void forget_stores();
  // In execution order. An atomic operation stores what it is given.
  [[nodiscard]] std::span<const StoredValue> stores() const { return stores_; }
  // In execution order.
  [[nodiscard]] std::span<const LocalValue> local_stores() const { return local_stores_; }
  [[nodiscard]] std::span<const record::LocalPlaceName> local_cells() const { return local_cells_; }
  // What a register of a warp's call (Machine::call) holds now.
  [[nodiscard]] NodeId register_node(std::uint32_t warp, std::uint32_t frame,
                                     const ptx::Register& reg, int lane) const;

 private:
  struct Frame {
    std::uint32_t function = 0;
    std::uint32_t caller = 0;   // index into Warp::frames
    std::uint32_t call_pc = 0;  // of the call, in the caller
    std::vector<NodeId> rows;   // FlowFunction::rows of 32 lanes
  };
  struct Warp {
    std::vector<Frame> frames;    // by the machine's numbers of calls
    std::uint64_t next_step = 0;  // after the last one it made
  };
  struct Word {
    NodeId node = kUnknownNode;
    std::uint32_t thread = 0;
  };
  struct Site : ShadowStep<Frame> {
    const FlowFunction& flow;
  };

  [[nodiscard]] Site site(const simt::StepInfo& info, Warp& warp) const;
  void note_assignments(const Site& site, const Warp& warp, bool before);
  void hold(const Site& site, std::uint32_t variable, const ptx::Register* reg, std::uint32_t lanes,
            std::uint64_t step);
  [[nodiscard]] NodeId read(const Site& site, const ptx::Operand& operand, int lane);
  [[nodiscard]] NodeId* row(const Site& site, const ptx::Operand& operand) const;
  void move(const Site& site);
  void combine(const Site& site, FlowKind kind);
  void forget(const Site& site);
  void load_param(const Site& site);
  void store_param(const Site& site);
  void measure(const Site& site);
  void exchange(const Site& site);
  // flow_tracker_memory.cpp
  struct Factors;  // of a product of matrices
  void begin_matrices(const Site& site);
  void read_matrix(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void multiply_matrices(const Site& site);
  [[nodiscard]] Factors factors(const Site& site, const ptx::MatrixForm& form) const;
  [[nodiscard]] NodeId addend(const Site& site, const ptx::MatrixForm& form, std::uint32_t e,
                              std::uint32_t lane) const;
  // An operand's, as it was before the product.
  [[nodiscard]] NodeId matrix_register(std::uint32_t n, std::uint32_t lane) const {
    return matrix_registers_[std::size_t{n} * simt::kLanes + lane];
  }
  [[nodiscard]] bool is_rest(NodeId node) const;
  [[nodiscard]] NodeId add_products(const Factors& factors, std::uint32_t row, std::uint32_t col,
                                    ValueNode sum);
  [[nodiscard]] NodeId stored_node(const Site& site, std::uint32_t n, int lane, ptx::Space space,
                                   std::uint64_t address);
  void store_small(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t bytes);
  [[nodiscard]] std::uint32_t threads() const;
  // The slot of a word's address; kUntracked where nobody has stored to it.
  [[nodiscard]] std::uint32_t local_slot(std::uint64_t address);
  [[nodiscard]] std::uint32_t local_cell(const simt::StepInfo& info, std::uint64_t address,
                                         int lane);
  void store_local(const simt::StepInfo& info, std::uint64_t address, int lane, NodeId node);
  void copy_memory(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void enter_call(const simt::StepInfo& info, Warp& warp);
  void pass_arguments(const Frame& caller, const simt::StepInfo& info, Frame& callee) const;
  void pass_results(Frame& caller, const Frame& callee, std::uint32_t lanes) const;
  [[nodiscard]] NodeId loaded(const simt::StepInfo& info, ptx::Space space, std::uint64_t address,
                              std::uint32_t bytes, std::uint32_t thread);
  [[nodiscard]] float register_value(const simt::StepInfo& info, const ptx::Register& reg,
                                     int lane) const;
  [[nodiscard]] std::uint32_t thread_of(const simt::StepInfo& info, int lane) const;
  History& history(std::uint32_t function, std::uint32_t variable);

  const simt::Machine& machine_;
  const record::Tables& tables_;
  std::uint32_t block_;
  std::vector<FlowFunction> flows_;
  std::vector<Warp> warps_;
  ValueGraph graph_;
  std::vector<Word> shared_;
  std::array<std::vector<NodeId>, simt::kWarpSize> copied_;  // by a cp.async that is being told
  bool follows_matrices_;
  bool has_matrices_ = false;
  bool has_rests_ = false;
  std::vector<NodeId> matrix_words_;  // that the tensor core reads, in the order in which it does
  std::vector<NodeId> matrix_registers_;  // of a product, by operand and lane, before it
  // Local memory: every word that was ever stored to has a slot, of all threads.
  std::unordered_map<std::uint64_t, std::uint32_t> local_slot_of_;  // by word address
  std::vector<NodeId> local_;                                       // by slot and thread
  std::pair<std::uint64_t, std::uint32_t> last_local_slot_{~std::uint64_t{0}, 0};
  std::unordered_map<std::uint64_t, Word> stored_;  // in buffers, by address
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> local_cell_of_;
  std::pair<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> last_local_cell_{
      {kUntracked, 0}, 0};
  std::vector<record::LocalPlaceName> local_cells_;
  std::vector<LocalValue> local_stores_;
  std::vector<History> histories_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> history_of_;
  std::vector<StoredValue> stores_;
  std::uint64_t step_ = 0;
};

// One block executed once more under a FlowTracker: by itself where it can.

// A value held by a variable at a step may be told only by the instruction after it
// (record/tables.h). OneMore: every warp makes one more step if it can, so that variables are
// right. Exactly: registers are as they were.
enum class Settle { OneMore, Exactly };

class BlockFlow {
 public:
  // Up to `last_step` of the recording, or until the graph has more than `most_values`, or until
  // `cancel` is set.
  BlockFlow(const record::Recording& recording, std::uint32_t block, std::uint64_t last_step,
            Settle settle, std::size_t most_values = ~std::size_t{0},
            const std::atomic<bool>* cancel = nullptr);
  BlockFlow(const BlockFlow&) = delete;
  BlockFlow& operator=(const BlockFlow&) = delete;
  BlockFlow(BlockFlow&&) = delete;
  BlockFlow& operator=(BlockFlow&&) = delete;
  ~BlockFlow() = default;

  [[nodiscard]] const record::Tables& tables() const { return tables_; }
  [[nodiscard]] const simt::Program& program() const { return *tables_.program; }
  [[nodiscard]] const simt::Machine& machine() const { return machine_; }
  [[nodiscard]] const FlowTracker& tracker() const { return *tracker_; }
  [[nodiscard]] const ValueGraph& graph() const { return tracker_->graph(); }

  [[nodiscard]] bool is_too_large() const { return graph().size() > most_values_; }
  [[nodiscard]] bool is_cancelled() const {
    return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed);
  }
  // Keeps the graph and what variables held; what was stored is forgotten.
  void forget_stores() { tracker_->forget_stores(); }

  // What a thread's variable held at a step. Of variables with one name the one that was assigned
  // last is the one in scope.
  [[nodiscard]] NodeId held(std::uint64_t step, std::uint32_t thread,
                            const std::string& variable) const;
  [[nodiscard]] const ptx::SourceVariable& source(const FlowTracker::History& history) const;

 private:
  // Rests: what is followed so far is not wanted (see the constructor).
  [[nodiscard]] bool gives_up() const {
    return is_too_large() || is_cancelled() || tracker_->has_rests();
  }
  void run(const record::Recording& recording, std::uint64_t last_step);
  void run_block(const record::Recording& recording, std::uint64_t last_step);
  void run_all(const record::Recording& recording, std::uint64_t last_step);

  std::uint32_t block_;
  Settle settle_;
  std::size_t most_values_;
  const std::atomic<bool>* cancel_;
  record::Tables tables_;
  simt::Machine machine_;
  std::optional<FlowTracker> tracker_;
};

}  // namespace tilestep::insight

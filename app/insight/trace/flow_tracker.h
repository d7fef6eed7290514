// Tracks the origins of one block's floating-point values while a machine executes it.
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

// The instructions that move or combine floating-point values, computed once for a program.
// Provenance follows only these; integers, addresses and predicates are ignored.

inline constexpr std::uint32_t kUntracked = 0xffffffffU;

enum class FlowKind : std::uint8_t {
  None,
  Forget,      // overwrites tracked registers with a value that is not followed
  Copy,        // mov, cvt, and instructions that cut off the bits that TF32 lacks
  Select,      // selp
  LoadMemory,  // ld from global, shared, local (the machine reports the address)
  LoadParam,   // ld.param: this function's parameters, or the results of a call
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

// Positions of a function's values in a frame's rows of 32 lanes.
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

// Origins of values, as a graph: elements of buffers, constants, and operations on them.

using NodeId = std::uint32_t;
inline constexpr NodeId kUnknownNode = 0;

struct ValueNode {
  enum class Kind : std::uint8_t {
    Unknown,
    Constant,    // a literal, or a value that is not followed; `value`
    Element,     // a: launch buffer, b: element; thread: the one that loaded it
    Shared,      // a: value stored in the word, b: the word; thread: the one that stored it
    Returned,    // read back from a buffer. a: value that this block stored there; thread: the
                 // one that stored it
    Product,     // a · b
    Sum,         // a + b
    Difference,  // a - b
    Negation,    // -a
  };
  Kind kind = Kind::Unknown;
  std::uint32_t thread = 0;  // linear in the block; of products and sums: the one that computed
                             // them
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
  // Room for as many nodes. The system provides memory when it is used, so unused room is free, and
  // growing would copy all nodes several times.
  void reserve(std::size_t nodes) { nodes_.reserve(nodes); }
  // Equal constants share one node.
  NodeId constant(float value);

 private:
  std::vector<ValueNode> nodes_;
  std::unordered_map<std::uint32_t, NodeId> constants_;  // by bits
};

// Value of a thread's variable, and the step since which it holds it. Ascending by step;
// kUnknownNode: none yet, or a value that is not followed.
struct HeldValue {
  std::uint64_t step = 0;
  NodeId node = kUnknownNode;
};

// A value that was stored in shared or global memory; 0 if it is not followed.
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
  // `machine` executes the block; both must outlive this object. follows_matrices: follows the
  // results of matrix products (mma.sync, wgmma) as sums of products, 2,048 values and more per
  // instruction; otherwise they count as constants.
  FlowTracker(const simt::Machine& machine, const record::Tables& tables, std::uint32_t block,
              bool follows_matrices = true);

  // Number of the step that is about to execute. The code that steps the machine sets it.
  void set_step(std::uint64_t step) { step_ = step; }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;

  [[nodiscard]] const ValueGraph& graph() const { return graph_; }
  void reserve(std::size_t nodes) { graph_.reserve(nodes); }
  // Whether a product of matrices has been followed.
  [[nodiscard]] bool has_matrices() const { return has_matrices_; }
  // Whether one of them had numbers that TF32 cannot hold. The cut-off parts are added separately
  // from their products: until then the value is not a sum of products of elements.
  [[nodiscard]] bool has_rests() const { return has_rests_; }
  struct History {
    std::uint32_t function = 0;
    std::uint32_t variable = 0;                 // index into Function::source_variables
    std::vector<std::vector<HeldValue>> lanes;  // by thread of the block
  };
  [[nodiscard]] std::span<const History> histories() const { return histories_; }
  // Call after the last step: clears stores() and local_stores(), and everything that only a
  // further step would need.
  void forget_stores();
  // In execution order. For an atomic operation, its operand.
  [[nodiscard]] std::span<const StoredValue> stores() const { return stores_; }
  // In execution order.
  [[nodiscard]] std::span<const LocalValue> local_stores() const { return local_stores_; }
  [[nodiscard]] std::span<const record::LocalPlaceName> local_cells() const { return local_cells_; }
  // Current value of a register in a warp's call (Machine::call).
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
    std::uint64_t next_step = 0;  // after the warp's last step
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
  // An operand, looked up once for all lanes.
  struct Source {
    const ptx::Operand* operand = nullptr;
    const NodeId* nodes = nullptr;  // by lane; null: not followed
    NodeId immediate = kUnknownNode;
  };
  [[nodiscard]] Source source(const Site& site, const ptx::Operand& operand);
  [[nodiscard]] NodeId read(const Site& site, const Source& source, int lane);
  [[nodiscard]] NodeId read(const Site& site, const ptx::Operand& operand, int lane) {
    return read(site, source(site, operand), lane);
  }
  [[nodiscard]] NodeId* row(const Site& site, const ptx::Operand& operand) const;
  void move(const Site& site);
  void combine(const Site& site, FlowKind kind);
  void forget(const Site& site);
  void load_param(const Site& site);
  void store_param(const Site& site);
  void measure(const Site& site);
  void exchange(const Site& site);
  struct Factors;  // of a product of matrices
  void begin_matrices(const Site& site);
  void read_matrix(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void multiply_matrices(const Site& site);
  [[nodiscard]] Factors factors(const Site& site, const ptx::MatrixForm& form) const;
  [[nodiscard]] NodeId addend(const Site& site, const ptx::MatrixForm& form, std::uint32_t e,
                              std::uint32_t lane) const;
  // Value of an operand before the product.
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
  // The slot of a word's address; kUntracked if no thread has stored to it.
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
  std::array<std::vector<NodeId>, simt::kWarpSize> copied_;  // of the cp.async that is being
                                                             // reported
  bool follows_matrices_;
  bool has_matrices_ = false;
  bool has_rests_ = false;
  std::vector<NodeId> matrix_words_;      // words that the tensor core reads, in its order
  std::vector<NodeId> matrix_registers_;  // of a product, by operand and lane, before it
  // Local memory: every word that any thread has stored to has a slot, shared by all threads.
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

// One block executed once more under a FlowTracker, alone if possible.

// The value of a variable at a step may be known only after the next instruction (record/tables.h).
// OneMore: every warp makes one more step if it can, so that variables are correct. Exactly:
// registers are as they were at the step.
enum class Settle { OneMore, Exactly };

class BlockFlow {
 public:
  // Executes up to `last_step` of the recording, until the graph has more than `most_values`, or
  // until `cancel` is set.
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
  // Keeps the graph and the variables' values; drops the stores.
  void forget_stores() { tracker_->forget_stores(); }

  // Value of a thread's variable at a step. Of several variables with one name, the last assigned
  // one is in scope.
  [[nodiscard]] NodeId held(std::uint64_t step, std::uint32_t thread,
                            const std::string& variable) const;
  [[nodiscard]] const ptx::SourceVariable& source(const FlowTracker::History& history) const;

 private:
  // With rests, the values followed so far are not usable (see the constructor).
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

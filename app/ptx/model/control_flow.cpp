#include "ptx/model/control_flow.h"

#include <algorithm>
#include <utility>

namespace tilestep::ptx {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

[[nodiscard]] bool leaves_function(Opcode op) {
  return op == Opcode::Ret || op == Opcode::Exit || op == Opcode::Trap;
}

// Lists of lists in two flat arrays.
struct Adjacency {
  std::vector<std::uint32_t> start;  // size: nodes + 1
  std::vector<std::uint32_t> items;
};

struct Edge {
  std::uint32_t from;
  std::uint32_t to;
};

Adjacency group_edges(const std::vector<Edge>& edges, std::uint32_t nodes, bool by_target) {
  Adjacency result;
  result.start.assign(nodes + 1, 0);
  for (const Edge& edge : edges) {
    ++result.start[(by_target ? edge.to : edge.from) + 1];
  }
  for (std::uint32_t i = 0; i < nodes; ++i) {
    result.start[i + 1] += result.start[i];
  }
  result.items.resize(edges.size());
  std::vector<std::uint32_t> next(result.start.begin(), result.start.end() - 1);
  for (const Edge& edge : edges) {
    result.items[next[by_target ? edge.to : edge.from]++] = by_target ? edge.from : edge.to;
  }
  return result;
}

// Basic blocks of a function, and one more node for its end.
class Graph {
 public:
  explicit Graph(const Function& function) : function_(function) {
    find_leaders();
    find_edges();
  }

  [[nodiscard]] std::uint32_t block_of(std::uint32_t pc) const { return block_of_[pc]; }
  [[nodiscard]] std::uint32_t first_pc(std::uint32_t block) const { return leaders_[block]; }
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(leaders_.size()); }
  [[nodiscard]] std::uint32_t node_count() const { return end() + 1; }
  [[nodiscard]] std::vector<Edge>& edges() { return edges_; }

 private:
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(function_.instructions.size());
  }

  void find_leaders() {
    std::vector<bool> leads(size(), false);
    leads[0] = true;
    for (std::uint32_t pc = 0; pc < size(); ++pc) {
      const Instruction& instruction = function_.instructions[pc];
      if (instruction.op == Opcode::Bra) {
        leads[instruction.target] = true;
      } else if (instruction.op == Opcode::BrxIdx) {
        for (const std::uint32_t target : function_.branch_tables[instruction.target]) {
          leads[target] = true;
        }
      }
      if (ends_block(instruction.op) && pc + 1 < size()) {
        leads[pc + 1] = true;
      }
    }
    block_of_.resize(size());
    for (std::uint32_t pc = 0; pc < size(); ++pc) {
      if (leads[pc]) {
        leaders_.push_back(pc);
      }
      block_of_[pc] = static_cast<std::uint32_t>(leaders_.size() - 1);
    }
  }

  void find_edges() {
    for (std::uint32_t block = 0; block < end(); ++block) {
      const std::uint32_t after = block + 1 < end() ? leaders_[block + 1] : size();
      add_edges(block, after);
    }
  }

  // `after`: pc after the block's last instruction.
  void add_edges(std::uint32_t block, std::uint32_t after) {
    const Instruction& last = function_.instructions[after - 1];
    if (last.op == Opcode::Bra) {
      edges_.push_back({block, block_of_[last.target]});
    } else if (last.op == Opcode::BrxIdx) {
      for (const std::uint32_t target : function_.branch_tables[last.target]) {
        edges_.push_back({block, block_of_[target]});
      }
    } else if (leaves_function(last.op)) {
      edges_.push_back({block, end()});
    }
    if (!ends_block(last.op) || last.guard != kNoGuard) {
      edges_.push_back({block, after < size() ? block_of_[after] : end()});
    }
  }

  const Function& function_;
  std::vector<std::uint32_t> leaders_;
  std::vector<std::uint32_t> block_of_;
  std::vector<Edge> edges_;
};

// Depth-first post-order of the reversed graph from its end node, which is last.
class ReverseOrder {
 public:
  ReverseOrder(const Adjacency& predecessors, std::uint32_t nodes)
      : predecessors_(predecessors), number_(nodes, kNone), seen_(nodes, false) {}

  void visit(std::uint32_t root) {
    if (seen_[root]) {
      return;
    }
    seen_[root] = true;
    std::vector<Edge> stack{{root, predecessors_.start[root]}};
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < predecessors_.start[node + 1]) {
        const std::uint32_t before = predecessors_.items[next++];
        if (!seen_[before]) {
          seen_[before] = true;
          stack.push_back({before, predecessors_.start[before]});
        }
      } else {
        number_[node] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(node);
        stack.pop_back();
      }
    }
  }

  [[nodiscard]] bool reached(std::uint32_t node) const { return seen_[node]; }
  [[nodiscard]] std::uint32_t number(std::uint32_t node) const { return number_[node]; }
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  const Adjacency& predecessors_;
  std::vector<std::uint32_t> number_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> order_;
};

// Adds an edge from the last block of every loop without an exit to the end node.
void connect_endless_loops(Graph& graph) {
  for (;;) {
    const Adjacency predecessors = group_edges(graph.edges(), graph.node_count(), true);
    ReverseOrder order(predecessors, graph.node_count());
    order.visit(graph.end());
    std::uint32_t last = graph.end();
    while (last > 0 && order.reached(last - 1)) {
      --last;
    }
    if (last == 0) {
      return;
    }
    graph.edges().push_back({last - 1, graph.end()});
  }
}

// Immediate post-dominators: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance
// Algorithm" (2001), on the reversed graph.
std::vector<std::uint32_t> immediate_post_dominators(Graph& graph) {
  connect_endless_loops(graph);
  const std::uint32_t nodes = graph.node_count();
  const Adjacency predecessors = group_edges(graph.edges(), nodes, true);
  const Adjacency successors = group_edges(graph.edges(), nodes, false);
  ReverseOrder order(predecessors, nodes);
  order.visit(graph.end());

  std::vector<std::uint32_t> dominator(nodes, kNone);
  dominator[graph.end()] = graph.end();
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (order.number(a) < order.number(b)) {
        a = dominator[a];
      }
      while (order.number(b) < order.number(a)) {
        b = dominator[b];
      }
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.order().rbegin() + 1; node != order.order().rend(); ++node) {
      std::uint32_t best = kNone;
      for (std::uint32_t i = successors.start[*node]; i < successors.start[*node + 1]; ++i) {
        const std::uint32_t next = successors.items[i];
        if (dominator[next] != kNone) {
          best = best == kNone ? next : meet(best, next);
        }
      }
      changed = changed || dominator[*node] != best;
      dominator[*node] = best;
    }
  }
  return dominator;
}

[[nodiscard]] bool may_diverge(const Instruction& instruction) {
  if (instruction.flags & kUniform) {
    return false;
  }
  return instruction.op == Opcode::BrxIdx ||
         (instruction.op == Opcode::Bra && instruction.guard != kNoGuard);
}

using LiveBits = std::vector<std::uint64_t>;

bool is_live(const LiveBits& live, std::size_t n) {
  return (live[n / 64] >> n % 64 & 1U) != 0;
}

void add_live(LiveBits& live, const LiveBits& other) {
  for (std::size_t n = 0; n < live.size(); ++n) {
    live[n] |= other[n];
  }
}

class LivenessSolver {
 public:
  explicit LivenessSolver(const Function& function)
      : function_(function), live_(function.instructions.size() + 1, none()) {
    for (std::size_t n = 0; n < function.registers.size(); ++n) {
      numbers_.emplace(register_key(function.registers[n]), n);
    }
  }

  // Iterates backwards to a fixed point (Aho, Lam, Sethi, Ullman: Compilers, 9.2.5).
  std::vector<LiveBits> solve() && {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t pc = function_.instructions.size(); pc-- > 0;) {
        changed = update(pc) || changed;
      }
    }
    return std::move(live_);
  }

 private:
  [[nodiscard]] LiveBits none() const { return LiveBits((function_.registers.size() + 63) / 64); }

  void mark(LiveBits& live, Register reg, bool value) const {
    if (const auto found = numbers_.find(register_key(reg)); found != numbers_.end()) {
      const std::uint64_t bit = std::uint64_t{1} << found->second % 64;
      std::uint64_t& word = live[found->second / 64];
      word = value ? word | bit : word & ~bit;
    }
  }

  // Live after the instruction: the union of what its successors need.
  [[nodiscard]] LiveBits after(std::size_t pc) const {
    const Instruction& i = function_.instructions[pc];
    LiveBits live = none();
    if (!ends_block(i.op) || i.guard != kNoGuard) {
      add_live(live, live_[pc + 1]);
    }
    if (i.op == Opcode::Bra) {
      add_live(live, live_[i.target]);
    } else if (i.op == Opcode::BrxIdx) {
      for (const std::uint32_t target : function_.branch_tables[i.target]) {
        add_live(live, live_[target]);
      }
    }
    return live;
  }

  bool update(std::size_t pc) {
    const Instruction& i = function_.instructions[pc];
    LiveBits live = after(pc);
    const bool ends_values = i.guard == kNoGuard && !reads_destinations(i);
    for (std::uint32_t n = 0; n < i.dest_count && ends_values; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      if (operand.kind == OperandKind::Register) {
        mark(live, operand.reg, false);
      }
    }
    for (std::uint32_t n = 0; n < i.operand_count; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      const bool is_source =
          operand.kind == OperandKind::Register && (n >= i.dest_count || reads_destinations(i));
      if (is_source || operand.kind == OperandKind::Memory) {
        mark(live, operand.reg, true);
      }
    }
    if (i.guard != kNoGuard) {
      mark(live, {RegisterClass::Pred, i.guard}, true);
    }
    const bool changed = live != live_[pc];
    live_[pc] = std::move(live);
    return changed;
  }

  const Function& function_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::vector<LiveBits> live_;  // by pc; empty past the end
};

}  // namespace

bool ends_block(Opcode op) {
  return op == Opcode::Bra || op == Opcode::BrxIdx || leaves_function(op);
}

void find_reconvergence(Function& function) {
  if (std::ranges::none_of(function.instructions, may_diverge)) {
    return;
  }
  Graph graph(function);
  const std::vector<std::uint32_t> dominator = immediate_post_dominators(graph);
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    Instruction& instruction = function.instructions[pc];
    if (may_diverge(instruction)) {
      const std::uint32_t meeting = dominator[graph.block_of(pc)];
      instruction.reconverge = meeting >= graph.end() ? kNoPc : graph.first_pc(meeting);
    }
  }
}

Liveness::Liveness(const Function& function)
    : function_(function), live_(LivenessSolver(function).solve()) {}

std::vector<Register> Liveness::at(std::uint32_t pc) const {
  std::vector<Register> live;
  for (std::size_t n = 0; n < function_.registers.size(); ++n) {
    if (is_live(live_[pc], n)) {
      live.push_back(function_.registers[n]);
    }
  }
  return live;
}

Definitions::Definitions(const Function& function)
    : branch_targets_(function.instructions.size() + 1) {
  auto mark = [&](std::uint32_t pc) {
    if (pc < branch_targets_.size()) {
      branch_targets_[pc] = true;
    }
  };
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    if (instruction.op == Opcode::Bra) {
      mark(instruction.target);
    }
    for (std::uint32_t i = 0; i < instruction.dest_count; ++i) {
      const Operand& operand = function.operands[instruction.first_operand + i];
      if (operand.kind != OperandKind::Register) {
        continue;
      }
      auto [place, is_first] = writes_.emplace(register_key(operand.reg), pc);
      if (!is_first || instruction.guard != kNoGuard) {
        place->second = kNoPc;
      }
    }
  }
  for (const std::vector<std::uint32_t>& table : function.branch_tables) {
    for (std::uint32_t target : table) {
      mark(target);
    }
  }
}

std::optional<std::uint32_t> Definitions::only_write(Register reg) const {
  auto found = writes_.find(register_key(reg));
  if (found == writes_.end() || found->second == kNoPc) {
    return std::nullopt;
  }
  return found->second;
}

std::vector<Register> unset_registers(const Function& function) {
  std::vector<Register> unset = Liveness(function).at(0);
  std::erase_if(unset, [&](const Register& reg) {
    return reg == function.stack_pointer || reg == function.stack_pointer_local;
  });
  return unset;
}

UnsetRegisters unset_registers(const Module& module) {
  UnsetRegisters unset;
  for (const Function& function : module.functions) {
    unset.push_back(unset_registers(function));
  }
  return unset;
}

}  // namespace tilestep::ptx

#include "simt/machine/machine.h"
#include "simt/machine/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace tilestep::simt {
namespace {

// Enough for every warp of a block to pass its first barrier, and to see whether a pointer changes
// later.
constexpr std::uint64_t kMostViewSteps = 100'000;
constexpr std::uint64_t kStepsOfATurn = 4'096;

// What is known of a pointer variable.
struct Pointer {
  std::optional<std::uint64_t> address;
  std::uint64_t order = 0;  // by first assignment
  bool is_early = false;    // assigned before the block's first barrier
  bool varies = false;      // between threads, or in time
};

bool is_dynamic(const Program& program, const Allocation& allocation) {
  return allocation.kind == AllocationKind::Shared && allocation.bytes > 0 &&
         program.module().variables[allocation.module_variable].is_extern;
}

// Size of a pointer's pointee; 0 if it has no size, and for other types.
std::uint32_t element_bytes(const ptx::Module& module, ptx::TypeId type) {
  if (type >= module.types.size() || module.types[type].kind != ptx::TypeKind::Pointer ||
      module.types[type].element >= module.types.size()) {
    return 0;
  }
  const ptx::SourceType& element = module.types[module.types[type].element];
  const bool is_data =
      element.kind != ptx::TypeKind::Void && element.kind != ptx::TypeKind::Function;
  return is_data ? element.bytes : 0;
}

// The kernel's own pointer variables, without those of inlined functions.
std::vector<std::uint32_t> pointer_variables(const Program& program) {
  const ptx::Function& entry = program.entry();
  std::vector<bool> is_inlined(entry.scopes.size());
  std::vector<std::uint32_t> found;
  for (std::size_t s = 0; s < entry.scopes.size(); ++s) {
    const ptx::Scope& scope = entry.scopes[s];
    is_inlined[s] = !scope.inlined.empty() || (s > 0 && is_inlined[scope.parent]);
    for (const std::uint32_t v : scope.variables) {
      const ptx::SourceVariable& variable = entry.source_variables[v];
      if (!is_inlined[s] && !variable.is_parameter &&
          element_bytes(program.module(), variable.type) > 0) {
        found.push_back(v);
      }
    }
  }
  return found;
}

// Tracks assignments to pointer variables (docs/reading-ptx.md).
class PointerWatch final : public Observer {
 public:
  PointerWatch(const Machine& machine, const std::vector<std::uint32_t>& variables)
      : machine_(machine), entry_(machine.program().entry()) {
    for (const std::uint32_t v : variables) {
      plan(v);
    }
  }

  [[nodiscard]] bool wants_steps() const override { return true; }

  void before_step(const StepInfo& info) override {
    settle(info.id);
    if (&machine_.program().module().functions[info.function] != &entry_) {
      return;
    }
    if (const auto arrivals = arrivals_.find(info.pc); arrivals != arrivals_.end()) {
      for (const auto& [variable, reg] : arrivals->second) {
        take_register(variable, reg, info.id, info.active);
      }
    }
    if (const auto writes = writes_.find(info.pc); writes != writes_.end()) {
      for (const auto& [variable, reg] : writes->second) {
        pending_.push_back({variable, reg, info.mask});
      }
    }
  }

  void on_memory(const StepInfo& info, const MemoryEvent& event) override {
    if (event.space == ptx::Space::Local && event.kind == AccessKind::Store && !slots_.empty()) {
      note_local_store(info, event);
    } else if (event.space == ptx::Space::Shared && !reuse_) {
      for_each_lane(event.mask, [&](std::uint32_t lane) {
        touched_ = std::max(touched_, event.addresses[lane] + event.bytes);
      });
    }
  }

  void on_barrier(const StepInfo&, const BarrierEvent& event) override {
    is_past_barrier_ = is_past_barrier_ || event.action == BarrierAction::Release;
  }

  [[nodiscard]] const std::map<std::uint32_t, Pointer>& pointers() const { return pointers_; }
  // For memory that is used twice: the end of the accesses before another pointer to shared memory
  // was assigned after the first barrier; empty if none was.
  [[nodiscard]] std::optional<std::uint64_t> first_use_end() const {
    return reuse_ ? std::optional(touched_) : std::nullopt;
  }

 private:
  struct Write {
    std::uint32_t variable = 0;
    ptx::Register reg;
    std::uint32_t lanes = 0;
    bool in_memory = false;
  };
  using ByPc = std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, ptx::Register>>>;

  void plan(std::uint32_t v) {
    const ptx::SourceVariable& variable = entry_.source_variables[v];
    switch (variable.kind) {
      case ptx::LocationKind::Events:
        for (const ptx::AssignmentEvent& event : entry_.events) {
          if (event.variable == v) {
            arrivals_[event.pc].emplace_back(v, event.reg);
          }
        }
        break;
      case ptx::LocationKind::Register:
        for (std::uint32_t pc = 0; pc < entry_.instructions.size(); ++pc) {
          if (writes(entry_.instructions[pc], variable.reg)) {
            writes_[pc].emplace_back(v, variable.reg);
          }
        }
        break;
      case ptx::LocationKind::Memory: {
        const ptx::MemoryVariable& memory =
            machine_.program().module().variables[variable.variable];
        if (memory.space == ptx::Space::Local) {  // its address is taken: a lambda captures it
          slots_[v] = std::uint64_t{memory.local_offset} + variable.offset;
        }
        break;
      }
      default:
        break;
    }
  }

  [[nodiscard]] bool writes(const ptx::Instruction& instruction, const ptx::Register& reg) const {
    for (std::uint32_t i = 0; i < instruction.dest_count; ++i) {
      const ptx::Operand& operand = entry_.operands[instruction.first_operand + i];
      if (operand.kind == ptx::OperandKind::Register && operand.reg == reg) {
        return true;
      }
    }
    return false;
  }

  void note_local_store(const StepInfo& info, const MemoryEvent& event) {
    for (const auto& [variable, offset] : slots_) {
      Write write{variable, {}, 0, true};
      for_each_lane(event.mask, [&](std::uint32_t lane) {
        const std::uint64_t slot =
            machine_.local_frame(info.id, static_cast<int>(lane), 0) + offset;
        const std::uint64_t address = event.addresses[lane];
        const bool is_there = address < slot + 8 && slot < address + event.bytes;
        write.lanes |= is_there ? 1U << lane : 0U;
      });
      if (write.lanes != 0) {
        pending_.push_back(write);
      }
    }
  }

  // A step's writes are visible when the next step begins; one block's warps take turns.
  void settle(WarpId id) {
    for (const Write& write : std::exchange(pending_, {})) {
      if (!write.in_memory) {
        take_register(write.variable, write.reg, last_, write.lanes);
        continue;
      }
      for_each_lane(write.lanes, [&](std::uint32_t lane) {
        const std::uint64_t slot =
            machine_.local_frame(last_, static_cast<int>(lane), 0) + slots_[write.variable];
        const auto warp_size = machine_.program().warp_size();
        const std::uint32_t thread = last_.warp * warp_size + lane;
        if (const auto bytes = machine_.read(last_.block, thread, slot, 8)) {
          std::uint64_t address = 0;
          std::memcpy(&address, bytes->data(), sizeof address);
          take(write.variable, address);
        }
      });
    }
    last_ = id;
  }

  void take_register(std::uint32_t variable, ptx::Register reg, WarpId id, std::uint32_t lanes) {
    for_each_lane(lanes, [&](std::uint32_t lane) {
      take(variable, machine_.register_lane(id, reg, static_cast<int>(lane), 0));
    });
  }

  void take(std::uint32_t variable, std::uint64_t address) {
    Pointer& pointer = pointers_[variable];
    if (!pointer.address) {
      pointer = {address, order_++, !is_past_barrier_, false};
      reuse_ =
          reuse_ || (is_past_barrier_ && address / kWindowBytes == kSharedWindow / kWindowBytes);
    }
    pointer.varies = pointer.varies || *pointer.address != address;
  }

  const Machine& machine_;
  const ptx::Function& entry_;
  ByPc arrivals_;                                 // by pc: variables that have their value on
                                                  // arrival
  ByPc writes_;                                   // by pc: variables that are written there
  std::map<std::uint32_t, std::uint64_t> slots_;  // in the kernel's local memory
  std::vector<Write> pending_;
  WarpId last_;
  std::map<std::uint32_t, Pointer> pointers_;
  std::uint64_t order_ = 0;
  std::uint64_t touched_ = 0;
  bool is_past_barrier_ = false;
  bool reuse_ = false;
};

// Runs the first block, its warps in turn, to its end or to the limit of steps.
void run_first_block(Machine& machine, PointerWatch& watch) {
  const std::uint32_t warps = machine.program().warps_per_block();
  std::uint64_t left = kMostViewSteps;
  for (bool moves = true; moves && left > 0;) {
    moves = false;
    for (std::uint32_t warp = 0; warp < warps && left > 0; ++warp) {
      const WarpId id{0, warp};
      const BlockStatus status = machine.block_status(0);
      const bool can_run =
          status == BlockStatus::NotStarted ||
          (status == BlockStatus::Running && machine.warp(id).status == WarpStatus::Ready);
      if (can_run) {
        left -= machine.run(id, std::min(left, kStepsOfATurn), &watch);
        moves = true;
      }
    }
  }
}

struct Candidate {
  std::uint32_t allocation = 0;
  std::uint64_t address = 0;
  std::uint64_t order = 0;
  const ptx::SourceVariable* variable = nullptr;
  ptx::TypeId element = ptx::kNoType;  // pointee
  std::uint32_t bytes = 0;             // pointee's size
  bool is_array = false;               // the pointee is an array
};

std::vector<Candidate> candidates_of(const Program& program, const PointerWatch& watch) {
  const ptx::Module& module = program.module();
  std::vector<Candidate> found;
  for (const auto& [v, pointer] : watch.pointers()) {
    if (!pointer.address || !pointer.is_early || pointer.varies) {
      continue;
    }
    const Place place = program.locate(*pointer.address, 1);
    if (place.allocation == kNoAllocation || !place.inside ||
        !is_dynamic(program, program.allocations()[place.allocation])) {
      continue;
    }
    const ptx::SourceVariable& variable = program.entry().source_variables[v];
    const ptx::TypeId element = module.types[variable.type].element;
    found.push_back({place.allocation, *pointer.address, pointer.order, &variable, element,
                     element_bytes(module, variable.type),
                     module.types[element].kind == ptx::TypeKind::Array});
  }
  return found;
}

// If two views have the same address, keeps the more informative one: arrays before single
// elements, then the first one assigned. Memory that a kernel uses twice keeps the name of its
// first use: pointers assigned after a barrier are no candidates. A pointer into an element of a
// view is not a view.
void choose(std::vector<Candidate>& all) {
  const auto key = [](const Candidate& c) { return std::tuple(c.address, !c.is_array, c.order); };
  std::ranges::sort(all, [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : all) {
    if (chosen.empty() || candidate.address >= chosen.back().address + chosen.back().bytes) {
      chosen.push_back(candidate);
    }
  }
  all = std::move(chosen);
}

// Each view extends to the next, in whole elements.
std::vector<Array> measured(const Program& program, const std::vector<Candidate>& chosen,
                            std::optional<std::uint64_t> first_use_end) {
  std::vector<Array> views;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Candidate& c = chosen[i];
    const Allocation& whole = program.allocations()[c.allocation];
    const bool is_first = i == 0 || chosen[i - 1].allocation != c.allocation;
    const bool is_last = i + 1 == chosen.size() || chosen[i + 1].allocation != c.allocation;
    if (is_first && is_last && c.address == whole.base && !c.is_array) {
      continue;  // another name for the whole allocation adds nothing
    }
    std::uint64_t end = is_last ? whole.base + whole.bytes : chosen[i + 1].address;
    if (is_last && first_use_end && *first_use_end > c.address) {
      const std::uint64_t used = *first_use_end - c.address;
      end = std::min(end, c.address + (used + c.bytes - 1) / c.bytes * c.bytes);
    }
    const std::uint64_t bytes = (end - c.address) / c.bytes * c.bytes;
    if (bytes > 0) {
      views.push_back(
          {{AllocationKind::Shared, c.variable->name, c.address, bytes, 0, whole.module_variable},
           c.allocation,
           c.element});
    }
  }
  return views;
}

}  // namespace

std::vector<Array> find_shared_views(const std::shared_ptr<const Program>& program) {
  const auto allocations = program->allocations();
  const bool has_dynamic =
      std::ranges::any_of(allocations, [&](const auto& a) { return is_dynamic(*program, a); });
  if (!has_dynamic) {
    return {};
  }
  const std::vector<std::uint32_t> variables = pointer_variables(*program);
  if (variables.empty()) {
    return {};
  }
  Machine machine(program, {0, 1});
  PointerWatch watch(machine, variables);
  run_first_block(machine, watch);
  std::vector<Candidate> chosen = candidates_of(*program, watch);
  choose(chosen);
  return measured(*program, chosen, watch.first_use_end());
}

}  // namespace tilestep::simt

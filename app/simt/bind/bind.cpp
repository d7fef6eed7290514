#include "simt/bind/bind.h"

#include "simt/exec/control.h"

#include <cstring>

namespace tilestep::simt {
namespace {

using S = ptx::SpecialRegister;

[[nodiscard]] std::uint32_t register_bytes(ptx::RegisterClass cls) {
  switch (cls) {
    case ptx::RegisterClass::Pred:
      return 1;
    case ptx::RegisterClass::B16:
    case ptx::RegisterClass::B32:
      return 4;
    case ptx::RegisterClass::B64:
      return 8;
    case ptx::RegisterClass::B128:
      break;
  }
  return 16;
}

[[nodiscard]] std::vector<std::uint32_t> lane_values(std::uint32_t (*f)(std::uint32_t)) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    values.push_back(f(lane));
  }
  return values;
}

// Special registers that are the same for the whole launch.
[[nodiscard]] std::optional<std::uint64_t> launch_value(const ProgramData& program, S which) {
  const problem::Launch& launch = program.launch;
  switch (which) {
    case S::NtidX:
      return launch.block.x;
    case S::NtidY:
      return launch.block.y;
    case S::NtidZ:
      return launch.block.z;
    case S::NctaidX:
    case S::ClusterNctaidX:
      return which == S::NctaidX ? launch.grid.x : 1;
    case S::NctaidY:
    case S::ClusterNctaidY:
      return which == S::NctaidY ? launch.grid.y : 1;
    case S::NctaidZ:
    case S::ClusterNctaidZ:
      return which == S::NctaidZ ? launch.grid.z : 1;
    case S::Nwarpid:
      return program.warps;
    case S::WarpSize:
      return static_cast<std::uint64_t>(program.warp_size);
    case S::Nsmid:
    case S::ClusterNctarank:
      return 1;
    case S::TotalSmemSize:
      return program.memory.shared_bytes();
    case S::DynamicSmemSize:
      return launch.dynamic_shared_bytes;
    case S::ReservedSmemEnd:
      return kReservedSharedInUse;
    case S::ReservedSmemCap:
      return kReservedShared;
    case S::Smid:
    case S::Gridid:
    case S::ReservedSmemBegin:
    case S::ReservedSmemOffset:
    case S::Envreg:
    case S::ClusterCtaidX:
    case S::ClusterCtaidY:
    case S::ClusterCtaidZ:
    case S::ClusterCtarank:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

Slot ConstantPool::append(std::size_t bytes) {
  const auto offset = static_cast<std::uint32_t>(bytes_.size());
  bytes_.resize(bytes_.size() + bytes);
  return {offset, Base::Constants};
}

Slot ConstantPool::row(std::uint64_t value, std::uint32_t bytes) {
  const auto known = known_.find({value, bytes});
  if (known != known_.end()) {
    return known->second;
  }
  const Slot slot = append(std::size_t{bytes} * kLanes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(bytes_.data() + slot.offset + lane * bytes, &value, bytes);
  }
  known_.emplace(std::pair{value, bytes}, slot);
  return slot;
}

Slot ConstantPool::words(const std::vector<std::byte>& bytes) {
  const std::size_t count = (bytes.size() + 3) / 4;
  const Slot slot = append(count * kWordRow);
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      bytes_[slot.offset + b / 4 * kWordRow + lane * 4 + b % 4] = bytes[b];
    }
  }
  return slot;
}

Slot ConstantPool::lanes(const std::vector<std::uint32_t>& values) {
  const Slot slot = append(kWordRow);
  std::memcpy(bytes_.data() + slot.offset, values.data(), kWordRow);
  return slot;
}

AlignedBuffer ConstantPool::take() const {
  AlignedBuffer buffer(bytes_.size());
  if (!bytes_.empty()) {
    std::memcpy(buffer.data(), bytes_.data(), bytes_.size());
  }
  return buffer;
}

Binder::Binder(ProgramData& program, const Isa& isa) : program_(program), isa_(isa) {
  param_rows_ = constants_.words(program.params);
}

void Binder::finish() {
  program_.constants = constants_.take();
}

void Binder::bind_function(std::uint32_t function) {
  function_ = function;
  const ptx::Function& source = program_.module->functions[function];
  BoundFunction& bound = program_.functions[function];
  const auto align = [](std::uint32_t bytes) {
    return (bytes + kWordRow - 1) / kWordRow * kWordRow;
  };
  FrameLayout& frame = bound.frame;
  const bool is_kernel = source.is_entry;
  frame.params = source.register_words * kWordRow;
  frame.call_area = frame.params + (is_kernel ? 0 : (source.param_bytes + 3) / 4 * kWordRow);
  frame.predicates = frame.call_area + (source.call_bytes + 3) / 4 * kWordRow;
  frame.bytes = align(frame.predicates + source.predicate_count * 4);
  // 64-bit registers stay aligned to their rows in every frame.
  frame.bytes = (frame.bytes + kLongRow - 1) / kLongRow * kLongRow;
  frame.local_bytes = (source.local_bytes + 15) / 16 * 16;
  bound.code.resize(source.instructions.size());
  for (std::uint32_t pc = 0; pc < source.instructions.size(); ++pc) {
    bind_instruction(pc);
  }
  share_addresses(bound, source);
  if (!program_.module->is_debug) {
    contract(bound, source, isa_);
  }
  fuse(bound, source, isa_);
  chain_products(bound, isa_);
  if (is_kernel) {
    settle(bound, source);
  }
}

void Binder::bind_instruction(std::uint32_t pc) {
  const ptx::Function& source = program_.module->functions[function_];
  Operation o{source.instructions[pc], program_.functions[function_].code[pc], source, {}};
  o.bound.pc = pc;
  o.bound.source = &o.instruction;
  o.bound.d = kNoSlot;
  o.bound.in.fill(kNoSlot);
  if (!bind_operation(o)) {
    o.run(not_simulated);
  }
  const bool has_own_guard = o.instruction.op == ptx::Opcode::Bra;
  if (o.instruction.guard != ptx::kNoGuard && !has_own_guard) {
    add_guard(o);
  }
  if (o.detail) {
    o.bound.detail = o.detail.get();
    program_.details.push_back(std::move(o.detail));
  }
}

void Binder::add_guard(Operation& o) {
  Detail& more = detail(o);
  more.inner = o.bound.run;
  more.guard = {program_.functions[function_].frame.predicates + o.instruction.guard * 4,
                Base::Frame};
  more.guard_invert = o.instruction.guard_negated ? ~0U : 0U;
  o.run(guarded);
}

Detail& Binder::detail(Operation& o) {
  if (!o.detail) {
    o.detail = std::make_unique<Detail>();
  }
  return *o.detail;
}

Slot Binder::register_slot(ptx::Register reg) const {
  const FrameLayout& frame = program_.functions[function_].frame;
  return reg.cls == ptx::RegisterClass::Pred ? Slot{frame.predicates + reg.index * 4, Base::Frame}
                                             : Slot{reg.index * kWordRow, Base::Frame};
}

std::optional<Slot> Binder::slot(const ptx::Operand& operand, std::uint32_t bytes) {
  switch (operand.kind) {
    case ptx::OperandKind::Register:
      return register_bytes(operand.reg.cls) == bytes ? std::optional{register_slot(operand.reg)}
                                                      : std::nullopt;
    case ptx::OperandKind::Immediate:
      if (bytes == 8) {
        return constants_.long_word(static_cast<std::uint64_t>(operand.value));
      }
      return constants_.word(bytes == 1 ? (operand.value != 0 ? ~0U : 0U)
                                        : static_cast<std::uint32_t>(operand.value));
    case ptx::OperandKind::Special:
      return special(operand.index, bytes);
    case ptx::OperandKind::Variable: {
      const std::uint64_t address = program_.memory.variable_address(operand.index);
      const ptx::Space space = program_.module->variables[operand.index].space;
      if (space == ptx::Space::Local || address == kNoAddress) {
        return std::nullopt;
      }
      const std::uint64_t value = address + static_cast<std::uint64_t>(operand.value);
      if (bytes == 4 && space == ptx::Space::Shared) {  // its addresses fit in a word
        return constants_.word(static_cast<std::uint32_t>(value));
      }
      return bytes == 8 ? std::optional{constants_.long_word(value)} : std::nullopt;
    }
    case ptx::OperandKind::Param:  // an address; only of the kernel's parameters
      return bytes == 8 && program_.module->functions[function_].is_entry
                 ? std::optional{constants_.long_word(operand.index +
                                                      static_cast<std::uint64_t>(operand.value))}
                 : std::nullopt;
    case ptx::OperandKind::Function:
      return bytes == 8 ? std::optional{constants_.long_word(kCodeWindow + operand.index)}
                        : std::nullopt;
    case ptx::OperandKind::None:
      return kNoSlot;
    default:
      return std::nullopt;
  }
}

std::optional<Slot> Binder::special(std::uint32_t which, std::uint32_t bytes) {
  const auto name = static_cast<S>(which);
  if (const auto value = launch_value(program_, name)) {
    return bytes == 8 ? constants_.long_word(*value)
                      : constants_.word(static_cast<std::uint32_t>(*value));
  }
  if (bytes != 4) {
    return std::nullopt;
  }
  switch (name) {
    case S::TidX:
    case S::TidY:
    case S::TidZ:
      return Slot{kTidRows + (which - static_cast<std::uint32_t>(S::TidX)) * kWordRow, Base::Warp};
    case S::Warpid:
      return Slot{kWarpidRow, Base::Warp};
    case S::CtaidX:
    case S::CtaidY:
    case S::CtaidZ:
      return Slot{(which - static_cast<std::uint32_t>(S::CtaidX)) * kWordRow, Base::Block};
    case S::Laneid:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return lane; }));
    case S::LanemaskEq:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return 1U << lane; }));
    case S::LanemaskLt:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return (1U << lane) - 1U; }));
    case S::LanemaskLe:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return (2U << lane) - 1U; }));
    case S::LanemaskGe:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return ~((1U << lane) - 1U); }));
    case S::LanemaskGt:
      return constants_.lanes(lane_values([](std::uint32_t lane) { return ~((2U << lane) - 1U); }));
    default:
      return std::nullopt;
  }
}

}  // namespace tilestep::simt

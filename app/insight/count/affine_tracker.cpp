#include "insight/count/affine_tracker.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using ptx::Opcode;
using ptx::OperandKind;

// The result depends only on the operands. (AddC and its relatives also read the carry.)
bool is_pure(Opcode op) {
  return (ptx::has(op, ptx::kComputes) && !ptx::has(op, ptx::kReadsCarry)) ||
         op == Opcode::Isspacep;
}

// The form of the result follows from the operands' forms alone, whatever their values are.
bool goes_by_forms(const ptx::Instruction& i) {
  const Opcode op = i.op;
  return (op == Opcode::Mov && i.vector == 1) || op == Opcode::Add || op == Opcode::Sub ||
         op == Opcode::Neg || op == Opcode::Not || op == Opcode::Cvta;
}

bool is_unpack(const ptx::Instruction& i) {
  return i.op == Opcode::Mov && i.vector == 2 && i.dest_count == 2 && i.type == ptx::Type::B64;
}

bool adds_with_carry(const ptx::Instruction& i) {
  const bool has_carry = i.op == Opcode::AddC || (i.flags & ptx::kCarryOut) != 0;
  return has_carry && (i.op == Opcode::Add || i.op == Opcode::AddC) && ptx::byte_size(i.type) == 4;
}

bool is_load(Opcode op) {
  return op == Opcode::Ld || op == Opcode::Ldu;
}

bool is_direct_address(const ptx::Operand& operand) {
  return operand.kind == OperandKind::MemoryVariable ||
         operand.kind == OperandKind::MemoryAbsolute || operand.kind == OperandKind::Param ||
         operand.kind == OperandKind::CallParam;
}

}  // namespace

void FormRow::set(std::uint32_t mask, const Form& form) {
  if (lanes_ == nullptr) {
    if (all_ == form) {
      return;
    }
    lanes_ = std::make_unique<std::array<Form, simt::kWarpSize>>();
    lanes_->fill(all_);
  }
  for_each_lane(mask, [&](std::size_t lane) { (*lanes_)[lane] = form; });
}

void FormRow::forget(std::size_t axis) {
  if (lanes_ == nullptr) {
    all_.per_block[axis] = 0;
    return;
  }
  for (Form& form : *lanes_) {
    form.per_block[axis] = 0;
  }
  const Form& first = lanes_->front();
  if (std::ranges::all_of(*lanes_, [&](const Form& form) { return form == first; })) {
    set_all(Form(first));
  }
}

AffineTracker::AffineTracker(const simt::Machine& machine, BlockMeter& meter, std::uint32_t block,
                             const BlockAxes& axes, const BlockDomain& domain)
    : machine_(machine),
      program_(machine.program()),
      meter_(&meter),
      first_meter_(&meter),
      axes_(axes),
      block_index_(program_.block_index(block)),
      domain_(domain),
      warps_(program_.warps_per_block()) {}

AffineTracker::Site AffineTracker::site(const simt::StepInfo& info) {
  Warp& warp = warps_[info.id.warp];
  if (warp.frames.size() <= info.frame) {
    warp.frames.resize(info.frame + 1);
  }
  if (warp.live == 0) {
    warp.live = machine_.warp(info.id).live;
  }
  const ptx::Function& function = program_.module().functions[info.function];
  std::optional<FormFrame>& frame = warp.frames[info.frame];
  if (!frame) {
    frame.emplace(function);
    // The frame's own addresses depend on the thread, not on the block.
    for (const ptx::Register& reg : {function.stack_pointer, function.stack_pointer_local}) {
      if (reg.index != 0xffffffffU) {
        frame->row(reg).set_all(kConstantForm);
      }
    }
  }
  return {{info, function, *info.instruction, *frame}, warp.live};
}

void AffineTracker::fail(const simt::StepInfo& info, const char* what) {
  if (failure_.empty()) {
    const std::uint32_t line =
        ptx::statement_line(program_.module().functions[info.function], info.pc);
    failure_ = fmt::format("line {}: {}", line, what);
  }
}

void AffineTracker::before_step(const simt::StepInfo& info) {
  meter_->on_step(info);
  if (!failure_.empty()) {
    return;
  }
  const Site here = site(info);
  check_guard(here);
  check_control(here);
  if (here.instruction.op == Opcode::BulkCopy || here.instruction.op == Opcode::BulkTensorCopy) {
    start_copies(here);
  } else if (here.instruction.op == Opcode::Mbarrier) {
    keep_mbarrier(here);
  }
  loaded_count_ = 0;
  loaded_mask_ = 0;
  if (here.instruction.dest_count != 0 && info.mask != 0) {
    assign(here);
  }
}

void AffineTracker::check_guard(const Site& site) {
  if (site.instruction.guard == ptx::kNoGuard) {
    return;
  }
  const FormRow& row = site.registers.predicates[site.instruction.guard];
  for_each_lane(site.info.active, [&](std::size_t lane) {
    if (!row.at(lane).known) {
      fail(site.info, tr("which threads take a branch depends on memory contents, or nonlinearly "
                         "on the block index"));
    }
  });
}

void AffineTracker::check_control(const Site& site) {
  const Opcode op = site.instruction.op;
  const bool is_jump = op == Opcode::BrxIdx;
  const bool is_strided = op == Opcode::WmmaLoad || op == Opcode::WmmaStore;
  if (!is_jump && !is_strided && op != Opcode::Call && op != Opcode::CpAsync && op != Opcode::Bar) {
    return;
  }
  for (std::uint32_t n = 0; n < site.instruction.operand_count; ++n) {
    const ptx::Operand& operand = site.operand(n);
    // In a matrix operation only the stride, its last operand, decides about addresses.
    if (op == Opcode::Call && operand.kind == OperandKind::Register) {
      fail(site.info, tr("the kernel calls a function through a pointer"));
    }
    const bool matters = operand.kind == OperandKind::Register &&
                         (!is_strided || n + 1U == site.instruction.operand_count);
    if (!matters || (n < site.instruction.dest_count && !is_strided)) {
      continue;
    }
    for_each_lane(site.info.mask, [&](std::size_t lane) {
      if (!domain_.is_constant(form(site, operand, lane))) {
        fail(site.info, tr("the next instruction is not the same in all blocks"));
      }
    });
  }
}

Form AffineTracker::form(const Site& site, const ptx::Operand& operand, std::size_t lane) const {
  using S = ptx::SpecialRegister;
  switch (operand.kind) {
    case OperandKind::Register:
    case OperandKind::Memory:
      return site.registers.row(operand.reg).at(lane);
    case OperandKind::Special:
      break;
    case OperandKind::CallParam:
      return {};
    case OperandKind::Param:
      return site.function.is_entry ? kConstantForm : Form{};
    default:
      return kConstantForm;
  }
  const auto special = static_cast<S>(operand.index);
  if (special >= S::CtaidX && special <= S::CtaidZ) {
    return axes_.form_of(operand.index - static_cast<std::uint32_t>(S::CtaidX));
  }
  Form form = kConstantForm;
  const bool is_of_the_machine = special == S::Smid || special == S::Nsmid ||
                                 (special >= S::Clock && special <= S::GlobaltimerHi) ||
                                 special >= S::ClusterCtaidX;
  form.known = !is_of_the_machine;
  return form;
}

bool AffineTracker::is_uniform(const Site& site, const ptx::Operand& operand) const {
  const bool is_row = operand.kind == OperandKind::Register || operand.kind == OperandKind::Memory;
  return !is_row || site.registers.row(operand.reg).is_uniform();
}

bool AffineTracker::is_uniform(const Site& site) const {
  for (std::uint32_t n = 0; n < site.sources(); ++n) {
    if (!is_uniform(site, site.source(n))) {
      return false;
    }
  }
  return true;
}

bool AffineTracker::all_constant(const Site& site, std::uint32_t mask) const {
  for (std::uint32_t n = 0; n < site.sources(); ++n) {
    const ptx::Operand& operand = site.source(n);
    std::uint32_t left = is_uniform(site, operand) ? mask & (0 - mask) : mask;  // the first lane,
                                                                                // or all
    for (; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (!domain_.is_constant(form(site, operand, lane))) {
        return false;
      }
    }
  }
  return true;
}

void AffineTracker::set(const Site& site, std::uint32_t dest, const Form& form,
                        std::uint32_t mask) {
  const ptx::Operand& operand = site.operand(dest);
  if (operand.kind != OperandKind::Register) {
    return;
  }
  FormRow& row = site.registers.row(operand.reg);
  if ((site.live & ~mask) == 0) {
    row.set_all(form);  // lanes that have exited read nothing any more
  } else {
    row.set(mask, form);
  }
}

void AffineTracker::set_all_dests(const Site& site, const Form& form) {
  for (std::uint32_t n = 0; n < site.instruction.dest_count; ++n) {
    set(site, n, form, site.info.mask);
  }
}

void AffineTracker::begin_load(const Site& site) {
  loaded_count_ = site.instruction.dest_count;
  loaded_.resize(std::max<std::size_t>(loaded_.size(), loaded_count_));
}

void AffineTracker::fill_loaded(const Form& form) {
  for (std::uint32_t n = 0; n < loaded_count_; ++n) {
    loaded_[n].fill(form);
  }
}

void AffineTracker::assign(const Site& site) {
  const Opcode op = site.instruction.op;
  const std::uint32_t mask = site.info.mask;
  if (op == Opcode::Atom && follows_contents_) {
    begin_load(site);
    return;
  }
  if (is_load(op)) {
    const ptx::Operand& from = site.source(0);
    const bool fixed =
        site.instruction.space == ptx::Space::Const || site.instruction.space == ptx::Space::Param;
    if (!fixed || !is_direct_address(from)) {
      begin_load(site);  // on_memory() adds what local memory holds
      return;
    }
    set_all_dests(site, form(site, from, 0));
    return;
  }
  if (op == Opcode::Mbarrier) {
    // Whether a phase is over depends on the arrivals so far. They are the same in all blocks, as
    // every operand is (keep_mbarrier).
    set_all_dests(site, kConstantForm);
    return;
  }
  if (ptx::has(op, ptx::kReadsLanes)) {
    set_all_dests(site, all_constant(site, site.live) ? kConstantForm : Form{});
    return;
  }
  if (adds_with_carry(site.instruction)) {
    add_with_carry(site);
    return;
  }
  if (!is_pure(op)) {
    set_all_dests(site, {});
    return;
  }
  if (all_constant(site, mask)) {
    set_all_dests(site, kConstantForm);
    return;
  }
  if (is_unpack(site.instruction)) {
    unpack(site);
    return;
  }
  if ((site.instruction.dest_count != 1 && op != Opcode::Setp) || !has_rule(site.instruction)) {
    set_all_dests(site, {});
    return;
  }
  if (goes_by_forms(site.instruction) && is_uniform(site)) {
    set_all_dests(site, result(site, static_cast<std::size_t>(std::countr_zero(mask))));
    return;
  }
  std::array<Form, simt::kWarpSize> forms;
  bool same = true;
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  for_each_lane(mask, [&](std::size_t lane) {
    forms[lane] = result(site, lane);
    same = same && forms[lane] == forms[first];
  });
  for (std::uint32_t n = 0; n < site.instruction.dest_count; ++n) {
    if (same) {
      set(site, n, forms[first], mask);
      continue;
    }
    for_each_lane(mask, [&](std::size_t lane) { set(site, n, forms[lane], 1U << lane); });
  }
}

void AffineTracker::after_step(const simt::StepInfo& info) {
  const Opcode op = info.instruction->op;
  const bool leaves = op == Opcode::Exit || op == Opcode::Ret || op == Opcode::Call;
  if (!failure_.empty() || (loaded_count_ == 0 && !leaves)) {
    return;
  }
  Warp& warp = warps_[info.id.warp];
  const Site here = site(info);
  for (std::uint32_t n = 0; n < loaded_count_; ++n) {
    if (loaded_mask_ == 0) {
      set(here, n, {}, info.mask);
      continue;
    }
    for_each_lane(info.mask, [&](std::size_t lane) {
      set(here, n, (loaded_mask_ >> lane & 1U) != 0 ? loaded_[n][lane] : Form{}, 1U << lane);
    });
  }
  loaded_count_ = 0;
  if (op == Opcode::Exit || op == Opcode::Ret) {
    warp.live = machine_.warp(info.id).live;
  }
  if (op == Opcode::Call) {
    // A callee's frame may have the number of an earlier frame.
    const simt::WarpView view = machine_.warp(info.id);
    if (view.frame != info.frame && view.frame < warp.frames.size()) {
      warp.frames[view.frame].reset();
    }
  }
}

void AffineTracker::on_barrier(const simt::StepInfo& /*info*/, const simt::BarrierEvent& event) {
  if (event.action == simt::BarrierAction::Release && event.whole_block) {
    meter_->on_block_barrier();
  }
}

// The block continues after these faults. A fault that may differ between blocks restricts the
// domain to this block and iteration.
void AffineTracker::on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  switch (event.kind) {
    case simt::FaultKind::Misaligned:
      keep_misaligned(site(info), event);
      break;
    case simt::FaultKind::OutOfRange:
      keep_outside(site(info), event);
      break;
    case simt::FaultKind::DivergentBarrier:
      break;  // masks are the same wherever the proof holds
    case simt::FaultKind::DivisionByZero:
      domain_.keep_representative();
      break;
    default:
      fail(info, tr("a fault (see tilestep check)"));
      break;
  }
}

void AffineTracker::on_undefined_quotient(const simt::StepInfo& /*info*/, std::uint32_t /*mask*/) {
  domain_.keep_representative();
}

}  // namespace tilestep::insight

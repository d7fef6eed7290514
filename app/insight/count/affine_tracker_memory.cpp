// Conditions of the proof on memory accesses, and the known contents of local memory.
#include "insight/count/affine_tracker.h"
#include "problem/tr.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using ptx::OperandKind;

// Whether the register holds exactly this many bytes.
bool is_as_wide(const ptx::Operand& operand, std::uint32_t bytes) {
  if (operand.kind != OperandKind::Register) {
    return false;
  }
  return bytes == (operand.reg.cls == ptx::RegisterClass::B64   ? 8U
                   : operand.reg.cls == ptx::RegisterClass::B32 ? 4U
                   : operand.reg.cls == ptx::RegisterClass::B16 ? 2U
                                                                : 0U);
}

constexpr std::uint32_t kLargestAccess = 32;  // bytes per lane

}  // namespace

void AffineTracker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (!failure_.empty() || event.is_arrival) {
    return;  // an arrival was handled when it was issued
  }
  if (event.agent != simt::AccessAgent::Thread) {
    on_unit(info, event);
    return;
  }
  if (info.instruction->op == ptx::Opcode::Mbarrier && event.kind == simt::AccessKind::Store) {
    for_each_lane(event.mask, [&](std::size_t lane) { mbarriers_.insert(event.addresses[lane]); });
  }
  const Site here = site(info);
  const std::optional<Form> form = address_form(here, event);
  if (!form) {
    fail(info, tr("an address depends on memory contents, nonlinearly on the block index, or on "
                  "the block index in a different way in each thread"));
    return;
  }
  Moving moving;
  switch (event.space) {
    case ptx::Space::Global:
      moving.bytes_per_block = form->per_block;
      for (std::size_t i = 0; i < kAxes; ++i) {
        if (domain_.range().first[i] == domain_.range().last[i]) {
          moving.bytes_per_block[i] = 0;
        }
      }
      if (!keep_inside(event, *form)) {
        fail(info, tr("an address is aligned only in some blocks"));
        return;
      }
      break;
    case ptx::Space::Shared:
      if (!keep_shared(event, *form)) {
        fail(info, tr("an address in shared memory is not the same in all blocks"));
        return;
      }
      break;
    case ptx::Space::Local:
      on_local(here, event);
      return;
    default:  // constants and parameters
      loaded_mask_ = domain_.is_constant(*form) ? event.mask : 0;
      fill_loaded(kConstantForm);
      return;
  }
  meter_->on_access(info, event, moving);
  if (follows_contents_) {
    event.space == ptx::Space::Shared ? follow_shared(here, event) : follow_global(here, event);
  }
}

// How all lanes' addresses move; empty if they do not move together.
std::optional<Form> AffineTracker::address_form(const Site& site, const simt::MemoryEvent& event) {
  std::optional<Form> found;
  std::uint32_t which = 0;
  // The first operand of cp.async is its destination.
  const bool copies = site.instruction.op == ptx::Opcode::CpAsync;
  const std::uint32_t wanted = copies && event.kind == simt::AccessKind::Load ? 1 : 0;
  for (std::uint32_t n = 0; n < site.instruction.operand_count && !found; ++n) {
    const ptx::Operand& operand = site.operand(n);
    const bool is_address = operand.kind == OperandKind::Memory ||
                            operand.kind == OperandKind::MemoryVariable ||
                            operand.kind == OperandKind::MemoryAbsolute;
    if (!is_address || which++ != wanted) {
      continue;
    }
    if (operand.kind != OperandKind::Memory) {
      return kConstantForm;
    }
    // Some instructions take a row's address from another lane than the one that receives the row.
    const bool own = copies || site.instruction.op == ptx::Opcode::Mbarrier ||
                     site.instruction.op == ptx::Opcode::Ld ||
                     site.instruction.op == ptx::Opcode::Ldu ||
                     site.instruction.op == ptx::Opcode::St || ptx::is_atomic(site.instruction.op);
    const FormRow& row = site.registers.row(operand.reg);
    const std::uint32_t lanes = own ? event.mask : site.live;
    found = row.at(static_cast<std::size_t>(std::countr_zero(lanes)));
    bool same = found->known;
    for_each_lane(row.is_uniform() ? 0 : lanes,
                  [&](std::size_t lane) { same = same && row.at(lane) == *found; });
    if (!same) {
      return std::nullopt;
    }
  }
  return found;
}

// Addresses must be the same in all blocks. From one iteration to the next all lanes may move by
// whole words: the banks change, the conflicts do not. If a copy's sectors are counted by the
// sectors of shared memory that it fills, lanes must move by whole sectors.
bool AffineTracker::keep_shared(const simt::MemoryEvent& event, const Form& form) {
  Form along{form.known, {}};
  along.per_block[kIterations] = form.per_block[kIterations];
  Form across = form;
  across.per_block[kIterations] = 0;
  const std::int64_t step = event.skips_l1 ? kSectorBytes : 4;
  if (along.per_block[kIterations] % step != 0 || !keep_inside(event, along)) {
    domain_.set_iterations(0);
  }
  return domain_.is_constant(across);
}

std::optional<Form> AffineTracker::fault_form(const Site& site, const simt::FaultEvent& event) {
  simt::MemoryEvent access;
  access.kind = event.access;
  access.mask = event.mask;
  return address_form(site, access);
}

// Keeps the blocks and iterations in which each address stays between the same two allocations.
void AffineTracker::keep_outside(const Site& site, const simt::FaultEvent& event) {
  const std::optional<Form> form = fault_form(site, event);
  if (!form || site.instruction.space != ptx::Space::Global) {
    domain_.keep_representative();
    return;
  }
  for_each_lane(event.mask, [&](std::size_t lane) {
    const std::uint64_t address = event.addresses[lane];
    std::uint64_t low = 0;
    std::uint64_t high = ~std::uint64_t{0} - event.bytes;
    for (const simt::Allocation& allocation : program_.allocations()) {
      if (allocation.base <= address) {
        low = std::max(low, allocation.base + allocation.bytes);
      } else {
        high = std::min(high, allocation.base - event.bytes);
      }
    }
    if (low <= address && address <= high) {
      domain_.keep_within(static_cast<Wide>(address), *form, static_cast<Wide>(low),
                          static_cast<Wide>(high));
    } else {
      domain_.keep_representative();
    }
  });
}

// Keeps the blocks and iterations in which the address has the same misalignment.
void AffineTracker::keep_misaligned(const Site& site, const simt::FaultEvent& event) {
  const std::optional<Form> form = fault_form(site, event);
  const std::uint64_t alignment = std::bit_floor(event.bytes) - 1;
  const auto moves = [&](std::int64_t factor) {
    return (static_cast<std::uint64_t>(factor) & alignment) != 0;
  };
  if (!form || std::any_of(form->per_block.begin(), form->per_block.begin() + kBlockAxes, moves)) {
    domain_.keep_representative();
  } else if (moves(form->per_block[kIterations])) {
    domain_.set_iterations(0);
  }
}

// Keeps the blocks whose accesses stay inside the allocation. False: alignment differs.
bool AffineTracker::keep_inside(const simt::MemoryEvent& event, const Form& form) {
  if (domain_.is_constant(form)) {
    return true;
  }
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  for_each_lane(event.mask, [&](std::size_t lane) {
    lowest = std::min(lowest, event.addresses[lane]);
    highest = std::max(highest, event.addresses[lane]);
  });
  const simt::Place place = program_.locate(lowest, event.bytes);
  const simt::Place last = program_.locate(highest, event.bytes);
  if (!place.inside || last.allocation != place.allocation) {
    return false;
  }
  const simt::Allocation& allocation = program_.allocations()[place.allocation];
  const Wide end = Wide{allocation.base} + static_cast<Wide>(allocation.bytes);
  domain_.keep_within(static_cast<Wide>(lowest), form, static_cast<Wide>(allocation.base), end);
  domain_.keep_within(static_cast<Wide>(highest) + event.bytes, form,
                      static_cast<Wide>(allocation.base), end);
  const std::uint64_t alignment = std::bit_floor(event.bytes) - 1;
  return std::ranges::all_of(form.per_block, [&](std::int64_t factor) {
    return (static_cast<std::uint64_t>(factor) & alignment) == 0;
  });
}

void AffineTracker::on_local(const Site& site, const simt::MemoryEvent& event) {
  const std::uint32_t parts = std::max<std::uint32_t>(1, site.instruction.vector);
  const std::uint32_t bytes = event.bytes / parts;
  const bool is_plain = site.instruction.op == ptx::Opcode::Ld ||
                        site.instruction.op == ptx::Opcode::Ldu ||
                        site.instruction.op == ptx::Opcode::St;
  fill_loaded({});
  const auto fitting = [&](const Form& form, const ptx::Operand& operand) {
    return domain_.is_constant(form) || is_as_wide(operand, bytes) ? form : Form{};
  };
  for_each_lane(event.mask, [&](std::size_t lane) {
    const std::uint32_t thread = program_.thread_of(site.info.id, static_cast<std::uint32_t>(lane));
    for (std::uint32_t n = 0; n < parts; ++n) {
      const std::uint64_t address = event.addresses[lane] + std::uint64_t{n} * bytes;
      if (event.kind == simt::AccessKind::Load) {
        if (n < loaded_count_) {
          loaded_[n][lane] = fitting(local_.load(thread, address, bytes), site.operand(n));
        }
        continue;
      }
      const bool known = is_plain && n + 1 < site.instruction.operand_count;
      const ptx::Operand& operand = site.operand(known ? n + 1 : 0);
      local_.store(thread, address, bytes,
                   known ? fitting(form(site, operand, lane), operand) : Form{});
    }
  });
  loaded_mask_ = event.kind == simt::AccessKind::Load ? event.mask : 0;
}

void AffineTracker::follow_contents() {
  follows_contents_ = true;
  has_unknown_.assign(program_.allocations().size(), false);
}

bool AffineTracker::stores_constants(const Site& site, std::uint32_t mask) const {
  if (site.instruction.op != ptx::Opcode::St && !ptx::is_atomic(site.instruction.op)) {
    return false;
  }
  bool constant = true;
  for (std::uint32_t n = 1; n < site.sources(); ++n) {
    for_each_lane(mask, [&](std::size_t lane) {
      constant = constant && domain_.is_constant(form(site, site.source(n), lane));
    });
  }
  return constant;
}

void AffineTracker::follow_shared(const Site& site, const simt::MemoryEvent& event) {
  const std::uint32_t parts = std::max<std::uint32_t>(1, site.instruction.vector);
  const std::uint32_t bytes = event.bytes / parts;
  const bool is_load = event.kind == simt::AccessKind::Load;
  const bool known = meter_ == first_meter_ && event.kind == simt::AccessKind::Store &&
                     stores_constants(site, event.mask);
  if (!known && shared_.empty()) {
    return;
  }
  fill_loaded({});
  for_each_lane(event.mask, [&](std::size_t lane) {
    for (std::uint32_t n = 0; n < parts; ++n) {
      const std::uint64_t address = event.addresses[lane] + std::uint64_t{n} * bytes;
      if (!is_load) {
        shared_.store(0, address, bytes, known ? kConstantForm : Form{});
      } else if (n < loaded_count_) {
        loaded_[n][lane] = shared_.load(0, address, bytes);
      }
    }
  });
  loaded_mask_ = is_load ? event.mask : 0;
}

void AffineTracker::follow_global(const Site& site, const simt::MemoryEvent& event) {
  if (event.kind == simt::AccessKind::Load) {
    return;
  }
  const bool known = meter_ == first_meter_ && stores_constants(site, event.mask);
  bool all_known = known;
  for_each_lane(event.mask, [&](std::size_t lane) {
    const simt::Place place = program_.locate(event.addresses[lane], event.bytes);
    if (place.inside && !known) {
      has_unknown_[place.allocation] = true;
    }
    all_known = all_known && place.inside && !has_unknown_[place.allocation];
  });
  if (event.kind == simt::AccessKind::Atomic && all_known) {
    loaded_mask_ = event.mask;
    fill_loaded(kConstantForm);
  }
}

void KnownMemory::store(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes,
                        const Form& form) {
  if (values_.empty() && !form.known) {
    return;
  }
  const std::uint64_t from = address - std::min<std::uint64_t>(address, kLargestAccess - 1);
  auto it = values_.lower_bound({owner, from});
  while (it != values_.end() && it->first < std::pair{owner, address + bytes}) {
    const bool overlaps = it->first.second + it->second.bytes > address;
    it = overlaps ? values_.erase(it) : std::next(it);
  }
  if (form.known) {
    values_[{owner, address}] = {bytes, form};
  }
}

Form KnownMemory::load(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes) const {
  const auto found = values_.find({owner, address});
  return found == values_.end() || found->second.bytes != bytes ? Form{} : found->second.form;
}

}  // namespace tilestep::insight

// Conditions of the proof on copies by the TMA unit. (Tensor cores' reads of shared memory are
// not counted.)
#include "insight/count/affine_tracker.h"
#include "problem/launch/tensor_map.h"
#include "problem/tr.h"

#include <cassert>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kCoordinateBits = 32;

[[nodiscard]] Wide signed_value(std::uint64_t bits) {
  return static_cast<Wide>(wrap(bits, kCoordinateBits));
}

// Initial limit; conditions reduce it.
constexpr std::uint32_t kMostIterations = 1U << 30;

}  // namespace

// A box inside the matrix stays inside; any other box must be the same in all blocks.
void AffineTracker::keep_box(const Value& first, std::uint32_t box, std::uint32_t size) {
  const Wide at = first.bits ? signed_value(*first.bits) : Wide{-1};
  const bool is_inside = at >= 0 && at + box <= Wide{size};
  if (is_inside) {
    domain_.keep_within(at, first.form, 0, Wide{size} - box);
  } else {
    domain_.keep_within(at, first.form, at, at);
  }
}

// How the places of a box in global memory move from block to block.
std::optional<Form> AffineTracker::box_form(const Site& site, std::size_t lane) {
  const std::uint32_t map_at = site.instruction.space == ptx::Space::Shared ? 1 : 0;
  const ptx::Operand& map_operand = site.operand(map_at);
  const Form where = form(site, map_operand, lane);
  if (map_operand.kind != ptx::OperandKind::Memory || !domain_.is_constant(where)) {
    return std::nullopt;
  }
  const std::uint64_t address = machine_.register_lane(site.info.id, map_operand.reg,
                                                       static_cast<int>(lane), site.info.frame) +
                                static_cast<std::uint64_t>(map_operand.value);
  const auto bytes = machine_.read(
      site.info.id.block, site.info.id.warp * simt::kLanes + static_cast<std::uint32_t>(lane),
      address, problem::kTensorMapBytes);
  const auto map = bytes ? problem::tensor_map_of(*bytes) : std::nullopt;
  const Value col = value(site, map_at + 1, lane, kCoordinateBits);
  const Value row = value(site, map_at + 2, lane, kCoordinateBits);
  if (!map || !col.form.known || !row.form.known) {
    return std::nullopt;
  }
  keep_box(col, map->box_cols, map->cols);
  keep_box(row, map->box_rows, map->rows);
  constexpr std::uint32_t kAddressBits = 64;
  return add(scale(col.form, problem::byte_size(map->type), kAddressBits),
             scale(row.form, map->row_bytes, kAddressBits), kAddressBits);
}

// Requires the operand to be the same in all blocks and in all iterations.
void AffineTracker::keep_constant(const Site& site, const ptx::Operand& operand,
                                  const char* otherwise) {
  simt::for_each_lane(site.info.mask, [&](std::uint32_t lane) {
    const Form moves = form(site, operand, lane);
    if (moves.known && moves.per_block[kIterations] != 0) {
      domain_.set_iterations(0);
    }
    if (!domain_.is_constant(moves)) {
      fail(site.info, otherwise);
    }
  });
}

void AffineTracker::keep_mbarrier(const Site& site) {
  for (std::uint32_t n = 0; n < site.sources(); ++n) {
    keep_constant(site, site.source(n), tr("an mbarrier is not used the same way in all blocks"));
  }
}

void AffineTracker::start_copies(const Site& site) {
  simt::for_each_lane(site.info.mask, [&](std::uint32_t lane) {
    const bool is_box = site.instruction.op == ptx::Opcode::BulkTensorCopy;
    const std::optional<Form> moves = is_box ? box_form(site, lane) : std::nullopt;
    if (!moves) {
      fail(site.info,
           tr("a bulk copy depends on memory contents, or nonlinearly on the block index"));
      return;
    }
    box_moves_ = *moves;
  });
  if (site.instruction.space == ptx::Space::Shared) {
    const char* const otherwise =
        tr("in some blocks, a bulk copy writes to a different place in shared memory");
    keep_constant(site, site.operand(0), otherwise);
    keep_constant(site, site.operand(site.instruction.operand_count - 1U), otherwise);
  }
}

// Called right after the copy was examined.
void AffineTracker::on_unit(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space != ptx::Space::Global) {
    return;
  }
  Moving moving;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const bool moves = domain_.range().first[i] != domain_.range().last[i];
    moving.bytes_per_block[i] = moves ? box_moves_.per_block[i] : 0;
  }
  meter_->on_access(info, event, moving);
}

// One iteration of a loop that represents many.

void AffineTracker::begin_iteration(BlockMeter& meter) {
  assert(meter_ == first_meter_);
  meter_ = &meter;
  shared_.clear();
  domain_.set_iterations(kMostIterations);
}

std::uint32_t AffineTracker::end_iteration() {
  meter_ = first_meter_;
  const std::uint32_t last = domain_.range().last[kIterations];
  domain_.set_iterations(0);
  return last + 1;
}

void AffineTracker::forget_iterations() {
  for (Warp& warp : warps_) {
    if (warp.frames.empty() || !warp.frames[0]) {
      continue;
    }
    for (FormRow& row : warp.frames[0]->words) {
      row.forget(kIterations);
    }
    for (FormRow& row : warp.frames[0]->predicates) {
      row.forget(kIterations);
    }
  }
}

const Form& AffineTracker::form_of(std::uint32_t warp, const ptx::Register& reg, std::size_t lane) {
  return warps_[warp].frames[0]->row(reg).at(lane);
}

void AffineTracker::change_form(std::uint32_t warp, const ptx::Register& reg, std::size_t lane,
                                const Form& form) {
  warps_[warp].frames[0]->row(reg).set(1U << lane, form);
}

}  // namespace tilestep::insight

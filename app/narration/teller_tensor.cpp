// Products on tensor cores: of a warp (mma, wmma) and of a warpgroup (wgmma).
#include "narration/teller.h"
#include "simt/exec/matrix_fragment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::narration {
namespace {

[[nodiscard]] std::string size_text(std::uint32_t rows, std::uint32_t columns) {
  return fmt::format("{}×{}", rows, columns);
}

}  // namespace

Sentence Teller::warp_product(const UnitStep& step) const {
  const ptx::MatrixForm& form =
      program().module().functions[step.function].matrix_forms[step.instruction->target];
  const simt::TileShape shape = simt::tile_shape(form.shape);
  Places places{
      {"thread", who()},
      {"warp", plain(fmt::format("{}", step.warp))},
      {"left", plain(size_text(shape.m, shape.k))},
      {"right", plain(size_text(shape.k, shape.n))},
      {"products",
       strong(counted(std::uint64_t{shape.m} * shape.n * shape.k, Noun::Product), Hue::Sum)}};
  Pieces sums = own_sums(step);
  if (sums.empty()) {
    return say(Kind::Product, "warp_product", places);
  }
  places.emplace_back("sums", std::move(sums));
  return say(Kind::Product, "warp_product_own", places);
}

// "[0][0] = 95, [0][1] = 75, …": rows and columns of the product, by the layout of its fragments.
Pieces Teller::own_sums(const UnitStep& step) const {
  const ptx::Function& function = program().module().functions[step.function];
  const simt::Fragment fragment =
      simt::fragment_of(*step.instruction, function.matrix_forms[step.instruction->target], 0);
  const std::uint32_t lane = own_lane();
  if (fragment.is_wmma || fragment.type != ptx::Type::F32) {
    return {};  // its layout is not specified; halfs
  }
  std::vector<Pieces> all;
  for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
    const std::optional<std::uint64_t> bits = operand_value(step, operands(step)[e]);
    if (!bits) {
      return {};
    }
    const simt::Fragment::Place place = fragment.place(lane, e);
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
    all.push_back(part("is_value", {{"name", plain(fmt::format("[{}][{}]", place.row, place.col))},
                                    {"value", strong(number_text(real_number(value)), Hue::Sum)}}));
  }
  return listed(all);
}

// Where the tensor core reads it itself, by the addresses that it reads.
Pieces Teller::factor(const UnitStep& step, std::uint32_t number, const std::string& size) const {
  std::vector<Pieces> arrays;
  std::vector<std::string> names;
  for (const record::Access& a : told_.statement.accesses) {
    if (a.step != step.step || a.event.agent != simt::AccessAgent::TensorCore) {
      continue;
    }
    for (std::uint32_t rest = a.event.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const auto e = element_at(program(), a.event.addresses[lane], a.event.bytes);
      const std::string name = e ? array_text(program(), *e) : "?";
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
        arrays.push_back(strong(name, e ? hue(e->allocation) : Hue::None));
      }
    }
  }
  // Both factors may lie in the same array.
  const std::size_t at = std::min<std::size_t>(number, arrays.empty() ? 0 : arrays.size() - 1);
  return arrays.empty() ? plain(size)
                        : part("size_of_array", {{"size", plain(size)}, {"array", arrays[at]}});
}

Sentence Teller::warpgroup_product(const UnitStep& step) const {
  const ptx::MatrixForm& form =
      program().module().functions[step.function].matrix_forms[step.instruction->target];
  const std::uint32_t warps =
      std::max(executed_count_ / static_cast<std::uint32_t>(program().warp_size()), 1U);
  const simt::TileShape shape = simt::warpgroup_shape(form, std::min(warps, 4U));
  const bool in_registers = form.group_sizes[1] > 1;
  const std::string left = size_text(shape.m, shape.k);
  Places places{{"threads", plain(counted(executed_count_, Noun::Thread))},
                {"left", in_registers ? part("size_in_registers", {{"size", plain(left)}})
                                      : factor(step, 0, left)},
                {"right", factor(step, in_registers ? 0 : 1, size_text(shape.k, shape.n))}};
  const std::size_t predicate = form.group_sizes[0] + form.group_sizes[1] + 1U;
  const std::optional<std::uint64_t> adds = operand_value(step, operands(step)[predicate]);
  const bool begins = adds && (*adds & 1U) == 0;
  return say(Kind::Product, begins ? Say("warpgroup_begins") : Say("warpgroup_adds"), places);
}

// What the warp has started and waited for before is followed through its run.
Sentence Teller::products_done(const UnitStep& step) const {
  std::vector<std::uint64_t> groups;  // of each product that may be under way
  std::uint64_t group = 0;
  std::uint64_t done = 0;
  for (const UnitStep& earlier : scene_.run.units(0, step.step + 1)) {
    if (earlier.warp != step.warp) {
      continue;
    }
    if (earlier.is(ptx::Opcode::WgmmaMma)) {
      groups.push_back(group);
    } else if (earlier.is(ptx::Opcode::WgmmaCommit)) {
      ++group;
    } else if (earlier.is(ptx::Opcode::WgmmaWait)) {
      const auto left = operand_value(earlier, operands(earlier).front()).value_or(0);
      done = std::erase_if(groups, [&](std::uint64_t of) { return of + left < group; });
    }
  }
  const bool waits = step.is(ptx::Opcode::WgmmaWait);
  const auto in_group =
      static_cast<std::uint64_t>(std::ranges::count(groups, group - std::uint64_t{1}));
  const Places places{{"thread", who()},
                      {"threads", plain(counted(executed_count_, Noun::Thread))},
                      {"products", strong(counted(waits ? done : in_group, Noun::Product))}};
  if (waits) {
    return say(Kind::Product, done > 0 ? Say("warpgroup_done") : Say("warpgroup_wait"), places);
  }
  return say(Kind::Product, "warpgroup_group", places);
}

}  // namespace tilestep::narration

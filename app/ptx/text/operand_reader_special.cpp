#include "ptx/text/operand_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

namespace tilestep::ptx {
namespace {

using S = SpecialRegister;

struct NamedSpecial {
  std::string_view name;
  SpecialRegister special;
};

// Sorted by name (PTX ISA 9.0, chapter 10).
constexpr NamedSpecial kSpecials[] = {
    {"%clock", S::Clock},
    {"%clock64", S::Clock64},
    {"%clock_hi", S::ClockHi},
    {"%cluster_ctaid.x", S::ClusterCtaidX},
    {"%cluster_ctaid.y", S::ClusterCtaidY},
    {"%cluster_ctaid.z", S::ClusterCtaidZ},
    {"%cluster_ctarank", S::ClusterCtarank},
    {"%cluster_nctaid.x", S::ClusterNctaidX},
    {"%cluster_nctaid.y", S::ClusterNctaidY},
    {"%cluster_nctaid.z", S::ClusterNctaidZ},
    {"%cluster_nctarank", S::ClusterNctarank},
    {"%ctaid.x", S::CtaidX},
    {"%ctaid.y", S::CtaidY},
    {"%ctaid.z", S::CtaidZ},
    {"%dynamic_smem_size", S::DynamicSmemSize},
    {"%globaltimer", S::Globaltimer},
    {"%globaltimer_hi", S::GlobaltimerHi},
    {"%globaltimer_lo", S::GlobaltimerLo},
    {"%gridid", S::Gridid},
    {"%laneid", S::Laneid},
    {"%lanemask_eq", S::LanemaskEq},
    {"%lanemask_ge", S::LanemaskGe},
    {"%lanemask_gt", S::LanemaskGt},
    {"%lanemask_le", S::LanemaskLe},
    {"%lanemask_lt", S::LanemaskLt},
    {"%nctaid.x", S::NctaidX},
    {"%nctaid.y", S::NctaidY},
    {"%nctaid.z", S::NctaidZ},
    {"%nsmid", S::Nsmid},
    {"%ntid.x", S::NtidX},
    {"%ntid.y", S::NtidY},
    {"%ntid.z", S::NtidZ},
    {"%nwarpid", S::Nwarpid},
    {"%reserved_smem_offset_begin", S::ReservedSmemBegin},
    {"%reserved_smem_offset_cap", S::ReservedSmemCap},
    {"%reserved_smem_offset_end", S::ReservedSmemEnd},
    {"%smid", S::Smid},
    {"%tid.x", S::TidX},
    {"%tid.y", S::TidY},
    {"%tid.z", S::TidZ},
    {"%total_smem_size", S::TotalSmemSize},
    {"%warpid", S::Warpid},
};

constexpr bool special_by_name(const NamedSpecial& a, const NamedSpecial& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(std::begin(kSpecials), std::end(kSpecials), special_by_name));

// A number follows the name.
constexpr NamedSpecial kNumbered[] = {
    {"%envreg", S::Envreg},
    {"%reserved_smem_offset_", S::ReservedSmemOffset},
};

// Special registers of the manual that say something about the hardware a simulation has not got.
constexpr std::string_view kUnsupported[] = {
    "%aggr_smem_size",
    "%clusterid.",
    "%current_graph_exec",
    "%is_explicit_cluster",
    "%nclusterid.",
    "%pm",
    "%reserved_smem_offset_",
    "%ctaid",
    "%ntid",
    "%nctaid",
    "%tid",
    "%cluster_ctaid",
    "%cluster_nctaid",
};

}  // namespace

SpecialLookup find_special_register(std::string_view name, SpecialName& found) {
  if (!name.starts_with('%')) {
    return SpecialLookup::NotSpecial;
  }
  const auto* special = std::lower_bound(std::begin(kSpecials), std::end(kSpecials),
                                         NamedSpecial{name, S::TidX}, special_by_name);
  if (special != std::end(kSpecials) && special->name == name) {
    found = {special->special, 0};
    return SpecialLookup::Found;
  }
  for (const NamedSpecial& numbered : kNumbered) {
    if (name.starts_with(numbered.name)) {
      const char* const end = name.data() + name.size();
      const auto [parsed, failure] =
          std::from_chars(name.data() + numbered.name.size(), end, found.number);
      if (failure == std::errc{} && parsed == end) {
        found.special = numbered.special;
        return SpecialLookup::Found;
      }
    }
  }
  const bool known = std::any_of(std::begin(kUnsupported), std::end(kUnsupported),
                                 [&](std::string_view prefix) { return name.starts_with(prefix); });
  return known ? SpecialLookup::Unsupported : SpecialLookup::NotSpecial;
}

std::string_view special_register_name(SpecialRegister special) {
  const auto name_in = [&](std::span<const NamedSpecial> names) -> std::string_view {
    const auto found = std::find_if(names.begin(), names.end(), [&](const NamedSpecial& named) {
      return named.special == special;
    });
    return found == names.end() ? std::string_view() : found->name;
  };
  const std::string_view name = name_in(kSpecials);
  return name.empty() ? name_in(kNumbered) : name;
}

}  // namespace tilestep::ptx

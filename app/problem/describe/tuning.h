// The `tuning` table of a kernel: which other sizes of its tiles are worth trying
// (docs/formats.md, "Tuning").
#pragma once

#include "problem/describe/toml_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::problem {

// As LaunchSpec::values.
using SizeValues = std::vector<std::pair<std::string, std::int64_t>>;

// A kernel has no more variations than this: a sweep measures each of them at every size.
inline constexpr std::size_t kMostVariations = 64;

// Every combination of the table's lists that its conditions allow and that is none of the
// `instances`; what it has no list for is as in the first instance. None without a table.
[[nodiscard]] std::vector<SizeValues> read_variations(TomlReader& reader, const toml::table& kernel,
                                                      const std::vector<SizeValues>& instances);

// ":BM=32:SLICES=8": where it differs from the first instance.
[[nodiscard]] std::string variation_suffix(const SizeValues& variation, const SizeValues& first);

}  // namespace tilestep::problem

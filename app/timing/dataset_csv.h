// Timings as CSV, one sample a row: what other tools write, and what spreadsheets read.
//
//   kernel,M,N,K,block_size,ms
//   tiled,1024,1024,1024,16,0.2812
//
// Columns are found by their names, in any order; others are ignored. `M`, `N` and `K` may be one
// column `size`; `block_size` may be missing (0). Rows of one point need not stand together.
// A name that has commas or quotes stands in quotes (RFC 4180); a line break is never part of one.
#pragma once

#include "timing/dataset.h"

#include <string>
#include <string_view>

namespace tilestep::timing {

// Nothing says that results were compared, so no point is `verified`. Errors name the line.
[[nodiscard]] Result<DataSet> parse_csv(const std::string& text, const Provenance& provenance,
                                        const std::string& name);
// Cold samples; points without any are left out.
[[nodiscard]] std::string to_csv(const DataSet& data);

// In quotes, its own quotes doubled (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace tilestep::timing

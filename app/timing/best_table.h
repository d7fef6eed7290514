// From measured points to what is fastest at each size.
#pragma once

#include "problem/describe/best_by_size.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"

#include <span>
#include <string>
#include <vector>

namespace tilestep::timing {

// The two fastest rivals at one size, by their cold medians.
struct Fastest {
  const Point* first = nullptr;
  const Point* second = nullptr;  // null: the first was alone
};

// One for each problem that a verified point of one of the `rivals` (ids) was measured for, by M, N
// and K. Points are those of `data`.
[[nodiscard]] std::vector<Fastest> fastest_by_size(const DataSet& data,
                                                   std::span<const std::string> rivals);

// The ids of problem::rivals.
[[nodiscard]] std::vector<std::string> rival_ids(const problem::Catalog& catalog);

// The table of winners among the catalog's rivals, with the data set's provenance.
[[nodiscard]] problem::BestTable best_table(const DataSet& data, const problem::Catalog& catalog);

}  // namespace tilestep::timing

// Several data sets of one plan made one: what shards, GPUs and machines measured.
#pragma once

#include "problem/describe/catalog.h"
#include "timing/dataset.h"

#include <vector>

namespace tilestep::timing {

// By size, kernel (cuBLAS, then as in the catalog) and BLOCK_SIZE: a sweep made in several goes
// reads like one.
void sort_points(std::vector<Point>& points, const problem::Catalog& catalog);
// Into points that are sorted so, without sorting them again.
void insert_point(Point point, std::vector<Point>& points, const problem::Catalog& catalog);

// The sets must come from GPUs of one name with one driver, NVRTC and cuBLAS, and no point may
// stand in two of them: the error names the file and what differs. Hosts are listed, the first date
// and method are kept, clocks are the medians of the sets' own. At least one set.
[[nodiscard]] Result<DataSet> merge(const std::vector<DataSet>& parts,
                                    const problem::Catalog& catalog);

}  // namespace tilestep::timing

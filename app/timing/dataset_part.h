// A part of a data set, read without the rest of its megabytes.
#pragma once

#include "problem/result.h"
#include "timing/dataset.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::timing {

// As load_dataset, without the points that append_point left beside it and without those of other
// kernels than `kernels`; where the points of the file share lines, with those of all kernels.
[[nodiscard]] Result<DataSet> load_dataset_of(const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file);

}  // namespace tilestep::timing

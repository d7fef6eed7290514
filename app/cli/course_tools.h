// What commands about lessons share.
#pragma once

#include "cli/context.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "timing/dataset.h"

#include <filesystem>
#include <vector>

namespace tilestep::cli {

// What a lesson's expressions are answered with.
struct CourseTools {
  problem::Catalog catalog;
  timing::UnreadDataSet dataset;
};
[[nodiscard]] Result<CourseTools> course_tools(const Context& context);

// The files of the lessons that ship, by name.
[[nodiscard]] std::vector<std::filesystem::path> lesson_files(const Context& context);

}  // namespace tilestep::cli

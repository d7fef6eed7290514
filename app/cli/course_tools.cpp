#include "cli/course_tools.h"

#include "cli/prepare.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tilestep::cli {

namespace fs = std::filesystem;

Result<CourseTools> course_tools(const Context& context) {
  auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return tl::unexpected(catalog.error());
  }
  return CourseTools{std::move(*catalog), timing::UnreadDataSet(shipped_timings(context.paths))};
}

std::vector<fs::path> lesson_files(const Context& context) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(context.paths.assets / "lessons", ignored)) {
    if (entry.path().extension() == ".md") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace tilestep::cli

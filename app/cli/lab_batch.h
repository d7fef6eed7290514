// Submissions, graded each in a process of its own, so that one that never ends, takes all memory
// or crashes the compiler is cut off and costs nobody else anything.
#pragma once

#include "cli/command.h"
#include "cli/lab_command.h"
#include "cli/prepare.h"
#include "course/lab.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::cli {

struct LabLimits {
  // Of computing, for all rows of one submission, compiling included: what others compute beside it
  // takes none away.
  double seconds = 5.0;
  int mebibytes = 2048;  // of memory that it may take
};

struct Submission {
  std::filesystem::path file;
  NamedLab lab;
};

// In the order of `submissions`, on `cores` cores (0: all). `done` counts those that are graded.
[[nodiscard]] std::vector<GradedSubmission> grade_submissions(
    const std::vector<Submission>& submissions, const LabLimits& limits, std::size_t cores,
    const CourseTools& tools, std::atomic<std::uint32_t>& done);

// The process that grades one submission, and what it tells the one that started it.

// Reads the text from standard input, limits this process, and prints a line of JSON whenever it
// begins something, {"row": 0, "stage": "compiling"}, and {"grade": …} in the last one.
[[nodiscard]] Result<int> work_on_lab(const NamedLab& lab, const LabLimits& limits,
                                      Context& context);

// What those lines say.
struct LabWork {
  course::LabProgress at;  // what it began last
  nlohmann::json grade;    // null: it came to none
};

}  // namespace tilestep::cli

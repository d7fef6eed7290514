// Grades each submission in a process of its own, so that one that never ends, takes all memory or
// crashes the compiler is cut off without affecting the others.
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

// Limits of the process that grades one submission.
struct LabLimits {
  // Limit of computing time for all rows of one submission, including compiling; independent of
  // other load.
  double seconds = 5.0;
  int mebibytes = 2048;  // limit of memory
};

// A file to grade and its lab.
struct Submission {
  std::filesystem::path file;
  NamedLab lab;
};

// Grades in the order of `submissions`, on `cores` cores (0: all). `done` gets the number of graded
// ones.
[[nodiscard]] std::vector<GradedSubmission> grade_submissions(
    const std::vector<Submission>& submissions, const LabLimits& limits, std::size_t cores,
    const CourseTools& tools, std::atomic<std::uint32_t>& done);

// The process that grades one submission, and its messages to its parent.

// Reads the text from standard input, limits this process, and prints a line of JSON at the
// beginning of each stage, {"row": 0, "stage": "compiling"}, and {"grade": …} at the end.
[[nodiscard]] Result<int> work_on_lab(const NamedLab& lab, const LabLimits& limits,
                                      Context& context);

// The content of these lines.
struct LabWork {
  course::LabProgress at;  // the latest stage
  nlohmann::json grade;    // null: none
};

}  // namespace tilestep::cli

// tilestep lab: lists the labs, and grades submissions.
#pragma once

#include "cli/command.h"
#include "cli/prepare.h"
#include "course/lab.h"
#include "lesson/lesson.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::cli {

// A lab with its lesson.
struct NamedLab {
  std::filesystem::path file;  // of the lesson
  std::shared_ptr<const lesson::Lesson> lesson;
  std::size_t index = 0;

  [[nodiscard]] const lesson::Lab& lab() const { return lesson->labs[index]; }
  // The stem of its kernel: "lab5_samples".
  [[nodiscard]] std::string stem() const {
    return std::filesystem::path(lab().kernel).stem().string();
  }
};

// The labs of one lesson's file; empty: of all shipped lessons, in their order.
[[nodiscard]] Result<std::vector<NamedLab>> find_labs(const Context& context,
                                                      const std::string& lesson_file);

// Finds a lab by the file's name, which is a lab's name or begins with one followed by _, -, . or a
// blank: lab5_samples_alice.cu. The only lab of a lesson needs no name.
[[nodiscard]] Result<NamedLab> lab_of_file(std::span<const NamedLab> labs,
                                           const std::filesystem::path& file);

// Graded submissions as printed, and as a child process reports them to its parent.

// docs/formats/lab.md.
[[nodiscard]] nlohmann::json lab_grade_json(const lesson::Lab& lab, const course::LabGrade& grade,
                                            const problem::Catalog& catalog);

// A graded file.
struct GradedSubmission {
  std::filesystem::path file;
  NamedLab lab;
  std::string seed;      // of the variant (lesson/variant.h)
  nlohmann::json grade;  // lab_grade_json

  [[nodiscard]] bool passed() const;
};

// Grades each submission in a process of its own, so that one that never ends, takes all memory or
// crashes the compiler is cut off without affecting the others.

// Limits of the process that grades one submission.
struct LabLimits {
  // Limit of computing time for all rows of one submission, including compiling; independent of
  // other load.
  double seconds = 5.0;
  int mebibytes = 2048;  // limit of memory
};

// A file to grade, its lab and the seed of its variant; nullopt: the one that its first line names.
struct Submission {
  std::filesystem::path file;
  NamedLab lab;
  std::optional<std::string> seed = {};
  std::optional<std::string> text =
      {};  // of a file that holds more than the text; nullopt: read it
};

// Grades in the order of `submissions`, on `cores` cores (0: all). `done` gets the number of graded
// ones.
[[nodiscard]] std::vector<GradedSubmission> grade_submissions(
    const std::vector<Submission>& submissions, const LabLimits& limits, std::size_t cores,
    const CourseTools& tools, std::atomic<std::uint32_t>& done);

// The process that grades one submission, and its messages to its parent.

// Reads the text from standard input, limits this process, and prints a line of JSON at the
// beginning of each stage, {"row": 0, "stage": "compiling"}, and {"grade": …} at the end.
[[nodiscard]] Result<int> work_on_lab(const NamedLab& lab, const std::string& seed,
                                      const LabLimits& limits, Context& context);

// The content of these lines.
struct LabWork {
  course::LabProgress at;  // the latest stage
  nlohmann::json grade;    // null: none
};

}  // namespace tilestep::cli

// tilestep lab: lists the labs, and grades submissions.
#pragma once

#include "cli/command.h"
#include "course/lab.h"
#include "lesson/lesson.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
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
  nlohmann::json grade;  // lab_grade_json

  [[nodiscard]] bool passed() const;
};

}  // namespace tilestep::cli

// The labs that there are, and which of them a submission is for.
#pragma once

#include "cli/context.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilestep::cli {

struct NamedLab {
  std::filesystem::path file;  // of the lesson
  std::shared_ptr<const lesson::Lesson> lesson;
  std::size_t index = 0;

  [[nodiscard]] const lesson::Lab& lab() const { return lesson->labs[index]; }
  // Of its kernel: "lab5_samples".
  [[nodiscard]] std::string stem() const {
    return std::filesystem::path(lab().kernel).stem().string();
  }
};

// Of one lesson's file; empty: of all lessons that ship, in their order.
[[nodiscard]] Result<std::vector<NamedLab>> find_labs(const Context& context,
                                                      const std::string& lesson_file);

// By the lab's own name or its kernel's: "samples-exercise", "lab5_samples". Fails with a sentence
// that says what there is.
[[nodiscard]] Result<NamedLab> lab_named(std::span<const NamedLab> labs, const std::string& name);

// By the file's name, which is a lab's or begins with one and goes on with _, -, . or a blank:
// lab5_samples_alice.cu. The only lab of a lesson needs no name.
[[nodiscard]] Result<NamedLab> lab_of_file(std::span<const NamedLab> labs,
                                           const std::filesystem::path& file);

}  // namespace tilestep::cli

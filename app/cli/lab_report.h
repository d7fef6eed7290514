// Graded submissions, as they are printed and as a process tells them to the one that started it.
#pragma once

#include "cli/lab_catalog.h"
#include "course/lab.h"
#include "problem/describe/catalog.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::cli {

// docs/formats.md, "Graded labs".
[[nodiscard]] nlohmann::json lab_grade_json(const lesson::Lab& lab, const course::LabGrade& grade,
                                            const problem::Catalog& catalog);

struct GradedSubmission {
  std::filesystem::path file;
  NamedLab lab;
  nlohmann::json grade;  // lab_grade_json

  [[nodiscard]] bool passed() const;
};

[[nodiscard]] nlohmann::json submissions_json(const std::vector<GradedSubmission>& all);
// A table, and how many pass; of a single one all that it fails for.
[[nodiscard]] std::string submissions_text(const std::vector<GradedSubmission>& all);

[[nodiscard]] nlohmann::json labs_json(const std::vector<NamedLab>& labs);
[[nodiscard]] std::string labs_text(const std::vector<NamedLab>& labs);

}  // namespace tilestep::cli

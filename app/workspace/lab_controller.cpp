#include "workspace/lab_controller.h"

#include "course/lab.h"
#include "lesson/variant.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <utility>

namespace tilestep::workspace {
namespace {

// Limit for grading all rows. The slowest model solution takes a fifth of it.
constexpr std::chrono::seconds kLongestGrading{20};

course::LabGrade graded(const LabController::Request& request, compile::Compiler& compiler,
                        std::atomic<bool>& cancel, const course::OnLabProgress& progress) {
  const timing::UnreadDataSet data(request.dataset);
  course::Answers answers({compiler, *request.catalog, &data, &cancel}, request.lesson->follow());
  const lesson::Lab lab =
      lesson::variant_of(request.lesson->labs[request.lab], lesson::seed_in(request.text));
  return course::grade_lab(lab, request.text, answers, progress);
}

}  // namespace

void LabController::grade(Request request, Done done) {
  cancel();
  running_ = std::make_shared<Running>();
  pool_.submit([this, running = running_, request = std::move(request),
                done = std::move(done)]() -> Completion {
    auto grade = std::make_shared<course::LabGrade>(
        graded(request, compiler_, running->cancel,
               [&running](const course::LabProgress& at) { running->row = at.row; }));
    return [this, running, grade, done] {
      if (running_ == running) {
        running_.reset();
        done(*grade);
      }
    };
  });
}

void LabController::cancel() {
  if (running_ != nullptr) {
    std::exchange(running_, nullptr)->cancel = true;
  }
}

void LabController::follow() {
  if (running_ != nullptr && std::chrono::steady_clock::now() - running_->begun > kLongestGrading) {
    running_->cancel = true;
  }
}

Result<std::string> text_of_lab(const lesson::Lab& lab, const std::string& edited_source) {
  return edited_source.empty() ? problem::read_file(lab.kernel)
                               : Result<std::string>(edited_source);
}

std::string starter_edit(const lesson::Lab& lab) {
  const auto text = problem::read_file(lab.kernel);
  const std::string starter = text ? lesson::starter_code(lab, *text, "") : "";
  return text && starter != *text ? starter : "";
}

std::vector<ShownLabRow> rows_of_lab(const lesson::Lab& lab, const problem::Catalog& catalog) {
  std::vector<ShownLabRow> rows;
  for (const lesson::LabRow& row : lab.rows) {
    std::string requires_too;
    for (const lesson::Formula& condition : row.require) {
      requires_too += (requires_too.empty() ? "" : "\n") + condition.text();
    }
    rows.push_back({course::launch_text(row.state, catalog), std::move(requires_too)});
  }
  return rows;
}

ShownGrade shown_grade(const lesson::Lab& lab, const course::LabGrade& grade) {
  ShownGrade shown;
  shown.rows_passed = grade.rows_passed;
  shown.is_passed = grade.passed();
  for (const course::LabCause& cause : grade.causes) {
    const bool is_cut_off = cause.outcome == course::LabOutcome::CutOff;
    shown.causes.push_back(is_cut_off ? tr("The kernel did not finish within {} s and was stopped. "
                                           "Look for a loop that never ends.",
                                           kLongestGrading.count())
                                      : cause.sentence);
  }
  if (!grade.passed() && grade.rows_passed < lab.rows.size()) {
    shown.hint = lab.rows[grade.rows_passed].hint.in(spoken_language());
  }
  return shown;
}

}  // namespace tilestep::workspace

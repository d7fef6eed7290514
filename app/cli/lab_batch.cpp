#include "cli/lab_batch.h"

#include "cli/lab_worker.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "workspace/child.h"
#include "workspace/cores.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tilestep::cli {
namespace {

namespace fs = std::filesystem;
using course::LabOutcome;

// A submission is a kernel; the longest of the catalog has 12 KB.
constexpr std::uintmax_t kLongestSubmission = 1U << 20U;

// One that waits for something computes nothing, and is cut off after so many times the limit by
// the clock.
constexpr double kByTheClock = 24.0;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr int kBySignal = 128;  // of an exit status

Result<std::string> read_submission(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) > kLongestSubmission) {
    return fail(tr("{} has {} bytes, and a submission {} at most.", file.string(),
                   grouped(fs::file_size(file, ignored)), grouped(kLongestSubmission)));
  }
  auto text = problem::read_file(file);
  if (text && text->starts_with(kByteOrderMark)) {  // of some editors; the compiler takes none
    text->erase(0, kByteOrderMark.size());
  }
  return text;
}

// Why a process came to no grade.
struct NoGrade {
  LabOutcome outcome = LabOutcome::Crashed;
  std::string sentence;
};
NoGrade why_no_grade(const workspace::Child& child, int status, bool was_killed,
                     const LabWork& work, const LabLimits& limits) {
  const bool compiles = work.at.stage == course::LabProgress::Stage::Compiling;
  const std::string said = child.errors();
  if (was_killed || status == kBySignal + SIGXCPU) {
    return {LabOutcome::CutOff, cut_off_sentence(work.at, limits)};
  }
  if (said.find("bad_alloc") != std::string::npos) {
    return {LabOutcome::OutOfMemory, memory_sentence(limits)};
  }
  if (status > kBySignal) {
    return {LabOutcome::Crashed,
            tr("{} crashed on it ({}).", compiles ? tr("The compiler") : "Tilestep",
               ::strsignal(status - kBySignal))};
  }
  return {LabOutcome::Crashed, tr("It could not be graded: {}", std::string(trimmed(said)))};
}

class LabBatch {
 public:
  LabBatch(const LabLimits& limits, const CourseTools& tools) : limits_(limits), tools_(tools) {}

  [[nodiscard]] GradedSubmission grade(const Submission& submission) const {
    const lesson::Lab& lab = submission.lab.lab();
    const auto text = read_submission(submission.file);
    const auto ended = [&](const LabWork& work, LabOutcome outcome, std::string sentence) {
      return GradedSubmission{
          submission.file, submission.lab,
          lab_grade_json(
              lab, cut_off_grade(lab, work.at, text.value_or(""), outcome, std::move(sentence)),
              tools_.catalog)};
    };
    if (!text) {
      return ended({}, LabOutcome::Unreadable, text.error().message);
    }
    auto child = workspace::Child::start(words_of_worker(submission.lab), *text);
    if (!child) {
      return ended({}, LabOutcome::Crashed, child.error().message);
    }
    const std::chrono::duration<double> longest(limits_.seconds * kByTheClock);
    const bool has_ended =
        child->wait_for(std::chrono::duration_cast<std::chrono::milliseconds>(longest));
    child->kill();
    const int status = child->wait();
    LabWork work = read_lab_work(child->output());
    if (!work.grade.is_null()) {
      return {submission.file, submission.lab, std::move(work.grade)};
    }
    work.at.row = std::min(work.at.row, lab.rows.size() - 1);
    const NoGrade why = why_no_grade(*child, status, !has_ended, work, limits_);
    return ended(work, why.outcome, why.sentence);
  }

 private:
  [[nodiscard]] std::vector<std::string> words_of_worker(const NamedLab& lab) const {
    return {"/proc/self/exe",  // also where its file was replaced since
            "lab",
            "--lesson",
            fs::absolute(lab.file).string(),
            "--lab",
            lab.lab().name,
            "--time-limit",
            fmt::format("{}", limits_.seconds),
            "--memory-limit",
            fmt::format("{}", limits_.mebibytes),
            "--language",  // its sentences are part of the report
            spoken_language(),
            "--work"};
  }

  const LabLimits& limits_;
  const CourseTools& tools_;
};

}  // namespace

std::vector<GradedSubmission> grade_submissions(const std::vector<Submission>& submissions,
                                                const LabLimits& limits, std::size_t cores,
                                                const CourseTools& tools,
                                                std::atomic<std::uint32_t>& done) {
  std::vector<std::optional<GradedSubmission>> graded(submissions.size());
  std::atomic<std::size_t> next = 0;
  const LabBatch batch(limits, tools);
  const insight::Cores at_once = workspace::cores(cores);
  at_once.run(std::min(at_once.count, submissions.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < submissions.size(); i = next++) {
      graded[i] = batch.grade(submissions[i]);
      ++done;
    }
  });
  std::vector<GradedSubmission> all;
  for (std::optional<GradedSubmission>& one : graded) {
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace tilestep::cli

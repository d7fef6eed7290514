#include "cli/lab.h"
#include "cli/output.h"
#include "lesson/variant.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "workspace/child.h"
#include "workspace/pool.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#ifndef _WIN32
#include <sys/resource.h>
#endif

namespace tilestep::cli {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;
using course::LabOutcome;

// A submission is a kernel; the longest in the catalog has 12 KB.
constexpr std::uintmax_t kLongestSubmission = 1U << 20U;

// A process that waits uses no computing time; it is ended after this multiple of the limit in
// wall-clock time.
constexpr double kByTheClock = 24.0;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr int kBySignal = 128;  // base of an exit status for signals
#ifdef _WIN32
constexpr int kOutOfTime = -1;  // no such status: only the parent limits the time
std::string name_of_signal(int signal) {
  return fmt::format("{}", signal);
}
#else
constexpr int kOutOfTime = kBySignal + SIGXCPU;
std::string name_of_signal(int signal) {
  return ::strsignal(signal);
}
#endif

Result<std::string> read_submission(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) > kLongestSubmission) {
    return fail(tr("{} has {} bytes; a submission may have at most {}.", file.string(),
                   grouped(fs::file_size(file, ignored)), grouped(kLongestSubmission)));
  }
  auto text = problem::read_file(file);
  // Some editors write it; the compiler rejects it.
  if (text && text->starts_with(kByteOrderMark)) {
    text->erase(0, kByteOrderMark.size());
  }
  return text;
}

// "The compiler had not ended after 5 s and was cut off."
std::string cut_off_sentence(const course::LabProgress& at, const LabLimits& limits) {
  return at.stage == course::LabProgress::Stage::Compiling
             ? tr("The compiler did not finish within {:g} s and was stopped.", limits.seconds)
             : tr("The run did not finish within {:g} s and was stopped.", limits.seconds);
}

std::string memory_sentence(const LabLimits& limits) {
  return tr("The submission needs more than {} MiB of memory.", grouped(limits.mebibytes));
}

// The reason why a process gave no grade.
struct NoGrade {
  LabOutcome outcome = LabOutcome::Crashed;
  std::string sentence;
};
NoGrade why_no_grade(const workspace::Child& child, int status, bool was_killed,
                     const LabWork& work, const LabLimits& limits) {
  const bool compiles = work.at.stage == course::LabProgress::Stage::Compiling;
  const std::string said = child.errors();
  if (was_killed || status == kOutOfTime) {
    return {LabOutcome::CutOff, cut_off_sentence(work.at, limits)};
  }
  if (said.find("bad_alloc") != std::string::npos) {
    return {LabOutcome::OutOfMemory, memory_sentence(limits)};
  }
  if (status > kBySignal) {
    return {LabOutcome::Crashed,
            tr("{} crashed on the submission ({}).", compiles ? tr("The compiler") : "Tilestep",
               name_of_signal(status - kBySignal))};
  }
  return {LabOutcome::Crashed,
          tr("The submission could not be graded: {}", std::string(trimmed(said)))};
}

LabWork read_lab_work(const std::string& lines) {
  LabWork work;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    if (end == std::string::npos) {
      break;  // it was killed while writing
    }
    const json line = json::parse(lines.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (line.contains("grade")) {
      work.grade = line["grade"];
    } else if (line.contains("row") && line.contains("stage")) {
      work.at.row = line["row"].get<std::size_t>();
      work.at.stage = value_of<course::LabProgress::Stage>(line["stage"].get<std::string>())
                          .value_or(course::LabProgress::Stage::Compiling);
    }
  }
  return work;
}

// The grade of a text whose grading was cut off.
course::LabGrade cut_off_grade(const lesson::Lab& lab, const course::LabProgress& at,
                               const std::string& text, course::LabOutcome outcome,
                               std::string sentence) {
  course::LabGrade grade;
  grade.rows = lab.rows.size();
  grade.rows_passed = at.row;
  grade.counterexample.state = lab.rows[at.row].state;
  grade.counterexample.state.edited_source = text;
  grade.causes.push_back({outcome, std::move(sentence), 0});
  return grade;
}

class LabBatch {
 public:
  LabBatch(const LabLimits& limits, const CourseTools& tools) : limits_(limits), tools_(tools) {}

  [[nodiscard]] GradedSubmission grade(const Submission& submission) const {
    const auto text =
        submission.text ? Result<std::string>(*submission.text) : read_submission(submission.file);
    const std::string named = lesson::seed_in(text.value_or(""));
    const std::string seed = submission.seed.value_or(named);
    const lesson::Lab lab = lesson::variant_of(submission.lab.lab(), seed);
    const auto ended = [&](const LabWork& work, LabOutcome outcome, std::string sentence) {
      return GradedSubmission{
          submission.file, submission.lab, seed,
          lab_grade_json(
              lab, cut_off_grade(lab, work.at, text.value_or(""), outcome, std::move(sentence)),
              tools_.catalog)};
    };
    if (!text) {
      return ended({}, LabOutcome::Unreadable, text.error().message);
    }
    if (!named.empty() && named != seed) {
      return ended({}, LabOutcome::OtherVariant,
                   tr("Line 1 names variant {}; this submission should be variant {}.", named,
                      seed.empty() ? tr("(none)") : seed));
    }
    auto child = workspace::Child::start(words_of_worker(submission.lab, seed), *text);
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
      return {submission.file, submission.lab, seed, std::move(work.grade)};
    }
    work.at.row = std::min(work.at.row, lab.rows.size() - 1);
    const NoGrade why = why_no_grade(*child, status, !has_ended, work, limits_);
    return ended(work, why.outcome, why.sentence);
  }

 private:
  [[nodiscard]] std::vector<std::string> words_of_worker(const NamedLab& lab,
                                                         const std::string& seed) const {
    std::vector<std::string> words{workspace::own_program(),
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
    if (!seed.empty()) {
      words.insert(words.end(), {"--seed", seed});
    }
    return words;
  }

  const LabLimits& limits_;
  const CourseTools& tools_;
};

// The computing time of this process in seconds; independent of other load.
double computed_for() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Sets a flag after some seconds of computing.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : waiter_([this, seconds](const std::stop_token& end) { wait(seconds, end); }) {}

  [[nodiscard]] const std::atomic<bool>& is_over() const { return is_over_; }

 private:
  void wait(double seconds, const std::stop_token& end) {
    constexpr double kShortest = 0.01;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    for (double left = seconds - computed_for(); left > 0.0 && !end.stop_requested();
         left = seconds - computed_for()) {
      never.wait_for(lock, end, std::chrono::duration<double>(std::max(left, kShortest)),
                     [] { return false; });
    }
    is_over_ = !end.stop_requested();
  }

  std::atomic<bool> is_over_ = false;
  std::jthread waiter_;  // last: it must end before what it sets
};

#ifdef _WIN32
// The parent ends a process that takes too long.
void limit_process(const LabLimits& /*limits*/) {}
#else
void limit(int resource, std::uint64_t most) {
  rlimit now{};
  ::getrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &now);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min<rlim_t>(most, now.rlim_max);
  ::setrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &now);
}

// System limits of this process: they also end one whose parent was killed, and a compiler, which
// checks no flag.
void limit_process(const LabLimits& limits) {
  constexpr double kBeyond = 1.0;  // seconds for a process that notices the limit itself
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.seconds + kBeyond)));
#ifndef __SANITIZE_ADDRESS__  // its shadow memory counts as memory
  limit(RLIMIT_DATA, static_cast<std::uint64_t>(limits.mebibytes) << 20U);
#endif
}
#endif

void tell_line(const json& line) {
  fmt::print("{}\n", json_text(line, -1));
  static_cast<void>(std::fflush(stdout));
}

// Adds the limit to the grader's report of where it was cut off.
void tell_limit(course::LabGrade& grade, const course::LabProgress& at, const LabLimits& limits) {
  if (grade.outcome() == course::LabOutcome::CutOff) {
    std::string& sentence = grade.causes.front().sentence;
    sentence = fmt::format("{} {}", cut_off_sentence(at, limits), sentence);
  }
}

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

Result<int> work_on_lab(const NamedLab& named, const std::string& seed, const LabLimits& limits,
                        Context& context) {
  limit_process(limits);
  const lesson::Lab lab = lesson::variant_of(named.lab(), seed);
  const auto tools = course_tools(context);
  const auto text = problem::read_file("/dev/stdin");
  TILESTEP_RETURN_IF_ERROR(tools);
  TILESTEP_RETURN_IF_ERROR(text);
  const Deadline deadline(limits.seconds);
  course::LabProgress at;
  course::LabGrade grade;
  try {
    course::Answers answers(
        {context.compiler, tools->catalog, &tools->dataset, &deadline.is_over()},
        named.lesson->follow());
    grade = course::grade_lab(lab, *text, answers, [&](const course::LabProgress& now) {
      at = now;
      tell_line({{"row", at.row}, {"stage", word_of(at.stage).file}});
    });
    tell_limit(grade, at, limits);
  } catch (const std::bad_alloc&) {
    grade = cut_off_grade(lab, at, *text, course::LabOutcome::OutOfMemory, memory_sentence(limits));
  }
  tell_line({{"grade", lab_grade_json(lab, grade, tools->catalog)}});
  return 0;
}

}  // namespace tilestep::cli

#include "cli/lab_worker.h"

#include "cli/json_text.h"
#include "cli/prepare.h"
#include "course/words.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <new>
#include <stop_token>
#include <sys/resource.h>
#include <thread>
#include <utility>

namespace tilestep::cli {
namespace {

using nlohmann::json;

// Seconds that this process has computed for: a busy machine takes none away.
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
  std::jthread waiter_;  // last: it ends before what it sets
};

void limit(int resource, std::uint64_t most) {
  rlimit now{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &now);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min<rlim_t>(most, now.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

// What the system holds this process to: also one whose starter was killed, and a compiler, which
// looks at no flag.
void limit_process(const LabLimits& limits) {
  constexpr double kBeyond = 1.0;  // seconds, for one that notices by itself where it stands
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.seconds + kBeyond)));
#ifndef __SANITIZE_ADDRESS__  // whose shadow counts as memory
  limit(RLIMIT_DATA, static_cast<std::uint64_t>(limits.mebibytes) << 20U);
#endif
}

void tell_line(const json& line) {
  fmt::print("{}\n", json_text(line, -1));
  static_cast<void>(std::fflush(stdout));
}

// What the grader says of where it stood, after how long it was cut off.
void tell_limit(course::LabGrade& grade, const course::LabProgress& at, const LabLimits& limits) {
  if (grade.outcome() == course::LabOutcome::CutOff) {
    std::string& sentence = grade.causes.front().sentence;
    sentence = fmt::format("{} {}", cut_off_sentence(at, limits), sentence);
  }
}

}  // namespace

int work_on_lab(const NamedLab& lab, const LabLimits& limits, Context& context) {
  limit_process(limits);
  const auto tools = course_tools(context);
  const auto text = problem::read_file("/dev/stdin");
  if (!tools || !text) {
    return wrong_use(tools ? text.error() : tools.error());
  }
  const Deadline deadline(limits.seconds);
  course::LabProgress at;
  course::LabGrade grade;
  try {
    course::Answers answers(
        {context.compiler, tools->catalog, &tools->dataset, &deadline.is_over()},
        lab.lesson->follow());
    grade = course::grade_lab(lab.lab(), *text, answers, [&](const course::LabProgress& now) {
      at = now;
      tell_line({{"row", at.row}, {"stage", word_of(at.stage).file}});
    });
    tell_limit(grade, at, limits);
  } catch (const std::bad_alloc&) {
    grade = cut_off_grade(lab.lab(), at, *text, course::LabOutcome::OutOfMemory,
                          memory_sentence(limits));
  }
  tell_line({{"grade", lab_grade_json(lab.lab(), grade, tools->catalog)}});
  return 0;
}

LabWork read_lab_work(const std::string& lines) {
  LabWork work;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    if (end == std::string::npos) {
      break;  // it was ended while it wrote
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

std::string cut_off_sentence(const course::LabProgress& at, const LabLimits& limits) {
  return at.stage == course::LabProgress::Stage::Compiling
             ? tr("The compiler had not ended after {:g} s and was cut off.", limits.seconds)
             : tr("It had not ended after {:g} s and was cut off.", limits.seconds);
}

std::string memory_sentence(const LabLimits& limits) {
  return tr("It needs more than {} MiB of memory.", grouped(limits.mebibytes));
}

}  // namespace tilestep::cli

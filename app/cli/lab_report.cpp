#include "cli/lab_report.h"

#include "cli/table.h"
#include "course/lab_words.h"
#include "course/words.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tilestep::cli {
namespace {

using nlohmann::json;

// As --schedule takes it.
std::string schedule_option(const simt::Schedule& schedule) {
  const std::string_view word = word_of(schedule.kind).file;
  return schedule.kind == simt::ScheduleKind::RunAhead
             ? fmt::format("{}:{}", word, schedule.run_ahead_warp)
         : schedule.kind == simt::ScheduleKind::Random ? fmt::format("{}:{}", word, schedule.seed)
                                                       : std::string(word);
}

// The launch of the row that failed, and what of it to look at.
json failed_row_json(const lesson::Lab& lab, const course::LabGrade& grade,
                     const problem::Catalog& catalog) {
  const lesson::LabRow& row = lab.rows[grade.rows_passed];
  const state::AppState& state = grade.counterexample.state;
  const auto& [problem, block_size] = state.parameters;
  const lesson::Place& place = grade.counterexample.place;
  const bool is_step = place.kind == lesson::Place::Kind::Step;
  return {{"row", grade.rows_passed + 1},
          {"launch", course::launch_text(state, catalog)},
          {"M", problem.M},
          {"N", problem.N},
          {"K", problem.K},
          {"block_size", block_size},
          {"schedule", schedule_option(state.schedule)},
          {"warp_size", state.warp_size},
          {"block", state.focus.block},
          {"thread", state.focus.thread},
          {"cell", state.focus.cell_name},
          {"step", is_step ? json(place.number) : json(nullptr)},
          {"hint", row.hint.in(spoken_language())}};
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string rows_text(const json& grade) {
  return fmt::format("{} of {}", grade["rows_passed"].get<std::size_t>(),
                     grade["rows"].get<std::size_t>());
}

void add_row(const GradedSubmission& one, Table& table) {
  const json& failed = one.grade["failed_row"];
  table.add({one.file.string(), rows_text(one.grade),
             failed.is_null() ? ""
                              : fmt::format("{}: {}", failed["row"].get<std::size_t>(),
                                            failed["launch"].get<std::string>()),
             one_line(one.grade["sentence"].get<std::string>())});
}

// What a single submission fails for beside the first thing.
std::string further_causes(const json& grade) {
  std::string text;
  const json& causes = grade["causes"];
  for (std::size_t i = 1; i < causes.size(); ++i) {
    text += fmt::format("  {}\n", one_line(causes[i]["sentence"].get<std::string>()));
  }
  return text.empty() ? text : "\nAlso:\n" + text;
}

}  // namespace

json lab_grade_json(const lesson::Lab& lab, const course::LabGrade& grade,
                    const problem::Catalog& catalog) {
  json causes = json::array();
  for (const course::LabCause& cause : grade.causes) {
    causes.push_back({{"outcome", word_of(cause.outcome).file},
                      {"sentence", cause.sentence},
                      {"line", cause.line}});
  }
  return {{"passed", grade.passed()},
          {"outcome", word_of(grade.outcome()).file},
          {"sentence", grade.passed() ? "" : grade.causes.front().sentence},
          {"rows", grade.rows},
          {"rows_passed", grade.rows_passed},
          {"failed_row", grade.passed() ? json(nullptr) : failed_row_json(lab, grade, catalog)},
          {"causes", std::move(causes)}};
}

bool GradedSubmission::passed() const {
  return grade["passed"].get<bool>();
}

json submissions_json(const std::vector<GradedSubmission>& all) {
  json submissions = json::array();
  for (const GradedSubmission& one : all) {
    json submission = {
        {"file", one.file.string()}, {"lab", one.lab.lab().name}, {"lesson", one.lab.lesson->id}};
    submission.update(one.grade);
    submissions.push_back(std::move(submission));
  }
  const auto passed = std::ranges::count_if(all, &GradedSubmission::passed);
  return {{"schema", "tilestep-lab"},
          {"version", 1},
          {"passed", passed},
          {"failed", all.size() - static_cast<std::size_t>(passed)},
          {"submissions", std::move(submissions)}};
}

std::string submissions_text(const std::vector<GradedSubmission>& all) {
  Table table({tr("submission"), tr("rows"), tr("first to fail"), tr("why")},
              Table::Last::Sentence);
  for (const GradedSubmission& one : all) {
    add_row(one, table);
  }
  const auto passed = std::ranges::count_if(all, &GradedSubmission::passed);
  return table.text() + (all.size() == 1 ? further_causes(all.front().grade) : "") +
         tr("\n{} of {} pass.\n", passed, all.size());
}

json labs_json(const std::vector<NamedLab>& labs) {
  json all = json::array();
  for (const NamedLab& lab : labs) {
    all.push_back({{"name", lab.lab().name},
                   {"kernel", lab.stem()},
                   {"file", lab.lab().kernel},
                   {"lesson", lab.lesson->id},
                   {"title", lab.lab().title.in(spoken_language())},
                   {"rows", lab.lab().rows.size()}});
  }
  return all;
}

std::string labs_text(const std::vector<NamedLab>& labs) {
  Table table({tr("lab"), tr("kernel"), tr("lesson"), tr("rows"), tr("title")},
              Table::Last::Sentence);
  for (const NamedLab& lab : labs) {
    table.add({lab.lab().name, lab.stem(), lab.lesson->id, fmt::format("{}", lab.lab().rows.size()),
               lab.lab().title.in(spoken_language())});
  }
  return table.text();
}

}  // namespace tilestep::cli

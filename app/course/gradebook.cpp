#include "course/gradebook.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace tilestep::course {
namespace {

using timing::csv_cell;

constexpr double kAfterSecondTry = 0.5;

// As a table: a formula in a spreadsheet begins with one of these, and a name must not be one.
std::string plain_cell(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t").find(text[0]) != std::string_view::npos;
  return csv_cell(is_formula ? "'" + text : text);
}

bool is_address(const std::string& text) {
  return text.find('@') != std::string::npos;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= '0' && c <= '9'; });
}

Participant find(const std::string& student, std::span<const Participant> participants) {
  const std::string wanted = lower(student);
  for (const Participant& one : participants) {
    if (wanted == lower(one.name) || wanted == lower(one.email) || student == one.id) {
      return one;
    }
  }
  return {student, is_number(student) ? student : "", is_address(student) ? student : ""};
}

constexpr auto kColumns = std::to_array<std::string_view>(
    {"first name", "last name", "surname", "id number", "email address"});
enum Column : std::size_t { kFirst, kLast, kSurname, kId, kEmail };

}  // namespace

double points_of(int tries, bool is_correct) {
  return !is_correct ? 0.0 : tries <= 1 ? 1.0 : kAfterSecondTry;
}

std::string gradebook_csv(std::span<const GradedItem> items) {
  std::string csv = "name,lesson,item,kind,about,tries,correct,points,seconds\n";
  for (const GradedItem& item : items) {
    csv += fmt::format("{},{},{},{},{},{},{},{:g},{}\n", plain_cell(item.student),
                       csv_cell(item.lesson), csv_cell(item.item), item.kind, csv_cell(item.about),
                       item.tries, item.is_correct ? 1 : 0, item.points,
                       item.seconds ? fmt::format("{:.0f}", *item.seconds) : "");
  }
  return csv;
}

Result<std::vector<Participant>> read_participants(const std::string& csv,
                                                   const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::array<std::optional<std::size_t>, kColumns.size()> at;
  std::vector<Participant> all;
  bool has_head = false;
  for (std::size_t from = csv.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
       from < csv.size();) {
    const std::size_t end = std::min(csv.find('\n', from), csv.size());
    const std::vector<std::string> cells =
        timing::csv_cells(std::string_view(csv).substr(from, end - from));
    from = end + 1;
    if (!has_head) {
      has_head = true;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto column = std::ranges::find(kColumns, lower(std::string(trimmed(cells[i]))));
        if (column != kColumns.end()) {
          at[static_cast<std::size_t>(column - kColumns.begin())] = i;
        }
      }
      continue;
    }
    const auto cell = [&](Column column) {
      return at[column] && *at[column] < cells.size() ? std::string(trimmed(cells[*at[column]]))
                                                      : std::string();
    };
    const std::string last = at[kLast] ? cell(kLast) : cell(kSurname);
    all.push_back({std::string(trimmed(cell(kFirst) + " " + last)), cell(kId), cell(kEmail)});
  }
  if (!at[kFirst] || (!at[kLast] && !at[kSurname]) || (!at[kId] && !at[kEmail])) {
    return fail(tr(
        "{}: this is not a list of participants. It needs the columns \"First name\", \"Last "
        "name\", and \"ID number\" or \"Email address\": in Moodle, export the grades as a plain "
        "text file, in English.",
        file));
  }
  return all;
}

std::map<std::string, std::map<std::string, double>> percent_of(std::span<const GradedItem> items) {
  constexpr double kAll = 100.0;
  std::map<std::string, std::map<std::string, std::pair<double, double>>> sums;
  for (const GradedItem& item : items) {
    auto& [points, count] = sums[item.student][item.lesson];
    points += item.points;
    count += 1.0;
  }
  std::map<std::string, std::map<std::string, double>> percent;
  for (const auto& [student, lessons] : sums) {
    for (const auto& [lesson, sum] : lessons) {
      percent[student][lesson] = kAll * sum.first / sum.second;
    }
  }
  return percent;
}

MoodleGrades moodle_grades(std::span<const GradedItem> items,
                           std::span<const Participant> participants) {
  std::set<std::string> lessons;
  for (const GradedItem& item : items) {
    lessons.insert(item.lesson);
  }
  MoodleGrades grades;
  grades.csv = "Name,ID number,Email address";
  for (const std::string& lesson : lessons) {
    grades.csv += "," + csv_cell("Tilestep " + lesson);
  }
  grades.csv += '\n';
  for (const auto& [student, percent] : percent_of(items)) {
    const Participant who = find(student, participants);
    if (who.id.empty() && who.email.empty()) {
      grades.unknown.push_back(student);
    }
    grades.csv +=
        fmt::format("{},{},{}", plain_cell(who.name), csv_cell(who.id), csv_cell(who.email));
    for (const std::string& lesson : lessons) {
      const auto grade = percent.find(lesson);
      grades.csv += grade == percent.end() ? ",-" : fmt::format(",{:.2f}", grade->second);
    }
    grades.csv += '\n';
  }
  return grades;
}

std::optional<SubmittedName> submitted_name(const std::string& name) {
  constexpr std::string_view kMark = "_assignsubmission_";
  const std::size_t mark = name.find(kMark);
  const std::size_t number = mark == std::string::npos ? mark : name.rfind('_', mark - 1);
  if (number == std::string::npos || number == 0 || mark == 0 ||
      !is_number(name.substr(number + 1, mark - number - 1))) {
    return std::nullopt;
  }
  // "file_" or "onlinetext_".
  const std::size_t rest = name.find('_', mark + kMark.size());
  return SubmittedName{name.substr(0, number),
                       rest == std::string::npos ? "" : name.substr(rest + 1)};
}

}  // namespace tilestep::course

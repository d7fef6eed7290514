// A gradebook: what each student has answered and programmed, as CSV, and as a file that Moodle
// imports. Pure: the grades are made elsewhere.
#pragma once

#include "problem/result.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::course {

// A question or a lab of a lesson that a student has begun.
struct GradedItem {
  std::string student;
  std::string lesson;  // its id
  std::string item;    // the name of the question or the lab
  std::string kind;    // "question" or "lab"
  std::string about;   // in words
  int tries = 0;       // 0: not tried, or the answer was shown at once
  bool is_correct = false;
  // 0…1. A question: 1 at the first try, 0.5 at the second. A lab: the share of its rows before the
  // first that fails.
  double points = 0.0;
  std::optional<double> seconds = {};  // on stage; nullopt: unknown
};
// Points of an answered question.
[[nodiscard]] double points_of(int tries, bool is_correct);

// name,lesson,item,kind,about,tries,correct,points,seconds: a row for each item.
[[nodiscard]] std::string gradebook_csv(std::span<const GradedItem> items);

// A participant of a Moodle course.
struct Participant {
  std::string name;  // first and last name
  std::string id;    // "ID number"
  std::string email;
};
// A CSV file with the columns "First name", "Last name" or "Surname", "ID number" and "Email
// address", as Moodle exports participants and grades in English. `file`: its name, for messages.
[[nodiscard]] Result<std::vector<Participant>> read_participants(const std::string& csv,
                                                                 const std::string& file);

// For Moodle's "Grades, Import, CSV file": a row for each student and a column for each lesson, in
// percent of its points; "-": not begun, which Moodle reads as no grade. A student's name, number
// or address is looked up in `participants`; an address without an entry is used as it is, digits
// as ID number.
struct MoodleGrades {
  std::string csv;
  std::vector<std::string> unknown;  // students without number and address
};
[[nodiscard]] MoodleGrades moodle_grades(std::span<const GradedItem> items,
                                         std::span<const Participant> participants);

// A student's points in a lesson, in percent.
[[nodiscard]] std::map<std::string, std::map<std::string, double>> percent_of(
    std::span<const GradedItem> items);

// The name of a student, and the rest of the file's name: Moodle's "Download all submissions" puts
// "Ann Example_4711_assignsubmission_file_" before a file's name, or makes it a folder. Nullopt:
// the name has no such part.
struct SubmittedName {
  std::string student;
  std::string file;
};
[[nodiscard]] std::optional<SubmittedName> submitted_name(const std::string& name);

}  // namespace tilestep::course

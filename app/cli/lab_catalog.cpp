#include "cli/lab_catalog.h"

#include "cli/course_tools.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tilestep::cli {
namespace {

namespace fs = std::filesystem;

bool has_name(const NamedLab& lab, std::string_view name) {
  return lab.lab().name == name || lab.stem() == name;
}

// How much of a file's stem is the lab's name; 0: it is not that lab's.
std::size_t common_beginning(const std::string& stem, const std::string& name) {
  constexpr std::string_view kGoesOn = "_-. ";
  const bool is_it = stem.starts_with(name) && (stem.size() == name.size() ||
                                                kGoesOn.find(stem[name.size()]) != kGoesOn.npos);
  return is_it ? name.size() : 0;
}

std::string names_of(std::span<const NamedLab> labs) {
  std::vector<std::string> names;
  for (const NamedLab& lab : labs) {
    names.push_back(lab.lab().name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<std::vector<NamedLab>> find_labs(const Context& context, const std::string& lesson_file) {
  std::vector<NamedLab> labs;
  const std::vector<fs::path> files =
      lesson_file.empty() ? lesson_files(context) : std::vector<fs::path>{lesson_file};
  for (const fs::path& file : files) {
    auto read = lesson::load_lesson(file);
    if (!read) {
      return tl::unexpected(read.error());
    }
    const auto lesson = std::make_shared<const lesson::Lesson>(std::move(*read));
    for (std::size_t i = 0; i < lesson->labs.size(); ++i) {
      labs.push_back({file, lesson, i});
    }
  }
  if (labs.empty()) {
    return fail(lesson_file.empty() ? tr("No lesson has a lab. Choose a lesson with one.")
                                    : tr("{} has no lab. Choose a lesson with one.", lesson_file));
  }
  return labs;
}

Result<NamedLab> lab_named(std::span<const NamedLab> labs, const std::string& name) {
  const auto found =
      std::ranges::find_if(labs, [&name](const NamedLab& lab) { return has_name(lab, name); });
  if (found == labs.end()) {
    return fail(tr("There is no lab '{}'. Labs are {}.", name, names_of(labs)));
  }
  return *found;
}

Result<NamedLab> lab_of_file(std::span<const NamedLab> labs, const fs::path& file) {
  const std::string stem = file.stem().string();
  const NamedLab* found = labs.size() == 1 ? labs.data() : nullptr;
  std::size_t longest = 0;
  for (const NamedLab& lab : labs) {
    const std::size_t common =
        std::max(common_beginning(stem, lab.lab().name), common_beginning(stem, lab.stem()));
    if (common > longest) {
      longest = common;
      found = &lab;
    }
  }
  if (found == nullptr) {
    return fail(tr("{}: its name is no lab's. Say which lab it is for: --lab NAME, one of {}.",
                   file.string(), names_of(labs)));
  }
  return *found;
}

}  // namespace tilestep::cli

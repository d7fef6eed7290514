// Markdown → Lesson: headings, scene blocks and the text between them.
#include "lesson/lesson.h"

#include "lesson/scene_block.h"
#include "problem/file.h"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <string_view>

namespace tilestep::lesson {
namespace {

// The backticks or tildes that open or close a fenced block (CommonMark 0.30, section 4.5).
std::string_view fence_of(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent > 3) {  // or npos: a blank line
    return {};
  }
  line.remove_prefix(indent);
  const char mark = line.front();
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  return (mark == '`' || mark == '~') && length >= 3 ? line.substr(0, length) : std::string_view{};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// "## Title" → "Title"
std::string_view heading_of(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  const bool is_heading = level != 0 && level <= 6 && level < line.size() && line[level] == ' ';
  return is_heading ? trimmed(line.substr(level)) : std::string_view{};
}

class Parser {
 public:
  explicit Parser(std::string name) : name_(std::move(name)) {}

  Result<Lesson> run(const std::string& markdown);

 private:
  void line(const std::string& text);
  void plain(const std::string& text);
  void in_fence(const std::string& text);
  void end_block();
  void flush_heading();
  void append(const std::string& text);

  void note(std::string message) {
    if (!error_) {
      error_ = Error{std::move(message)};
    }
  }

  std::string name_;
  std::optional<Error> error_;
  Lesson lesson_;
  int line_number_ = 0;

  std::string title_;    // of the heading just read
  std::string heading_;  // its lines; text of the scene before, unless a scene block follows

  std::string fence_;  // that closes the open block; empty: none is open
  int fence_line_ = 0;
  bool is_scene_ = false;
  std::string block_;
};

Result<Lesson> Parser::run(const std::string& markdown) {
  std::istringstream stream(markdown);
  for (std::string text; std::getline(stream, text);) {
    ++line_number_;
    if (text.ends_with('\r')) {
      text.pop_back();
    }
    line(text);
  }
  flush_heading();
  if (!fence_.empty()) {
    note(fmt::format("{}:{}: this block is not closed. End it with a line {}.", name_, fence_line_,
                     fence_));
  }
  if (lesson_.scenes.empty()) {
    note(fmt::format("{} has no scene. Add a block that starts with ```scene.", name_));
  }
  if (error_) {
    return tl::make_unexpected(*error_);
  }
  lesson_.text = trimmed(lesson_.text);
  for (Scene& scene : lesson_.scenes) {
    scene.text = std::string(trimmed(scene.text));
  }
  return std::move(lesson_);
}

void Parser::line(const std::string& text) {
  if (!fence_.empty()) {
    in_fence(text);
    return;
  }
  const std::string_view fence = fence_of(text);
  if (fence.empty()) {
    plain(text);
    return;
  }
  fence_ = fence;
  fence_line_ = line_number_;
  const auto info = std::string_view(text).substr(text.find(fence_) + fence_.size());
  is_scene_ = trimmed(info) == "scene";
  if (!is_scene_) {
    flush_heading();
    append(text);
  }
}

void Parser::in_fence(const std::string& text) {
  const std::string_view fence = fence_of(text);
  const bool closes =
      fence.size() >= fence_.size() && fence.front() == fence_.front() && trimmed(text) == fence;
  if (!is_scene_) {
    append(text);
  } else if (!closes) {
    block_ += text + "\n";
  } else {
    end_block();
  }
  if (closes) {
    fence_.clear();
  }
}

void Parser::end_block() {
  Result<Scene> scene = parse_scene_block(block_, name_, fence_line_ + 1, title_);
  block_.clear();
  title_.clear();
  heading_.clear();
  if (!scene) {
    note(scene.error().message);
    return;
  }
  for (const Scene& other : lesson_.scenes) {
    if (other.name == scene->name) {
      note(fmt::format("{}:{}: duplicate scene '{}'. Give every scene its own name.", name_,
                       fence_line_, scene->name));
    }
  }
  lesson_.scenes.push_back(std::move(*scene));
}

void Parser::plain(const std::string& text) {
  const std::string_view heading = heading_of(text);
  if (!heading.empty() && text.starts_with("# ") && lesson_.title.empty()) {
    lesson_.title = heading;
  } else if (!heading.empty()) {
    flush_heading();
    title_ = heading;
    heading_ = text + "\n";
  } else if (trimmed(text).empty() && !heading_.empty()) {
    heading_ += "\n";
  } else {
    flush_heading();
    append(text);
  }
}

// A heading that no scene block followed.
void Parser::flush_heading() {
  if (!heading_.empty()) {
    (lesson_.scenes.empty() ? lesson_.text : lesson_.scenes.back().text) += heading_;
  }
  heading_.clear();
  title_.clear();
}

void Parser::append(const std::string& text) {
  (lesson_.scenes.empty() ? lesson_.text : lesson_.scenes.back().text) += text + "\n";
}

}  // namespace

Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name) {
  return Parser(name).run(markdown);
}

Result<Lesson> load_lesson(const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<Lesson> lesson = parse_lesson(*text, file.string());
  if (!lesson) {
    return lesson;
  }
  for (Scene& scene : lesson->scenes) {
    if (scene.state.kernel.find('.') != std::string::npos) {  // a file: beside the lesson
      scene.state.kernel = (file.parent_path() / scene.state.kernel).string();
    }
    problem::InputSpec& input = scene.state.input;
    if (input.pattern == problem::Pattern::Csv && input.csv.empty()) {
      Result<std::string> csv = problem::read_file(file.parent_path() / input.csv_name);
      if (!csv) {
        return fail(
            fmt::format("{}: scene '{}': {}", file.string(), scene.name, csv.error().message));
      }
      input.csv = std::move(*csv);
    }
  }
  return lesson;
}

}  // namespace tilestep::lesson

// Markdown → Lesson: headings, scene blocks and the text between them (CommonMark, by cmark).
#include "lesson/lesson.h"

#include "lesson/scene_block.h"
#include "problem/file.h"
#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmark.h>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace tilestep::lesson {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, FreeNode>;

// The words of a heading, without their marks.
std::string plain_text(cmark_node* node) {
  std::string text;
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> walk(cmark_iter_new(node),
                                                                cmark_iter_free);
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* const part = cmark_iter_get_node(walk.get());
    const cmark_node_type type = cmark_node_get_type(part);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) {
      text += cmark_node_get_literal(part);
    } else if (type == CMARK_NODE_SOFTBREAK) {
      text += ' ';
    }
  }
  return text;
}

// Walks the blocks of a document; those inside lists and quotes are text.
class LessonReader {
 public:
  LessonReader(const std::string& markdown, std::string name);

  Result<Lesson> run();

 private:
  void heading(cmark_node* node);
  void code(cmark_node* node);
  void scene(cmark_node* node);
  // The lines before `line` are text of the scene that was read last.
  void flush(int line);

  void note(std::string message) {
    if (!error_) {
      error_ = Error{std::move(message)};
    }
  }

  std::string name_;
  std::vector<std::string> lines_;  // without their ends
  std::optional<Error> error_;
  Lesson lesson_;
  int begin_ = 1;       // the first line that no text has yet
  std::string title_;   // of the heading just before, which a scene takes for its own
  int title_line_ = 0;  // where that heading begins; 0: there is none
};

LessonReader::LessonReader(const std::string& markdown, std::string name) : name_(std::move(name)) {
  // As CommonMark has them, so that its line numbers are those of lines_.
  std::string_view rest = markdown;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    lines_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    rest.remove_prefix(rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, rest.size()));
  }
}

Result<Lesson> LessonReader::run() {
  const std::string markdown = fmt::format("{}\n", fmt::join(lines_, "\n"));
  const Document document(
      cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
  for (cmark_node* node = cmark_node_first_child(document.get()); node != nullptr;
       node = cmark_node_next(node)) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HEADING) {
      heading(node);
      continue;
    }
    if (type == CMARK_NODE_CODE_BLOCK) {
      code(node);
    }
    title_.clear();
    title_line_ = 0;
  }
  flush(static_cast<int>(lines_.size()) + 1);
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

void LessonReader::heading(cmark_node* node) {
  title_ = plain_text(node);
  title_line_ = cmark_node_get_start_line(node);
  if (cmark_node_get_heading_level(node) == 1 && lesson_.title.empty()) {
    flush(title_line_);
    begin_ = cmark_node_get_end_line(node) + 1;
    lesson_.title = std::exchange(title_, "");
    title_line_ = 0;
  }
}

void LessonReader::code(cmark_node* node) {
  const int line = cmark_node_get_start_line(node);
  const std::string_view opening = trimmed(lines_[static_cast<std::size_t>(line) - 1]);
  const std::string_view fence = opening.substr(
      0,
      std::min(opening.find_first_not_of(opening.empty() ? ' ' : opening.front()), opening.size()));
  const bool is_fenced = fence.starts_with("```") || fence.starts_with("~~~");
  const std::string_view text = cmark_node_get_literal(node);
  const auto inside = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  // A block that the end of the file closed has no line after those inside.
  if (is_fenced && line + inside + 1 > static_cast<int>(lines_.size())) {
    note(
        fmt::format("{}:{}: this block is not closed. End it with a line {}.", name_, line, fence));
  } else if (trimmed(cmark_node_get_fence_info(node)) == "scene") {
    scene(node);
  }
}

void LessonReader::scene(cmark_node* node) {
  const int line = cmark_node_get_start_line(node);
  const std::string text = cmark_node_get_literal(node);
  flush(title_line_ > 0 ? title_line_ : line);
  begin_ = line + static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 2;
  Result<Scene> scene = parse_scene_block(text, name_, line + 1, title_, lesson_.scenes);
  if (!scene) {
    note(scene.error().message);
    return;
  }
  for (const Scene& other : lesson_.scenes) {
    if (other.name == scene->name) {
      note(fmt::format("{}:{}: duplicate scene '{}'. Give every scene its own name.", name_, line,
                       scene->name));
    }
  }
  lesson_.scenes.push_back(std::move(*scene));
}

void LessonReader::flush(int line) {
  std::string& text = lesson_.scenes.empty() ? lesson_.text : lesson_.scenes.back().text;
  for (; begin_ < line; ++begin_) {
    text += lines_[static_cast<std::size_t>(begin_) - 1] + "\n";
  }
}

}  // namespace

Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name) {
  return LessonReader(markdown, name).run();
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

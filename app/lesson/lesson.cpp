// Markdown → Lesson: headings, blocks and the text between them (CommonMark, read by cmark).
#include "lesson/lesson.h"

#include "lesson/block.h"
#include "lesson/rich_text.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace tilestep::lesson {
namespace {

constexpr double kMinutesOfScene = 3.0;
constexpr double kMinutesOfQuestion = 2.0;
constexpr double kMinutesOfLab = 10.0;

// Joins two texts, `above` before `below`.
Words both(const Words& above, const Words& below) {
  if (above.empty() || below.empty()) {
    return above.empty() ? below : above;
  }
  Words all;
  for (const Words* words : {&above, &below}) {
    for (const auto& [language, text] : words->by_language) {
      Text joined = above.text(language);
      const Text& more = below.text(language);
      joined.text += "\n\n" + more.text;
      joined.lines.push_back(more.line_at(0));
      joined.lines.insert(joined.lines.end(), more.lines.begin(), more.lines.end());
      all.by_language[language] = std::move(joined);
    }
  }
  return all;
}

// Walks the blocks of a document; blocks inside lists and quotes are text.
class LessonReader {
 public:
  LessonReader(const std::string& markdown, const std::string& name);

  Result<Lesson> run();

 private:
  void heading(cmark_node* node);
  void code(cmark_node* node);
  // Reads a block whose opening line is `line`.
  void block(std::string_view kind, cmark_node* node, int line);
  void lesson_block(const std::string& toml, const BlockPlace& place);
  template <class BeatOf>
  void add(BeatKind kind, Result<BeatOf> beat, std::vector<BeatOf>& all, int line);
  // Adds the lines before `line` to the text of the latest beat.
  void flush(int line);
  Words words_of(const std::vector<Line>& lines);
  Words title_words(const Line& title);

  void note(std::string message) {
    if (!error_) {
      error_ = Error{std::move(message)};
    }
  }

  std::vector<std::string> lines_;  // without line ends
  std::optional<Error> error_;
  Lesson lesson_;
  int begin_ = 1;              // the first line that belongs to no text yet
  Line title_;                 // of the heading just before, which becomes a beat's title
  Line first_title_;           // the lesson's title; split when its languages are known
  std::vector<Line> preface_;  // likewise
};

LessonReader::LessonReader(const std::string& markdown, const std::string& name) {
  lesson_.file = name;
  // Splits lines as CommonMark does, so that its line numbers index lines_.
  std::string_view rest = markdown;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    lines_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    rest.remove_prefix(rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, rest.size()));
  }
}

Result<Lesson> LessonReader::run() {
  const Document document = parse_markdown(fmt::format("{}\n", fmt::join(lines_, "\n")));
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
    title_ = {};
  }
  flush(static_cast<int>(lines_.size()) + 1);
  lesson_.text = words_of(preface_);
  lesson_.title = title_words(first_title_);
  if (lesson_.scenes.empty()) {
    note(tr("{} has no scene. Add a block that starts with ```scene.", lesson_.file));
  }
  if (!error_) {
    error_ = mistake_in_texts(lesson_);
  }
  if (error_) {
    return tl::make_unexpected(*error_);
  }
  return std::move(lesson_);
}

void LessonReader::heading(cmark_node* node) {
  title_ = {cmark_node_get_start_line(node), plain_text(node)};
  if (cmark_node_get_heading_level(node) == 1 && first_title_.number == 0) {
    flush(title_.number);
    begin_ = cmark_node_get_end_line(node) + 1;
    first_title_ = std::exchange(title_, {});
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
  // A block that is closed by the end of the file has no closing line.
  if (is_fenced && line + inside + 1 > static_cast<int>(lines_.size())) {
    note(
        tr("{}:{}: this block is not closed. End it with the line {}.", lesson_.file, line, fence));
  } else {
    block(trimmed(cmark_node_get_fence_info(node)), node, line);
  }
}

void LessonReader::block(std::string_view kind, cmark_node* node, int line) {
  const auto beat = value_of<BeatKind>(kind);
  if (!beat && kind != "lesson" && kind != "recap") {
    return;  // text
  }
  if (lesson_.recap() != nullptr) {
    note(tr("{}:{}: this block is below the ```recap block. Move the recap to the end.",
            lesson_.file, line));
  }
  const std::string toml = cmark_node_get_literal(node);
  flush(title_.number > 0 ? title_.number : line);
  begin_ = line + static_cast<int>(std::count(toml.begin(), toml.end(), '\n')) + 2;
  const BlockPlace place{lesson_.file, line + 1, title_words(title_), &lesson_};
  if (kind == "lesson") {
    lesson_block(toml, place);
  } else if (!beat) {
    add(BeatKind::Scene, parse_recap_block(toml, place), lesson_.scenes, line);
  } else if (*beat == BeatKind::Scene) {
    add(*beat, parse_scene_block(toml, place), lesson_.scenes, line);
  } else if (*beat == BeatKind::Question) {
    add(*beat, parse_question_block(toml, place), lesson_.questions, line);
  } else {
    add(*beat, parse_lab_block(toml, place), lesson_.labs, line);
  }
}

void LessonReader::lesson_block(const std::string& toml, const BlockPlace& place) {
  const int line = place.first_line - 1;
  if (!lesson_.id.empty()) {
    note(tr("{}:{}: a lesson may have only one ```lesson block. Merge them.", lesson_.file, line));
  } else if (!lesson_.beats.empty()) {
    note(tr("{}:{}: the ```lesson block is below a scene. Move it to the beginning.", lesson_.file,
            line));
  } else if (auto error = read_lesson_block(toml, place, lesson_)) {
    note(std::move(error->message));
  }
}

template <class BeatOf>
void LessonReader::add(BeatKind kind, Result<BeatOf> beat, std::vector<BeatOf>& all, int line) {
  if (!beat) {
    note(beat.error().message);
    return;
  }
  beat->line = line;
  for (const Beat& other : lesson_.beats) {
    if (lesson_.name_of(other) == beat->name) {
      note(tr("{}:{}: duplicate {} '{}'. Give every scene, question and lab its own name.",
              lesson_.file, line, word_of(kind).label, beat->name));
    }
  }
  lesson_.beats.push_back({kind, all.size()});
  all.push_back(std::move(*beat));
}

void LessonReader::flush(int line) {
  std::vector<Line> lines;
  for (; begin_ < line; ++begin_) {
    lines.push_back({begin_, lines_[static_cast<std::size_t>(begin_) - 1]});
  }
  if (lesson_.beats.empty()) {
    preface_.insert(preface_.end(), lines.begin(), lines.end());
    return;
  }
  const auto& [kind, index] = lesson_.beats.back();
  Words& words = kind == BeatKind::Scene      ? lesson_.scenes[index].text
                 : kind == BeatKind::Question ? lesson_.questions[index].text
                                              : lesson_.labs[index].text;
  words = both(words, words_of(lines));
}

Words LessonReader::words_of(const std::vector<Line>& lines) {
  Result<Words> words = split_languages(lines, lesson_.languages, lesson_.file);
  if (!words) {
    note(words.error().message);
    return {};
  }
  return std::move(*words);
}

Words LessonReader::title_words(const Line& title) {
  Result<Words> words = split_title(title, lesson_.languages, lesson_.file);
  if (!words) {
    note(words.error().message);
    return {};
  }
  return std::move(*words);
}

// Looks beside the lesson.
std::optional<Error> find_files(const std::filesystem::path& folder, state::AppState& state) {
  if (state.kernel.find('.') != std::string::npos) {  // a file
    state.kernel = (folder / state.kernel).string();
  }
  problem::InputSpec& input = state.input;
  if (input.pattern == problem::Pattern::Csv && input.csv.empty()) {
    Result<std::string> csv = problem::read_file(folder / input.csv_name);
    if (!csv) {
      return csv.error();
    }
    input.csv = std::move(*csv);
  }
  return std::nullopt;
}

class Collector {
 public:
  std::vector<TextOfLesson> all;

  void stand(std::optional<Beat> beat, const state::AppState& state, const Place& place) {
    beat_ = beat;
    state_ = &state;
    place_ = place;
  }
  void add(const char* what, const Words& words) {
    if (!words.empty()) {
      all.push_back({&words, what, beat_, state_, place_});
    }
  }

 private:
  std::optional<Beat> beat_;
  const state::AppState* state_ = nullptr;
  Place place_;
};

void collect(const Scene& scene, Collector& to) {
  to.add("title", scene.title);
  to.add("text", scene.text);
  to.add("note", scene.note);
  for (const Annotation& point : scene.points) {
    to.add("label", point.label);
  }
  for (const Words& text : scene.tries) {
    to.add("try", text);
  }
}

void collect(const Question& question, Collector& to) {
  to.add("title", question.title);
  to.add("question", question.ask);
  for (const Choice& choice : question.choices) {
    to.add("choice", choice.text);
    to.add("says", choice.says);
  }
  for (const Wrong& wrong : question.wrong) {
    to.add("says", wrong.says);
  }
  to.add("hint", question.hint);
  to.add("right", question.right);
  to.add("about", question.about);
  to.add("text", question.text);
  to.add("note", question.note);
}

void collect(const Beat& beat, const Lab& lab, Collector& to) {
  to.add("title", lab.title);
  to.add("text", lab.text);
  to.add("hint", lab.hint);
  to.add("note", lab.note);
  for (const LabRow& row : lab.rows) {
    to.stand(beat, row.state, {});
    to.add("hint", row.hint);
    for (const LabRow& other : row.others) {
      to.stand(beat, other.state, {});
      to.add("hint", other.hint);
    }
  }
}

std::optional<Error> mistake_in(const Lesson& lesson, const Text& text) {
  const auto pieces = pieces_of(text);
  if (!pieces) {
    return Error{
        fmt::format("{}:{}: {}", lesson.file, pieces.error().line, pieces.error().sentence)};
  }
  for (const TextPiece& piece : *pieces) {
    const auto expression = piece.is_expression ? parse_expression(piece.text) : Expression{};
    if (!expression) {
      return Error{fmt::format("{}:{}: {}", lesson.file, piece.line, expression.error().message)};
    }
  }
  for (const Link& link : links_in(text.text)) {
    const auto changes = changes_of(link.target);
    const auto done = changes ? changed({}, *changes, lesson.scene_named()) : Result<Position>{};
    if (!done) {
      return Error{tr("{}:{}: the link {}: {}", lesson.file,
                      text.line_at(text.text.find(link.target)), link.target,
                      done.error().message)};
    }
  }
  return std::nullopt;
}

}  // namespace

const Scene* Lesson::find_scene(const std::string& name) const {
  const auto found = std::ranges::find(scenes, name, &Scene::name);
  return found == scenes.end() ? nullptr : &*found;
}

const std::string& Lesson::name_of(const Beat& beat) const {
  return beat.kind == BeatKind::Scene      ? scenes[beat.index].name
         : beat.kind == BeatKind::Question ? questions[beat.index].name
                                           : labs[beat.index].name;
}

const Words& Lesson::title_of(const Beat& beat) const {
  return beat.kind == BeatKind::Scene      ? scenes[beat.index].title
         : beat.kind == BeatKind::Question ? questions[beat.index].title
                                           : labs[beat.index].title;
}

const Scene* Lesson::recap() const {
  return !scenes.empty() && scenes.back().recap ? &scenes.back() : nullptr;
}

const Words& Lesson::about(const Beat& question) const {
  const Question& of = questions[question.index];
  if (!of.about.empty() || !of.title.empty()) {
    return of.about.empty() ? of.title : of.about;
  }
  const auto next = std::find_if(std::ranges::find(beats, question), beats.end(),
                                 [](const Beat& beat) { return beat.kind == BeatKind::Scene; });
  return next == beats.end() ? of.ask : scenes[next->index].title;
}

double Lesson::minutes_of(const Beat& beat) const {
  const auto own_or = [](double own, double otherwise) { return own > 0.0 ? own : otherwise; };
  const auto of_scene = [&](const Scene& scene) {
    constexpr double kSecondsOfMinute = 60.0;
    return own_or(scene.minutes, own_or(scene.seconds / kSecondsOfMinute, kMinutesOfScene));
  };
  return beat.kind == BeatKind::Scene ? of_scene(scenes[beat.index])
         : beat.kind == BeatKind::Question
             ? own_or(questions[beat.index].minutes, kMinutesOfQuestion)
             : own_or(labs[beat.index].minutes, kMinutesOfLab);
}

bool Lesson::is_film() const {
  return std::ranges::any_of(scenes, [](const Scene& scene) { return scene.seconds > 0.0; });
}

double Lesson::total_minutes() const {
  const auto add = [this](double sum, const Beat& beat) { return sum + minutes_of(beat); };
  return minutes > 0.0 ? minutes : std::accumulate(beats.begin(), beats.end(), 0.0, add);
}

PositionNamed Lesson::scene_named() const {
  return [this](const std::string& name) -> std::optional<Position> {
    const Scene* const scene = find_scene(name);
    return scene == nullptr ? std::nullopt : std::optional(scene->position());
  };
}

Follow Lesson::follow() const {
  return [this](const Position& from, std::span<const Change> changes) {
    Result<Position> there = changed(from, changes, scene_named());
    const bool names_file = there && there->state.kernel != from.state.kernel &&
                            std::ranges::any_of(changes, [&there](const Change& change) {
                              return change.key == "kernel" && change.value == there->state.kernel;
                            });
    if (names_file && !folder.empty() && there->state.kernel.find('.') != std::string::npos) {
      there->state.kernel = (folder / there->state.kernel).string();
    }
    return there;
  };
}

Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name) {
  return LessonReader(markdown, name).run();
}

Result<Lesson> load_lesson(const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  Result<Lesson> lesson = parse_lesson(*text, file.string());
  if (!lesson) {
    return lesson;
  }
  lesson->folder = file.parent_path();
  std::optional<Error> error;
  const auto find = [&](const char* what, const std::string& name, state::AppState& state) {
    const auto mistake = find_files(file.parent_path(), state);
    if (mistake && !error) {
      error = Error{fmt::format("{}: {} '{}': {}", file.string(), what, name, mistake->message)};
    }
  };
  for (Scene& scene : lesson->scenes) {
    find("scene", scene.name, scene.state);
  }
  for (Question& question : lesson->questions) {
    find("question", question.name, question.at.state);
  }
  for (Lab& lab : lesson->labs) {
    lab.kernel = (file.parent_path() / lab.kernel).string();
    for (LabRow& row : lab.rows) {
      find("lab", lab.name, row.state);
      for (LabRow& other : row.others) {
        find("lab", lab.name, other.state);
      }
    }
  }
  if (error) {
    return tl::make_unexpected(*error);
  }
  return lesson;
}

std::vector<TextOfLesson> every_text(const Lesson& lesson) {
  Collector to;
  if (!lesson.scenes.empty()) {
    to.stand(std::nullopt, lesson.scenes.front().state, lesson.scenes.front().place);
  }
  to.add("title", lesson.title);
  to.add("goal", lesson.goal);
  to.add("text", lesson.text);
  for (const Beat& beat : lesson.beats) {
    if (beat.kind == BeatKind::Scene) {
      const Scene& scene = lesson.scenes[beat.index];
      to.stand(beat, scene.state, scene.place);
      collect(scene, to);
    } else if (beat.kind == BeatKind::Question) {
      const Question& question = lesson.questions[beat.index];
      to.stand(beat, question.at.state, question.at.place);
      collect(question, to);
    } else {
      const Lab& lab = lesson.labs[beat.index];
      to.stand(beat, lab.rows.front().state, {});
      collect(beat, lab, to);
    }
  }
  return std::move(to.all);
}

std::optional<Error> mistake_in_texts(const Lesson& lesson) {
  for (const TextOfLesson& text : every_text(lesson)) {
    for (const auto& [language, words] : text.words->by_language) {
      if (auto mistake = mistake_in(lesson, words)) {
        return mistake;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::lesson

#include "course/handout.h"

#include "course/lab.h"
#include "lesson/rich_text.h"
#include "lesson/text.h"
#include "problem/file.h"
#include "problem/in_language.h"
#include "problem/markup.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::course {
namespace {

namespace fs = std::filesystem;
using lesson::BeatKind;

using Cells = std::vector<std::string>;

// Markdown in a cell of a table in HTML.
std::string cell_of(const std::string& markdown) {
  std::string html = lesson::html_of(markdown);
  constexpr std::string_view kBegin = "<p>";
  constexpr std::string_view kEnd = "</p>\n";
  const bool is_one =
      html.starts_with(kBegin) && html.ends_with(kEnd) && html.find(kBegin, 1) == std::string::npos;
  return is_one ? html.substr(kBegin.size(), html.size() - kBegin.size() - kEnd.size()) : html;
}

std::string html_table(const Cells& header, const std::vector<Cells>& rows) {
  std::string html = "<table>";
  const auto add = [&html](const Cells& cells, const char* tag) {
    html += "\n<tr>";
    for (const std::string& cell : cells) {
      html += fmt::format("<{0}>{1}</{0}>", tag, cell_of(cell));
    }
    html += "</tr>";
  };
  add(header, "th");
  for (const Cells& row : rows) {
    add(row, "td");
  }
  return html + "\n</table>";
}

// The first column is a number.
std::string pipe_table(const Cells& header, const std::vector<Cells>& rows) {
  std::string text = fmt::format("| {} |\n|--:|", fmt::join(header, " | "));
  for (std::size_t i = 1; i < header.size(); ++i) {
    text += "---|";
  }
  for (const Cells& row : rows) {
    text += fmt::format("\n| {} |", fmt::join(row, " | "));
  }
  return text;
}

// The lines of a kernel with their numbers, from its template or its first line of code to its end.
std::string listing_of(const std::string& source, bool is_whole) {
  const std::size_t kernel = source.find("__global__");
  const std::size_t before =
      kernel == std::string::npos ? kernel : source.rfind("\ntemplate", kernel);
  std::size_t from = is_whole || kernel == std::string::npos ? 0 : source.rfind('\n', kernel) + 1;
  if (!is_whole && before != std::string::npos && source.find('\n', before + 1) + 1 == from) {
    from = before + 1;
  }
  auto number = 1 + std::count(source.begin(), source.begin() + static_cast<long>(from), '\n');
  std::string html = "<pre class=\"listing\">";
  while (from < source.size()) {
    const std::size_t end = std::min(source.find('\n', from), source.size());
    html += fmt::format("<b>{:>3}</b> {}\n", number++,
                        markup_escaped(std::string_view(source).substr(from, end - from)));
    from = end + 1;
  }
  return html + "</pre>";
}

std::string first_paragraph(const std::string& markdown) {
  return markdown.substr(0, markdown.find("\n\n"));
}

// Writes the parts in order; keeps the first failure.
class HandoutWriter {
 public:
  HandoutWriter(const lesson::Lesson& lesson, Answers& answers, const HandoutOptions& options)
      : lesson_(lesson), answers_(answers), options_(options), paper_(options.paper) {}

  Result<std::string> run() {
    write_head();
    for (const lesson::Beat& beat : lesson_.beats) {
      if (is(Paper::Guide)) {
        part("beat", [&] { write(beat); });
      } else {
        write(beat);
      }
      ++beats_;
    }
    if (paper_ == Paper::Lesson && !answer_texts_.empty()) {
      paragraph(fmt::format("## {}", tr("Answers")));
      for (const std::string& answer : answer_texts_) {
        paragraph(answer);
      }
    }
    if (paper_ == Paper::Handout) {
      write_listings();
    }
    return mistake_ ? tl::unexpected(*mistake_) : Result<std::string>(std::move(text_));
  }

 private:
  [[nodiscard]] bool is(Paper paper) const { return paper_ == paper; }

  [[nodiscard]] lesson::Position position_of(const lesson::Beat& beat) const {
    switch (beat.kind) {
      case BeatKind::Scene:
        return lesson_.scenes[beat.index].position();
      case BeatKind::Question:
        return lesson_.questions[beat.index].at;
      case BeatKind::Lab:
        return {lesson_.labs[beat.index].rows.front().state, {}};
    }
    return {};
  }

  void paragraph(const std::string& text) {
    if (!text.empty()) {
      text_ += (text_.empty() ? "" : "\n") + text + "\n";
    }
  }

  void note(const Error& error) {
    if (!mistake_) {
      mistake_ = error;
    }
  }

  std::string filled(const lesson::Words& words, const lesson::Position& at) {
    if (words.empty()) {
      return {};
    }
    const auto text = answers_.filled(words.text(options_.language), at);
    if (!text) {
      note(text.error());
    }
    return text ? lesson::without_stage_links(*text) : std::string();
  }

  void table(const Cells& header, const std::vector<Cells>& rows) {
    paragraph(is(Paper::Lesson) ? pipe_table(header, rows) : html_table(header, rows));
  }

  // A part of a page that is kept together or placed as a whole. Many words on a slide are small.
  template <class Write>
  void part(const std::string& kind, const Write& write) {
    constexpr std::size_t kManyBytes = 440;
    std::string before = std::exchange(text_, "");
    write();
    std::string inside = std::exchange(text_, std::move(before));
    const bool is_long =
        is(Paper::Slides) && inside.find("<pre") == std::string::npos && inside.size() > kManyBytes;
    paragraph(fmt::format("<section class=\"{}{}\">", kind, is_long ? " long" : ""));
    text_ += "\n" + inside;
    paragraph("</section>");
  }

  std::string minutes_text(double minutes) { return tr("{:g} min", minutes); }

  void write_head() {
    const lesson::Position start = position_of(lesson_.beats.front());
    heading_ = filled(lesson_.title, start);
    const std::string goal = filled(lesson_.goal, start);
    if (is(Paper::Slides)) {
      part("title", [&] {
        paragraph("# " + heading_);
        paragraph(goal);
      });
      return;
    }
    paragraph("# " + heading_);
    if (!is(Paper::Lesson)) {
      paragraph(fmt::format("<p class=\"kind\">{}</p>", word_of(paper_).label));
    }
    if (is(Paper::Handout)) {
      paragraph(fmt::format("<p class=\"name\"><span>{}</span><span>{}</span></p>", tr("Name"),
                            tr("Date")));
    }
    if (is(Paper::Key)) {
      return;
    }
    if (!goal.empty()) {
      paragraph(tr("**Goal.** {}", goal));
    }
    if (is(Paper::Guide)) {
      write_plan();
    }
    paragraph(filled(lesson_.text, start));
  }

  // The guide's overview: beats and minutes.
  void write_plan() {
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < lesson_.beats.size(); ++i) {
      const lesson::Beat& beat = lesson_.beats[i];
      const lesson::Words& of =
          beat.kind == BeatKind::Question ? lesson_.about(beat) : lesson_.title_of(beat);
      rows.push_back({fmt::format("{}", i + 1), tr(word_of(beat.kind).label),
                      filled(of, position_of(beat)),
                      fmt::format("{:g}", lesson_.minutes_of(beat))});
    }
    rows.push_back({"", "", tr("all"), fmt::format("{:g}", lesson_.total_minutes())});
    table({"", tr("beat"), tr("about"), tr("minutes")}, rows);
  }

  // The heading of a beat, unless it is equal to the one above.
  void heading(const std::string& title) {
    if (is(Paper::Guide)) {
      paragraph(fmt::format("## {}. {} · {}", beats_ + 1, title,
                            minutes_text(lesson_.minutes_of(lesson_.beats[beats_]))));
    } else if (title != heading_ || is(Paper::Slides)) {
      paragraph("## " + title);
      heading_ = title;
    }
  }

  void picture(const lesson::Beat& beat, bool is_answered, const std::string& title) {
    const std::string picture =
        options_.picture ? options_.picture(beat, is_answered) : std::string();
    if (!picture.empty()) {
      paragraph(is(Paper::Lesson) ? fmt::format("![{}](<{}>)", title, picture)
                                  : fmt::format("<figure><img src=\"{}\" alt=\"{}\"></figure>",
                                                picture, markup_escaped(title)));
    }
  }

  void lecturers_note(const lesson::Words& note, const lesson::Position& at) {
    if (is(Paper::Guide) && !note.empty()) {
      part("note", [&] { paragraph(tr("**Note.** {}", filled(note, at))); });
    }
  }

  void write(const lesson::Beat& beat) {
    switch (beat.kind) {
      case BeatKind::Scene:
        return is(Paper::Key) ? void() : write(beat, lesson_.scenes[beat.index]);
      case BeatKind::Question:
        return write(beat, lesson_.questions[beat.index]);
      case BeatKind::Lab:
        return is(Paper::Key) ? void() : write(lesson_.labs[beat.index]);
    }
  }

  void write(const lesson::Beat& beat, const lesson::Scene& scene) {
    const std::string title = filled(scene.title, scene.position());
    const std::string text = filled(scene.text, scene.position());
    keep_listing(scene.state);
    const auto write_it = [&] {
      heading(title);
      if (!scene.recap) {  // a recap's is the one above
        picture(beat, true, title);
      }
      paragraph(is(Paper::Slides) && !scene.recap ? first_paragraph(text) : text);
      lecturers_note(scene.note, scene.position());
    };
    if (is(Paper::Slides)) {
      part(scene.recap ? "slide recap" : "slide", write_it);
    } else {
      write_it();
    }
  }

  void write(const lesson::Beat& beat, const lesson::Question& question) {
    ++questions_;
    keep_listing(question.at.state);
    switch (paper_) {
      case Paper::Lesson:
        ask(question);
        answer_texts_.push_back(short_answer(question));
        return;
      case Paper::Handout:
        return part("question", [&] {
          ask(question);
          paragraph(fmt::format("<p class=\"line\">{}</p>", tr("Answer")));
        });
      case Paper::Key:
        return part("question", [&] {
          ask(question);
          answer_at_length(question);
        });
      case Paper::Guide:
        heading(tr("Question {}", questions_));
        picture(beat, false, "");
        ask(question);
        answer_at_length(question);
        return lecturers_note(question.note, question.at);
      case Paper::Slides:
        return write_slides(beat, question);
    }
  }

  void write_slides(const lesson::Beat& beat, const lesson::Question& question) {
    const auto show = [&](bool is_answered) {
      const auto& run = answers_.run_of(question.at).prepared();
      if (question.kind == lesson::QuestionKind::Line && run) {
        paragraph(listing_of(run->program->launch().source, false));
      } else {
        picture(beat, is_answered, "");
      }
    };
    part("slide asked", [&] {
      heading(tr("Question {}", questions_));
      show(false);
      ask(question);
    });
    part("slide answered", [&] {
      heading(tr("Answer {}", questions_));
      show(true);
      paragraph(fmt::format("**{}**", answer_of(question)));
      paragraph(filled(question.right, question.at));
    });
  }

  // The question with its choices.
  void ask(const lesson::Question& question) {
    const std::string text = filled(question.ask, question.at);
    const bool has_heading = is(Paper::Guide) || is(Paper::Slides);
    paragraph(has_heading ? text : tr("**Question {}.**", questions_) + " " + text);
    std::string choices;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      choices +=
          fmt::format("{}* {}", i == 0 ? "" : "\n", filled(question.choices[i].text, question.at));
    }
    paragraph(choices);
  }

  std::string short_answer(const lesson::Question& question) {
    std::string answer = fmt::format("**{}.** {}", questions_, answer_of(question));
    const std::string right = filled(question.right, question.at);
    const std::string text = filled(question.text, question.at);
    answer += right.empty() ? "" : tr(". ") + right;
    return text.empty() ? answer : answer + "\n\n" + text;
  }

  // Answer, reason, wrong answers and hint.
  void answer_at_length(const lesson::Question& question) {
    paragraph(tr("**Answer:** {}", answer_of(question)));
    paragraph(filled(question.right, question.at));
    paragraph(filled(question.text, question.at));
    std::vector<Cells> rows;
    for (const lesson::Wrong& wrong : question.wrong) {
      const auto value = answers_.of(wrong.is.expression, question.at);
      if (value) {
        rows.push_back({answer_text(*value), filled(wrong.says, question.at)});
      } else {
        note(value.error());
      }
    }
    for (const lesson::Choice& choice : question.choices) {
      if (!choice.says.empty()) {
        rows.push_back({filled(choice.text, question.at), filled(choice.says, question.at)});
      }
    }
    if (!rows.empty()) {
      table({tr("wrong answer"), tr("what it reveals")}, rows);
    }
    if (is(Paper::Guide) && !question.hint.empty()) {
      paragraph(tr("**Hint.** {}", filled(question.hint, question.at)));
    }
  }

  std::string answer_of(const lesson::Question& question) {
    const auto answer = answers_.of(question.answer.expression, question.at);
    const auto text = answer ? answer_text(question, *answer, answers_, options_.language)
                             : tl::unexpected(answer.error());
    if (!text) {
      note(text.error());
    }
    return text.value_or("");
  }

  void write(const lesson::Lab& lab) {
    const lesson::Position at{lab.rows.front().state, {}};
    const auto write_it = [&] {
      heading(tr("Lab: {}", filled(lab.title, at)));
      paragraph(filled(lab.text, at));
      if (!is(Paper::Slides)) {
        write_rows(lab);
      }
      const std::string kernel = fs::path(lab.kernel).filename().string();
      paragraph(
          tr("Get the starter code with `tilestep lab {0} --copy {1}`, and grade your solution "
             "with `tilestep lab {1}`.",
             lab.name, kernel));
      lecturers_note(lab.note, at);
    };
    if (is(Paper::Slides)) {
      part("slide lab", write_it);
    } else {
      write_it();
    }
    if (const auto source = problem::read_file(lab.kernel); source && is(Paper::Handout)) {
      keep_listing(fs::path(lab.kernel).filename().string(), *source);
    }
  }

  void write_rows(const lesson::Lab& lab) {
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < lab.rows.size(); ++i) {
      const lesson::LabRow& row = lab.rows[i];
      std::vector<std::string> conditions;
      for (const lesson::Formula& condition : row.require) {
        conditions.push_back(fmt::format("`{}`", condition.text()));
      }
      rows.push_back({fmt::format("{}", i + 1), launch_text(row.state, answers_.tools().catalog),
                      fmt::format("{}", fmt::join(conditions, ", "))});
      if (is(Paper::Guide)) {
        rows.back().push_back(filled(row.hint, {row.state, {}}));
      }
    }
    Cells header{tr("row"), tr("launch"),
                 tr("required besides a correct C and a check without findings")};
    if (is(Paper::Guide)) {
      header.push_back(tr("hint"));
    }
    table(header, rows);
  }

  // The kernels on stage, each once.
  void keep_listing(const state::AppState& state) {
    if (!is(Paper::Handout) || state.tab != state::Tab::Step) {
      return;
    }
    if (const auto launch = answers_.run_of({state, {}}).shape()) {
      keep_listing(launch->source_name, launch->source);
    }
  }
  void keep_listing(const std::string& name, const std::string& source) {
    const auto known =
        std::ranges::find(listings_, name, &std::pair<std::string, std::string>::first);
    if (known == listings_.end()) {
      listings_.emplace_back(name, source);
    }
  }

  void write_listings() {
    for (const auto& [name, source] : listings_) {
      paragraph(fmt::format("## {}", tr("Listing: {}", fmt::format("`{}`", name))));
      paragraph(listing_of(source, true));
    }
  }

  const lesson::Lesson& lesson_;
  Answers& answers_;
  const HandoutOptions& options_;
  Paper paper_;
  std::string text_;
  std::string heading_;
  std::size_t beats_ = 0;      // written
  std::size_t questions_ = 0;  // written
  std::vector<std::string> answer_texts_;
  std::vector<std::pair<std::string, std::string>> listings_;  // names and texts
  std::optional<Error> mistake_;
};

}  // namespace

Result<std::string> handout(const lesson::Lesson& lesson, Answers& answers,
                            const HandoutOptions& options) {
  if (std::ranges::find(lesson.languages, options.language) == lesson.languages.end()) {
    return fail(tr("{} is not available in the language '{}'. Available: {}.", lesson.file,
                   options.language, fmt::join(lesson.languages, ", ")));
  }
  const InLanguage here(options.language);
  return HandoutWriter(lesson, answers, options).run();
}

}  // namespace tilestep::course

#include "course/handout.h"

#include "course/lab.h"
#include "lesson/text.h"
#include "problem/in_language.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::course {
namespace {

// Writes the parts in order; keeps the first failure.
class HandoutWriter {
 public:
  HandoutWriter(const lesson::Lesson& lesson, Answers& answers, const HandoutOptions& options)
      : lesson_(lesson), answers_(answers), options_(options) {}

  Result<std::string> run() {
    const lesson::Position start = position_of(lesson_.beats.front());
    heading_ = filled(lesson_.title, start);
    paragraph("# " + heading_);
    if (!lesson_.goal.empty()) {
      paragraph(tr("**Goal.** {}", filled(lesson_.goal, start)));
    }
    paragraph(filled(lesson_.text, start));
    for (const lesson::Beat& beat : lesson_.beats) {
      write(beat);
    }
    if (!answer_texts_.empty()) {
      paragraph(fmt::format("## {}", tr("Answers")));
      for (const std::string& answer : answer_texts_) {
        paragraph(answer);
      }
    }
    return mistake_ ? tl::unexpected(*mistake_) : Result<std::string>(std::move(text_));
  }

 private:
  [[nodiscard]] lesson::Position position_of(const lesson::Beat& beat) const {
    switch (beat.kind) {
      case lesson::BeatKind::Scene:
        return lesson_.scenes[beat.index].position();
      case lesson::BeatKind::Question:
        return lesson_.questions[beat.index].at;
      case lesson::BeatKind::Lab:
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

  // The heading of a beat, unless it is equal to the one above.
  void heading(const std::string& title) {
    if (title != heading_) {
      paragraph("## " + title);
      heading_ = title;
    }
  }

  void write(const lesson::Beat& beat) {
    switch (beat.kind) {
      case lesson::BeatKind::Scene:
        return write(lesson_.scenes[beat.index]);
      case lesson::BeatKind::Question:
        return write(lesson_.questions[beat.index]);
      case lesson::BeatKind::Lab:
        return write(lesson_.labs[beat.index]);
    }
  }

  void write(const lesson::Scene& scene) {
    const std::string title = filled(scene.title, scene.position());
    heading(title);
    const bool has_picture = options_.picture && !scene.recap;  // a recap's is the one above
    const std::string picture = has_picture ? options_.picture(scene) : std::string();
    if (!picture.empty()) {
      paragraph(fmt::format("![{}](<{}>)", title, picture));
    }
    paragraph(filled(scene.text, scene.position()));
  }

  void write(const lesson::Question& question) {
    const std::size_t number = answer_texts_.size() + 1;
    paragraph(tr("**Question {}.**", number) + " " + filled(question.ask, question.at));
    std::string choices;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      choices +=
          fmt::format("{}* {}", i == 0 ? "" : "\n", filled(question.choices[i].text, question.at));
    }
    paragraph(choices);
    std::string answer = fmt::format("**{}.** {}", number, answer_of(question));
    const std::string right = filled(question.right, question.at);
    const std::string text = filled(question.text, question.at);
    answer += right.empty() ? "" : tr(". ") + right;
    answer_texts_.push_back(text.empty() ? answer : answer + "\n\n" + text);
  }

  std::string answer_of(const lesson::Question& question) {
    const auto answer = answers_.of(question.answer.expression, question.at);
    if (!answer) {
      note(answer.error());
      return {};
    }
    for (const lesson::Choice& choice : question.choices) {
      const auto value = answers_.of(choice.is.expression, question.at);
      if (value && answers_it(question, *value, *answer)) {
        return filled(choice.text, question.at);
      }
    }
    return answer->kind == Value::Kind::YesNo ? (answer->is_yes() ? tr("yes") : tr("no"))
                                              : text_of(*answer);
  }

  void write(const lesson::Lab& lab) {
    const lesson::Position at{lab.rows.front().state, {}};
    paragraph("## " + tr("Lab: {}", filled(lab.title, at)));
    paragraph(filled(lab.text, at));
    std::string table =
        fmt::format("| {} | {} | {} |\n|--:|---|---|", tr("row"), tr("launch"),
                    tr("required besides a correct C and a check without findings"));
    for (std::size_t i = 0; i < lab.rows.size(); ++i) {
      std::vector<std::string> conditions;
      for (const lesson::Formula& condition : lab.rows[i].require) {
        conditions.push_back(fmt::format("`{}`", condition.text()));
      }
      table += fmt::format("\n| {} | {} | {} |", i + 1,
                           launch_text(lab.rows[i].state, answers_.tools().catalog),
                           fmt::join(conditions, ", "));
    }
    paragraph(table);
    const std::string kernel = std::filesystem::path(lab.kernel).filename().string();
    paragraph(
        tr("Get the starter code with `tilestep lab {0} --copy {1}`, and grade your solution with "
           "`tilestep lab {1}`.",
           lab.name, kernel));
  }

  const lesson::Lesson& lesson_;
  Answers& answers_;
  const HandoutOptions& options_;
  std::string text_;
  std::string heading_;
  std::vector<std::string> answer_texts_;
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

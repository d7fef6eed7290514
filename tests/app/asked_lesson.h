// A question on the stage as the workspace shows one, with the part of a frame that it needs.
#pragma once

#include "app/harness.h"
#include "catalog_launch.h"
#include "course/answers.h"
#include "folders.h"
#include "lesson/lesson.h"
#include "timing/dataset.h"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace tilestep::test {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return std::move(*result);
}

class AskedLesson {
 public:
  AskedLesson(Harness& harness, const std::string& file)
      : harness_(harness),
        lesson_(value_or_throw(lesson::load_lesson(source_folder() / "assets" / "lessons" / file))),
        answers_({compiler_, repository_catalog(), &dataset_, nullptr}, lesson_.follow()) {
    harness_.change_view = [this](workspace::FrameView& view) {
      if (shown_.question != nullptr) {
        judge_given();
        view.lesson = std::make_shared<const workspace::ShownLesson>(shown_);
      }
    };
  }
  AskedLesson(const AskedLesson&) = delete;
  AskedLesson& operator=(const AskedLesson&) = delete;
  AskedLesson(AskedLesson&&) = delete;
  AskedLesson& operator=(AskedLesson&&) = delete;
  ~AskedLesson() { harness_.change_view = nullptr; }

  [[nodiscard]] const lesson::Lesson& lesson() const { return lesson_; }
  [[nodiscard]] const workspace::ShownLesson& shown() const { return shown_; }

  // `change` may change the rest of the state first.
  void ask(const lesson::Question& question,
           const std::function<void(state::AppState&)>& change = {}) {
    shown_ = {};
    shown_.lesson = std::make_shared<const lesson::Lesson>(lesson_);
    shown_.question = std::make_shared<const lesson::Question>(question);
    shown_.title = question.title.in();
    shown_.ask = question.ask.in();
    shown_.hint = question.hint.in();
    for (const lesson::Choice& choice : question.choices) {
      shown_.choices.push_back(choice.text.in());
    }
    shown_.answer = value_or_throw(answers_.of(question.answer.expression, question.at));
    state::AppState state = question.at.state;
    state.course.lesson = lesson_.id;
    if (change) {
      change(state);
    }
    harness_.workspace().set_state(std::move(state), question.at.place);
    harness_.workspace().settle();
    for (int i = 0; i < 3; ++i) {
      harness_.frame();
    }
  }
  void ask(const std::string& name, const std::function<void(state::AppState&)>& change = {}) {
    for (const lesson::Question& question : lesson_.questions) {
      if (question.name == name) {
        ask(question, change);
        return;
      }
    }
    throw std::runtime_error("no question " + name);
  }

 private:
  [[nodiscard]] course::Value given_value(const std::string& given) const {
    switch (shown_.question->kind) {
      case lesson::QuestionKind::Cell:
        return course::cell_value(given);
      case lesson::QuestionKind::Line:
        return course::line_value(static_cast<std::uint32_t>(std::stoul(given)));
      case lesson::QuestionKind::YesNo:
        return course::yes_no_value(given == "yes");
      case lesson::QuestionKind::Thread: {
        course::Value value;
        value.kind = course::Value::Kind::Thread;
        const auto comma = given.find(',');
        const problem::Dim3& block = harness_.view().run.scene->launch.block;
        value.block = shown_.answer->block;
        value.thread = static_cast<std::uint32_t>(std::stoul(given.substr(1)) +
                                                  std::stoul(given.substr(comma + 1)) * block.x);
        return value;
      }
      default:
        return course::number_value(std::stod(given));
    }
  }

  void judge_given() {
    const state::LessonView& course = harness_.state().course;
    if (course.answering == state::Answering::Asked) {
      shown_.verdict.reset();
      return;
    }
    if (shown_.verdict) {
      return;
    }
    workspace::ShownVerdict verdict;
    verdict.answer = *shown_.answer;
    verdict.answer_text = course::shown_text(*shown_.answer);
    if (course.answering == state::Answering::Given) {
      const bool is_choice = shown_.question->kind == lesson::QuestionKind::Choice;
      const auto judged =
          is_choice ? course::judge_choice(*shown_.question, std::stoul(course.given) - 1, answers_)
                    : course::judge(*shown_.question, given_value(course.given), answers_);
      const course::Verdict known = value_or_throw(judged);
      verdict.is_right = known.is_right;
      verdict.says = known.says == nullptr ? "" : known.says->in();
    }
    shown_.verdict = verdict;
  }

  Harness& harness_;
  lesson::Lesson lesson_;
  timing::UnreadDataSet dataset_{source_folder() / "assets" / "timings" / "h200.json"};
  compile::Compiler compiler_{compile::CacheOptions{}};
  course::Answers answers_;
  workspace::ShownLesson shown_;
};

}  // namespace tilestep::test

#include "course/captions.h"

#include "lesson/rich_text.h"
#include "problem/in_language.h"
#include "problem/markup.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

namespace tilestep::course {
namespace {

constexpr std::size_t kLongestCaption = 120;  // columns of a Latin letter's width

// An ideograph is as wide as two letters.
std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) {
    const bool is_first = (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    columns += !is_first ? 0 : is_lead_of_ideograph(c) ? 2 : 1;
  }
  return columns;
}

// Sentences, joined as long as they fit into one caption.
std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> all;
  std::string sentence;
  const auto take = [&] {
    const std::string trimmed_sentence(trimmed(sentence));
    sentence.clear();
    if (trimmed_sentence.empty()) {
      return;
    }
    if (!all.empty() && columns_of(all.back()) + columns_of(trimmed_sentence) < kLongestCaption) {
      all.back() += (ends_with_full_mark(all.back()) ? "" : " ") + trimmed_sentence;
    } else {
      all.push_back(trimmed_sentence);
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    sentence += text[i];
    const bool is_latin_end = std::string_view(".?!:;").find(text[i]) != std::string_view::npos &&
                              i + 1 < text.size() && text[i + 1] == ' ';
    if (is_latin_end || (i >= 2 && ends_with_full_mark(sentence) && !sentence.ends_with("、") &&
                         !sentence.ends_with("，") && !sentence.ends_with("）"))) {
      take();
    }
  }
  take();
  return all;
}

std::string time_text(double seconds) {
  const auto all = static_cast<long>(std::lround(1000.0 * seconds));
  return fmt::format("{:02}:{:02}:{:02}.{:03}", all / 3'600'000, all / 60'000 % 60, all / 1000 % 60,
                     all % 1000);
}

// The texts of a beat as plain words.
class CaptionWriter {
 public:
  CaptionWriter(const lesson::Lesson& lesson, Answers& answers, const std::string& language)
      : lesson_(lesson), answers_(answers), language_(language) {}

  Result<std::string> words_of(const ShownBeat& shown) {
    const lesson::Beat& beat = lesson_.beats[shown.beat];
    switch (beat.kind) {
      case lesson::BeatKind::Scene: {
        const lesson::Scene& scene = lesson_.scenes[beat.index];
        return plain(scene.text, scene.position(), !scene.recap);
      }
      case lesson::BeatKind::Lab: {
        const lesson::Lab& lab = lesson_.labs[beat.index];
        return plain(lab.text, {lab.rows.front().state, {}}, true);
      }
      case lesson::BeatKind::Question:
        break;
    }
    const lesson::Question& question = lesson_.questions[beat.index];
    return shown.is_answered ? answer(question) : plain(question.ask, question.at, true);
  }

 private:
  Result<std::string> plain(const lesson::Words& words, const lesson::Position& at,
                            bool is_first_only) {
    if (words.empty()) {
      return std::string();
    }
    const auto text = answers_.filled(words.text(language_), at);
    TILESTEP_RETURN_IF_ERROR(text);
    std::string all;
    for (const lesson::Paragraph& paragraph : lesson::paragraphs_of(*text)) {
      all += (all.empty() || ends_with_full_mark(all) ? "" : " ") + lesson::plain_text(paragraph);
      if (is_first_only) {
        break;
      }
    }
    return all;
  }

  Result<std::string> answer(const lesson::Question& question) {
    const auto value = answers_.of(question.answer.expression, question.at);
    TILESTEP_RETURN_IF_ERROR(value);
    const auto text = answer_text(question, *value, answers_, language_);
    const auto right = plain(question.right, question.at, true);
    TILESTEP_RETURN_IF_ERROR(text);
    TILESTEP_RETURN_IF_ERROR(right);
    const std::string answer = tr("Answer: {}.", *text);
    return answer + (ends_with_full_mark(answer) ? "" : " ") + *right;
  }

  const lesson::Lesson& lesson_;
  Answers& answers_;
  const std::string& language_;
};

}  // namespace

Result<std::string> captions_of(const lesson::Lesson& lesson, Answers& answers,
                                const std::string& language, std::span<const ShownBeat> shown) {
  const InLanguage here(language);
  CaptionWriter writer(lesson, answers, language);
  std::string text = "WEBVTT\n";
  for (const ShownBeat& beat : shown) {
    const auto words = writer.words_of(beat);
    TILESTEP_RETURN_IF_ERROR(words);
    const std::vector<std::string> sentences = sentences_of(*words);
    std::size_t all = 0;
    for (const std::string& sentence : sentences) {
      all += columns_of(sentence);
    }
    std::size_t said = 0;
    const auto time = [&] {
      return beat.from +
             (beat.until - beat.from) * static_cast<double>(said) / static_cast<double>(all);
    };
    for (const std::string& sentence : sentences) {
      text += fmt::format("\n{} --> ", time_text(time()));
      said += columns_of(sentence);
      text += fmt::format("{}\n{}\n", time_text(time()), markup_escaped(sentence));
    }
  }
  return text;
}

}  // namespace tilestep::course

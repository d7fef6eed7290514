#include "lesson/variant.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tilestep::lesson {
namespace {

constexpr std::string_view kSeedLine = "// variant = ";

// FNV-1a of 64 bits, mixed: alone, FNV-1a gives texts that differ in one character related hashes.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return problem::mixed(hash);
}

// What is chosen alike has the same word, or else its own number.
std::string draw_name(const std::string& together, const char* what, std::size_t index) {
  return together.empty() ? fmt::format("{} {}", what, index) : "with " + together;
}

std::size_t choice(const Lab& lab, const std::string& seed, const std::string& draw,
                   std::size_t count) {
  return seed.empty() ? 0 : hash_of(fmt::format("{}\n{}\n{}", seed, lab.name, draw)) % count;
}

// Whether `word` is in the text at `at`, and not a part of a longer name.
bool is_at(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t end = at + word.size();
  return text.substr(at, word.size()) == word &&
         !(at > 0 && is_name_part(text[at - 1]) && is_name_part(word.front())) &&
         !(end < text.size() && is_name_part(text[end]) && is_name_part(word.back()));
}

using Replacement = std::pair<std::string, std::string>;

// Replaces all at once, the first of `all` that fits at a place.
std::string replaced(std::string_view text, const std::vector<Replacement>& all) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto one = std::ranges::find_if(
        all, [&](const Replacement& other) { return is_at(text, i, other.first); });
    result += one == all.end() ? std::string(1, text[i]) : one->second;
    i += one == all.end() ? 1 : one->first.size();
  }
  return result;
}

// One comment: // lines below each other, or the rest of a line of code.
struct Comment {
  std::string words;                // its lines, without //
  std::vector<std::size_t> lines;   // their indices
  std::vector<std::size_t> begins;  // where the words begin in each line
};

// Where the words of a line's comment begin; npos: it has none.
std::size_t comment_in(const std::string& line) {
  const std::size_t slashes = line.find("//");
  const std::size_t words =
      line.find_first_not_of(' ', slashes == line.npos ? slashes : slashes + 2);
  return slashes == line.npos ? slashes : std::min({words, slashes + 3, line.size()});
}

std::vector<Comment> comments_of(const std::vector<std::string>& lines) {
  std::vector<Comment> comments;
  bool goes_on = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = comment_in(lines[i]);
    const bool is_alone = trimmed(lines[i]).starts_with("//");
    if (begin == std::string::npos) {
      goes_on = false;
      continue;
    }
    if (!goes_on || !is_alone) {
      comments.emplace_back();
    }
    Comment& comment = comments.back();
    comment.words += (comment.lines.empty() ? "" : "\n") + lines[i].substr(begin);
    comment.lines.push_back(i);
    comment.begins.push_back(begin);
    goes_on = is_alone;
  }
  return comments;
}

// A text whose comments are in the current language, if it has them: assets/words has the comments
// of the shipped labs. A translation has as many lines.
std::string translated(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  for (const Comment& comment : comments_of(lines)) {
    const auto words = lines_of(tr_detail::translated(comment.words));
    for (std::size_t i = 0; words.size() == comment.lines.size() && i < words.size(); ++i) {
      lines[comment.lines[i]].replace(comment.begins[i], std::string::npos, words[i]);
    }
  }
  std::string result;
  for (const std::string& line : lines) {
    result += (&line == &lines.front() ? "" : "\n") + line;
  }
  return result;
}

}  // namespace

Lab variant_of(Lab lab, const std::string& seed) {
  for (std::size_t i = 0; i < lab.rows.size(); ++i) {
    LabRow& row = lab.rows[i];
    const std::size_t chosen =
        choice(lab, seed, draw_name(row.together, "row", i), row.others.size() + 1);
    if (chosen > 0) {
      LabRow other = std::move(row.others[chosen - 1]);
      row = std::move(other);
    }
    if (row.repeats_launch) {
      row.state = lab.rows[i - 1].state;
    }
    row.others.clear();
  }
  return lab;
}

std::uint64_t variants_of(const Lab& lab) {
  std::map<std::string, std::size_t> draws;
  for (std::size_t i = 0; i < lab.rows.size(); ++i) {
    draws[draw_name(lab.rows[i].together, "row", i)] = lab.rows[i].others.size() + 1;
  }
  for (std::size_t i = 0; i < lab.changes.size(); ++i) {
    draws[draw_name(lab.changes[i].together, "change", i)] = lab.changes[i].alternatives.size();
  }
  std::uint64_t count = 1;
  for (const auto& [draw, alternatives] : draws) {
    count *= alternatives;
  }
  return count;
}

std::string starter_code(const Lab& lab, const std::string& text, const std::string& seed) {
  std::vector<Replacement> names;
  std::vector<Replacement> parts;  // longer texts, which may contain the names
  for (std::size_t i = 0; i < lab.changes.size(); ++i) {
    const auto& [alternatives, together] = lab.changes[i];
    const std::vector<std::string>& chosen =
        alternatives[choice(lab, seed, draw_name(together, "change", i), alternatives.size())];
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      const std::string& text_of_file = alternatives.front()[j];
      (std::ranges::all_of(text_of_file, is_name_part) ? names : parts)
          .emplace_back(translated(text_of_file), translated(chosen[j]));
    }
  }
  return (seed.empty() ? "" : fmt::format("{}{}\n", kSeedLine, seed)) +
         replaced(replaced(translated(text), parts), names);
}

std::string seed_in(std::string_view text) {
  if (!text.starts_with(kSeedLine)) {
    return "";
  }
  text.remove_prefix(kSeedLine.size());
  return std::string(trimmed(text.substr(0, text.find('\n'))));
}

}  // namespace tilestep::lesson

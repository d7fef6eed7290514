#include "lesson/text.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilestep::lesson {
namespace {

constexpr std::string_view kBetweenTitles = " · ";

// "[en]" → "en"; empty: the line is text.
std::string marked_language(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 4 || line.size() > 5 || line.front() != '[' || line.back() != ']') {
    return "";
  }
  const std::string_view tag = line.substr(1, line.size() - 2);
  const bool is_tag = std::ranges::all_of(tag, [](char c) { return c >= 'a' && c <= 'z'; });
  return is_tag ? std::string(tag) : "";
}

bool is_blank(const Line& line) {
  return trimmed(line.text).empty();
}

// Without blank lines at its ends, and without blanks there.
Text joined(const std::vector<Line>& lines) {
  const auto first = std::ranges::find_if_not(lines, is_blank);
  auto last = lines.end();
  while (last != first && is_blank(*(last - 1))) {
    --last;
  }
  Text text;
  for (auto line = first; line != last; ++line) {
    text.text += (line == first ? "" : "\n") + line->text;
    text.lines.push_back(line->number);
  }
  text.text = trimmed(text.text);
  return text;
}

Error unknown_language(const std::string& file, int line, const std::string& language,
                       const std::vector<std::string>& languages) {
  return {
      tr("{}:{}: unknown language '{}'. This lesson is in {}: the lesson block says so "
         "with languages = [\"{}\"].",
         file, line, language, fmt::join(languages, tr(" and ")), fmt::join(languages, "\", \""))};
}

}  // namespace

int Text::line_at(std::size_t offset) const {
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto index = static_cast<std::size_t>(std::count(text.begin(), before, '\n'));
  return lines.empty() ? 0 : lines[std::min(index, lines.size() - 1)];
}

const Text& Words::text(std::string_view language) const {
  static const Text kNothing;
  if (by_language.empty()) {
    return kNothing;
  }
  for (const std::string_view wanted :
       {language, std::string_view(), std::string_view(kFirstLanguage)}) {
    if (const auto found = by_language.find(wanted); found != by_language.end()) {
      return found->second;
    }
  }
  return by_language.begin()->second;
}

std::string Words::missing(const std::vector<std::string>& languages) const {
  const auto lacks = [this](const std::string& language) {
    const auto found = by_language.find(language);
    return found == by_language.end() || found->second.text.empty();
  };
  const auto first = std::ranges::find_if(languages, lacks);
  return by_language.empty() || first == languages.end() ? "" : *first;
}

Result<Words> split_languages(const std::vector<Line>& lines,
                              const std::vector<std::string>& languages, const std::string& file) {
  std::vector<Line> for_all;
  std::map<std::string, std::vector<Line>> own;
  std::string now;
  for (const Line& line : lines) {
    if (std::string language = marked_language(line.text); !language.empty()) {
      if (std::ranges::find(languages, language) == languages.end()) {
        return tl::unexpected(unknown_language(file, line.number, language, languages));
      }
      now = std::move(language);
      own[now];
    } else {
      (now.empty() ? for_all : own[now]).push_back(line);
    }
  }
  Words words;
  if (own.empty()) {
    if (Text all = joined(for_all); !all.text.empty()) {
      words.by_language[""] = std::move(all);
    }
    return words;
  }
  for (const auto& [language, its] : own) {
    std::vector<Line> both = for_all;
    both.insert(both.end(), its.begin(), its.end());
    words.by_language[language] = joined(both);
  }
  return words;
}

Result<Words> split_title(const Line& title, const std::vector<std::string>& languages,
                          const std::string& file) {
  std::vector<std::string> parts;
  for (std::string_view rest = title.text;;) {
    const std::size_t at = rest.find(kBetweenTitles);
    parts.emplace_back(trimmed(rest.substr(0, at)));
    if (at == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(at + kBetweenTitles.size());
  }
  Words words;
  if (parts.size() == 1) {
    if (!parts.front().empty()) {
      words.by_language[""] = {parts.front(), {title.number}};
    }
    return words;
  }
  if (parts.size() != languages.size()) {
    return fail(
        tr("{}:{}: this title has {} parts between ' · ', and the lesson {} languages. "
           "Write one part for each of {}.",
           file, title.number, parts.size(), languages.size(), fmt::join(languages, ", ")));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    words.by_language[languages[i]] = {parts[i], {title.number}};
  }
  return words;
}

std::vector<std::string> word_keys(const std::string& key,
                                   const std::vector<std::string>& languages) {
  std::vector<std::string> keys{key};
  for (std::size_t i = 1; i < languages.size(); ++i) {
    keys.push_back(key + "_" + languages[i]);
  }
  return keys;
}

tl::expected<std::vector<TextPiece>, TextMistake> pieces_of(const Text& text) {
  std::vector<TextPiece> pieces;
  std::size_t at = 0;
  while (at < text.text.size()) {
    const std::size_t open = std::min(text.text.find("{{", at), text.text.size());
    if (open > at) {
      pieces.push_back({false, text.text.substr(at, open - at), text.line_at(at)});
    }
    if (open == text.text.size()) {
      break;
    }
    const std::size_t close = text.text.find("}}", open);
    if (close == std::string::npos) {
      return tl::unexpected(
          TextMistake{text.line_at(open), tr("{{ has no }}. Write {{ expression }}.")});
    }
    pieces.push_back({true, std::string(trimmed(text.text.substr(open + 2, close - open - 2))),
                      text.line_at(open)});
    at = close + 2;
  }
  return pieces;
}

}  // namespace tilestep::lesson

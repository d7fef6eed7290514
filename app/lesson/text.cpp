#include "lesson/text.h"

#include "lesson/rich_text.h"
#include "problem/describe/toml_reader.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "state/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmark.h>

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

// Without blank lines at the ends.
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
      tr("{}:{}: unknown language '{}'. This lesson is in {}: its lesson block has languages = "
         "[\"{}\"].",
         file, line, language, fmt::join(languages, tr(" and ")), fmt::join(languages, "\", \""))};
}

bool is_toml_number(std::string_view text) {
  double ignored = 0.0;
  const auto [end, error] = problem::read_number(text.data(), text.data() + text.size(), ignored);
  return error == std::errc{} && end == text.data() + text.size() &&
         text.find_first_not_of("0123456789.-+e") == std::string_view::npos;
}

// Numbers, words and tables stay as in a scene; anything else becomes a quoted text.
std::string toml_value(const std::string& value) {
  const bool is_as_it_stands =
      value == "true" || value == "false" || value.starts_with('{') || is_toml_number(value);
  return is_as_it_stands ? value : toml_quoted(value);
}

// "As[1][2]": the name of an array and its last two indices; "x[3]" has one row.
std::optional<Error> choose_cell(const std::string& cell, state::Focus& focus) {
  const std::size_t open = cell.find('[');
  std::vector<int> indices;
  for (std::size_t at = open; at != std::string::npos && at < cell.size();) {
    int index = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data() + at + 1, end, index);
    if (cell[at] != '[' || error != std::errc{} || stop == end || *stop != ']' || index < 0) {
      indices.clear();
      break;
    }
    indices.push_back(index);
    at = static_cast<std::size_t>(stop - cell.data()) + 1;
  }
  if (open == 0 || indices.empty() || indices.size() > 2) {
    return Error{tr("'{}' is not a cell. Write it like As[1][2].", shortened(cell))};
  }
  focus.cell_of = cell.substr(0, open);
  focus.cell_row = indices.size() == 2 ? indices[0] : 0;
  focus.cell_col = indices.back();
  focus.cell_name = cell;
  return std::nullopt;
}

// Uses the reader of scenes, which knows every key.
std::optional<Error> change_state(const Change& change, state::AppState& state) {
  const bool is_of_focus = change.key == "block" || change.key == "thread";
  const std::string toml =
      is_of_focus ? fmt::format("focus = {{ {} = {} }}", change.key, toml_value(change.value))
                  : fmt::format("{} = {}", toml_key(change.key), toml_value(change.value));
  const Result<toml::table> table = problem::parse_toml(toml, "");
  const auto without_line = [](const std::string& message) {
    const std::size_t at = message.find(": ");
    return Error{at == std::string::npos ? message : message.substr(at + 2)};
  };
  if (!table) {
    return without_line(table.error().message);
  }
  problem::TomlReader reader("");
  state::read_fields(reader, *table, {}, state);
  return reader.error() ? std::optional(without_line(reader.error()->message)) : std::nullopt;
}

std::optional<Error> make_change(const Change& change, Position& position,
                                 const PositionNamed& scene_named) {
  if (change.key == "scene") {
    const auto named = scene_named ? scene_named(change.value) : std::nullopt;
    if (!named) {
      return Error{tr("there is no scene '{}' in this lesson.", shortened(change.value))};
    }
    position = *named;
    return std::nullopt;
  }
  if (change.key == "place") {
    const Result<Place> place = parse_place(change.value);
    if (!place) {
      return place.error();
    }
    position.place = *place;
    return std::nullopt;
  }
  if (change.key == "cell") {
    return choose_cell(change.value, position.state.focus);
  }
  if (change.key == "step" || change.key == "phase") {
    return Error{tr("write a place instead of {}, as in #place=step:12.", change.key)};
  }
  if (change.key == "kernel") {
    position.state.edited_source.clear();  // the text belongs to another kernel
  }
  return change_state(change, position.state);
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
        tr("{}:{}: this title has {} parts separated by ' · ', but the lesson has {} languages. "
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

std::optional<std::vector<Change>> changes_of(std::string_view link) {
  if (!link.starts_with('#')) {
    return std::nullopt;
  }
  std::vector<Change> changes;
  link.remove_prefix(1);
  while (!link.empty()) {
    const std::string_view one = link.substr(0, link.find('&'));
    const std::size_t equals = std::min(one.find('='), one.size());
    changes.push_back({std::string(one.substr(0, equals)),
                       std::string(one.substr(std::min(equals + 1, one.size())))});
    link.remove_prefix(std::min(one.size() + 1, link.size()));
  }
  return changes;
}

Result<Position> changed(Position from, std::span<const Change> changes,
                         const PositionNamed& scene_named) {
  for (const Change& change : changes) {
    if (change.key.empty() || change.value.empty()) {
      return fail(tr("'{}={}' has no effect. Write a key and its value, as in #block=1&thread=6.",
                     shortened(change.key), shortened(change.value)));
    }
    if (const auto error = make_change(change, from, scene_named)) {
      return tl::unexpected(*error);
    }
  }
  return from;
}

std::vector<Link> links_in(const std::string& markdown) {
  std::vector<Link> links;
  const Document document = parse_markdown(markdown);
  const Walk walk(cmark_iter_new(document.get()));
  for (cmark_event_type event{}; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;) {
    cmark_node* const node = cmark_iter_get_node(walk.get());
    if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == CMARK_NODE_LINK) {
      links.push_back({cmark_node_get_url(node), plain_text(node)});
    }
  }
  return links;
}

std::string without_stage_links(const std::string& markdown) {
  constexpr std::string_view kMiddle = "](#";
  std::string text = markdown;
  for (std::size_t close = text.find(kMiddle); close != std::string::npos;
       close = text.find(kMiddle, close)) {
    std::size_t open = close;
    for (int depth = 1; depth > 0 && open > 0;) {
      --open;
      depth += text[open] == ']' ? 1 : text[open] == '[' ? -1 : 0;
    }
    const std::size_t end = text.find(')', close);
    if (text[open] != '[' || end == std::string::npos) {
      close += kMiddle.size();  // not a link
      continue;
    }
    text.erase(close, end + 1 - close);
    text.erase(open, 1);
    --close;
  }
  return text;
}

}  // namespace tilestep::lesson

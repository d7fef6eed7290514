#include "lesson/link.h"

#include "lesson/markdown.h"
#include "problem/describe/toml_reader.h"
#include "problem/printable.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "state/state_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmark.h>

namespace tilestep::lesson {
namespace {

bool is_toml_number(std::string_view text) {
  double ignored = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc{} && end == text.data() + text.size() &&
         text.find_first_not_of("0123456789.-+e") == std::string_view::npos;
}

// Numbers, words and tables as a scene has them; everything else is a text.
std::string toml_value(const std::string& value) {
  const bool is_as_it_stands =
      value == "true" || value == "false" || value.starts_with('{') || is_toml_number(value);
  return is_as_it_stands ? value : toml_quoted(value);
}

// "As[1][2]": the name of an array, and its last two indices; "x[3]" has one row.
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
    return Error{tr("'{}' is not a cell. Write one as As[1][2].", shortened(cell))};
  }
  focus.cell_of = cell.substr(0, open);
  focus.cell_row = indices.size() == 2 ? indices[0] : 0;
  focus.cell_col = indices.back();
  focus.cell_name = cell;
  return std::nullopt;
}

// By the reader of scenes, which knows every key.
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
    position.state.edited_source.clear();  // it is another kernel's text
  }
  return change_state(change, position.state);
}

}  // namespace

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
      return fail(
          tr("'{}={}' changes nothing. Write a key and its value, as in "
             "#block=1&thread=6.",
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
      close += kMiddle.size();  // no link
      continue;
    }
    text.erase(close, end + 1 - close);
    text.erase(open, 1);
    --close;
  }
  return text;
}

}  // namespace tilestep::lesson

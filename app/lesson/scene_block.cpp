#include "lesson/scene_block.h"

#include "problem/tr.h"
#include "state/words.h"

#include <array>
#include <charconv>

namespace tilestep::lesson {
namespace {

// "[0..2]" or "[3]" at the beginning of `text`, which loses it.
bool take_range(std::string_view& text, int& first, int& last) {
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) {
    return false;
  }
  const std::string_view inside = text.substr(1, close - 1);
  const std::size_t dots = inside.find("..");
  const auto read = [](std::string_view digits, int& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() && number >= 0;
  };
  const bool is_range = dots != std::string_view::npos;
  if (!read(inside.substr(0, dots), first) ||
      !read(is_range ? inside.substr(dots + 2) : inside, last) || last < first) {
    return false;
  }
  text.remove_prefix(close + 1);
  return true;
}

// "A[0..2][3..5]"
bool read_cells(std::string_view text, Annotation& annotation) {
  const std::size_t open = std::min(text.find('['), text.size());
  annotation.of = text.substr(0, open);
  text.remove_prefix(open);
  return !annotation.of.empty() && take_range(text, annotation.first_row, annotation.last_row) &&
         take_range(text, annotation.first_col, annotation.last_col) && text.empty();
}

Annotation read_annotation(BlockReader& reader, const toml::table& table) {
  reader.expect_keys(table, reader.with_languages({"cells", "line", "phase", "frame"}, {"label"}));
  Annotation annotation;
  annotation.label = reader.words(table, "label");
  annotation.has_frame = reader.toml().boolean(table, "frame", true);
  int things = 0;
  for (const char* key : {"cells", "line", "phase"}) {
    things += table.contains(key) ? 1 : 0;
  }
  if (things != 1) {
    reader.toml().note(table, tr("an element of point has one of cells, line and phase."));
    return annotation;
  }
  problem::TomlReader& toml = reader.toml();
  if (const toml::node* const cells = table.get("cells")) {
    if (!read_cells(toml.string(table, "cells"), annotation)) {
      toml.note(*cells, tr("cells must be a name and two ranges, as in \"A[0..2][3..5]\"."));
    }
  } else if (table.contains("line")) {
    annotation.line = static_cast<int>(toml.integer(table, "line", 0));
  } else {
    annotation.phase = static_cast<int>(toml.integer(table, "phase", 0));
  }
  if ((annotation.line && *annotation.line < 1) || (annotation.phase && *annotation.phase < 0)) {
    toml.note(table, tr("a line is 1 or more, a phase 0 or more."));
  }
  return annotation;
}

void read_film(BlockReader& reader, const toml::table& table, Scene& scene) {
  constexpr double kMostSeconds = 600.0;
  constexpr int kMostMoves = 1000;
  problem::TomlReader& toml = reader.toml();
  scene.seconds = toml.real(table, "seconds", 0.0);
  scene.moves = static_cast<int>(toml.integer(table, "moves", 0));
  if (const toml::node* const by = table.get("moves_by")) {
    scene.moves_by = toml.word<state::Unit>(*by);
  }
  if (!(scene.seconds >= 0.0 && scene.seconds <= kMostSeconds)) {
    toml.note(*table.get("seconds"), tr("seconds must be between 0 and {}.", kMostSeconds));
  }
  if (scene.moves < 0 || scene.moves > kMostMoves) {
    toml.note(*table.get("moves"), tr("moves must be between 0 and {}.", kMostMoves));
  }
  if (scene.moves > 0 && scene.seconds <= 0.0) {
    toml.note(*table.get("moves"), tr("moves need seconds, in which they are made."));
  }
}

Scene read_scene(BlockReader& reader, const toml::table& table) {
  const std::vector<std::string> own = reader.with_languages(
      {"name", "minutes", "point", "seconds", "moves", "moves_by"}, {"title", "note", "try"});
  Scene scene;
  Position position;
  reader.read_position(table, own, position);
  scene.state = std::move(position.state);
  scene.place = position.place;
  scene.name = reader.name(table);
  scene.title = reader.title(table);
  scene.minutes = reader.minutes(table);
  scene.note = reader.words(table, "note");
  scene.tries = reader.list_of_words(table, "try");
  read_film(reader, table, scene);
  for (const toml::table* const point : reader.toml().tables(table, "point")) {
    scene.points.push_back(read_annotation(reader, *point));
  }
  return scene;
}

}  // namespace

Result<Scene> parse_scene_block(const std::string& toml, const BlockPlace& place) {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  BlockReader reader(place);
  Scene scene = read_scene(reader, *table);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  if (scene.title.empty()) {
    scene.title.by_language[""] = {scene.name, {place.first_line - 1}};
  }
  return scene;
}

}  // namespace tilestep::lesson

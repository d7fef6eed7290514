#include "lesson/scene_block.h"

#include "problem/describe/toml_reader.h"
#include "state/state_toml.h"

#include <algorithm>
#include <optional>

namespace tilestep::lesson {
namespace {

bool is_file_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

Scene read_scene(problem::TomlReader& reader, const toml::table& table,
                 std::span<const Scene> before) {
  Scene scene;
  const auto setup_of_scene = [before](const std::string& name) -> std::optional<state::Setup> {
    const auto found = std::ranges::find(before, name, &Scene::name);
    return found == before.end() ? std::nullopt : std::optional(setup_of(found->state));
  };
  state::read_fields(reader, table, {"name", "title", "place"}, scene.state, setup_of_scene);
  if (const toml::node* const step = table.get("step")) {
    reader.note(*step, "a scene gives its place with place = \"step:N\".");
  }
  scene.name = reader.required_string(table, "name");
  if (!is_file_name(scene.name)) {
    reader.note(table.contains("name") ? *table.get("name") : table,
                "name must be a file name: only lower-case letters, digits, - and _.");
  }
  scene.title = reader.string(table, "title");
  if (const toml::node* const node = table.get("place")) {
    if (const Result<Place> place = parse_place(reader.string(table, "place"))) {
      scene.place = *place;
    } else {
      reader.note(*node, place.error().message);
    }
  }
  return scene;
}

}  // namespace

Result<Scene> parse_scene_block(const std::string& toml, const std::string& file, int first_line,
                                const std::string& title, std::span<const Scene> before) {
  const Result<toml::table> table = problem::parse_toml(toml, file, first_line - 1);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  problem::TomlReader reader(file, first_line - 1);
  Scene scene = read_scene(reader, *table, before);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  if (scene.title.empty()) {
    scene.title = title.empty() ? scene.name : title;
  }
  return scene;
}

}  // namespace tilestep::lesson

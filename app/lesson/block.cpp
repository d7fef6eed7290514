#include "lesson/block.h"

#include "problem/tr.h"
#include "state/scene.h"

#include <algorithm>

namespace tilestep::lesson {
namespace {

constexpr double kMostMinutes = 600.0;

bool is_file_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

const std::vector<std::string>& BlockReader::languages() const {
  static const Lesson kFresh;
  return (place_.so_far == nullptr ? kFresh : *place_.so_far).languages;
}

int BlockReader::line_of(const toml::node& node) const {
  return place_.first_line - 1 + static_cast<int>(node.source().begin.line);
}

std::string BlockReader::name(const toml::table& table) {
  std::string name = reader_.required_string(table, "name");
  const toml::node* const node = table.get("name");
  if (!is_file_name(name)) {
    reader_.note(node == nullptr ? table : *node,
                 tr("`name` must be a file name: only lower-case letters, digits, - and _."));
  }
  return name;
}

Words BlockReader::words(const toml::table& table, const std::string& key) {
  const std::vector<std::string> keys = word_keys(key, languages());
  Words words;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const toml::node* const node = table.get(keys[i]);
    if (node == nullptr) {
      continue;
    }
    Text text{reader_.string(table, keys[i]), {}};
    const int first = line_of(*node);
    const int last = place_.first_line - 1 + static_cast<int>(node->source().end.line);
    const auto breaks = static_cast<int>(std::ranges::count(text.text, '\n'));
    // The text may begin one line below the opening triple quotes.
    const int begin = first + (last - first > breaks ? 1 : 0);
    for (int line = 0; line <= breaks; ++line) {
      text.lines.push_back(std::min(begin + line, last));
    }
    words.by_language[languages()[i]] = std::move(text);
  }
  return words;
}

std::vector<Words> BlockReader::list_of_words(const toml::table& table, const std::string& key) {
  const std::vector<std::string> keys = word_keys(key, languages());
  std::vector<Words> list;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const toml::node* const node = table.get(keys[i]);
    if (node == nullptr) {
      continue;
    }
    const toml::array* const texts = node->as_array();
    const bool is_list = texts != nullptr && std::ranges::all_of(*texts, [](const auto& text) {
                           return text.is_string();
                         });
    if (!is_list || (!list.empty() && list.size() != texts->size())) {
      reader_.note(
          *node,
          tr("{} must be an array of quoted strings, the same number in each language.", keys[i]));
      return {};
    }
    list.resize(texts->size());
    for (std::size_t j = 0; j < list.size(); ++j) {
      list[j].by_language[languages()[i]] = {(*texts)[j].as_string()->get(),
                                             {line_of((*texts)[j])}};
    }
  }
  return list;
}

Words BlockReader::title(const toml::table& table) {
  Words own = words(table, "title");
  return own.empty() ? place_.title : own;
}

double BlockReader::minutes(const toml::table& table) {
  const double minutes = reader_.real(table, "minutes", 0.0);
  if (!(minutes >= 0.0 && minutes <= kMostMinutes)) {
    reader_.note(*table.get("minutes"), tr("`minutes` must be between 0 and {}.", kMostMinutes));
  }
  return minutes;
}

Formula BlockReader::formula(const toml::node& node) {
  if (!node.is_string()) {
    reader_.note(node, tr("expected an expression in quotes, as in \"wrong() == 0\"."));
    return {};
  }
  Result<Expression> expression = parse_expression(node.as_string()->get());
  if (!expression) {
    reader_.note(node, expression.error().message);
    return {};
  }
  return {std::move(*expression), line_of(node)};
}

std::vector<Formula> BlockReader::formulas(const toml::table& table, const char* key) {
  std::vector<Formula> all;
  const toml::node* const node = table.get(key);
  if (node != nullptr && node->is_array()) {
    for (const toml::node& one : *node->as_array()) {
      all.push_back(formula(one));
    }
  } else if (node != nullptr) {
    all.push_back(formula(*node));
  }
  return all;
}

std::optional<Position> BlockReader::scene_above(const toml::node& name) {
  const std::string word = name.is_string() ? name.as_string()->get() : "";
  const Scene* const scene = place_.so_far == nullptr ? nullptr : place_.so_far->find_scene(word);
  if (scene == nullptr) {
    reader_.note(
        name, tr("there is no scene '{}' above. Name one of the scenes above, in quotes.", word));
    return std::nullopt;
  }
  return scene->position();
}

void BlockReader::read_position(const toml::table& table, const std::vector<std::string>& own_keys,
                                Position& position) {
  if (const toml::node* const base = table.get("base")) {
    if (const auto above = scene_above(*base)) {
      position = *above;
    }
  }
  const auto setup_of_scene = [this](const std::string& name) -> std::optional<state::Setup> {
    const Scene* const scene = place_.so_far == nullptr ? nullptr : place_.so_far->find_scene(name);
    return scene == nullptr ? std::nullopt : std::optional(setup_of(scene->state));
  };
  std::vector<std::string_view> known = views_of(own_keys);
  known.insert(known.end(), {"base", "place"});
  state::read_fields(reader_, table, known, position.state, setup_of_scene);
  if (const toml::node* const step = table.get("step")) {
    reader_.note(*step, tr("write the place of a scene as place = \"step:N\"."));
  }
  if (const toml::node* const node = table.get("place")) {
    if (const Result<Place> place = parse_place(reader_.string(table, "place"))) {
      position.place = *place;
    } else {
      reader_.note(*node, place.error().message);
    }
  }
}

std::vector<std::string> BlockReader::with_languages(std::vector<std::string> plain,
                                                     const std::vector<std::string>& words) {
  for (const std::string& key : words) {
    const std::vector<std::string> all = word_keys(key, languages());
    plain.insert(plain.end(), all.begin(), all.end());
  }
  return plain;
}

void BlockReader::expect_keys(const toml::table& table, const std::vector<std::string>& known) {
  reader_.expect_keys(table, views_of(known));
}

}  // namespace tilestep::lesson

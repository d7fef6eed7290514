#include "lesson/lesson_block.h"

#include "problem/tr.h"

#include <algorithm>

namespace tilestep::lesson {
namespace {

std::vector<std::string> texts_of(BlockReader& reader, const toml::table& table,
                                  const std::string& key) {
  const toml::node* const node = table.get(key);
  std::vector<std::string> all;
  if (node == nullptr) {
    return all;
  }
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    reader.toml().note(*node, tr("{} must be an array of texts in quotes.", key));
    return all;
  }
  for (const toml::node& one : *array) {
    if (!one.is_string()) {
      reader.toml().note(one, tr("{} must be an array of texts in quotes.", key));
      return all;
    }
    all.push_back(one.as_string()->get());
  }
  return all;
}

bool is_language(const std::string& tag) {
  return (tag.size() == 2 || tag.size() == 3) &&
         std::ranges::all_of(tag, [](char c) { return c >= 'a' && c <= 'z'; });
}

void read_languages(BlockReader& reader, const toml::table& table, Lesson& lesson) {
  const toml::node* const node = table.get("languages");
  if (node == nullptr) {
    return;
  }
  lesson.languages = texts_of(reader, table, "languages");
  std::vector<std::string> sorted = lesson.languages;
  std::ranges::sort(sorted);
  if (sorted.empty() || !std::ranges::all_of(sorted, is_language) ||
      std::ranges::adjacent_find(sorted) != sorted.end()) {
    reader.toml().note(*node, tr("languages must be tags of two or three letters, as in [\"en\", "
                                 "\"zh\"], each once."));
    lesson.languages = {kFirstLanguage};
  }
}

}  // namespace

std::optional<Error> read_lesson_block(const std::string& toml, const BlockPlace& place,
                                       Lesson& lesson) {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  if (!table) {
    return table.error();
  }
  BlockPlace with_languages = place;
  with_languages.so_far = &lesson;
  BlockReader reader(with_languages);
  read_languages(reader, *table, lesson);
  reader.expect_keys(
      *table, reader.with_languages({"id", "texts", "after", "minutes", "languages"}, {"goal"}));
  lesson.id = reader.toml().required_string(*table, "id");
  lesson.goal = reader.words(*table, "goal");
  lesson.texts = texts_of(reader, *table, "texts");
  lesson.after = texts_of(reader, *table, "after");
  lesson.minutes = reader.minutes(*table);
  return reader.error();
}

}  // namespace tilestep::lesson

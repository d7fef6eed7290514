// Readers of the TOML of a lesson's blocks: ```lesson, ```lab, ```question, ```scene.
// docs/formats/lesson.md documents the keys.
#pragma once

#include "lesson/lesson.h"
#include "problem/describe/toml_reader.h"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tilestep::lesson {

// Shared by the blocks of a lesson's file: the file, its languages, and the scenes above.

// The position of a block.
struct BlockPlace {
  std::string file;
  int first_line = 1;              // of the block's TOML
  Words title;                     // of the heading above
  const Lesson* so_far = nullptr;  // its languages and the beats above; null: a fresh lesson's
};

// Reads one block. The first mistake is the block's error.
class BlockReader {
 public:
  explicit BlockReader(const BlockPlace& place)
      : place_(place), reader_(place.file, place.first_line - 1) {}

  [[nodiscard]] problem::TomlReader& toml() { return reader_; }
  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }
  [[nodiscard]] const std::vector<std::string>& languages() const;
  [[nodiscard]] int line_of(const toml::node& node) const;

  // The name, which must be a valid file name and unique among the beats.
  [[nodiscard]] std::string name(const toml::table& table);
  [[nodiscard]] Words words(const toml::table& table, const std::string& key);
  // An array of texts per language, all of the same length.
  [[nodiscard]] std::vector<Words> list_of_words(const toml::table& table, const std::string& key);
  // The block's title, or else the heading above.
  [[nodiscard]] Words title(const toml::table& table);
  [[nodiscard]] double minutes(const toml::table& table);
  [[nodiscard]] Formula formula(const toml::node& node);
  // One expression or an array of them; empty if the key is missing.
  [[nodiscard]] std::vector<Formula> formulas(const toml::table& table, const char* key);
  // The scene above of that name; notes a mistake if there is none.
  [[nodiscard]] std::optional<Position> scene_above(const toml::node& name);
  // `table` has the keys of a state, `base`, `place`, and `own_keys`.
  void read_position(const toml::table& table, const std::vector<std::string>& own_keys,
                     Position& position);
  // `plain`, plus the key of each of `words` in every language.
  [[nodiscard]] std::vector<std::string> with_languages(std::vector<std::string> plain,
                                                        const std::vector<std::string>& words);
  void expect_keys(const toml::table& table, const std::vector<std::string>& known);

 private:
  const BlockPlace& place_;
  problem::TomlReader reader_;
};

// The block that `read` makes of a table; fails with the first mistake in it.
template <class Read>
auto parse_block(const std::string& toml, const BlockPlace& place, const Read& read)
    -> Result<std::invoke_result_t<Read, BlockReader&, const toml::table&>> {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  TILESTEP_RETURN_IF_ERROR(table);
  BlockReader reader(place);
  auto block = read(reader, *table);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return block;
}

// The blocks.

// Sets `lesson`'s id, goal, languages, texts, after and minutes; returns an error if it cannot.
[[nodiscard]] std::optional<Error> read_lesson_block(const std::string& toml,
                                                     const BlockPlace& place, Lesson& lesson);

// The TOML of a ```lab block → a Lab. docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Lab> parse_lab_block(const std::string& toml, const BlockPlace& place);

// The TOML of a ```question block → a Question. docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Question> parse_question_block(const std::string& toml,
                                                    const BlockPlace& place);

// The TOML of a ```recap block → a Scene with a Recap: its text is the lines and the teaser.
// docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Scene> parse_recap_block(const std::string& toml, const BlockPlace& place);

// The TOML of a ```scene block → a Scene (its text is the Markdown around it).
// docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Scene> parse_scene_block(const std::string& toml, const BlockPlace& place);

}  // namespace tilestep::lesson

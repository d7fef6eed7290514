// What the blocks of a lesson's file share: the file, its languages, and the scenes above.
#pragma once

#include "lesson/lesson.h"
#include "problem/describe/toml_reader.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::lesson {

// Where a block stands.
struct BlockPlace {
  std::string file;
  int first_line = 1;              // of its TOML
  Words title;                     // of the heading above
  const Lesson* so_far = nullptr;  // its languages, and the beats above; null: a fresh lesson's
};

// Reads one block; the first mistake is the block's error.
class BlockReader {
 public:
  explicit BlockReader(const BlockPlace& place)
      : place_(place), reader_(place.file, place.first_line - 1) {}

  [[nodiscard]] problem::TomlReader& toml() { return reader_; }
  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }
  [[nodiscard]] const std::vector<std::string>& languages() const;
  [[nodiscard]] int line_of(const toml::node& node) const;

  // A name that is a file's and no other beat's.
  [[nodiscard]] std::string name(const toml::table& table);
  [[nodiscard]] Words words(const toml::table& table, const std::string& key);
  // An array of texts for each language, all of one length.
  [[nodiscard]] std::vector<Words> list_of_words(const toml::table& table, const std::string& key);
  // Of the block, or else of the heading above.
  [[nodiscard]] Words title(const toml::table& table);
  [[nodiscard]] double minutes(const toml::table& table);
  [[nodiscard]] Formula formula(const toml::node& node);
  // One expression, or an array of them; none where the key is missing.
  [[nodiscard]] std::vector<Formula> formulas(const toml::table& table, const char* key);
  // The scene above of that name; notes where there is none.
  [[nodiscard]] std::optional<Position> scene_above(const toml::node& name);
  // `table` has a state's keys, `base` and `place`, and `own_keys`.
  void read_position(const toml::table& table, const std::vector<std::string>& own_keys,
                     Position& position);
  // The key of each of these in all languages.
  [[nodiscard]] std::vector<std::string> with_languages(std::vector<std::string> plain,
                                                        const std::vector<std::string>& words);
  void expect_keys(const toml::table& table, const std::vector<std::string>& known);

 private:
  const BlockPlace& place_;
  problem::TomlReader reader_;
};

}  // namespace tilestep::lesson

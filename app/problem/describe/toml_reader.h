// Reads a TOML table key by key, keeps the first mistake with file:line, and refuses unknown keys.
#pragma once

#include "problem/launch/expression.h"
#include "problem/result.h"
#include "problem/words.h"

#include <toml++/toml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::problem {

// The known word nearest to `word`, for "did you mean"; empty if none is near.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string_view>& known);

// Fails with file:line:column and TOML's reason. `lines_before`: lines of the file before the text.
[[nodiscard]] Result<toml::table> parse_toml(const std::string& text, const std::string& file,
                                             int lines_before = 0);

// After a mistake all answers are harmless defaults; check error() at the end.
class TomlReader {
 public:
  explicit TomlReader(std::string file, int lines_before = 0)
      : file_(std::move(file)), lines_before_(lines_before) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  void note(const toml::node& place, std::string_view message);

  // Notes a mistake if a key of `table` is not in `known`.
  void expect_keys(const toml::table& table, const std::vector<std::string_view>& known);

  // Missing keys give `otherwise`; a wrong type is a mistake.
  std::string string(const toml::table& table, std::string_view key, std::string otherwise = "");
  std::string required_string(const toml::table& table, std::string_view key);
  std::int64_t integer(const toml::table& table, std::string_view key, std::int64_t otherwise);
  double real(const toml::table& table, std::string_view key, double otherwise);
  bool boolean(const toml::table& table, std::string_view key, bool otherwise);

  // The enum value whose word the string is.
  template <class Enum>
  Enum word(const toml::node& node) {
    if (node.is_string()) {
      if (const auto value = value_of<Enum>(node.as_string()->get())) {
        return *value;
      }
    }
    note_unknown_word(node, file_words<Enum>());
    return Enum{};
  }

  // Defines names that mean numbers in the following expressions: BM for 128.
  void set_values(std::map<std::string, std::int64_t, std::less<>> values,
                  Expressions expressions) {
    values_ = std::move(values);
    expressions_ = expressions;
  }
  // The text with these names replaced by their numbers.
  [[nodiscard]] std::string with_values(const std::string& text) const;

  // The text of a string that is an expression, or of an integer (with `floats`, any number).
  std::string expression(const toml::node& node, bool floats = false);
  std::string expression(const toml::table& table, std::string_view key, std::string otherwise);

  // The elements of an array of tables; empty if the key is missing.
  std::vector<const toml::table*> tables(const toml::table& table, std::string_view key);
  const toml::table* table_of(const toml::node& node, std::string_view what);

 private:
  void note_unknown_word(const toml::node& node, const std::vector<std::string>& known);

  std::string file_;
  int lines_before_ = 0;
  std::optional<Error> error_;
  std::map<std::string, std::int64_t, std::less<>> values_;
  Expressions expressions_ = Expressions::Checked;
  // Cached, because a catalog's kernels share many.
  std::set<std::string, std::less<>> expressions_read_;
};

// The keys in the file's order; toml++ sorts them by name.
[[nodiscard]] std::vector<std::pair<std::string, const toml::node*>> in_file_order(
    const toml::table& table);

}  // namespace tilestep::problem

// One language's texts, read from a gettext .po file (GNU gettext manual, "The Format of PO
// Files").
//
// The English text is the key. What a file does not translate, or translates with other
// {placeholders} than the English has, is left out, so that English stands there.
#pragma once

#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilestep::problem {

class Translation {
 public:
  // `file`: for messages. Fails with a sentence: place, cause, cure.
  [[nodiscard]] static Result<Translation> parse(std::string_view po, const std::string& file);

  // What the language calls itself: the header's X-Language-Name; empty: it has none.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Null where the file has no translation. Valid as long as this is.
  [[nodiscard]] const char* find(std::string_view english) const;
  // The form for `count` things; the key is the English form for one.
  [[nodiscard]] const char* find(std::string_view english, std::uint64_t count) const;
  // Every text with its forms, by its English.
  [[nodiscard]] const auto& all() const { return texts_; }
  // Keys whose translation was left out because its placeholders differ.
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  Result<void> read_header(const std::string& header, const std::string& file);

  // Each with its forms, in the order of the header's Plural-Forms; one where it has no plural.
  std::unordered_map<std::string, std::vector<std::string>, Hash, std::equal_to<>> texts_;
  std::vector<std::string> refused_;
  std::string name_;
  // Which form 0 to 1,999 things take. Larger counts take that of 1,000 to 1,999 with the same last
  // three digits: no formula of gettext's looks further.
  std::vector<std::uint8_t> form_of_;
};

// The {placeholders} of a text, sorted, each with its number and format: "{0:.2f}". Without numbers
// in the text they are counted; a text that has both gets "{mixed}" besides. Names stay names:
// "{thread}"; the verbs of the narration,
// "{threads:wait|waits}", are English alone and left out.
[[nodiscard]] std::vector<std::string> placeholders(std::string_view text);

}  // namespace tilestep::problem

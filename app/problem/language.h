// Which language the program speaks.
//
// There are English, whose texts stand in the code, and one more for each .po file of a folder
// (share/tilestep/words): its name without .po is the language's tag, "zh". What is spoken is one
// of the few things that a process has one of (docs/architecture.md): every text that is made asks
// for it. Setting it is for the thread of the window or the command line; texts are made, and may
// be read, by any thread.
#pragma once

#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilestep {

inline constexpr const char* kEnglishTag = "en";

struct Language {
  std::string tag;   // "en", "zh"
  std::string name;  // what it calls itself: "English", "中文"

  friend bool operator==(const Language&, const Language&) = default;
};

// Where the .po files are. A file that cannot be read is left out; speak() says why.
void find_languages(const std::filesystem::path& folder);
// English first, then those of the folder by tag.
[[nodiscard]] std::vector<Language> languages();

// "": the process's own: `set_usual_language`, else what the environment says. Fails with a
// sentence where there is no such language, or its file is wrong; then what was spoken stays.
[[nodiscard]] Result<void> speak(const std::string& tag);
// What "" means from now on: an option of the command line. Fails as speak().
[[nodiscard]] Result<void> set_usual_language(const std::string& tag);
// The tag of the language that is spoken.
[[nodiscard]] std::string spoken_language();

// The tag of the first of LC_ALL, LC_MESSAGES and LANG that is set, as POSIX has it:
// "zh_CN.UTF-8" → "zh"; "C", "POSIX" and nothing → "en".
[[nodiscard]] std::string language_of_environment();

}  // namespace tilestep

namespace tilestep::problem {

// One language's texts, read from a gettext .po file (GNU gettext manual, "The Format of PO
// Files").
//
// The English text is the key. What a file does not translate, or translates with other
// {placeholders} than the English has, is left out, so that English stands there.
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

// The program's language.
//
// The languages are English, whose texts are in the code, and one per .po file of a folder
// (share/tilestep/words): the file's name without .po is the tag, "zh". The current language is one
// of the few pieces of global state (docs/architecture.md), because every text depends on it. Only
// the thread of the window or the command line sets it; any thread makes and reads texts.
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
  std::string name;  // in the language itself: "English", "中文"

  friend bool operator==(const Language&, const Language&) = default;
};

// Sets the folder of the .po files. Unreadable files are left out; speak() gives the reason.
void find_languages(const std::filesystem::path& folder);
// English first, then the folder's languages by tag.
[[nodiscard]] std::vector<Language> languages();

// Sets the language. "": the default set by set_usual_language(), else the environment's. Fails
// with a sentence if there is no such language or its file is invalid; the language then stays
// unchanged.
[[nodiscard]] Result<void> speak(const std::string& tag);
// Sets the meaning of "": an option of the command line. Fails like speak().
[[nodiscard]] Result<void> set_usual_language(const std::string& tag);
// The tag of the current language.
[[nodiscard]] std::string spoken_language();

// The tag from the first of LC_ALL, LC_MESSAGES and LANG that is set (POSIX): "zh_CN.UTF-8" → "zh";
// "C", "POSIX" and unset → "en".
[[nodiscard]] std::string language_of_environment();

}  // namespace tilestep

namespace tilestep::problem {

// One language's texts, read from a gettext .po file (GNU gettext manual, "The Format of PO
// Files").
//
// The English text is the key. Missing translations, and translations whose {placeholders} differ
// from the English ones, are left out, so that the English text is shown.
class Translation {
 public:
  // `file`: for messages. Fails with a sentence: place, cause, cure.
  [[nodiscard]] static Result<Translation> parse(std::string_view po, const std::string& file);

  // The language's own name: the header's X-Language-Name; empty if missing.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Null if the file has no translation. Valid as long as this object.
  [[nodiscard]] const char* find(std::string_view english) const;
  // The form for `count` things; the key is the English singular.
  [[nodiscard]] const char* find(std::string_view english, std::uint64_t count) const;
  // Every text with its forms, by its English text.
  [[nodiscard]] const auto& all() const { return texts_; }
  // Keys of translations that were left out because their placeholders differ.
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  Result<void> read_header(const std::string& header, const std::string& file);

  // The forms of each text in the order of the header's Plural-Forms; one if it has no plural.
  std::unordered_map<std::string, std::vector<std::string>, Hash, std::equal_to<>> texts_;
  std::vector<std::string> refused_;
  std::string name_;
  // The form for counts 0 to 1,999. Larger counts have the form of the count from 1,000 to 1,999
  // with the same last three digits: no gettext formula distinguishes more.
  std::vector<std::uint8_t> form_of_;
};

// The {placeholders} of a text, sorted, each with its number and format: "{0:.2f}". Unnumbered ones
// are counted; a text with both kinds also gets "{mixed}". Names stay names: "{thread}". The
// narration's verbs, "{threads:wait|waits}", exist only in English and are left out.
[[nodiscard]] std::vector<std::string> placeholders(std::string_view text);

}  // namespace tilestep::problem

// Which language the program speaks.
//
// There are English, whose texts stand in the code, and one more for each .po file of a folder
// (share/tilestep/words): its name without .po is the language's tag, "zh". What is spoken is one
// of the few things that a process has one of (docs/architecture.md): every text that is made asks
// for it. Setting it is for the thread of the window or the command line; texts are made, and may
// be read, by any thread.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <string>
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

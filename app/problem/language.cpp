#include "problem/language.h"

#include "problem/file.h"
#include "problem/ideographs.h"
#include "problem/tr.h"
#include "problem/translation.h"
#include "problem/words.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace tilestep {
namespace {

namespace fs = std::filesystem;
using problem::Translation;

// All that was ever read stays, as the texts that tr() has handed out.
struct SpokenLanguages {
  std::mutex mutex;
  fs::path folder;
  std::map<std::string, std::unique_ptr<const Translation>> read;
  std::string usual;  // "": by the environment
  std::string spoken = kEnglishTag;
};

SpokenLanguages& spoken_languages() {
  static SpokenLanguages all;
  return all;
}

// Null: English.
constinit std::atomic<const Translation*> current_translation{nullptr};

std::vector<std::string> tags_in(const fs::path& folder) {
  std::vector<std::string> tags;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".po") {
      tags.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(tags);
  return tags;
}

Result<const Translation*> read_translation(SpokenLanguages& all, const std::string& tag) {
  if (tag == kEnglishTag) {
    return nullptr;
  }
  if (const auto known = all.read.find(tag); known != all.read.end()) {
    return known->second.get();
  }
  std::vector<std::string> tags = tags_in(all.folder);
  if (std::ranges::find(tags, tag) == tags.end()) {
    tags.insert(tags.begin(), kEnglishTag);
    return fail(
        tr("language '{}': there is none of that name. Known are {}.", tag, fmt::join(tags, ", ")));
  }
  const fs::path file = all.folder / (tag + ".po");
  Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::unexpected(std::move(text.error()));
  }
  Result<Translation> made = Translation::parse(*text, file.string());
  if (!made) {
    return tl::unexpected(std::move(made.error()));
  }
  return all.read.emplace(tag, std::make_unique<const Translation>(std::move(*made)))
      .first->second.get();
}

// The environment may name a language that is not there: then English.
std::string usual_tag(const SpokenLanguages& all) {
  if (!all.usual.empty()) {
    return all.usual;
  }
  const std::string tag = language_of_environment();
  const std::vector<std::string> tags = tags_in(all.folder);
  return std::ranges::find(tags, tag) == tags.end() ? std::string(kEnglishTag) : tag;
}

Result<void> speak_now(SpokenLanguages& all, const std::string& asked) {
  const std::string tag = asked.empty() ? usual_tag(all) : asked;
  Result<const Translation*> translation = read_translation(all, tag);
  if (!translation) {
    return tl::unexpected(std::move(translation.error()));
  }
  all.spoken = tag;
  current_translation.store(*translation, std::memory_order_release);
  return {};
}

}  // namespace

void find_languages(const fs::path& folder) {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  all.folder = folder;
}

std::vector<Language> languages() {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  std::vector<Language> found{{kEnglishTag, "English"}};
  for (const std::string& tag : tags_in(all.folder)) {
    if (const Result<const Translation*> read = read_translation(all, tag); read && *read) {
      found.push_back({tag, (*read)->name().empty() ? tag : (*read)->name()});
    }
  }
  return found;
}

Result<void> speak(const std::string& tag) {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  return speak_now(all, tag);
}

Result<void> set_usual_language(const std::string& tag) {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  if (Result<void> spoken = speak_now(all, tag); !spoken) {
    return spoken;
  }
  all.usual = tag;
  return {};
}

std::string spoken_language() {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  return all.spoken;
}

std::string language_of_environment() {
  for (const char* const variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') {
      continue;
    }
    const std::string_view locale = value;
    const std::string tag(locale.substr(0, locale.find_first_of("_.@")));
    return tag == "C" || tag == "POSIX" ? kEnglishTag : tag;
  }
  return kEnglishTag;
}

const char* tr(const char* english) {
  const Translation* const translation = current_translation.load(std::memory_order_acquire);
  const char* const found = translation == nullptr ? nullptr : translation->find(english);
  return found == nullptr ? english : found;
}

namespace tr_detail {

std::string_view translated(std::string_view english) {
  const Translation* const translation = current_translation.load(std::memory_order_acquire);
  const char* const found = translation == nullptr ? nullptr : translation->find(english);
  return found == nullptr ? english : std::string_view(found);
}

std::string_view translated(std::string_view one, std::string_view many, std::uint64_t count) {
  const Translation* const translation = current_translation.load(std::memory_order_acquire);
  const char* const found = translation == nullptr ? nullptr : translation->find(one, count);
  return found == nullptr ? (count == 1 ? one : many) : std::string_view(found);
}

std::string finished(std::string text) {
  const bool is_english = current_translation.load(std::memory_order_acquire) == nullptr;
  return is_english ? std::move(text) : joined_ideographs(std::move(text));
}

}  // namespace tr_detail

std::string plural(std::uint64_t count, std::string_view noun) {
  const std::string one = fmt::format("{{}} {}", noun);
  return fmt::format(fmt::runtime(tr_detail::translated(one, one + "s", count)), count);
}

Message::operator const char*() const {
  return tr(english);
}

}  // namespace tilestep

#include "problem/language.h"

#include "problem/file.h"
#include "problem/in_language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>
#include <muParser.h>
#include <mutex>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace tilestep {
namespace {

namespace fs = std::filesystem;
using problem::Translation;

// Translations are never freed, because tr() has returned pointers to their texts.
struct SpokenLanguages {
  std::mutex mutex;
  fs::path folder;
  std::map<std::string, std::unique_ptr<const Translation>> read;
  std::string usual;  // "": from the environment
  std::string spoken = kEnglishTag;
};

SpokenLanguages& spoken_languages() {
  static SpokenLanguages all;
  return all;
}

// Null: English.
constinit std::atomic<const Translation*> current_translation{nullptr};

// The language of an InLanguage on this thread.
struct OwnLanguage {
  bool is_set = false;
  const Translation* translation = nullptr;
};
constinit thread_local OwnLanguage own_language;

// Null: English.
const Translation* translation_here() {
  return own_language.is_set ? own_language.translation
                             : current_translation.load(std::memory_order_acquire);
}

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
    return fail(tr("unknown language '{}'. Known languages: {}.", tag, fmt::join(tags, ", ")));
  }
  const fs::path file = all.folder / (tag + ".po");
  Result<std::string> text = problem::read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  Result<Translation> made = Translation::parse(*text, file.string());
  TILESTEP_RETURN_IF_ERROR(made);
  return all.read.emplace(tag, std::make_unique<const Translation>(std::move(*made)))
      .first->second.get();
}

// English if the environment names a language without a file.
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
  TILESTEP_RETURN_IF_ERROR(translation);
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

InLanguage::InLanguage(const std::string& tag)
    : was_own_(own_language.is_set), before_(own_language.translation) {
  SpokenLanguages& all = spoken_languages();
  const std::lock_guard lock(all.mutex);
  own_language = {true, read_translation(all, tag).value_or(nullptr)};
}

InLanguage::~InLanguage() {
  own_language = {was_own_, before_};
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
  const Translation* const translation = translation_here();
  const char* const found = translation == nullptr ? nullptr : translation->find(english);
  return found == nullptr ? english : found;
}

namespace tr_detail {

std::string_view translated(std::string_view english) {
  const Translation* const translation = translation_here();
  const char* const found = translation == nullptr ? nullptr : translation->find(english);
  return found == nullptr ? english : std::string_view(found);
}

std::string_view translated(std::string_view one, std::string_view many, std::uint64_t count) {
  const Translation* const translation = translation_here();
  const char* const found = translation == nullptr ? nullptr : translation->find(one, count);
  return found == nullptr ? (count == 1 ? one : many) : std::string_view(found);
}

std::string finished(std::string text) {
  const bool is_english = translation_here() == nullptr;
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

namespace tilestep::problem {
namespace {

constexpr std::size_t kCountsKnown = 2000;
constexpr std::size_t kCountsRepeat = 1000;

// The text between the quotes of a line with its escapes resolved; nullopt if a quote is missing.
std::optional<std::string> unquoted(std::string_view line) {
  const std::size_t open = line.find('"');
  const std::size_t close = line.rfind('"');
  if (open == std::string_view::npos || close == open) {
    return std::nullopt;
  }
  std::string text;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (line[i] != '\\' || i + 1 == close) {
      text += line[i];
      continue;
    }
    const char escaped = line[++i];
    text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
  }
  return text;
}

// One entry: its keys and texts as in the file.
struct Entry {
  std::string key;
  std::string plural_key;
  std::vector<std::string> forms;
  bool fuzzy = false;  // needs a translator's review: not used
  bool has_key = false;
};

// Reads entries line by line; lines that begin with a quote continue a text.
class PoReader {
 public:
  // False if the line is not valid in a .po file.
  bool take(std::string_view line) {
    if (line.empty()) {
      finish();
      return true;
    }
    if (line.front() == '#') {
      if (line.starts_with("#,") && line.find("fuzzy") != std::string_view::npos) {
        finish();
        entry_.fuzzy = true;
      }
      return true;
    }
    if (line.starts_with("msgid ")) {
      if (entry_.has_key) {
        finish();
      }
      entry_.has_key = true;
      target_ = &entry_.key;
    } else if (line.starts_with("msgid_plural ")) {
      target_ = &entry_.plural_key;
    } else if (line.starts_with("msgstr")) {
      entry_.forms.emplace_back();
      target_ = &entry_.forms.back();
    } else if (line.front() != '"') {
      return false;
    }
    const std::optional<std::string> text = unquoted(line);
    if (!text || target_ == nullptr) {
      return false;
    }
    *target_ += *text;
    return true;
  }
  std::vector<Entry> take_all() {
    finish();
    return std::move(entries_);
  }

 private:
  void finish() {
    if (entry_.has_key) {
      entries_.push_back(std::move(entry_));
    }
    entry_ = {};
    target_ = nullptr;
  }

  Entry entry_;
  std::string* target_ = nullptr;
  std::vector<Entry> entries_;
};

// "X-Language-Name: 中文\n" → "中文"
std::string header_field(std::string_view header, std::string_view name) {
  const std::size_t at = header.find(name);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::size_t from = at + name.size();
  const std::size_t to = header.find('\n', from);
  std::string_view value = header.substr(from, to - from);
  while (!value.empty() && (value.front() == ' ' || value.front() == ':')) {
    value.remove_prefix(1);
  }
  return std::string(value);
}

double po_remainder(double a, double b) {
  return b == 0.0 ? 0.0 : std::fmod(a, b);
}
double po_not(double a) {
  return a == 0.0 ? 1.0 : 0.0;
}

// The plural form of every count below kCountsKnown, by a C formula over n.
std::vector<std::uint8_t> forms_by(const std::string& formula) {
  double n = 0.0;
  mu::Parser parser;
  parser.DefineVar("n", &n);
  parser.DefineOprt("%", po_remainder, mu::prMUL_DIV);
  parser.DefineInfixOprt("!", po_not);
  parser.SetExpr(formula);
  std::vector<std::uint8_t> forms(kCountsKnown);
  for (std::size_t i = 0; i < kCountsKnown; ++i) {
    n = static_cast<double>(i);
    forms[i] = static_cast<std::uint8_t>(std::clamp(parser.Eval(), 0.0, 9.0));
  }
  return forms;
}

bool are_same_places(const Entry& entry) {
  const std::vector<std::string> wanted =
      placeholders(entry.plural_key.empty() ? entry.key : entry.plural_key);
  return std::ranges::all_of(entry.forms,
                             [&](const std::string& form) { return placeholders(form) == wanted; });
}

}  // namespace

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> all;
  std::size_t counted = 0;
  bool has_numbers = false;
  for (std::size_t i = 0; (i = text.find_first_of("{}", i)) < text.size(); ++i) {
    if (i + 1 < text.size() && text[i + 1] == text[i]) {  // {{ or }}
      ++i;
      continue;
    }
    const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      continue;
    }
    const std::string_view place = text.substr(i + 1, close - i - 1);
    const bool is_numbered = !place.empty() && place.front() != ':';
    has_numbers = has_numbers || (is_numbered && place.front() >= '0' && place.front() <= '9');
    if (place.find('|') == std::string_view::npos) {
      all.push_back(fmt::format(
          "{{{}}}", is_numbered ? std::string(place) : fmt::format("{}{}", counted++, place)));
    }
    i = close;
  }
  if (has_numbers && counted > 0) {
    all.emplace_back("{mixed}");  // {fmt} allows only one of the two
  }
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
  return all;
}

Result<Translation> Translation::parse(std::string_view po, const std::string& file) {
  PoReader reader;
  for (int number = 1; !po.empty(); ++number) {
    const std::size_t end = po.find('\n');
    std::string_view line = po.substr(0, end);
    po.remove_prefix(end == std::string_view::npos ? po.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!reader.take(line)) {
      return fail(
          tr("{}:{}: not a line of a .po file. Lines are msgid \"…\", msgstr \"…\", a continued "
             "string in quotes, or a comment after #.",
             file, number));
    }
  }
  Translation made;
  for (Entry& entry : reader.take_all()) {
    if (entry.key.empty() && !entry.forms.empty()) {
      TILESTEP_RETURN_IF_ERROR(made.read_header(entry.forms.front(), file));
      continue;
    }
    const bool is_translated = !entry.fuzzy && !entry.forms.empty() && !entry.forms[0].empty();
    if (is_translated && are_same_places(entry)) {
      made.texts_.insert_or_assign(std::move(entry.key), std::move(entry.forms));
    } else if (is_translated) {
      made.refused_.push_back(std::move(entry.key));
    }
  }
  return made;
}

Result<void> Translation::read_header(const std::string& header, const std::string& file) {
  name_ = header_field(header, "X-Language-Name");
  const std::string plurals = header_field(header, "Plural-Forms");
  const std::size_t at = plurals.find("plural=");
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t from = at + std::string_view("plural=").size();
  const std::string formula = plurals.substr(from, plurals.find(';', from) - from);
  try {
    form_of_ = forms_by(formula);
  } catch (const mu::ParserError& error) {
    return fail(
        tr("{}: the Plural-Forms formula '{}': {} Write it in C syntax, with the variable n.", file,
           formula, error.GetMsg()));
  }
  return {};
}

const char* Translation::find(std::string_view english) const {
  const auto found = texts_.find(english);
  return found == texts_.end() ? nullptr : found->second.front().c_str();
}

const char* Translation::find(std::string_view english, std::uint64_t count) const {
  const auto found = texts_.find(english);
  if (found == texts_.end()) {
    return nullptr;
  }
  const std::size_t at = count < kCountsKnown ? static_cast<std::size_t>(count)
                                              : kCountsRepeat + count % kCountsRepeat;
  const std::size_t form = form_of_.empty() ? 0 : form_of_[at];
  return found->second[std::min(form, found->second.size() - 1)].c_str();
}

}  // namespace tilestep::problem

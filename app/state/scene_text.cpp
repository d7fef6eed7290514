#include "state/scene_text.h"

#include "problem/describe/toml_reader.h"
#include "state/state_toml.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <sstream>

namespace tilestep::state {
namespace {

constexpr std::string_view kScheme = "tilestep:";
constexpr std::string_view kVersionKey = "version";
constexpr std::string_view kPlain = "-._~=,:";

std::string text_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&text](const auto& value) { text << value; });
  return text.str();
}

toml::table table_of(const AppState& state) {
  return *problem::parse_toml(to_toml(state), "the state");  // which it has written itself
}

void drop_what_is_equal(toml::table& table, const toml::table& fresh) {
  std::vector<std::string> equal;
  for (auto&& [key, node] : table) {
    const toml::node* const other = fresh.get(key);
    if (other != nullptr && text_of(node) == text_of(*other)) {
      equal.emplace_back(key.str());
    } else if (other != nullptr && node.is_table() && other->is_table()) {
      drop_what_is_equal(*node.as_table(), *other->as_table());
    }
  }
  for (const std::string& key : equal) {
    table.erase(key);
  }
}

// "key=value": TOML wants no blanks.
std::string without_blanks(const std::string& toml) {
  std::istringstream lines(toml);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos && line.find('"') > equals) {
      line.replace(equals, 3, "=");
    }
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += '&';
    } else if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

// Nothing where a "%" is not followed by two hexadecimal digits.
std::optional<std::string> decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '&' ? '\n' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  return out;
}

}  // namespace

AppState without_moment(AppState state) {
  state.playing = false;
  state.editing = false;
  state.show_keys = false;
  state.show_palette = false;
  state.show_go_to = false;
  state.show_find = false;
  state.show_save_as = false;
  state.condition_line = 0;
  return state;
}

std::string scene_toml(const AppState& state) {
  toml::table table = table_of(without_moment(state));
  drop_what_is_equal(table, table_of(AppState()));
  std::ostringstream text;
  text << kVersionKey << " = " << kSceneVersion << '\n';
  if (!table.empty()) {
    text << toml::toml_formatter{table, toml::format_flags::allow_unicode_strings} << '\n';
  }
  return text.str();
}

Result<AppState> read_scene(const std::string& toml, const std::string& file) {
  const Result<toml::table> table = problem::parse_toml(toml, file);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  problem::TomlReader reader(file);
  const std::int64_t version = reader.integer(*table, kVersionKey, kSceneVersion);
  if (version > kSceneVersion) {
    return fail(fmt::format(
        "{}: it is of a newer Tilestep (version {} of a scene); this one reads version {}. Update "
        "Tilestep.",
        file, version, kSceneVersion));
  }
  AppState state;
  read_fields(reader, *table, {kVersionKey}, state);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return state;
}

std::string scene_link(const AppState& state) {
  return std::string(kScheme) + encoded(without_blanks(scene_toml(state)));
}

bool looks_like_link(std::string_view text) {
  return text.starts_with(kScheme);
}

Result<AppState> read_link(const std::string& link) {
  if (!looks_like_link(link)) {
    return fail("a scene's link begins with 'tilestep:'; this one does not. Copy all of it.");
  }
  const auto toml = decoded(std::string_view(link).substr(kScheme.size()));
  if (!toml) {
    return fail(
        "a scene's link is cut off or damaged: a '%' must be followed by two digits. Copy all of "
        "it.");
  }
  return read_scene(*toml + "\n", "the scene's link");
}

}  // namespace tilestep::state

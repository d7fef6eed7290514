#include "state/scene.h"

#include "problem/describe/catalog.h"
#include "problem/describe/description.h"
#include "problem/describe/toml_reader.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>
#include <utility>

namespace tilestep::state {
namespace {

constexpr std::string_view kScheme = "tilestep:";
constexpr std::string_view kInAddress = "#tilestep:";
constexpr std::string_view kVersionKey = "version";
constexpr std::string_view kPlain = "-._~=,:";
constexpr std::string_view kKernelKey = "own_kernel";
constexpr std::string_view kSceneKernel = "scene:";  // prefix of ids
constexpr unsigned char kDelete = 0x7F;

std::string text_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&text](const auto& value) { text << value; });
  return text.str();
}

toml::table table_of(const AppState& state) {
  return *problem::parse_toml(to_toml(state), "the state");  // text that this program has written
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

// "key=value": removes the blanks that TOML puts around "=".
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

// Nullopt if a "%" is not followed by two hexadecimal digits.
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

// Form of texts with several lines: unchanged for people, or escaped for a link.
enum class Form { Lines, OneLine };

// TOML's literal strings have no escapes: text that they cannot hold unchanged is quoted and
// escaped.
bool is_literal(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\n' || c == '\t' || (byte >= ' ' && byte != kDelete);
  });
  // Invalid UTF-8 is escaped as well.
  return is_plain && text.find("'''") == std::string::npos && !text.ends_with('\'') &&
         text.find('\n') != std::string::npos && printable(text) == text;
}

std::string text_line(const std::string& key, const std::string& text, Form form) {
  if (form == Form::Lines && is_literal(text)) {
    return fmt::format("{} = '''\n{}'''\n", toml_key(key), text);
  }
  std::ostringstream line;
  line << toml::toml_formatter{toml::table{{key, text}}, toml::format_flags::allow_unicode_strings};
  return line.str() + '\n';
}

// The state names the kernel in two places.
void rename_kernel(AppState& state, const std::string& name) {
  if (state.timing.selected_kernel == state.kernel) {
    state.timing.selected_kernel = name;
  }
  state.kernel = name;
}

std::string description_of(const problem::LaunchSpec& own) {
  problem::LaunchSpec described = own;
  described.id.clear();       // the title is always written
  described.include.clear();  // folders of this machine: the scene contains their files
  return problem::description_text(described, {}, {}, problem::FileValues::Embedded);
}

std::string kernel_table(const problem::LaunchSpec& own, Form form) {
  std::string text = fmt::format("{}[{}]\n", form == Form::Lines ? "\n" : "", kKernelKey);
  text += text_line("description", description_of(own), form);
  text += text_line("text", own.source, form);
  if (!own.headers.empty()) {
    text += fmt::format("[{}.headers]\n", kKernelKey);
  }
  for (const auto& [name, header] : own.headers) {
    text += text_line(name, header, form);
  }
  return text;
}

std::string scene_text(const AppState& state, const problem::LaunchSpec* own, Form form) {
  AppState shown = without_moment(state);
  if (own != nullptr) {
    rename_kernel(shown, own->source_name);
  }
  const std::string edited = std::exchange(shown.edited_source, "");
  toml::table table = table_of(shown);
  drop_what_is_equal(table, table_of(AppState()));
  std::ostringstream text;
  text << kVersionKey << " = " << kSceneVersion << '\n';
  if (!edited.empty()) {
    text << text_line("edited_source", edited, form);
  }
  if (!table.empty()) {
    text << toml::toml_formatter{table, toml::format_flags::allow_unicode_strings} << '\n';
  }
  return text.str() + (own == nullptr ? "" : kernel_table(*own, form));
}

// Another text, description or header makes another kernel.
std::string kernel_id(const problem::LaunchSpec& spec) {
  std::string all = description_of(spec) + '\0' + spec.source;
  for (const auto& [name, header] : spec.headers) {
    all += '\0' + name + '\0' + header;
  }
  return fmt::format("{}{}:{:016x}", kSceneKernel, spec.source_name, std::hash<std::string>{}(all));
}

// Mistakes in the table are noted by `reader`; mistakes in the description are reported as the
// description's own.
Result<problem::LaunchSpec> read_kernel(problem::TomlReader& reader, const toml::table& table,
                                        const std::string& file) {
  reader.expect_keys(table, {"description", "text", "headers"});
  const std::string description = reader.required_string(table, "description");
  const std::string source = reader.required_string(table, "text");
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  auto spec =
      problem::parse_description(description, fmt::format("{}, {}.description", file, kKernelKey));
  if (!spec) {
    return spec;
  }
  spec->source = source;
  spec->source_name = spec->source_name.empty() ? "kernel.cu" : spec->source_name;
  if (const toml::node* const headers = table.get("headers")) {
    if (const toml::table* const texts = reader.table_of(*headers, "headers")) {
      for (const auto& [name, text] : *texts) {
        spec->headers[std::string(name.str())] = reader.string(*texts, name.str());
      }
    }
  }
  spec->title = spec->title.empty() ? spec->source_name : spec->title;
  spec->id = kernel_id(*spec);
  return spec;
}

}  // namespace

AppState without_moment(AppState state) {
  state.playing = false;
  state.editing = false;
  state.blank = false;
  state.show_keys = false;
  state.show_palette = false;
  state.show_go_to = false;
  state.show_export = false;
  state.asked = Asked::Nothing;
  state.show_find = false;
  state.show_save_as = false;
  state.condition_line = 0;
  state.course.list = false;
  return state;
}

std::string scene_toml(const AppState& state, const problem::LaunchSpec* own) {
  return scene_text(state, own, Form::Lines);
}

Result<SceneText> read_scene(const std::string& toml, const std::string& file) {
  const Result<toml::table> table = problem::parse_toml(toml, file);
  TILESTEP_RETURN_IF_ERROR(table);
  problem::TomlReader reader(file);
  const std::int64_t version = reader.integer(*table, kVersionKey, kSceneVersion);
  if (version > kSceneVersion) {
    return fail(
        tr("{}: a newer Tilestep wrote this scene (version {}); this Tilestep reads version {}. "
           "Update Tilestep.",
           file, version, kSceneVersion));
  }
  SceneText scene;
  read_fields(reader, *table, {kVersionKey, kKernelKey}, scene.state);
  const toml::node* const own = table->get(kKernelKey);
  const toml::table* const kernel = own == nullptr ? nullptr : reader.table_of(*own, kKernelKey);
  if (kernel != nullptr) {
    auto spec = read_kernel(reader, *kernel, file);
    TILESTEP_RETURN_IF_ERROR(spec);
    rename_kernel(scene.state, spec->id);
    scene.kernel = std::move(*spec);
  }
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return scene;
}

bool is_of_scene(const std::string& kernel) {
  return kernel.starts_with(kSceneKernel);
}

std::string scene_link(const AppState& state, const problem::LaunchSpec* own) {
  return std::string(kScheme) + encoded(without_blanks(scene_text(state, own, Form::OneLine)));
}

bool looks_like_link(std::string_view text) {
  return text.starts_with(kScheme) ||
         (text.starts_with("http") && text.find(kInAddress) != std::string_view::npos);
}

Result<SceneText> read_link(const std::string& link) {
  if (!looks_like_link(link)) {
    return fail(
        tr("a scene's link begins with 'tilestep:'; this one does not. Copy the whole link."));
  }
  const std::size_t at = link.starts_with(kScheme) ? 0 : link.find(kInAddress) + 1;
  const auto toml = decoded(std::string_view(link).substr(at + kScheme.size()));
  if (!toml) {
    return fail(
        tr("a scene's link is cut off or damaged: a '%' must be followed by two hexadecimal "
           "digits. Copy the whole link."));
  }
  return read_scene(*toml + "\n", tr("the scene's link"));
}

}  // namespace tilestep::state

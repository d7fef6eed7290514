#include "problem/describe/description.h"
#include "problem/describe/spec_parts.h"
#include "problem/describe/words.h"
#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilestep::problem {
namespace {

constexpr std::size_t kCommentColumn = 60;

bool is_integer(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  return text.size() > sign && text.size() < 18 &&
         text.find_first_not_of("0123456789", sign) == std::string::npos &&
         (text.size() == sign + 1 || text[sign] != '0');
}

// A number without quotes, everything else quoted.
std::string value(const std::string& expression) {
  return is_integer(expression) ? expression : toml_quoted(expression);
}

std::string argument(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentSpec::Kind::Buffer:
      return toml_quoted(spec.buffer);
    case ArgumentSpec::Kind::Scalar:
      return value(spec.expression);
    case ArgumentSpec::Kind::TensorMap:
      return fmt::format("{{ tensor_map = {}, box = [{}, {}], swizzle = {} }}",
                         toml_quoted(spec.buffer), value(spec.box_rows), value(spec.box_cols),
                         spec.swizzle);
    case ArgumentSpec::Kind::Struct:
      break;
  }
  std::string members;
  for (const ArgumentSpec::Member& member : spec.members) {
    members += fmt::format("{}{} = {}", members.empty() ? "" : ", ", toml_key(member.name),
                           argument(member.value));
  }
  return fmt::format("{{ {} }}", members);
}

// A pattern's name, with its seed unless that is the default.
std::string pattern(const InputSpec& spec) {
  const std::string name = toml_quoted(word_of(spec.pattern).file);
  return spec.seed == InputSpec{}.seed
             ? name
             : fmt::format("{{ pattern = {}, seed = {} }}", name, spec.seed);
}

// The text after "{ ": the name of a file, or its content.
std::string file_values(const InputSpec& spec, FileValues values) {
  if (values == FileValues::Named && !spec.csv_name.empty()) {
    return fmt::format("file = {}", toml_quoted(spec.csv_name));
  }
  const std::string name =
      spec.csv_name.empty() ? "" : fmt::format(", file = {}", toml_quoted(spec.csv_name));
  return spec.pattern == Pattern::Npy ? fmt::format("base64 = \"{}\"{}", to_base64(spec.csv), name)
                                      : fmt::format("csv = {}{}", toml_quoted(spec.csv), name);
}

std::string input(const InputSpec& spec, FileValues values) {
  switch (spec.pattern) {
    case Pattern::Constant:
      return fmt::format("{{ pattern = \"constant\", constant = {} }}", spec.constant);
    case Pattern::Random:
      return fmt::format("{{ pattern = \"random\", seed = {}, lowest = {}, highest = {} }}",
                         spec.seed, spec.lowest, spec.highest);
    case Pattern::Unit:
      return fmt::format("{{ pattern = \"unit\", seed = {} }}", spec.seed);
    case Pattern::Csv:
    case Pattern::Npy:
      return fmt::format("{{ {} }}", file_values(spec, values));
    default:
      return pattern(spec);
  }
}

std::string expected(const ExpectedSpec& spec, FileValues values) {
  std::string text;
  if (spec.reference.empty()) {
    text = spec.values.pattern == Pattern::Constant
               ? fmt::format("pattern = \"constant\", constant = {}", spec.values.constant)
               : file_values(spec.values, values);
  } else {
    for (const std::string& name : spec.of) {
      text += (text.empty() ? "" : ", ") + toml_quoted(name);
    }
    text = fmt::format("reference = {}, of = [{}]", toml_quoted(spec.reference), text);
  }
  if (spec.tolerance) {
    text += fmt::format(", tolerance = {}", *spec.tolerance);
  }
  return fmt::format("{{ {} }}", text);
}

std::string buffer(const BufferSpec& spec, bool is_variable, FileValues values) {
  std::string text =
      fmt::format("{{ name = {}, type = \"{}\", rows = {}, cols = {}", toml_quoted(spec.name),
                  word_of(spec.type).file, value(spec.rows), value(spec.cols));
  if (!spec.pitch.empty()) {
    text += fmt::format(", pitch = {}", value(spec.pitch));
  }
  if (!is_variable) {
    text += fmt::format(", role = \"{}\"", word_of(spec.role).file);
  }
  if (spec.input) {
    text += ", input = " + input(*spec.input, values);
  }
  if (spec.expected) {
    text += ", expected = " + expected(*spec.expected, values);
  }
  return text + " }";
}

// A comment line that is valid TOML: names may contain any bytes.
std::string comment(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

class Writer {
 public:
  explicit Writer(const Notes& notes) : notes_(notes) {}

  // Writes a line, followed by its comment if it has one.
  void line(const std::string& text, const std::string& place) {
    const auto note = notes_.find(place);
    if (note == notes_.end()) {
      text_ += text + "\n";
      return;
    }
    const std::size_t width = std::max(kCommentColumn, text.size() + 2);
    text_ += fmt::format("{:<{}}# {}\n", text, width, comment(note->second));
  }
  void key(const std::string& name, const std::string& text) { line(name + " = " + text, name); }
  void dimensions(const std::string& name, const std::array<std::string, 3>& sizes) {
    std::string list = value(sizes[0]);
    for (std::size_t axis = 1; axis < sizes.size(); ++axis) {
      if (axis == 1 || sizes[axis] != "1") {
        list += ", " + value(sizes[axis]);
      }
    }
    key(name, fmt::format("[{}]", list));
  }
  void buffers(const std::string& name, const std::vector<BufferSpec>& all, FileValues values) {
    if (all.empty()) {
      return;
    }
    line(name + " = [", name);
    for (const BufferSpec& one : all) {
      line("  " + buffer(one, name == "variables", values) + ",",
           fmt::format("buffer {}", one.name));
    }
    text_ += "]\n";
  }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  const Notes& notes_;
  std::string text_;
};

void write_requirements(const LaunchSpec& spec, Writer& out) {
  if (spec.requirements.empty()) {
    return;
  }
  out.line("requirements = [", "requirements");
  for (const Requirement& requirement : spec.requirements) {
    out.line(fmt::format("  {{ that = {}, otherwise = {}{} }},",
                         toml_quoted(requirement.expression), toml_quoted(requirement.sentence),
                         requirement.gpu_only
                             ? fmt::format(", where = \"{}\"", word_of(Refuser::Gpu).file)
                             : ""),
             "");
  }
  out.line("]", "");
}

void write_closed_forms(const LaunchSpec& spec, Writer& out) {
  std::string list;
  for (const ClosedForm& form : spec.closed_forms) {
    list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", toml_quoted(form.quantity),
                        value(form.formula));
  }
  if (!list.empty()) {
    out.key("closed_forms", fmt::format("{{ {} }}", list));
  }
}

// Writes the title and other words that the id does not say already.
void write_words(const LaunchSpec& spec, Writer& out) {
  const std::string title = spec.title == spec.id ? "" : spec.title;
  for (const auto& [key, text] :
       {std::pair("title", title), {"family", spec.family}, {"summary", spec.summary}}) {
    if (!text.empty()) {
      out.key(key, toml_quoted(text));
    }
  }
}

// Writes the marks that differ from their defaults.
void write_marks(const LaunchSpec& spec, Writer& out) {
  const LaunchSpec usual;
  for (const auto& [key, is_on, is_usual] :
       {std::tuple("uses_block_size", spec.uses_block_size, mentions_block_size(spec)),
        {"ladder", spec.ladder, usual.ladder},
        {"timed", spec.timed, usual.timed}}) {
    if (is_on != is_usual) {
      out.key(key, is_on ? "true" : "false");
    }
  }
}

}  // namespace

std::string description_text(const LaunchSpec& spec, const std::vector<std::string>& head,
                             const Notes& notes, FileValues values) {
  Writer out(notes);
  for (const std::string& line : head) {
    out.line(line.empty() ? "#" : "# " + comment(line), "");
  }
  write_words(spec, out);
  out.key("source", toml_quoted(spec.source_name));
  if (!spec.include.empty()) {
    std::string list;
    for (const std::string& folder : spec.include) {
      list += (list.empty() ? "" : ", ") + toml_quoted(folder);
    }
    out.key("include", fmt::format("[{}]", list));
  }
  out.key("entry", toml_quoted(spec.entry));
  if (spec.architecture != kUsualArchitecture) {
    out.key("architecture", toml_quoted(spec.architecture));
  }
  if (!spec.defines.empty()) {
    std::string list;
    for (const auto& [name, expression] : spec.defines) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", toml_key(name), value(expression));
    }
    out.key("defines", fmt::format("{{ {} }}", list));
  }
  out.dimensions("grid", spec.grid);
  out.dimensions("block", spec.block);
  if (spec.dynamic_shared_bytes != "0") {
    out.key("dynamic_shared_bytes", value(spec.dynamic_shared_bytes));
  }
  const Problem size = spec.default_problem.value_or(Problem{});
  out.key("default_problem", fmt::format("{{ M = {}, N = {}, K = {} }}", size.M, size.N, size.K));
  write_marks(spec, out);
  if (spec.uses_block_size) {
    out.key("default_block_size", std::to_string(spec.default_block_size));
  }
  if (spec.focus_thread != 0) {
    out.key("focus_thread", std::to_string(spec.focus_thread));
  }
  out.key("reference", toml_quoted(spec.reference));
  out.buffers("buffers", spec.buffers, values);
  out.buffers("variables", spec.variables, values);
  if (!spec.arguments.empty()) {
    out.line("arguments = [", "arguments");
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
      out.line("  " + argument(spec.arguments[i]) + ",", fmt::format("argument {}", i));
    }
    out.line("]", "");
  }
  write_requirements(spec, out);
  write_closed_forms(spec, out);
  return out.text();
}

}  // namespace tilestep::problem

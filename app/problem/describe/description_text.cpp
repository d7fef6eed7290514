#include "problem/describe/description_text.h"

#include "problem/describe/words.h"
#include "problem/launch/expression.h"
#include "problem/printable.h"
#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::problem {
namespace {

constexpr std::size_t kCommentColumn = 60;

bool is_integer(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  return text.size() > sign && text.size() < 18 &&
         text.find_first_not_of("0123456789", sign) == std::string::npos &&
         (text.size() == sign + 1 || text[sign] != '0');
}

// A number as a number, everything else as text.
std::string value(const std::string& expression) {
  return is_integer(expression) ? expression : toml_quoted(expression);
}

std::string argument(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentSpec::Kind::Buffer:
      return toml_quoted(spec.buffer);
    case ArgumentSpec::Kind::Scalar:
      return value(spec.expression);
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

std::string input(const InputSpec& spec) {
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
      return fmt::format("{{ file = {} }}", toml_quoted(spec.csv_name));
    default:
      return toml_quoted(word_of(spec.pattern).file);
  }
}

std::string buffer(const BufferSpec& spec, bool is_variable) {
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
    text += ", input = " + input(*spec.input);
  }
  if (spec.expected && !spec.expected->reference.empty()) {
    std::string of;
    for (const std::string& name : spec.expected->of) {
      of += (of.empty() ? "" : ", ") + toml_quoted(name);
    }
    text += fmt::format(", expected = {{ reference = {}, of = [{}] }}",
                        toml_quoted(spec.expected->reference), of);
  }
  return text + " }";
}

// One line that TOML takes: names in it may be any bytes.
std::string comment(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

class Writer {
 public:
  explicit Writer(const Notes& notes) : notes_(notes) {}

  // A line with its comment, if it has one, behind it.
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
  void buffers(const std::string& name, const std::vector<BufferSpec>& all) {
    if (all.empty()) {
      return;
    }
    line(name + " = [", name);
    for (const BufferSpec& one : all) {
      line("  " + buffer(one, name == "variables") + ",", fmt::format("buffer {}", one.name));
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
    out.line(fmt::format("  {{ that = {}, otherwise = {} }},", toml_quoted(requirement.expression),
                         toml_quoted(requirement.sentence)),
             "");
  }
  out.line("]", "");
}

}  // namespace

std::string description_text(const LaunchSpec& spec, const std::vector<std::string>& head,
                             const Notes& notes) {
  Writer out(notes);
  for (const std::string& line : head) {
    out.line(line.empty() ? "#" : "# " + comment(line), "");
  }
  out.key("source", toml_quoted(spec.source_name));
  if (!spec.include.empty()) {
    std::string list;
    for (const std::string& folder : spec.include) {
      list += (list.empty() ? "" : ", ") + toml_quoted(folder);
    }
    out.key("include", fmt::format("[{}]", list));
  }
  out.key("entry", toml_quoted(spec.entry));
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
  if (spec.uses_block_size) {
    out.key("default_block_size", std::to_string(spec.default_block_size));
  }
  out.key("reference", toml_quoted(spec.reference));
  out.buffers("buffers", spec.buffers);
  out.buffers("variables", spec.variables);
  if (!spec.arguments.empty()) {
    out.line("arguments = [", "arguments");
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
      out.line("  " + argument(spec.arguments[i]) + ",", fmt::format("argument {}", i));
    }
    out.line("]", "");
  }
  write_requirements(spec, out);
  return out.text();
}

}  // namespace tilestep::problem

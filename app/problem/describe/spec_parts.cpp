#include "problem/describe/spec_parts.h"

#include "problem/launch/expression.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <algorithm>
#include <array>

namespace tilestep::problem {
namespace {

bool is_buffer(const std::string& name, const std::vector<BufferSpec>& buffers) {
  return std::any_of(buffers.begin(), buffers.end(),
                     [&](const BufferSpec& buffer) { return buffer.name == name; });
}

void add_expressions(const ArgumentSpec& argument, std::vector<std::string>& texts) {
  texts.insert(texts.end(), {argument.expression, argument.box_rows, argument.box_cols});
  for (const ArgumentSpec::Member& member : argument.members) {
    add_expressions(member.value, texts);
  }
}

UsedSizes sizes_in(const std::string& expression) {
  return {mentions(expression, "M"), mentions(expression, "N"), mentions(expression, "K")};
}

// Everything that a launch computes: sizes, shapes and arguments.
std::vector<std::string> expressions_of(const LaunchSpec& spec) {
  std::vector<std::string> texts{spec.dynamic_shared_bytes};
  texts.insert(texts.end(), spec.grid.begin(), spec.grid.end());
  texts.insert(texts.end(), spec.block.begin(), spec.block.end());
  for (const auto& [name, expression] : spec.defines) {
    texts.push_back(expression);
  }
  for (const std::vector<BufferSpec>& buffers : {spec.buffers, spec.variables}) {
    for (const BufferSpec& buffer : buffers) {
      texts.insert(texts.end(), {buffer.rows, buffer.cols, buffer.pitch});
    }
  }
  for (const ArgumentSpec& argument : spec.arguments) {
    add_expressions(argument, texts);
  }
  return texts;
}

}  // namespace

bool is_quantity(const std::string& name, const LaunchSpec& spec) {
  const bool is_one =
      name == "flops" || name == "barriers" || name == "shared loads" || name == "shared stores";
  return is_one || std::any_of(spec.buffers.begin(), spec.buffers.end(), [&](const auto& buffer) {
           return name == "loads of " + buffer.name || name == "stores of " + buffer.name;
         });
}

Result<ArgumentSpec> argument_from_text(const std::string& text,
                                        const std::vector<BufferSpec>& buffers) {
  ArgumentSpec argument;
  if (is_buffer(text, buffers)) {
    argument.kind = ArgumentSpec::Kind::Buffer;
    argument.buffer = text;
    return argument;
  }
  if (!float_literal(text) && expression_mistake(text)) {
    return fail(
        tr("argument \"{}\" is neither a buffer of this description nor an expression of "
           "M, N, K and BLOCK_SIZE.",
           text));
  }
  argument.expression = text;
  return argument;
}

std::optional<Error> buffer_name_mistake(const std::string& name,
                                         const std::vector<BufferSpec>& before) {
  constexpr std::array<std::string_view, 4> kOfExpressions{"M", "N", "K", "BLOCK_SIZE"};
  const bool is_taken =
      std::find(kOfExpressions.begin(), kOfExpressions.end(), name) != kOfExpressions.end() ||
      is_buffer(name, before);
  return is_taken ? std::optional(
                        Error{tr("the name '{}' is taken. Give the buffer another name.", name)})
                  : std::nullopt;
}

Error sizes_are_missing(std::string_view key) {
  return {
      tr("{} is missing. Add {} = [x, y], for example "
         "[\"ceil_div(N, BLOCK_SIZE)\", \"ceil_div(M, BLOCK_SIZE)\"].",
         key, key)};
}

Error wrong_number_of_sizes(std::string_view key) {
  return {tr("{} must have one, two or three sizes: x, y, z.", key)};
}

Error architecture_mistake(const std::string& name) {
  return {tr(
      "architecture '{}' is none. Give a compute capability without its point: \"80\" (what most "
      "kernels need), \"90a\".",
      name)};
}

UsedSizes used_sizes(const LaunchSpec& spec) {
  std::vector<std::string> texts = expressions_of(spec);
  texts.push_back(spec.entry);
  UsedSizes used;
  for (const std::string& text : texts) {
    const UsedSizes here = sizes_in(text);
    used = {used.M || here.M, used.N || here.N, used.K || here.K};
  }
  return used;
}

bool mentions_problem(const LaunchSpec& spec) {
  const UsedSizes used = used_sizes(spec);
  return used.M || used.N || used.K;
}

bool mentions_block_size(const LaunchSpec& spec) {
  std::vector<std::string> texts = expressions_of(spec);
  texts.push_back(spec.entry);
  return std::ranges::any_of(texts,
                             [](const std::string& text) { return mentions(text, "BLOCK_SIZE"); });
}

}  // namespace tilestep::problem

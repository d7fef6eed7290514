#include "cli/launch_options.h"
#include "problem/describe/description.h"
#include "problem/describe/spec_parts.h"
#include "problem/describe/words.h"
#include "problem/file.h"
#include "problem/launch/expression.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

namespace tilestep::cli {
namespace {

using problem::BufferRole;

// "--grid Q" as the place of a mistake.
struct Flag {
  const char* name;
  const std::string& text;

  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& why) const {
    return fail(fmt::format("{} {}: {}", name, text, why));
  }
};

// Splits at separators outside parentheses: "ceil_div(N, 4),1" has two parts. A separator at the
// end ends the last part.
std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth <= 0) {
      parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  if (!part.empty()) {
    parts.push_back(part);
  }
  return parts;
}

Result<std::string> checked(const Flag& flag, const std::string& expression) {
  if (const auto mistake = problem::expression_mistake(expression)) {
    return flag.wrong(mistake->message);
  }
  return expression;
}

// `key`: the name in a description.
Result<std::array<std::string, 3>> sizes_of(const Flag& flag, const char* key) {
  std::array<std::string, 3> sizes{"1", "1", "1"};
  if (flag.text.empty()) {
    return fail(fmt::format("{}: {}", flag.name, problem::sizes_are_missing(key).message));
  }
  const std::vector<std::string> parts = parts_of(flag.text, ',');
  if (parts.empty() || parts.size() > sizes.size()) {
    return flag.wrong(problem::wrong_number_of_sizes(key).message);
  }
  for (std::size_t axis = 0; axis < parts.size(); ++axis) {
    auto size = checked(flag, parts[axis]);
    TILESTEP_RETURN_IF_ERROR(size);
    sizes[axis] = std::move(*size);
  }
  return sizes;
}

Result<BufferRole> role_of(const Flag& flag, const std::string& word) {
  if (const auto role = value_of<BufferRole>(word)) {
    return *role;
  }
  return flag.wrong(
      tr("'{}' is unknown. Known: {}.", word, fmt::join(file_words<BufferRole>(), ", ")));
}

// "A:M,K:input"
Result<problem::BufferSpec> buffer_of(const std::string& text,
                                      const std::vector<problem::BufferSpec>& before) {
  const Flag flag{"--buffer", text};
  const auto parts = parts_of(text, ':');
  const auto shape = parts.size() >= 2 ? parts_of(parts[1], ',') : std::vector<std::string>();
  if (parts.size() < 2 || parts.size() > 3 || shape.size() != 2) {
    return flag.wrong(tr("write NAME:ROWS,COLS:ROLE, for example --buffer A:M,K:input."));
  }
  if (const auto mistake = problem::buffer_name_mistake(parts[0], before)) {
    return flag.wrong(mistake->message);
  }
  const auto rows = checked(flag, shape[0]);
  const auto cols = checked(flag, shape[1]);
  const auto role = role_of(flag, parts.size() == 3 ? parts[2] : "input");
  TILESTEP_RETURN_IF_ERROR(rows);
  TILESTEP_RETURN_IF_ERROR(cols);
  TILESTEP_RETURN_IF_ERROR(role);
  problem::BufferSpec buffer;
  buffer.name = parts[0];
  buffer.rows = *rows;
  buffer.cols = *cols;
  buffer.role = *role;
  return buffer;
}

Result<void> read_launch(const LaunchOptions& options, problem::LaunchSpec& spec) {
  const auto grid = sizes_of({"--grid", options.grid}, "grid");
  const auto block = grid ? sizes_of({"--threads", options.threads}, "block") : grid;
  TILESTEP_RETURN_IF_ERROR(block);
  spec.grid = *grid;
  spec.block = *block;
  if (!options.dynamic_shared.empty()) {
    const auto bytes =
        checked({"--dynamic-shared", options.dynamic_shared}, options.dynamic_shared);
    TILESTEP_RETURN_IF_ERROR(bytes);
    spec.dynamic_shared_bytes = *bytes;
  }
  for (const std::string& text : options.buffers) {
    auto buffer = buffer_of(text, spec.buffers);
    TILESTEP_RETURN_IF_ERROR(buffer);
    spec.buffers.push_back(std::move(*buffer));
  }
  for (const std::string& text : options.arguments) {
    auto argument = problem::argument_from_text(text, spec.buffers);
    if (!argument) {
      return Flag{"--arg", text}.wrong(argument.error().message);
    }
    spec.arguments.push_back(std::move(*argument));
  }
  return {};
}

}  // namespace

Result<problem::LaunchSpec> spec_of_flags(const LaunchOptions& options) {
  problem::LaunchSpec spec;
  spec.entry = options.entry;
  TILESTEP_RETURN_IF_ERROR(read_launch(options, spec));
  spec.uses_block_size = problem::mentions_block_size(spec);
  auto text = problem::read_file(options.kernel);
  TILESTEP_RETURN_IF_ERROR(text);
  const std::filesystem::path file(options.kernel);
  spec.id = options.kernel;
  spec.title = file.stem().string();
  spec.source_name = file.filename().string();
  spec.source = std::move(*text);
  auto headers =
      problem::read_included(spec.source, spec.source_name, {file.parent_path(), options.include});
  TILESTEP_RETURN_IF_ERROR(headers);
  spec.headers = std::move(*headers);
  return spec;
}

}  // namespace tilestep::cli

#include "insight/events/go_to.h"

#include "insight/cell_name.h"
#include "problem/text.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace tilestep::insight {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stop == text.data() + text.size() ? std::optional(number)
                                                                   : std::nullopt;
}

// The lines that have instructions of the kernel or of what it calls.
bool is_executed_line(const simt::Program& program, std::uint64_t line) {
  for (const ptx::Function& function : program.module().functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      if (ptx::statement_line(function, pc) == line) {
        return true;
      }
    }
  }
  return false;
}

Result<GoTo> numbered(const record::Recording& recording, std::string_view word,
                      std::uint64_t number) {
  if (word == "line") {
    if (!is_executed_line(recording.program(), number)) {
      return fail(fmt::format(
          "Line {} has no code that executes. Name a line of a statement, for example line {}.",
          number, recording.state_at(0).line(recording.part().first, 0)));
    }
    return GoTo{.kind = GoTo::Kind::Line, .line = static_cast<int>(number)};
  }
  const auto starts = recording.statement_starts();
  const bool is_step = word == "step";
  const std::uint64_t last = is_step ? recording.step_count() : starts.size() - 1;
  if (number > last) {
    return fail(fmt::format("There is no {} {}: the run has {} {}s.", word, number, last, word));
  }
  return GoTo{.kind = GoTo::Kind::Step,
              .step = is_step ? number : starts[static_cast<std::size_t>(number)]};
}

}  // namespace

Result<GoTo> parse_go_to(const record::Recording& recording, const std::string& text) {
  const std::string_view wanted = trimmed(text);
  const std::size_t gap = wanted.find_first_of(" :");
  const std::string_view word = wanted.substr(0, gap);
  const bool is_numbered = word == "line" || word == "step" || word == "statement";
  if (is_numbered) {
    const auto number = gap == std::string_view::npos
                            ? std::nullopt
                            : whole_number(trimmed(wanted.substr(gap + 1)));
    return number ? numbered(recording, word, *number)
                  : fail(fmt::format("\"{}\": {} needs a whole number, for example {} 29.", wanted,
                                     word, word));
  }
  if (wanted.find('[') != std::string_view::npos) {
    const Result<Cell> cell = find_cell(recording.program(), std::string(wanted));
    return cell ? Result<GoTo>(
                      GoTo{.kind = GoTo::Kind::Cell, .cell = cell->name, .address = cell->address})
                : tl::unexpected(cell.error());
  }
  if (const auto number = whole_number(wanted)) {
    return numbered(recording, "statement", *number);
  }
  return fail(
      fmt::format("\"{}\" is no place. Write a cell like As[1][2] or C[3][4], line 29, "
                  "step 500 or statement 12.",
                  wanted));
}

}  // namespace tilestep::insight

#include "insight/events/go_to.h"

#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace tilestep::insight {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stop == text.data() + text.size() ? std::optional(number)
                                                                   : std::nullopt;
}

// Whether the line has instructions of the kernel or of functions that it calls.
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
      return fail(
          tr("Line {} has no executable code. Choose a line with a statement, for example line {}.",
             number, recording.state_at(0).line(recording.part().first, 0)));
    }
    return GoTo{.kind = GoTo::Kind::Line, .line = static_cast<int>(number)};
  }
  const auto starts = recording.statement_starts();
  const bool is_step = word == "step";
  const std::uint64_t last = is_step ? recording.step_count() : starts.size() - 1;
  if (number > last) {
    return fail(tr("There is no {} {}: the run has {} {}s.", word, number, last, word));
  }
  return GoTo{.kind = GoTo::Kind::Step,
              .step = is_step ? number : starts[static_cast<std::size_t>(number)]};
}

Result<GoTo> phase_at(const record::Recording& recording, std::uint32_t block,
                      std::uint64_t number) {
  const auto phases = recording.phases_of(block);
  if (number >= phases.size()) {
    return fail(phases.empty() ? tr("There is no phase {}: this block has no phases yet.", number)
                               : tr("There is no phase {}: this block has phases 0 to {}.", number,
                                    phases.size() - 1));
  }
  return GoTo{.kind = GoTo::Kind::Phase,
              .step = phases[static_cast<std::size_t>(number)].first_step};
}

// "2,1", "(2, 1)": x, y and z as CUDA writes them. A single number is a linear index, x fastest.
std::optional<std::uint64_t> linear_of(std::string_view text, const problem::Dim3& shape) {
  constexpr std::size_t kAxes = 3;
  if (text.starts_with('(') && text.ends_with(')')) {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<std::uint64_t> numbers;
  for (std::size_t comma = 0; comma != std::string_view::npos && numbers.size() <= kAxes;) {
    comma = text.find(',');
    const auto number = whole_number(trimmed(text.substr(0, comma)));
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
    text = comma == std::string_view::npos ? text : text.substr(comma + 1);
  }
  if (numbers.size() == 1) {
    return numbers[0] < shape.count() ? std::optional(numbers[0]) : std::nullopt;
  }
  numbers.resize(std::max(numbers.size(), kAxes), 0);
  const bool is_inside = numbers.size() == kAxes && numbers[0] < shape.x && numbers[1] < shape.y &&
                         numbers[2] < shape.z;
  return is_inside ? std::optional((numbers[2] * shape.y + numbers[1]) * shape.x + numbers[0])
                   : std::nullopt;
}

std::string last_of(const problem::Dim3& shape) {
  const std::string z = shape.z > 1 ? fmt::format(",{}", shape.z - 1) : "";
  return fmt::format("{},{}{}", shape.x - 1, shape.y - 1, z);
}

Result<GoTo> block_or_thread(const record::Recording& recording, std::string_view word,
                             std::string_view which) {
  const problem::Launch& launch = recording.program().launch();
  const bool is_block = word == "block";
  const problem::Dim3& shape = is_block ? launch.grid : launch.block;
  const auto linear = linear_of(which, shape);
  if (!linear) {
    return fail(tr("There is no {0} \"{1}\": {2} has {0}s 0,0 to {3}, written x,y.", word, which,
                   tr(is_block ? "the grid" : "a block"), last_of(shape)));
  }
  const auto index = static_cast<std::uint32_t>(*linear);
  return is_block ? GoTo{.kind = GoTo::Kind::Block, .block = index}
                  : GoTo{.kind = GoTo::Kind::Thread, .thread = index};
}

}  // namespace

Result<GoTo> parse_go_to(const record::Recording& recording, std::uint32_t block,
                         const std::string& text) {
  const std::string_view wanted = trimmed(text);
  const std::size_t gap = wanted.find_first_of(" :");
  const std::string_view word = wanted.substr(0, gap);
  const std::string_view rest =
      gap == std::string_view::npos ? std::string_view() : trimmed(wanted.substr(gap + 1));
  if (word == "block" || word == "thread") {
    return block_or_thread(recording, word, rest);
  }
  const bool is_phase = word == "phase";
  if (is_phase || word == "line" || word == "step" || word == "statement") {
    const auto number = whole_number(rest);
    if (!number) {
      return fail(tr("\"{}\": {} needs a whole number, for example {} {}.", wanted, word, word,
                     is_phase ? 1 : 29));
    }
    return is_phase ? phase_at(recording, block, *number) : numbered(recording, word, *number);
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
      tr("\"{}\" is not a place. Write a cell like As[1][2] or C[3][4], line 29, step 500, "
         "statement 12, phase 1, block 1,0 or thread 3,1.",
         wanted));
}

}  // namespace tilestep::insight

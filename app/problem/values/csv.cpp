// Matrices as text.
#include "problem/values/csv.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace tilestep::problem {
namespace {

// Spreadsheets quote cells.
std::string_view unquoted(std::string_view cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    return trimmed(cell.substr(1, cell.size() - 2));
  }
  return cell;
}

// Commas, semicolons and tabs separate cells, with blanks around them; blanks alone do so too.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  const bool by_mark = line.find_first_of(",;\t") != std::string_view::npos;
  const std::string_view separators = by_mark ? ",;\t" : " ";
  while (true) {
    const auto end = line.find_first_of(separators);
    cells.push_back(unquoted(trimmed(line.substr(0, end))));
    if (end == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(end + 1);
    if (!by_mark) {
      line = trimmed(line);
    }
  }
}

std::optional<double> number(std::string_view cell) {
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
  }
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = std::from_chars(cell.data(), end, value);
  return error == std::errc{} && stopped == end ? std::optional(value) : std::nullopt;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kShown = 30;
  return cell.size() <= kShown ? fmt::format("'{}'", cell)
                               : fmt::format("'{}…'", cell.substr(0, kShown));
}

// Appends one row; `line_number` is the place for messages.
Result<void> append_row(Numbers& matrix, std::string_view line, const std::string& name,
                        int line_number) {
  const std::vector<std::string_view> cells = cells_of(line);
  const int row = matrix.rows;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::optional<double> value = number(cells[col]);
    if (!value) {
      return fail(tr("{}:{}: row {}, column {} holds {}, which is not a float64 number.", name,
                     line_number, row, col,
                     cells[col].empty() ? tr("nothing") : shown(cells[col])));
    }
    matrix.values.push_back(*value);
  }
  const auto width = static_cast<int>(cells.size());
  if (row > 0 && width != matrix.cols) {
    return fail(tr(
        "{}:{}: row {} has {} values, but the rows above have {}. Give every row the same number.",
        name, line_number, row, width, matrix.cols));
  }
  matrix.cols = width;
  ++matrix.rows;
  return {};
}

bool is_separator(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

Result<std::vector<Numbers>> parse_matrices(const std::string& text, const std::string& name) {
  std::vector<Numbers> matrices(1);
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) {  // byte order mark
    rest.remove_prefix(3);
  }
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const auto end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (is_separator(line)) {
      matrices.emplace_back();
      continue;
    }
    if (const Result<void> row = append_row(matrices.back(), line, name, line_number); !row) {
      return tl::make_unexpected(row.error());
    }
  }
  for (const Numbers& matrix : matrices) {
    if (matrix.rows == 0) {
      return fail(tr("{} holds no values{}. Write one row per line, for example \"1, 2, 3\".", name,
                     matrices.size() > 1 ? tr(" before or after a line of ---") : ""));
    }
  }
  return matrices;
}

Result<Numbers> parse_csv(const std::string& text, const std::string& name) {
  Result<std::vector<Numbers>> matrices = parse_matrices(text, name);
  if (!matrices) {
    return tl::make_unexpected(matrices.error());
  }
  if (matrices->size() != 1) {
    return fail(tr("{} holds {} matrices, separated by lines of ---, but one is needed.", name,
                   matrices->size()));
  }
  return std::move(matrices->front());
}

}  // namespace tilestep::problem

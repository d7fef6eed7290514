// Matrices as text.
#include "problem/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

namespace tilestep::problem {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

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

// `is_float32`: whether it has to be one of float32's.
std::optional<double> number(std::string_view cell, bool is_float32) {
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
  }
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = std::from_chars(cell.data(), end, value);
  const bool is_too_large =
      is_float32 && std::isfinite(value) && std::isinf(static_cast<float>(value));
  if (error != std::errc{} || stopped != end || is_too_large) {
    return std::nullopt;
  }
  return value;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kShown = 30;
  return cell.size() <= kShown ? fmt::format("'{}'", cell)
                               : fmt::format("'{}…'", cell.substr(0, kShown));
}

// Appends one row; `line_number` is the place for messages.
Result<void> append_row(NumberTable& matrix, std::string_view line, const std::string& name,
                        int line_number, bool is_float32) {
  const std::vector<std::string_view> cells = cells_of(line);
  const int row = matrix.rows;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::optional<double> value = number(cells[col], is_float32);
    if (!value) {
      return fail(fmt::format("{}:{}: row {}, column {} holds {}, which is not a number of {}.",
                              name, line_number, row, col,
                              cells[col].empty() ? "nothing" : shown(cells[col]),
                              is_float32 ? "float32" : "float64"));
    }
    matrix.values.push_back(*value);
  }
  const auto width = static_cast<int>(cells.size());
  if (row > 0 && width != matrix.cols) {
    return fail(
        fmt::format("{}:{}: row {} has {} values, but the rows above have {}; give every "
                    "row the same number.",
                    name, line_number, row, width, matrix.cols));
  }
  matrix.cols = width;
  ++matrix.rows;
  return {};
}

bool is_separator(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of('-') == std::string_view::npos;
}

Result<std::vector<NumberTable>> parse_tables(const std::string& text, const std::string& name,
                                              bool is_float32) {
  std::vector<NumberTable> matrices(1);
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
    if (const Result<void> row = append_row(matrices.back(), line, name, line_number, is_float32);
        !row) {
      return tl::make_unexpected(row.error());
    }
  }
  for (const NumberTable& matrix : matrices) {
    if (matrix.rows == 0) {
      return fail(
          fmt::format("{} holds no values{}; write one row a line, for example \"1, 2, 3\".", name,
                      matrices.size() > 1 ? " before or after a line of ---" : ""));
    }
  }
  return matrices;
}

}  // namespace

Result<std::vector<Matrix>> parse_matrices(const std::string& text, const std::string& name) {
  const Result<std::vector<NumberTable>> tables = parse_tables(text, name, true);
  if (!tables) {
    return tl::make_unexpected(tables.error());
  }
  std::vector<Matrix> matrices;
  for (const NumberTable& table : *tables) {
    matrices.push_back({table.rows, table.cols, {}});
    std::transform(table.values.begin(), table.values.end(),
                   std::back_inserter(matrices.back().values),
                   [](double value) { return static_cast<float>(value); });
  }
  return matrices;
}

Result<NumberTable> parse_numbers(const std::string& text, const std::string& name) {
  Result<std::vector<NumberTable>> tables = parse_tables(text, name, false);
  if (!tables) {
    return tl::make_unexpected(tables.error());
  }
  if (tables->size() != 1) {
    return fail(fmt::format("{} holds {} matrices, separated by lines of ---, where one is needed.",
                            name, tables->size()));
  }
  return std::move(tables->front());
}

Result<Matrix> parse_csv(const std::string& text, const std::string& name) {
  Result<std::vector<Matrix>> matrices = parse_matrices(text, name);
  if (!matrices) {
    return tl::make_unexpected(matrices.error());
  }
  if (matrices->size() != 1) {
    return fail(fmt::format("{} holds {} matrices, separated by lines of ---, where one is needed.",
                            name, matrices->size()));
  }
  return std::move(matrices->front());
}

}  // namespace tilestep::problem

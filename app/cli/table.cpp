#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tilestep::cli {
namespace {

// Columns of a terminal: a character is one, an ideograph (U+3000 and beyond) two.
std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool goes_on = (byte & 0xc0U) == 0x80U;
    columns += goes_on ? 0 : byte >= 0xe3U && byte <= 0xefU ? 2 : 1;
  }
  return columns;
}

}  // namespace

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(row[c]));
    }
  }
  if (last_ == Last::Sentence) {
    widths.back() = 0;
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = "  " + row[0] + std::string(widths[0] - width(row[0]), ' ');
    for (std::size_t c = 1; c < columns; ++c) {
      const std::size_t cell = width(row[c]);
      line += "  " + std::string(widths[c] > cell ? widths[c] - cell : 0, ' ') + row[c];
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace tilestep::cli

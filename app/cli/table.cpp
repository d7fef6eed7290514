#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tilestep::cli {
namespace {

// Characters, not bytes of UTF-8.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
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

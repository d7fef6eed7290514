#include "problem/values/inputs.h"

#include "problem/text.h"
#include "problem/values/matrix_file.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <random>

namespace tilestep::problem {
namespace {

Numbers blank(int rows, int cols) {
  assert(rows >= 0 && cols >= 0);
  return {rows, cols,
          std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))};
}

// The standard specifies mt19937's numbers but not those of distributions or std::shuffle, and a
// seed must give the same matrix everywhere.
std::mt19937 generator(std::uint32_t seed, int salt) {
  std::seed_seq words{seed, static_cast<std::uint32_t>(salt)};
  return std::mt19937(words);
}

// 0 ≤ result < bound. The bias of at most bound / 2^32 does not matter here.
std::size_t below(std::mt19937& random, std::size_t bound) {
  return static_cast<std::size_t>((std::uint64_t{random()} * bound) >> 32);
}

void shuffle(std::vector<double>& values, std::mt19937& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[below(random, i)]);
  }
}

// The largest |v| with K·v² < 2^24: then sums of K products are exact in float32, in any order. K
// is the matrix's width or height, depending on which factor it is; the larger covers both.
double exact_magnitude(int rows, int cols) {
  const double terms = std::max({rows, cols, 1});
  double magnitude = std::floor(std::sqrt(16777216.0 / terms));
  while (magnitude > 1.0 && terms * magnitude * magnitude >= 16777216.0) {
    magnitude -= 1.0;
  }
  return std::max(magnitude, 1.0);
}

// The first `count` of 1…9, -1…-9, 10…99, -10…-99, …: short numbers are readable from a distance.
std::vector<double> shortest_integers(std::size_t count, double lowest, double highest) {
  std::vector<double> values;
  for (double first = 1.0; first <= std::max(highest, -lowest); first *= 10.0) {
    for (const double sign : {1.0, -1.0}) {
      for (double v = first; v < first * 10.0 && sign * v <= highest && sign * v >= lowest;
           v += 1.0) {
        if (values.size() == count) {
          return values;
        }
        values.push_back(sign * v);
      }
    }
  }
  return values;
}

Numbers distinct_integers(const InputSpec& spec, int rows, int cols, int salt,
                          const ValueRange& range) {
  Numbers matrix = blank(rows, cols);
  const double magnitude = exact_magnitude(rows, cols);
  std::vector<double> cycle = shortest_integers(
      matrix.values.size(), std::max(-magnitude, range.lowest), std::min(magnitude, range.highest));
  std::mt19937 random = generator(spec.seed, salt);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const std::size_t place = i % cycle.size();
    if (place == 0) {  // in another order each time: no two rows are equal, whatever the width
      shuffle(cycle, random);
    }
    matrix.values[i] = cycle[place];
  }
  return matrix;
}

// The number of neighbors that differ: with 13 values at least three choices remain.
constexpr int kNeighbours = 6;

Numbers small_integers(const InputSpec& spec, int rows, int cols, int salt,
                       const ValueRange& range) {
  const double magnitude = exact_magnitude(rows, cols);
  std::vector<double> values;
  for (double v = -4.0; v <= 9.0; v += 1.0) {
    if (v != 0.0 && std::abs(v) <= magnitude && v >= range.lowest && v <= range.highest) {
      values.push_back(v);
    }
  }
  const int near = std::min(kNeighbours - 1, (static_cast<int>(values.size()) - 1) / 2);
  // The index of each cell's value; neighbors' values are excluded as bits.
  Table<std::uint8_t> places{
      rows, cols,
      std::vector<std::uint8_t>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))};
  Numbers matrix = blank(rows, cols);
  std::mt19937 random = generator(spec.seed, salt);
  std::size_t i = 0;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col, ++i) {
      std::uint32_t taken = 0;
      for (int by = 1; by <= near; ++by) {
        taken |= by <= col ? 1U << places.at(row, col - by) : 0U;
        taken |= by <= row ? 1U << places.at(row - by, col) : 0U;
      }
      const auto free = values.size() - static_cast<std::size_t>(std::popcount(taken));
      std::size_t skip = below(random, free);
      std::uint8_t place = 0;
      while ((taken >> place & 1U) != 0 || skip-- > 0) {
        ++place;
      }
      places.values[i] = place;
      matrix.values[i] = values[place];
    }
  }
  return matrix;
}

Numbers ramp(int rows, int cols, int salt) {
  Numbers matrix = blank(rows, cols);
  const std::size_t count = matrix.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    matrix.values[i] = static_cast<double>(salt % 2 == 0 ? i + 1 : count - i);
  }
  return matrix;
}

Numbers random_values(const InputSpec& spec, int rows, int cols, int salt, bool fractions) {
  Numbers matrix = blank(rows, cols);
  std::mt19937 random = generator(spec.seed, salt);
  const double low = spec.lowest;
  const double spread = spec.highest - low;
  const bool has_integers = !fractions && spread >= 1.0;
  for (double& value : matrix.values) {
    const double unit = static_cast<double>(random() >> 8) * 0x1p-24;
    value =
        has_integers ? std::floor(low) + std::floor(unit * (spread + 1.0)) : low + unit * spread;
  }
  return matrix;
}

Numbers unit_values(const InputSpec& spec, int rows, int cols, int salt) {
  Numbers matrix = blank(rows, cols);
  std::mt19937 random = generator(spec.seed, salt);
  for (double& value : matrix.values) {
    value = static_cast<double>(random() >> 8) * 0x1p-24;
  }
  return matrix;
}

Numbers decades(const InputSpec& spec, int rows, int cols, int salt) {
  constexpr double kHalf = 6.0;  // decades above 1 and below 1
  Numbers matrix = blank(rows, cols);
  std::mt19937 random = generator(spec.seed, salt);
  for (double& value : matrix.values) {
    const auto bits = static_cast<std::uint32_t>(random());
    const double unit = static_cast<double>(bits >> 8) * 0x1p-24;
    value = std::pow(10.0, kHalf * (2.0 * unit - 1.0));
    value = (bits & 1U) != 0 ? -value : value;
  }
  return matrix;
}

Numbers identity(int rows, int cols) {
  Numbers matrix = blank(rows, cols);
  for (int i = 0; i < std::min(rows, cols); ++i) {
    matrix.values[static_cast<std::size_t>(i) * static_cast<std::size_t>(cols) +
                  static_cast<std::size_t>(i)] = 1.0;
  }
  return matrix;
}

Result<Numbers> from_csv(const InputSpec& spec, int rows, int cols, int salt,
                         std::string_view shape_from) {
  const std::string name = spec.csv_name.empty() ? tr("the CSV text") : spec.csv_name;
  Result<std::vector<Numbers>> matrices = parse_matrices(spec.csv, name);
  TILESTEP_RETURN_IF_ERROR(matrices);
  const std::size_t number = matrices->size() == 1 ? 0 : static_cast<std::size_t>(salt);
  if (number >= matrices->size()) {
    return fail(tr("{} holds {} matrices, but matrix {} is needed. Add it after a line of ---.",
                   name, matrices->size(), number + 1));
  }
  Numbers& matrix = (*matrices)[number];
  if (matrix.rows != rows || matrix.cols != cols) {
    const std::string has =
        tr("{} with {} each", plural(matrix.rows, "row"), plural(matrix.cols, "value"));
    const std::string needed = tr("{} with {} each", plural(rows, "row"), plural(cols, "value"));
    return fail(rows == 1 ? tr("{}: matrix {} has {}, but {} is needed. Change the file, or {}. "
                               "(Lines of --- separate several matrices in one file.)",
                               name, number + 1, has, needed, shape_from)
                          : tr("{}: matrix {} has {}, but {} are needed. Change the file, or {}. "
                               "(Lines of --- separate several matrices in one file.)",
                               name, number + 1, has, needed, shape_from));
  }
  return std::move(matrix);
}

Result<Numbers> make_pattern(const InputSpec& spec, int rows, int cols, int salt,
                             const ValueRange& range, std::string_view shape_from) {
  switch (spec.pattern) {
    case Pattern::DistinctIntegers:
      return distinct_integers(spec, rows, cols, salt, range);
    case Pattern::SmallIntegers:
      return small_integers(spec, rows, cols, salt, range);
    case Pattern::Ramp:
      return ramp(rows, cols, salt);
    case Pattern::Random:
      return random_values(spec, rows, cols, salt, range.fractions);
    case Pattern::Unit:
      return unit_values(spec, rows, cols, salt);
    case Pattern::Decades:
      return decades(spec, rows, cols, salt);
    case Pattern::Identity:
      return salt == 0 ? identity(rows, cols) : distinct_integers(spec, rows, cols, salt, range);
    case Pattern::Constant: {
      Numbers matrix = blank(rows, cols);
      std::fill(matrix.values.begin(), matrix.values.end(), spec.constant);
      return matrix;
    }
    case Pattern::Csv:
      return from_csv(spec, rows, cols, salt, shape_from);
    case Pattern::Npy:
      return fail(tr("an .npy file only works in a launch description. Use a CSV file here."));
  }
  assert(false && "a pattern that this switch does not know");
  return blank(rows, cols);
}

bool holds(const ValueRange& range, double value) {
  if (range.fractions) {
    return std::abs(value) < range.infinite || !std::isfinite(value);
  }
  return value >= range.lowest && value <= range.highest && value == std::trunc(value);
}

std::string not_held(const ValueRange& range) {
  return range.fractions ? tr("but the buffer's type overflows at {:g} and above", range.infinite)
                         : tr("but the buffer's type holds only integers from {} to {}",
                              range.lowest, range.highest);
}

}  // namespace

Result<Numbers> make_input(const InputSpec& spec, int rows, int cols, int salt,
                           const ValueRange& range, std::string_view shape_from) {
  Result<Numbers> matrix = make_pattern(spec, rows, cols, salt, range, shape_from);
  if (!matrix) {
    return matrix;
  }
  const auto wrong = std::find_if(matrix->values.begin(), matrix->values.end(),
                                  [&](double value) { return !holds(range, value); });
  if (wrong != matrix->values.end()) {
    const auto index = wrong - matrix->values.begin();
    return fail(
        tr("row {}, column {} of this input is {}, {}. Choose another input, for example "
           "distinct integers.",
           index / cols, index % cols, *wrong, not_held(range)));
  }
  return matrix;
}

}  // namespace tilestep::problem

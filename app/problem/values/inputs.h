// Initial values of the input matrices.
//
// Constant inputs hide nearly every indexing mistake and every race, so default inputs are integers
// that differ from their neighbors: every sum is exact in float32 and a wrong element changes the
// result. On the stage they are small enough for mental arithmetic; elsewhere all of them differ.
#pragma once

#include "problem/result.h"
#include "problem/tr.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// Row-major.
template <typename T>
struct Table {
  int rows = 0;
  int cols = 0;
  std::vector<T> values;

  [[nodiscard]] T at(int row, int col) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                  static_cast<std::size_t>(col)];
  }
  friend bool operator==(const Table&, const Table&) = default;
};

// Numbers that elements of any type are made from or read into.
using Numbers = Table<double>;

// How an input matrix is filled; make_input() describes each pattern.
enum class Pattern {
  DistinctIntegers,
  SmallIntegers,
  Ramp,
  Random,
  Unit,
  Decades,
  Identity,
  Constant,
  Csv,
  Npy
};

// The source of an input's values.
struct InputSpec {
  Pattern pattern = Pattern::DistinctIntegers;
  std::uint32_t seed = 1;  // Random, Unit, Decades: the values; integers: their order
  double constant = 1.0;   // Constant
  std::string csv;         // Csv: the text itself (files are read elsewhere); Npy: the bytes
  std::string csv_name;    // Csv, Npy: the source, for messages
  double lowest = -1.0;    // Random: lower bound
  double highest = 1.0;    // upper bound; inclusive for integers, exclusive otherwise

  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

[[nodiscard]] inline InputSpec input_of(Pattern pattern) {
  InputSpec spec;
  spec.pattern = pattern;
  return spec;
}

// The values that a buffer's elements can represent; inputs must fit. The default is float32.
struct ValueRange {
  double lowest = -16777216.0;  // integers are exact from here …
  double highest = 16777216.0;  // … to here
  bool fractions = true;
  double infinite = 0x1.ffffffp127;  // finite numbers from here on round to infinity
};

// Fills rows×cols values. `salt` makes A and B differ under the same spec (0 for A, 1 for B).
//   DistinctIntegers  no zero, which would hide errors; shortest to print first (1…9, -1…-9,
//                     10…99). All values are distinct if that allows exact sums (|v| small enough
//                     that a K-long dot product stays below 2^24, K ≤ max(rows, cols)), otherwise
//                     a cycle of distinct integers, each time in another order.
//   SmallIntegers     -4…9 without 0; six neighbors of a row or column are distinct. Fewer values
//                     if K is so long that sums would not be exact.
//   Ramp              odd salt: counting down to 1, otherwise 1, 2, 3, …; row by row
//   Random            multiples of 2^-23 in [-1, 1), spread over [lowest, highest); integers of
//                     [lowest, highest] if `range` holds integers only
//   Unit              multiples of 2^-24 in [0, 1): sums that do not cancel, for relative errors
//   Decades           10^u with u uniform in [-6, 6), each sign equally often: over twelve decades,
//                     so that errors show which numbers lose bits
//   Identity          salt 0; other salts get DistinctIntegers, so that C = I·B shows B
//   Csv               matrix number `salt` of a text with several, separated by lines of ---;
//                     a single matrix serves every salt
//   Npy               not supported here: launch.cpp fills buffers with it
// The buffer's type rounds them: they are float64 here. Fails for a CSV with the wrong shape or a
// cell that is not a number (the error names row and column), and for a value outside `range`.
// `shape_from`: the expressions of rows and cols, for messages.
[[nodiscard]] Result<Numbers> make_input(const InputSpec& spec, int rows, int cols, int salt,
                                         const ValueRange& range = {},
                                         std::string_view shape_from = tr("M, N and K"));

}  // namespace tilestep::problem

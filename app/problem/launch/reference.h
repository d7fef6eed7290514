// Host references for C = A·B and the comparison that decides "correct" or "wrong".
#pragma once

#include "problem/launch/launch.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::problem {

using Matrix = Table<float>;  // the element type of most kernels
[[nodiscard]] Matrix to_float32(const Numbers& numbers);

enum class Reference {
  Plain,
  Kahan,
  Double
};  // float32 triple loop; compensated; float64, rounded

// A: M×K, B: K×N, C: M×N.
[[nodiscard]] Matrix multiply(const Matrix& A, const Matrix& B, Reference how);
// The same in float64.
[[nodiscard]] Numbers multiply(const Numbers& A, const Numbers& B);

// The result of comparing elements with a reference.
struct Comparison {
  std::size_t compared = 0;
  std::size_t wrong = 0;  // NaN counts as wrong
  // Over the measurable elements: no NaN; for relative errors, expected != 0.
  double max_abs_error = 0.0;
  double max_rel_error = 0.0;
  double average_rel_error = 0.0;
  int first_wrong_row = -1;  // row-major order; -1: none
  int first_wrong_col = -1;
  double got = 0.0;  // at the first wrong element
  double expected = 0.0;
};

// tolerance 0 compares with ==; otherwise |got - expected| <= tolerance·max(1, |expected|). NaN
// agrees only with NaN, an infinity only with itself.
[[nodiscard]] bool agree(double got, double expected, double tolerance);

// Compares element i of `count`, in rows of `cols`; an element is wrong if agree() is false.
[[nodiscard]] Comparison compare_numbers(std::size_t count, std::size_t cols,
                                         const std::function<double(std::size_t)>& got,
                                         const std::function<double(std::size_t)>& expected,
                                         double tolerance);

// As compare_numbers.
[[nodiscard]] Comparison compare(const Matrix& got, const Matrix& expected, double tolerance);
[[nodiscard]] Comparison compare(const Numbers& got, const Numbers& expected, double tolerance);

// The expected C of a launch from its inputs A and B, if it has a reference. Computed in float64,
// whatever `how`, if A, B and C are all float64 or integers.
[[nodiscard]] std::optional<Numbers> expected_result(const Launch& launch, Reference how);

// The same for only some elements of C (row · N + column).
[[nodiscard]] std::optional<std::vector<double>> expected_elements(
    const Launch& launch, Reference how, std::span<const std::size_t> elements);

// A buffer's contents, row-major, without pitch; rounded to float32.
[[nodiscard]] Matrix to_matrix(const Buffer& buffer, std::span<const std::byte> contents);
// The same without rounding.
[[nodiscard]] Numbers to_numbers(const Buffer& buffer, std::span<const std::byte> contents);

// The tolerance for sums in float32 (p = 24), or in float64 (p = 53) if A, B and C are all float64
// or integers: 0 if all inputs are integers whose products and sums stay below 2^p (then they are
// exact in any order), otherwise 2·K·2^-p, the textbook bound on a K-term dot product (Higham 2002,
// §3.1), plus one rounding to C's type if that is narrower.
[[nodiscard]] double default_tolerance(const Launch& launch);

}  // namespace tilestep::problem

#include "problem/launch/reference.h"

#include "problem/values/element.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tilestep::problem {
namespace {

// All three add the products of an element in the order k = 0, 1, 2, …; rows of B are walked so
// that the inner loop is over independent elements.
void plain_row(const float* a, const Matrix& B, float* c) {
  for (int k = 0; k < B.rows; ++k) {
    const float* const b =
        &B.values[static_cast<std::size_t>(k) * static_cast<std::size_t>(B.cols)];
    for (int col = 0; col < B.cols; ++col) {
      c[col] += a[k] * b[col];
    }
  }
}

// Kahan, "Further remarks on reducing truncation errors", CACM 8 (1965).
void kahan_row(const float* a, const Matrix& B, float* c) {
  std::vector<float> lost(static_cast<std::size_t>(B.cols));
  for (int k = 0; k < B.rows; ++k) {
    for (int col = 0; col < B.cols; ++col) {
      float& correction = lost[static_cast<std::size_t>(col)];
      const float term = a[k] * B.at(k, col) - correction;
      const float sum = c[col] + term;
      correction = (sum - c[col]) - term;
      c[col] = sum;
    }
  }
}

void double_row(const float* a, const Matrix& B, float* c) {
  std::vector<double> sums(static_cast<std::size_t>(B.cols));
  for (int k = 0; k < B.rows; ++k) {
    for (int col = 0; col < B.cols; ++col) {
      sums[static_cast<std::size_t>(col)] += static_cast<double>(a[k]) * B.at(k, col);
    }
  }
  std::transform(sums.begin(), sums.end(), c, [](double sum) { return static_cast<float>(sum); });
}

struct Factors {
  const Buffer* A = nullptr;
  const Buffer* B = nullptr;
  const Buffer* C = nullptr;
};

// Found by name; if the description uses other names, by role and order.
Factors factors_of(const Launch& launch) {
  Factors found{find_buffer(launch, "A"), find_buffer(launch, "B"), find_buffer(launch, "C")};
  if (found.A != nullptr && found.B != nullptr && found.C != nullptr) {
    return found;
  }
  found = {};
  for (const Buffer& buffer : launch.buffers) {
    const Buffer*& place = buffer.role != BufferRole::Input ? found.C
                           : found.A == nullptr             ? found.A
                                                            : found.B;
    if (place == nullptr) {
      place = &buffer;
    }
  }
  return found;
}

bool has_reference(const Launch& launch, const Factors& factors) {
  const auto& [A, B, C] = factors;
  return launch.reference == "matmul" && A != nullptr && B != nullptr && C != nullptr &&
         A->cols == B->rows && C->rows == A->rows && C->cols == B->cols && !A->contents.empty() &&
         !B->contents.empty();
}

// Whether float32 is too narrow for the sums.
bool are_wide(const Factors& factors) {
  constexpr int kFloat64 = 53;
  return factors.A != nullptr && factors.B != nullptr && factors.C != nullptr &&
         std::min({significand_bits(factors.A->type), significand_bits(factors.B->type),
                   significand_bits(factors.C->type)}) == kFloat64;
}

double largest_integer(const Buffer& buffer) {
  double largest = 0.0;
  const std::size_t bytes = byte_size(buffer.type);
  for (int row = 0; row < buffer.rows; ++row) {
    const std::byte* from = buffer.contents.data() + static_cast<std::size_t>(row) *
                                                         static_cast<std::size_t>(buffer.pitch) *
                                                         bytes;
    for (int col = 0; col < buffer.cols; ++col, from += bytes) {
      const double value = load_element(buffer.type, from);
      if (!(value == std::trunc(value)) || std::isinf(value)) {
        return HUGE_VAL;
      }
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

template <class T>
std::vector<T> read_elements(const Buffer& buffer, std::span<const std::byte> contents) {
  assert(contents.size() >= byte_count(buffer));
  std::vector<T> elements;
  elements.reserve(static_cast<std::size_t>(buffer.rows) * static_cast<std::size_t>(buffer.cols));
  const std::size_t bytes = byte_size(buffer.type);
  for (int row = 0; row < buffer.rows; ++row) {
    const std::byte* from = contents.data() + static_cast<std::size_t>(row) *
                                                  static_cast<std::size_t>(buffer.pitch) * bytes;
    for (int col = 0; col < buffer.cols; ++col, from += bytes) {
      elements.push_back(static_cast<T>(load_element(buffer.type, from)));
    }
  }
  return elements;
}

template <class T>
Comparison compare_tables(const T& got, const T& expected, double tolerance) {
  assert(got.rows == expected.rows && got.cols == expected.cols);
  return compare_numbers(
      expected.values.size(), static_cast<std::size_t>(expected.cols),
      [&](std::size_t i) { return static_cast<double>(got.values[i]); },
      [&](std::size_t i) { return static_cast<double>(expected.values[i]); }, tolerance);
}

}  // namespace

Matrix to_float32(const Numbers& numbers) {
  Matrix matrix{numbers.rows, numbers.cols, std::vector<float>(numbers.values.size())};
  std::transform(numbers.values.begin(), numbers.values.end(), matrix.values.begin(),
                 [](double value) { return static_cast<float>(value); });
  return matrix;
}

Matrix multiply(const Matrix& A, const Matrix& B, Reference how) {
  assert(A.cols == B.rows && "the width of A is the height of B");
  Matrix C{A.rows, B.cols,
           std::vector<float>(static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(B.cols))};
  if (C.values.empty()) {
    return C;
  }
  const auto row_of = how == Reference::Plain   ? plain_row
                      : how == Reference::Kahan ? kahan_row
                                                : double_row;
  for (int row = 0; row < A.rows && A.cols > 0; ++row) {
    row_of(&A.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(A.cols)], B,
           &C.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(C.cols)]);
  }
  return C;
}

Numbers multiply(const Numbers& A, const Numbers& B) {
  assert(A.cols == B.rows && "the width of A is the height of B");
  const auto cols = static_cast<std::size_t>(B.cols);
  Numbers C{A.rows, B.cols, std::vector<double>(static_cast<std::size_t>(A.rows) * cols)};
  for (int row = 0; row < A.rows; ++row) {
    double* const sums = C.values.data() + static_cast<std::size_t>(row) * cols;
    for (int k = 0; k < A.cols; ++k) {
      const double a = A.at(row, k);
      const double* const b = B.values.data() + static_cast<std::size_t>(k) * cols;
      for (std::size_t col = 0; col < cols; ++col) {
        sums[col] += a * b[col];
      }
    }
  }
  return C;
}

bool agree(double got, double expected, double tolerance) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) {
    return true;
  }
  // Nothing is near an infinity: infinity ≤ tolerance·infinity would hold for any value.
  return tolerance > 0.0 && std::isfinite(expected) &&
         std::abs(got - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

Comparison compare_numbers(std::size_t count, std::size_t cols,
                           const std::function<double(std::size_t)>& got,
                           const std::function<double(std::size_t)>& expected, double tolerance) {
  Comparison result;
  result.compared = count;
  double sum_rel = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double g = got(i);
    const double e = expected(i);
    // The difference of equal infinities is NaN.
    const double error = agree(g, e, 0.0) ? 0.0 : std::abs(g - e);
    const double relative = e == 0.0 ? 0.0 : error / std::abs(e);
    // max() ignores a NaN as its right argument, so only measurable errors count.
    result.max_abs_error = std::max(result.max_abs_error, error);
    result.max_rel_error = std::max(result.max_rel_error, relative);
    sum_rel += std::isnan(relative) ? 0.0 : relative;
    if (agree(g, e, tolerance)) {
      continue;
    }
    if (result.wrong == 0) {
      result.first_wrong_row = static_cast<int>(i / cols);
      result.first_wrong_col = static_cast<int>(i % cols);
      result.got = g;
      result.expected = e;
    }
    ++result.wrong;
  }
  if (result.compared > 0) {
    result.average_rel_error = sum_rel / static_cast<double>(result.compared);
  }
  return result;
}

Comparison compare(const Matrix& got, const Matrix& expected, double tolerance) {
  return compare_tables(got, expected, tolerance);
}

Comparison compare(const Numbers& got, const Numbers& expected, double tolerance) {
  return compare_tables(got, expected, tolerance);
}

std::optional<Numbers> expected_result(const Launch& launch, Reference how) {
  const Factors factors = factors_of(launch);
  if (!has_reference(launch, factors)) {
    return std::nullopt;
  }
  const auto& [A, B, C] = factors;
  if (are_wide(factors)) {
    return multiply(to_numbers(*A, A->contents), to_numbers(*B, B->contents));
  }
  const Matrix product = multiply(to_matrix(*A, A->contents), to_matrix(*B, B->contents), how);
  return Numbers{product.rows, product.cols, {product.values.begin(), product.values.end()}};
}

std::optional<std::vector<double>> expected_elements(const Launch& launch, Reference how,
                                                     std::span<const std::size_t> elements) {
  const Factors factors = factors_of(launch);
  if (!has_reference(launch, factors)) {
    return std::nullopt;
  }
  const Buffer& A = *factors.A;
  const Buffer& B = *factors.B;
  const auto cols = static_cast<std::size_t>(B.cols);
  const auto at = [](const Buffer& buffer, std::size_t row, std::size_t col) {
    const std::size_t place = row * static_cast<std::size_t>(buffer.pitch) + col;
    return load_element(buffer.type, buffer.contents.data() + place * byte_size(buffer.type));
  };
  std::vector<double> values;
  values.reserve(elements.size());
  for (const std::size_t element : elements) {
    Matrix row{1, A.cols, std::vector<float>(static_cast<std::size_t>(A.cols))};
    Matrix column{A.cols, 1, row.values};
    double wide = 0.0;
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const double a = at(A, element / cols, k);
      const double b = at(B, k, element % cols);
      row.values[k] = static_cast<float>(a);
      column.values[k] = static_cast<float>(b);
      wide += a * b;
    }
    values.push_back(are_wide(factors) ? wide : double{multiply(row, column, how).values.front()});
  }
  return values;
}

Matrix to_matrix(const Buffer& buffer, std::span<const std::byte> contents) {
  return {buffer.rows, buffer.cols, read_elements<float>(buffer, contents)};
}

Numbers to_numbers(const Buffer& buffer, std::span<const std::byte> contents) {
  return {buffer.rows, buffer.cols, read_elements<double>(buffer, contents)};
}

double default_tolerance(const Launch& launch) {
  const Factors factors = factors_of(launch);
  const int sum_bits = are_wide(factors) ? 53 : 24;
  const int bits =
      factors.C == nullptr ? sum_bits : std::min(sum_bits, significand_bits(factors.C->type));
  const double unit = std::ldexp(1.0, -bits);
  const double terms = factors.A == nullptr ? launch.parameters.problem.K : factors.A->cols;
  if (has_reference(launch, factors)) {
    const double a = largest_integer(*factors.A);
    const double b = largest_integer(*factors.B);
    if (terms * a * b * unit < 1.0) {
      return 0.0;
    }
  }
  return 2.0 * terms * std::ldexp(1.0, -sum_bits) + (bits < sum_bits ? unit : 0.0);
}

}  // namespace tilestep::problem

// The values that a launch's buffers must hold at the end, and the comparison with them.
#pragma once

#include "problem/launch/launch.h"
#include "problem/launch/reference.h"
#include "problem/result.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::problem {

// Reference functions of the host, computed in float64:
//   matmul          the product of two buffers
//   transpose       columns as rows
//   add             the sum of buffers, element by element
//   sum, min, max   element i reduces the i-th of n equal parts of the buffer, where n is the
//                   number of expected elements: the whole buffer, its rows, or a block's part
//   inclusive_scan, exclusive_scan, softmax   of every row
//   histogram       element i is how often the value i occurs
//   convolution     of an image and a filter, which is not flipped and stays inside the image
//   attention       of queries Q, keys K and values V: softmax(Q·Kᵀ / √(columns of Q))·V
[[nodiscard]] std::vector<std::string> expected_functions();

// Sets launch.buffers[buffer].expected. The buffers must be filled. Fails with a sentence: an
// unknown buffer, incompatible shapes, an unusable file.
[[nodiscard]] Result<void> expect(Launch& launch, std::size_t buffer, const ExpectedSpec& spec);

// The floating-point operations that the launch's result needs: 2·M·N·K, or what the reference of a
// buffer that is no product needs. A softmax inside it is not counted.
[[nodiscard]] double needed_flops(const LaunchSpec& spec, const Launch& launch);

// The values expected of a buffer, row-major without pitch; empty if none are.
[[nodiscard]] std::vector<double> expected_values(const Launch& launch, std::size_t buffer);

// The values that a buffer must hold after the run, and the tolerance of its elements (agree()).
struct ExpectedOutput {
  std::size_t buffer = 0;  // index into Launch::buffers
  Numbers values;
  double tolerance = 0.0;
};
// Every buffer with expected values, and C if the launch has the reference "matmul".
[[nodiscard]] std::vector<ExpectedOutput> expected_outputs(const Launch& launch);

// One output buffer compared with its expected values.
struct BufferComparison {
  std::string buffer;
  ElementType type = ElementType::F32;
  Comparison comparison;
  double tolerance = 0.0;
  std::string first_wrong_element;  // "C[1][2]"; empty: all elements are correct
  // Known if stores were recorded: the number of elements that no thread stored, and whether the
  // first wrong element is one of them.
  std::size_t never_stored = 0;
  bool first_never_stored = false;
};

// "C[1][2] = 0.1, expected 0.25": the first wrong element, with all digits; "C[1][2], which no
// thread stored; expected 0.25".
[[nodiscard]] std::string first_wrong(const BufferComparison& output);

// Compares expected_outputs() with the contents: `contents_of(i)` are the bytes of buffer i after
// the run.
[[nodiscard]] std::vector<BufferComparison> compare_outputs(
    const Launch& launch,
    const std::function<std::span<const std::byte>(std::size_t)>& contents_of);

// The same for some elements of each buffer: `elements_of(i)` are the elements of buffer i that the
// run has stored, as row · columns + column, ascending.
[[nodiscard]] std::vector<BufferComparison> compare_elements(
    const Launch& launch, const std::function<std::span<const std::byte>(std::size_t)>& contents_of,
    const std::function<std::vector<std::size_t>(std::size_t)>& elements_of);

// The comparison to report: the first wrong one, otherwise the first; nullptr if there is none.
[[nodiscard]] const BufferComparison* most_telling(const std::vector<BufferComparison>& all);

}  // namespace tilestep::problem

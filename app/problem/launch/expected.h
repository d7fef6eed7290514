// What a launch's buffers have to hold in the end, and whether they do.
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

// Functions of the host's, computed in float64:
//   matmul          the product of two buffers
//   transpose       columns as rows
//   add             the sum of buffers, element by element
//   sum, min, max   element i is that of the i-th of as many equal stretches of the buffer as there
//                   are elements expected: all of it, its rows, or what each block took
//   inclusive_scan, exclusive_scan, softmax   of every row
//   histogram       element i is how often the value i occurs
[[nodiscard]] std::vector<std::string> expected_functions();

// Sets launch.buffers[buffer].expected. Buffers are filled. Fails with a sentence: a buffer that is
// not there, shapes that do not go together, a file that cannot be used.
[[nodiscard]] Result<void> expect(Launch& launch, std::size_t buffer, const ExpectedSpec& spec);

// The values that are expected of a buffer, row-major without pitch; nothing where nothing is.
[[nodiscard]] std::vector<double> expected_values(const Launch& launch, std::size_t buffer);

// What a buffer has to hold after the run, and how near its elements have to be (agree()).
struct ExpectedOutput {
  std::size_t buffer = 0;  // index into Launch::buffers
  Numbers values;
  double tolerance = 0.0;
};
// Every buffer that something is expected of, and C where the launch has the reference "matmul".
[[nodiscard]] std::vector<ExpectedOutput> expected_outputs(const Launch& launch);

struct BufferComparison {
  std::string buffer;
  ElementType type = ElementType::F32;
  Comparison comparison;
  double tolerance = 0.0;
  std::string first_wrong_element;  // "C[1][2]"; empty: all are right
  // Where the stores were watched: elements that no thread stored, and whether the first wrong one
  // is among them.
  std::size_t never_stored = 0;
  bool first_never_stored = false;
};

// "C[1][2] = 0.1, expected 0.25": at the first element that is wrong, with all their digits;
// "C[1][2], which no thread stored; expected 0.25".
[[nodiscard]] std::string first_wrong(const BufferComparison& output);

// expected_outputs() against what is there: `contents_of(i)` are the bytes of buffer i after the
// run.
[[nodiscard]] std::vector<BufferComparison> compare_outputs(
    const Launch& launch,
    const std::function<std::span<const std::byte>(std::size_t)>& contents_of);

// The same for some elements of each buffer: `elements_of(i)` are those of buffer i that the run
// has stored, as row · columns + column, ascending.
[[nodiscard]] std::vector<BufferComparison> compare_elements(
    const Launch& launch, const std::function<std::span<const std::byte>(std::size_t)>& contents_of,
    const std::function<std::vector<std::size_t>(std::size_t)>& elements_of);

// The most telling one: the first that is wrong, otherwise the first; nullptr when there is none.
[[nodiscard]] const BufferComparison* most_telling(const std::vector<BufferComparison>& all);

}  // namespace tilestep::problem

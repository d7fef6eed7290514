// CSV: matrices, and timings, whose data set reads the same after writing.
#include "problem/values/matrix_file.h"
#include "require.h"
#include "targets.h"
#include "timing/dataset.h"

namespace tilestep::fuzz {

void read_csv(Bytes bytes) {
  const std::string text = text_of(bytes);
  const auto matrices = problem::parse_matrices(text, "fuzz.csv");
  if (!matrices) {
    require(matrices.error().message.starts_with("fuzz.csv"), "an error names the file");
  } else {
    for (const problem::Numbers& matrix : *matrices) {
      require(matrix.rows > 0 && matrix.cols > 0, "no matrix is empty");
      require(matrix.values.size() == static_cast<std::size_t>(matrix.rows) * matrix.cols,
              "a matrix is whole");
    }
  }
  (void)problem::parse_csv(text, "fuzz.csv");

  const auto set = timing::parse_csv(text, {}, "fuzz.csv");
  if (!set) {
    require(set.error().message.starts_with("fuzz.csv"), "an error names the file");
    return;
  }
  const std::string written = timing::to_csv(*set);
  const auto again = timing::parse_csv(written, {}, "fuzz.csv");
  require(again && again->points == set->points, "what is written is read again\n" + written);
}

}  // namespace tilestep::fuzz

// Decides whether a measured launch computed C = A·B.
#pragma once

#include "problem/launch/launch.h"
#include "problem/launch/reference.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::timing {

// Freivalds' check: C·x == A·(B·x) for one random vector x, in integers modulo 2^64 (R. Freivalds,
// "Probabilistic machines can use less running time", 1977). It costs O(n²) where a reference costs
// O(n³). A matrix of integers below 2^25 that is wrong in any element passes with a probability
// under 2^-38. Returns the first row that differs, or that holds something that is no integer;
// nothing when C is right. A and B must be integers.
[[nodiscard]] std::optional<int> freivalds(const problem::Matrix& A, const problem::Matrix& B,
                                           const problem::Matrix& C, std::uint64_t seed);

class Verifier {
 public:
  // `launch` with its inputs filled in. Buffers are A, B and C when its reference is "matmul".
  explicit Verifier(const problem::Launch& launch);

  // Whether check() can say anything; when not, why.
  [[nodiscard]] bool possible() const { return why_not_.empty(); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Empty when C is right, otherwise a sentence: "C[3][17] is 5, expected 7 (12 of 64 elements)".
  // A large C that passes Freivalds' check becomes the reference of those that follow.
  [[nodiscard]] std::string check(std::span<const std::byte> C);

 private:
  [[nodiscard]] std::string look_closely(std::span<const std::byte> C);
  [[nodiscard]] std::string compare_with_reference(const problem::Matrix& C) const;

  problem::Buffer shape_;  // of C, without contents
  problem::Matrix A_;      // until a reference is there
  problem::Matrix B_;
  std::optional<problem::Matrix> reference_;
  std::vector<std::byte> right_;  // the last C that was right
  double tolerance_ = 0.0;
  std::string why_not_;
};

}  // namespace tilestep::timing

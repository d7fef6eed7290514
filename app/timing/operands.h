// One problem's buffers in device memory, with the inputs that every kernel of a sweep shares.
#pragma once

#include "gpu/device.h"
#include "problem/launch/launch.h"
#include "problem/launch/reference.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::timing {

// Decides whether a measured launch computed C = A·B, or what its description expects.

// Freivalds' check: C·x == A·(B·x) for one random vector x, in integers modulo 2^64 (R. Freivalds,
// "Probabilistic machines can use less running time", 1977). It costs O(n²), a reference O(n³). A
// matrix of integers below 2^25 that is wrong in any element passes with a probability under 2^-38.
// Returns the first row that differs or contains a number that is not an integer; empty if C is
// correct. A and B must be integers.
[[nodiscard]] std::optional<int> freivalds(const problem::Matrix& A, const problem::Matrix& B,
                                           const problem::Matrix& C, std::uint64_t seed);

class Verifier {
 public:
  // `launch` with its inputs filled in. Buffers are A, B and C if its reference is "matmul";
  // otherwise the first buffer with expected values is compared with them.
  explicit Verifier(const problem::Launch& launch);

  // Whether check() is possible; if not, why.
  [[nodiscard]] bool possible() const { return why_not_.empty(); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Empty if C is correct, otherwise a sentence: "C[3][17] is 5, expected 7 (12 of 64 elements)". A
  // large C that passes Freivalds' check becomes the reference of later ones.
  [[nodiscard]] std::string check(std::span<const std::byte> C);
  // The compared buffer; empty if check() is not possible.
  [[nodiscard]] const std::string& buffer() const { return shape_.name; }

 private:
  [[nodiscard]] std::string look_closely(std::span<const std::byte> C);
  [[nodiscard]] std::string compare_with_reference(const problem::Matrix& C) const;

  problem::Buffer shape_;  // of C or the buffer that is compared instead, without contents
  problem::Matrix A_;      // until there is a reference
  problem::Matrix B_;
  std::optional<problem::Matrix> reference_;
  std::vector<std::byte> right_;  // the last correct C
  double tolerance_ = 0.0;
  std::string why_not_;
};

class Operands {
 public:
  // Fills the inputs, by default with distinct small integers (or with what the description fixes),
  // and uploads them.
  [[nodiscard]] static Result<Operands> make(gpu::Device& device, const problem::LaunchSpec& spec,
                                             const problem::Parameters& parameters,
                                             const problem::InputSpec& input = {});

  // Whether another launch, described by `spec` and evaluated to `shape`, can use these buffers:
  // filling and uploading 4096×4096 takes longer than most launches.
  [[nodiscard]] bool fit(const problem::LaunchSpec& spec, const problem::Launch& shape) const;

  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  [[nodiscard]] std::uint64_t address(const std::string& buffer) const;

  void poison_outputs();
  // Sets new contents of a buffer, with exactly its size. check_result() still expects the same.
  void write(const std::string& buffer, std::span<const std::byte> contents);
  // C as it is now: M×N, without the padding of its rows.
  [[nodiscard]] std::vector<float> read_result() const;
  // Whether a launch reads and writes a buffer: the next launch then starts from the last result.
  [[nodiscard]] bool changes_its_inputs() const;
  [[nodiscard]] Verifier& verifier() { return verifier_; }
  // Reads the result back and compares it; empty if it is correct or if there is nothing to compare
  // with.
  [[nodiscard]] std::string check_result();

 private:
  [[nodiscard]] std::size_t place_of(const std::string& buffer) const;
  Operands(const problem::LaunchSpec& spec, const problem::Launch& launch);

  std::vector<problem::BufferSpec> specs_;
  std::vector<problem::Buffer> shapes_;  // without contents
  std::vector<gpu::Buffer> buffers_;
  std::vector<std::uint64_t> addresses_;
  problem::Problem problem_;
  std::string reference_;
  Verifier verifier_;
  std::vector<std::byte> result_;  // C read back; kept, because new pages cost more than the copy
};

}  // namespace tilestep::timing

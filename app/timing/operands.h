// One problem's buffers in device memory, with the inputs every kernel of a sweep shares.
#pragma once

#include "gpu/device.h"
#include "problem/launch/launch.h"
#include "timing/verifier.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilestep::timing {

class Operands {
 public:
  // Fills the inputs, by default with distinct small integers (or what the description fixes), and
  // uploads them.
  [[nodiscard]] static Result<Operands> make(gpu::Device& device, const problem::LaunchSpec& spec,
                                             const problem::Parameters& parameters,
                                             const problem::InputSpec& input = {});

  // Whether another launch, as described by `spec` and evaluated to `shape`, uses these very
  // buffers: filling and uploading 4096×4096 takes longer than most launches.
  [[nodiscard]] bool fit(const problem::LaunchSpec& spec, const problem::Launch& shape) const;

  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  [[nodiscard]] std::uint64_t address(const std::string& buffer) const;

  void poison_outputs();
  // Other contents of a buffer, as many bytes as it has. What check_result() expects stays.
  void write(const std::string& buffer, std::span<const std::byte> contents);
  // C as it is now: M×N, without the padding of its rows.
  [[nodiscard]] std::vector<float> read_result() const;
  // A buffer that a launch reads and writes: the next launch starts from what the last one left.
  [[nodiscard]] bool changes_its_inputs() const;
  [[nodiscard]] Verifier& verifier() { return verifier_; }
  // Reads C back and compares it; empty when right or when there is nothing to compare with.
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
  std::vector<std::byte> result_;  // C read back: kept, as its pages cost more than the copy
};

}  // namespace tilestep::timing

// Bytes for vector registers: zeroed, 64-byte aligned, copied as a whole.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilestep::simt {

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes) : lines_((bytes + kLine - 1) / kLine) {}

  [[nodiscard]] std::byte* data() { return lines_.empty() ? nullptr : lines_.data()->bytes; }
  [[nodiscard]] const std::byte* data() const {
    return lines_.empty() ? nullptr : lines_.data()->bytes;
  }
  [[nodiscard]] std::size_t size() const { return lines_.size() * kLine; }
  [[nodiscard]] std::span<std::byte> bytes() { return {data(), size()}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data(), size()}; }
  void grow(std::size_t bytes) { lines_.resize((bytes + kLine - 1) / kLine); }

 private:
  static constexpr std::size_t kLine = 64;
  struct alignas(kLine) Line {
    std::byte bytes[kLine];
  };
  std::vector<Line> lines_;
};

}  // namespace tilestep::simt

// Bytes for vector registers: zeroed, 64-byte aligned, copied as a whole.
#pragma once

#include "simt/state/zeroed_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tilestep::simt {

// Pages that were never written take no memory, in copies neither: a warp that leaves a kernel
// early has touched few of its registers.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes)
      : room_(bytes == 0 ? 0 : rounded(bytes) + kLine), size_(rounded(bytes)) {}
  // Its bytes may be anything.
  [[nodiscard]] static AlignedBuffer for_overwrite(std::size_t bytes) {
    AlignedBuffer buffer;
    buffer.size_ = rounded(bytes);
    buffer.room_ = ZeroedBytes::for_overwrite(bytes == 0 ? 0 : buffer.size_ + kLine);
    return buffer;
  }
  AlignedBuffer(const AlignedBuffer& other) : AlignedBuffer(other.size_) { copy_from(other); }
  AlignedBuffer& operator=(const AlignedBuffer& other) { return *this = AlignedBuffer(other); }
  AlignedBuffer(AlignedBuffer&&) noexcept = default;
  AlignedBuffer& operator=(AlignedBuffer&&) noexcept = default;
  ~AlignedBuffer() = default;

  [[nodiscard]] std::byte* data() { return room_.data() + shift(); }
  [[nodiscard]] const std::byte* data() const { return room_.data() + shift(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() { return {data(), size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data(), size_}; }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + kLine - 1) / kLine * kLine;
  }
  [[nodiscard]] std::size_t shift() const {
    return (kLine - reinterpret_cast<std::uintptr_t>(room_.data()) % kLine) % kLine;
  }
  void copy_from(const AlignedBuffer& other) {
    static constexpr std::byte kZeros[kPage]{};
    for (std::size_t at = 0; at < other.size_; at += kPage) {
      const std::size_t bytes = std::min(kPage, other.size_ - at);
      if (std::memcmp(other.data() + at, kZeros, bytes) != 0) {
        std::memcpy(data() + at, other.data() + at, bytes);
      }
    }
  }

  ZeroedBytes room_;
  std::size_t size_ = 0;
};

}  // namespace tilestep::simt

// Bytes that are zero at first and take no memory until they are written: the buffers of a launch
// that is only counted may be gigabytes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tilestep::simt {

class ZeroedBytes {
 public:
  ZeroedBytes() = default;
  // Large blocks come from calloc as untouched pages.
  explicit ZeroedBytes(std::size_t size)
      : bytes_(static_cast<std::byte*>(std::calloc(size, 1)), &std::free), size_(size) {
    if (size != 0 && bytes_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  // The exception: whoever asks writes all of them.
  [[nodiscard]] static ZeroedBytes for_overwrite(std::size_t size) {
    ZeroedBytes bytes;
    bytes.bytes_.reset(static_cast<std::byte*>(std::malloc(size)));
    if (size != 0 && bytes.bytes_ == nullptr) {
      throw std::bad_alloc();
    }
    bytes.size_ = size;
    return bytes;
  }

  [[nodiscard]] std::byte* data() { return bytes_.get(); }
  [[nodiscard]] const std::byte* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte, void (*)(void*)> bytes_{nullptr, &std::free};
  std::size_t size_ = 0;
};

}  // namespace tilestep::simt

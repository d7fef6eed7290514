// Memory that the states of a machine hold and share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace tilestep::simt {

// Bytes that are initially zero and take no memory until they are written: the buffers of a launch
// that is only counted may be gigabytes.

class ZeroedBytes {
 public:
  ZeroedBytes() = default;
  // calloc returns large blocks as untouched pages.
  explicit ZeroedBytes(std::size_t size)
      : bytes_(static_cast<std::byte*>(std::calloc(size, 1)), &std::free), size_(size) {
    if (size != 0 && bytes_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  // An uninitialized array: the caller must write all of it.
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

// Bytes for vector registers: zeroed, 64-byte aligned, copied as a whole.

// Pages that were never written take no memory, nor do they in copies: a warp that exits early has
// used few of its registers.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes)
      : room_(bytes == 0 ? 0 : rounded(bytes) + kLine), size_(rounded(bytes)) {}
  // Uninitialized.
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

// A value that copies share until one of them changes it.

// Copies may be made and dropped in several threads at once; a single copy belongs to one thread,
// like any value.
template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(std::shared_ptr<T> value) : value_(std::move(value)) {}

  explicit operator bool() const { return value_ != nullptr; }
  [[nodiscard]] const T* get() const { return value_.get(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  // For changes: copied first if others hold it too.
  [[nodiscard]] T& own() {
    if (!is_sole()) {
      value_ = std::make_shared<T>(*value_);
    }
    return *value_;
  }
  // Releases the value: returns it if no other copy holds it, otherwise nullptr.
  [[nodiscard]] std::shared_ptr<T> release() {
    const bool sole = is_sole();
    std::shared_ptr<T> value = std::move(value_);
    return sole ? std::move(value) : nullptr;
  }

  friend bool operator==(const CopyOnWrite& a, const CopyOnWrite& b) {
    return a.value_ == b.value_ ||
           (a.value_ != nullptr && b.value_ != nullptr && *a.value_ == *b.value_);
  }

 private:
  [[nodiscard]] bool is_sole() const {
    const bool sole = value_.use_count() == 1;
    // A thread that dropped it has finished reading it before.
    std::atomic_thread_fence(std::memory_order_acquire);
    return sole;
  }

  std::shared_ptr<T> value_;
};

// One entry for each block of a part of the grid: a machine may run a few blocks of a grid that has
// hundreds of millions.

// Blocks first to last - 1, by their linear index.
struct BlockPart {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  [[nodiscard]] std::uint32_t count() const { return last - first; }
  [[nodiscard]] bool holds(std::uint64_t block) const { return block >= first && block < last; }
  friend bool operator==(const BlockPart&, const BlockPart&) = default;
};

// Entries start as T{}. Every block outside the part reads as `outside`, and cannot be written.
template <class T>
class BlockTable {
 public:
  BlockTable() = default;
  explicit BlockTable(BlockPart part, T outside = {})
      : part_(part), entries_(part.count()), outside_(std::move(outside)) {}

  [[nodiscard]] BlockPart part() const { return part_; }
  [[nodiscard]] const T& operator[](std::size_t block) const {
    return part_.holds(block) ? entries_[block - part_.first] : outside_;
  }
  [[nodiscard]] T& at(std::size_t block) {
    assert(part_.holds(block));
    return entries_[block - part_.first];
  }
  // Entries of the part's blocks, in their order.
  [[nodiscard]] const std::vector<T>& entries() const { return entries_; }

  friend bool operator==(const BlockTable&, const BlockTable&) = default;

 private:
  BlockPart part_;
  std::vector<T> entries_;
  T outside_{};
};

// Compression of similar arrays of words: registers of warps that execute the same code, 32 lanes
// per row.
//
// An array is stored as its differences from the last one of the same length (the same part of
// another warp). In each row only those differences are stored that differ from the second word
// before them. So lanes that differ from the other warp's by one constant, of 32 or 64 bits, cost
// two words, and a row without a difference one bit. The compression is lossless for any words.

// The last array of each length.
class ArraysBefore {
 public:
  // Returns the last array of this length and replaces it by `array`; empty: there was none.
  std::span<const std::byte> exchange(std::span<const std::byte> array);

 private:
  std::vector<std::span<const std::byte>> arrays_;
};

// Arrays are bytes of whole words, and must not change until one of the same length has followed.
class WordPacker {
 public:
  void add(std::span<const std::byte> array);
  // Appends one word after the last array, because an unpacker may read it.
  [[nodiscard]] std::vector<std::uint32_t> take() {
    if (!packed_.empty()) {
      packed_.push_back(0);
    }
    return {packed_.begin(), packed_.end()};
  }

 private:
  ArraysBefore before_;
  std::vector<std::uint32_t> packed_;
};

// Returns the arrays in the order in which they were added.
class WordUnpacker {
 public:
  explicit WordUnpacker(std::span<const std::uint32_t> packed) : rest_(packed) {}

  [[nodiscard]] std::size_t next_bytes() const { return rest_.front() * sizeof(std::uint32_t); }
  // `array` has next_bytes().
  void next(std::span<std::byte> array);

 private:
  std::span<const std::uint32_t> rest_;
  ArraysBefore before_;
};

}  // namespace tilestep::simt

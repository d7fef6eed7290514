// Who wrote each word of a buffer or of a block's shared memory last.
#pragma once

#include "simt/state/copy_on_write.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::record {

// Packed Writer: step is 1-based, 0 says that nobody has written yet.
struct WriterWord {
  std::uint32_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t line = 0;

  friend bool operator==(const WriterWord&, const WriterWord&) = default;
};

// In pages: those that nobody wrote take no room, and copies share the others until they change.
class Writers {
 public:
  Writers() = default;
  explicit Writers(std::size_t words) : words_(words), pages_((words + kWords - 1) / kWords) {}

  // In words.
  [[nodiscard]] std::size_t size() const { return words_; }
  // Beyond the end as well: nobody.
  [[nodiscard]] WriterWord operator[](std::size_t word) const {
    return word < words_ && pages_[word / kWords] ? (*pages_[word / kWords])[word % kWords]
                                                  : WriterWord{};
  }
  void set(std::size_t word, const WriterWord& writer) {
    simt::CopyOnWrite<Page>& page = pages_[word / kWords];
    if (!page) {
      page = simt::CopyOnWrite<Page>(std::make_shared<Page>());
    }
    page.own()[word % kWords] = writer;
  }
  // Bytes it occupies, shared pages included.
  [[nodiscard]] std::size_t footprint() const {
    std::size_t bytes = pages_.size() * sizeof(pages_[0]);
    for (const simt::CopyOnWrite<Page>& page : pages_) {
      bytes += page ? sizeof(Page) : 0;
    }
    return bytes;
  }

  friend bool operator==(const Writers&, const Writers&) = default;

 private:
  static constexpr std::size_t kWords = 256;
  using Page = std::array<WriterWord, kWords>;

  std::size_t words_ = 0;
  std::vector<simt::CopyOnWrite<Page>> pages_;
};

}  // namespace tilestep::record

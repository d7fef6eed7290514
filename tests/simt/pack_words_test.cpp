// Any words are restored exactly; similar words take little memory.
#include "simt/state/storage.h"

#include <gtest/gtest.h>

#include <random>

namespace tilestep::simt {
namespace {

using Words = std::vector<std::uint32_t>;

[[nodiscard]] std::vector<Words> after_packing(const std::vector<Words>& arrays,
                                               std::size_t* size = nullptr) {
  WordPacker packer;
  for (const Words& words : arrays) {
    packer.add(std::as_bytes(std::span(words)));
  }
  const Words packed = packer.take();
  if (size != nullptr) {
    *size = packed.size();
  }
  WordUnpacker unpacker(packed);
  std::vector<Words> unpacked;
  unpacked.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Words& words = unpacked.emplace_back(unpacker.next_bytes() / sizeof(std::uint32_t));
    unpacker.next(std::as_writable_bytes(std::span(words)));
  }
  return unpacked;
}

TEST(PackedWords, OfAnyLengthAndContentsComeBack) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Words> arrays(1 + random() % 6);
    for (Words& words : arrays) {
      // Repeated lengths, so that arrays have a predecessor of the same length.
      const std::size_t lengths[] = {0, 1, 31, 32, 33, 1024, 1025, 2500};
      words.resize(lengths[random() % 8]);
      const std::size_t kinds = random() % 4;  // of its words: how many differ
      for (std::uint32_t& word : words) {
        word = random() % (kinds + 1) == 0 ? 7U : static_cast<std::uint32_t>(random());
      }
    }
    ASSERT_EQ(after_packing(arrays), arrays) << trial;
  }
}

// Registers of two warps: zeros, lane numbers, 64-bit addresses of neighboring elements.
[[nodiscard]] Words registers_of(std::uint32_t block) {
  Words words(4096);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    words[lane] = 100 * block + lane;
    const std::uint64_t address = (7ULL << 32U) + 0xfffffff0U + 4096ULL * block + 4 * lane;
    words[64 + 2 * lane] = static_cast<std::uint32_t>(address);
    words[64 + 2 * lane + 1] = static_cast<std::uint32_t>(address >> 32U);
    words[192 + lane] = 42;
  }
  return words;
}

TEST(PackedWords, OfWarpsThatDoTheSameTakeLittleRoom) {
  std::size_t one = 0;
  EXPECT_EQ(after_packing({registers_of(0)}, &one), std::vector<Words>{registers_of(0)});
  std::size_t two = 0;
  const std::vector<Words> both{registers_of(0), registers_of(1)};
  EXPECT_EQ(after_packing(both, &two), both);
  EXPECT_LT(two - one, 20U);
  std::size_t same = 0;
  const std::vector<Words> twice{registers_of(0), registers_of(0)};
  EXPECT_EQ(after_packing(twice, &same), twice);
  EXPECT_EQ(same - one, 1 + 4096 / 32 / 32) << "its length and a bit a row";
}

}  // namespace
}  // namespace tilestep::simt

#include "ptx/sass/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

namespace tilestep::ptx {
namespace {

// Instructions of 9.0: bits 0–63 and 64–127.
constexpr std::array<std::uint64_t, 2> kLoad{0x00000a00ff017b82, 0x000fe20000000800};
constexpr std::array<std::uint64_t, 2> kBack{0xfffffffc00f88947,
                                             0x000fea000383ffff};  // by 32 bytes
constexpr std::array<std::uint64_t, 2> kExit{0x000000000000794d, 0x000fea0003800000};
constexpr std::array<std::uint64_t, 2> kNotKnown{0x00000000000071ff, 0x000fea0003800000};

SassListing listing_of(std::initializer_list<std::array<std::uint64_t, 2>> code,
                       std::vector<std::uint32_t> lines) {
  CubinKernel kernel;
  kernel.architecture = 90;
  kernel.lines = std::move(lines);
  for (const auto& words : code) {
    kernel.code.resize(kernel.code.size() + kSassBytes);
    std::memcpy(&kernel.code[kernel.code.size() - kSassBytes], words.data(), kSassBytes);
  }
  return list_sass(kernel);
}

TEST(SassListing, HasInstructionsWithTheirSourceLinesAndTheTargetsOfBranches) {
  const SassListing listing = listing_of({kLoad, kExit, kBack, kExit}, {14, 0, 22, 22});
  EXPECT_EQ(listing.text,
            "0000      LDC R1, c[0x0][0x28]\n"
            "0x10:\n"
            "0010      EXIT\n"
            "0020  @!P0 BRA 0x10\n"
            "0030      EXIT\n");
  EXPECT_THAT(listing.lines, testing::ElementsAre(14, 0, 0, 22, 22));
}

TEST(SassListing, AnInstructionThatIsNotKnownIsItsBits) {
  const SassListing listing = listing_of({kNotKnown, kExit}, {});
  EXPECT_EQ(listing.text,
            "0000      0x000fea0003800000 0x00000000000071ff: Tilestep does not know this "
            "instruction.\n"
            "0010      EXIT\n");
  EXPECT_THAT(listing.lines, testing::ElementsAre(0, 0));
}

TEST(SassListing, CodeThatIsEmptyHasNoText) {
  EXPECT_EQ(listing_of({}, {}).text, "");
}

}  // namespace
}  // namespace tilestep::ptx

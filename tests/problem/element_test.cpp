#include "problem/values/element.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tilestep::problem {
namespace {

constexpr std::array kAllTypes{ElementType::F16, ElementType::BF16, ElementType::F32,
                               ElementType::F64, ElementType::S8,   ElementType::U8,
                               ElementType::S16, ElementType::U16,  ElementType::S32,
                               ElementType::U32, ElementType::S64,  ElementType::U64};

TEST(Element, EveryType_ReadsBackWhatWasStored) {
  for (const ElementType type : kAllTypes) {
    const ValueRange range = value_range(type);
    for (const double value : {0.0, 1.0, 100.0, range.lowest, range.highest}) {
      std::array<std::byte, 8> bytes{};
      store_element(type, value, bytes.data());
      EXPECT_EQ(load_element(type, bytes.data()), value);
      for (std::size_t i = byte_size(type); i < bytes.size(); ++i) {
        EXPECT_EQ(bytes[i], std::byte{0});
      }
    }
  }
}

TEST(Element, IntegerRanges_AreThoseOfTheType) {
  EXPECT_EQ(value_range(ElementType::U8).lowest, 0.0);
  EXPECT_EQ(value_range(ElementType::U8).highest, 255.0);
  EXPECT_EQ(value_range(ElementType::S8).lowest, -128.0);
  EXPECT_EQ(value_range(ElementType::U32).highest, 4294967295.0);
  EXPECT_EQ(value_range(ElementType::S64).highest, 9007199254740992.0);
}

TEST(Element, TextHasTheDigitsThatTellItApart) {
  EXPECT_EQ(element_text(ElementType::F32, 0.1F), "0.1");
  EXPECT_EQ(element_text(ElementType::F64, 0.1), "0.1");
  EXPECT_EQ(element_text(ElementType::F64, 0.1F), "0.10000000149011612");
  EXPECT_EQ(element_text(ElementType::S32, 123456789.0), "123456789");
}

TEST(Half, EveryFiniteValue_RoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_half_bits(half);
    if (!std::isnan(value)) {
      EXPECT_EQ(to_half_bits(value), half);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(from_half_bits(to_half_bits(2049.0F)), 2048.0F);
  EXPECT_EQ(from_half_bits(to_half_bits(2051.0F)), 2052.0F);
  EXPECT_EQ(from_half_bits(to_half_bits(65519.0F)), 65504.0F);
  EXPECT_EQ(from_half_bits(to_half_bits(65520.0F)), HUGE_VALF);
  EXPECT_EQ(to_half_bits(0x1p-25F), 0);  // halfway to the smallest subnormal: even is zero
  EXPECT_EQ(to_half_bits(0x1.8p-25F), 1);
  EXPECT_EQ(to_half_bits(0x1.ff8p-15F), 0x03ff);
  EXPECT_EQ(to_half_bits(0x1.ffcp-15F), 0x0400);  // rounds up into the normal numbers
  EXPECT_EQ(to_half_bits(-0.0F), 0x8000);
  EXPECT_EQ(to_half_bits(std::numeric_limits<float>::quiet_NaN()) & 0x7fff, 0x7e00);
}

TEST(Bfloat, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(from_bfloat_bits(to_bfloat_bits(257.0F)), 256.0F);
  EXPECT_EQ(from_bfloat_bits(to_bfloat_bits(259.0F)), 260.0F);
  EXPECT_EQ(from_bfloat_bits(to_bfloat_bits(-1.5F)), -1.5F);
  EXPECT_TRUE(std::isnan(from_bfloat_bits(to_bfloat_bits(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_EQ(from_bfloat_bits(to_bfloat_bits(std::numeric_limits<float>::max())), HUGE_VALF);
}

TEST(Element, AllOnes_IsNanInEveryFloatingType) {
  constexpr std::array<std::byte, 8> ones{std::byte{255}, std::byte{255}, std::byte{255},
                                          std::byte{255}, std::byte{255}, std::byte{255},
                                          std::byte{255}, std::byte{255}};
  for (const ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    EXPECT_TRUE(std::isnan(load_element(type, ones.data())));
  }
}

}  // namespace
}  // namespace tilestep::problem

#include "ptx/model/names.h"

#include <gtest/gtest.h>

namespace tilestep::ptx {
namespace {

TEST(LocalName, IsSplitIntoFunctionAndVariable) {
  const auto name = parse_local_name("_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->function, "_Z12matmul_tiledILi4EEvPKfS1_Pfiii");
  EXPECT_EQ(name->name, "As");
  EXPECT_EQ(name->discriminator, 0U);
}

TEST(LocalName, CountsEarlierVariablesOfTheName) {
  EXPECT_EQ(parse_local_name("_ZZ1kIfLi8EEvPT_iE2As_0")->discriminator, 1U);
  EXPECT_EQ(parse_local_name("_ZZ1kIfLi8EEvPT_iE2As_1")->discriminator, 2U);
  EXPECT_EQ(parse_local_name("_ZZ1kIfLi8EEvPT_iE2As__10_")->discriminator, 11U);
}

TEST(LocalName, MayLookLikeADiscriminatorOrLikeAnotherName) {
  const auto numbered = parse_local_name("_ZZ1kIfLi8EEvPT_iE4As_0");
  EXPECT_EQ(numbered->name, "As_0");
  EXPECT_EQ(numbered->discriminator, 0U);
  const auto nested = parse_local_name("_ZZ1fvE6aE3foo");
  EXPECT_EQ(nested->name, "aE3foo");
  EXPECT_EQ(nested->function, "_Z1fv");
}

TEST(LocalName, OfAnUnmangledFunctionNamesItAsItIs) {
  EXPECT_EQ(parse_local_name("_ZZ8c_kernelE2As")->function, "c_kernel");
}

TEST(LocalName, OfAPieceIsThatOfTheWhole) {
  const auto piece = parse_local_name("_ZZ6boundsPKiPiE4ends_0_$_1");
  EXPECT_EQ(piece->name, "ends");
  EXPECT_EQ(piece->discriminator, 1U);
}

TEST(SplitPiece, GivesTheWholeAndTheWayToThePiece) {
  const SymbolPiece piece = split_piece("_ZZ5two_dPKiPiE1m_$_0_$_12");
  EXPECT_EQ(piece.whole, "_ZZ5two_dPKiPiE1m");
  EXPECT_EQ(piece.path, (std::vector<std::uint32_t>{0, 12}));
}

TEST(SplitPiece, IsWholeWithoutNumbers) {
  for (const char* symbol : {"ends", "ends_$_", "ends_$_x", "_$_1", "ends_$_1x", "ends_1"}) {
    EXPECT_EQ(split_piece(symbol).whole, symbol);
    EXPECT_TRUE(split_piece(symbol).path.empty()) << symbol;
  }
}

TEST(LocalName, OfAMethodNamesTheMethod) {
  EXPECT_EQ(parse_local_name("_ZZN3FooIfE3runEvE2As")->function, "_ZN3FooIfE3runEv");
}

TEST(LocalName, IsNothingForOtherSymbols) {
  for (const char* symbol : {"coef", "_ZN2ns7counterE", "_ZZ", "_Z", "", "_ZZ8c_kernelEUliE_",
                             "_ZZxE2As", "_ZZ1fvE99As"}) {
    EXPECT_FALSE(parse_local_name(symbol)) << symbol;
  }
}

TEST(LastComponent, IgnoresColonsInsideBrackets) {
  EXPECT_EQ(last_component("Kind::A"), "A");
  EXPECT_EQ(last_component("f(ns::T)::{lambda(ns::T)#1}"), "{lambda(ns::T)#1}");
  EXPECT_EQ(last_component("Arr<ns::T>"), "Arr<ns::T>");
}

}  // namespace
}  // namespace tilestep::ptx

// Names that a text declares, and names that it only uses.
#include "problem/source/cuda_scanner.h"
#include "problem/source/cuda_text.h"

#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

bool declares_tile(const std::string& source) {
  return declares_name(read_cuda_text(source).tokens, "TILE");
}

TEST(DeclaredName, IsFoundInEveryKindOfDeclaration) {
  for (const char* const source : {"const int TILE = 16;",
                                   "void f() { constexpr unsigned TILE{16}; }",
                                   "auto TILE = g();",
                                   "template <int TILE> void f();",
                                   "template <class A, int... TILE> void f();",
                                   "template <typename TILE> void f();",
                                   "void f(int n, const float* __restrict__ TILE) {}",
                                   "void f(float& TILE) {}",
                                   "enum { ROWS = 4, TILE = 8 };",
                                   "enum class E : int { TILE };",
                                   "struct S { int TILE; };",
                                   "struct TILE { int n; };",
                                   "using TILE = int;",
                                   "typedef struct { int n; } TILE;",
                                   "int a = 1, TILE = 2;",
                                   "float a[4], TILE[4];",
                                   "void f() { for (int i = 0, TILE = 4; i < TILE; ++i) {} }",
                                   "int TILE(int n);",
                                   "array<int, 4> TILE;",
                                   "__shared__ float TILE[16];",
                                   "unsigned long const TILE = 8;"}) {
    EXPECT_TRUE(declares_tile(source)) << source;
  }
}

TEST(DeclaredName, IsNotFoundWhereItIsUsed) {
  for (const char* const source :
       {"__shared__ float s[TILE][TILE];", "dim3 block(TILE, TILE);", "int n = a * TILE;",
        "void f() { g(a, TILE); g(a * TILE); return TILE; }", "int a[] = {1, TILE};",
        "k<TILE><<<n, TILE>>>(x);", "void f() { if (i < n && m > TILE) x = TILE; }",
        "float rows[4], sums[TILE];", "void f() { switch (n) { case TILE: break; } }",
        "enum { ROWS = TILE, COLUMNS };", "void f() { x = y ? TILE : 2; }",
        "void f() { int a = g(b, TILE), c = TILE; }", "Tile<float, TILE> t;"}) {
    EXPECT_FALSE(declares_tile(source)) << source;
  }
}

TEST(DeclaredName, HeadersCount) {
  const CudaText text = read_cuda_text("__global__ void k(float* x) { x[TILE] = SIDE; }",
                                       {{"sizes.h", "#define SIDE 8\nconstexpr int TILE = 4;\n"}});
  EXPECT_TRUE(text.declares("TILE"));
  EXPECT_TRUE(text.declares("SIDE"));
  EXPECT_FALSE(text.declares("x2"));
  EXPECT_EQ(text.constants.at("TILE"), 4);
}

}  // namespace
}  // namespace tilestep::problem

#include "problem/source/cuda_scanner.h"

#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

TEST(WithConstant, ReplacesWhatTheTextGivesAName) {
  EXPECT_EQ(with_constant("#define TILE 16  // wide\nint a[TILE];", "TILE", "4"),
            "#define TILE 4  // wide\nint a[TILE];");
  EXPECT_EQ(with_constant("#define TILE (2 * 8)\n", "TILE", "4"), "#define TILE 4\n");
  EXPECT_EQ(with_constant("constexpr int BS = 16;", "BS", "8"), "constexpr int BS = 8;");
  EXPECT_EQ(with_constant("const int A = 2, BS = 16;", "BS", "8"), "const int A = 2, BS = 8;");
}

TEST(WithConstant, LeavesWhatIsNoConstantOfTheText) {
  for (const char* const text :
       {"#ifndef TILE\n#define TILE 16\n#endif\n", "int TILE = 16;", "#define TILED 16\n",
        "// #define TILE 16\n", "#define TILE 16\n#undef TILE\n#define TILE 8\n",
        "void f() { const int TILE = 1; }\nvoid g() { const int TILE = 2; }\n", "#define TILE\n",
        "#define TILE(x) (16 * x)\n"}) {
    EXPECT_EQ(with_constant(text, "TILE", "4"), text);
    EXPECT_FALSE(has_fixed_constant(text, "TILE")) << text;
  }
  EXPECT_TRUE(has_fixed_constant("#define TILE 16\n", "TILE"));
}

}  // namespace
}  // namespace tilestep::problem

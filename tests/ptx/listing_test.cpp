#include "ptx/sass/sass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::ptx {
namespace {

// A part of nvdisasm 13.5's output for `tiled`.
constexpr const char* kOutput = R"(	.target	sm_90

//--------------------- .text._Z5tiledv --------------------------
	.section	.text._Z5tiledv,"ax",@progbits
.text._Z5tiledv:
        .weak           _Z5tiledv
_Z5tiledv:
	//## File "/work/tiled.cu", line 14
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/usr/include/x.h", line 7
        /*0010*/                   NOP ;
	//## File "/work/tiled.cu", line 22 inlined at somewhere
        /*0020*/              @!P0 BRA `(.L_x_0) ;
.L_x_0:
        /*0030*/                   EXIT ;
)";

TEST(SassListing, HasInstructionsWithTheirSourceLines) {
  const SassListing listing = read_listing(kOutput, "tiled.cu");
  EXPECT_EQ(listing.text,
            "_Z5tiledv:\n"
            "0000      LDC R1, c[0x0][0x28]\n"
            "0010      NOP\n"
            "0020  @!P0 BRA `(.L_x_0)\n"
            ".L_x_0:\n"
            "0030      EXIT\n");
  EXPECT_THAT(listing.lines, testing::ElementsAre(0, 14, 0, 22, 0, 22));
}

TEST(SassListing, OfNothingIsEmpty) {
  EXPECT_EQ(read_listing("", "x.cu").text, "");
  EXPECT_EQ(read_listing("/*", "x.cu").text, "");
}

}  // namespace
}  // namespace tilestep::ptx

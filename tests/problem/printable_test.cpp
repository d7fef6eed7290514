#include "problem/text.h"

#include <gtest/gtest.h>

namespace tilestep {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  const std::string text = "a.cu:3: \"8×8\" – \\n of C:\\x, 𝄞 and\n\ttwo lines {}.";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("\n\n"), "\n\n");
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("\x1b[31m\x07"), "\\x1b[31m\\x07");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "a control character beyond ASCII";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e") << "turns the direction of writing around";
  EXPECT_EQ(printable("\r"), "\\r");
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff-\xc3"), "\\xff-\\xc3");
  EXPECT_EQ(printable("\xc3\"é"), "\\xc3\"é");
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened(std::string(79, 'x') + "éé"), std::string(79, 'x') + "…");
  EXPECT_EQ(shortened(std::string(1000, 'x')), std::string(80, 'x') + "…");
}

}  // namespace
}  // namespace tilestep

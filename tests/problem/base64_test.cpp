// RFC 4648's own examples, and invalid ones.
#include "problem/text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace tilestep::problem {
namespace {

TEST(Base64, WritesAndReadsTheExamplesOfItsRfc) {
  for (const auto& [bytes, text] : {std::pair("", ""),
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, HoldsEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  EXPECT_EQ(from_base64(to_base64(all)), all);
  EXPECT_EQ(from_base64("Zm9v\n YmFy\n"), "foobar") << "broken into lines";
}

TEST(Base64, RefusesWhatIsCutOffOrDamaged) {
  for (const char* text : {"Zm9", "Z", "Zm9v?mFy", "Zg==Zg==", "Z===", "===="}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace tilestep::problem

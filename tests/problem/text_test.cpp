#include "problem/text.h"

#include <gtest/gtest.h>

namespace tilestep {
namespace {

TEST(TomlQuoted, IsAStringOfTomlWhateverTheText) {
  EXPECT_EQ(toml_quoted("a \"b\" \\ größe"), R"("a \"b\" \\ größe")");
  EXPECT_EQ(toml_quoted("a\nb\x1b\x7f"), R"("a\u000Ab\u001B\u007F")");
  EXPECT_EQ(toml_quoted("\xff!"), R"("\\xff!")");
  EXPECT_EQ(toml_quoted(""), R"("")");
}

TEST(TomlKey, IsInQuotesWhereItHasTo) {
  EXPECT_EQ(toml_key("BLOCK_SIZE-2"), "BLOCK_SIZE-2");
  EXPECT_EQ(toml_key("größe"), R"("größe")");
  EXPECT_EQ(toml_key("a.b"), R"("a.b")");
  EXPECT_EQ(toml_key(""), R"("")");
}

}  // namespace
}  // namespace tilestep

#include "compile/cache.h"

#include <gtest/gtest.h>

namespace tilestep::compile {
namespace {

Output output_of(std::size_t bytes) {
  Output o;
  o.ptx = std::string(bytes, 'x');
  return o;
}

TEST(MemoryCache, ReturnsWhatWasStored_MarkedAsCached) {
  MemoryCache cache(100);
  EXPECT_FALSE(cache.find("a"));
  cache.store("a", output_of(10));
  ASSERT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.find("a")->ptx.size(), 10U);
  EXPECT_TRUE(cache.find("a")->from_cache);
}

TEST(MemoryCache, DropsTheLeastRecentlyUsed) {
  MemoryCache cache(100);
  cache.store("a", output_of(40));
  cache.store("b", output_of(40));
  EXPECT_TRUE(cache.find("a"));
  cache.store("c", output_of(40));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
}

TEST(MemoryCache, OneEntryLargerThanAll_IsKeptUntilTheNext) {
  MemoryCache cache(100);
  cache.store("a", output_of(500));
  EXPECT_TRUE(cache.find("a"));
  cache.store("b", output_of(1));
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
}

}  // namespace
}  // namespace tilestep::compile

// The hardware's counters as a file: the shipped files can be read, and a broken file is named.
#include "timing/counter_set.h"

#include "folders.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tilestep::timing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CounterSet, TheShippedOneIsReadWhole) {
  const auto set =
      load_counter_set(tilestep::test::source_folder() / "assets" / "counters" / "h200.json");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->gpu, "NVIDIA H200");
  EXPECT_EQ(set->launches.size(), 1762U);
  const CountedLaunch* launch = set->find("tiled", {131, 117, 93}, 16);
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->global_load_requests, 6552U);
  EXPECT_EQ(launch->global_load_sectors, 35737U);
  EXPECT_EQ(launch->shared_load_wavefronts, 82944U);
  EXPECT_THAT(launch->shared_load_wavefronts_again, IsEmpty());
  const CountedLaunch* restless = set->find("tiled", {131, 117, 93}, 1);
  ASSERT_NE(restless, nullptr);
  EXPECT_THAT(restless->shared_load_wavefronts_again, ElementsAre(2855406U, 2855338U, 2855389U));
  EXPECT_THAT(restless->shared_store_wavefronts_again, IsEmpty());
  EXPECT_EQ(set->problems("tiled").size(), 2U);
  EXPECT_EQ(set->find("tiled", {131, 117, 93}, 33), nullptr);
  EXPECT_NE(set->find("single_block", {32, 32, 32}, 0), nullptr);  // has no BLOCK_SIZE
}

std::string error_of(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "broken.json";
  std::ofstream(file) << text;
  const auto set = load_counter_set(file);
  return set ? "" : set.error().message;
}

TEST(CounterSet, ABrokenFileIsNamedWithItsPlace) {
  EXPECT_THAT(error_of("{"), HasSubstr("broken.json"));
  EXPECT_THAT(error_of(R"({"format": "tilestep-timings", "version": 1})"),
              HasSubstr("expected format tilestep-counters"));
  // "1e30" is a number that no integer can hold.
  for (const char* const wrong : {"\"one\"", "-1", "1.5", "1e30", "99999999999999999999999"}) {
    EXPECT_THAT(error_of(std::string(R"({"format": "tilestep-counters", "version": 1,
                           "provenance": {"gpu": "g", "driver": "d", "date": "", "method": ""},
                           "points": [{"kernel": "tiled", "M": )") +
                         wrong + "}]}"),
                HasSubstr("broken.json: points[0].M: expected an integer from 0 to"))
        << wrong;
  }
  EXPECT_THAT(load_counter_set("nowhere.json").error().message, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace tilestep::timing

// Every equation holds, over the whole catalog, including odd sizes and inputs that round.
#include "equations.h"

#include "catalog_runs.h"

#include <gtest/gtest.h>

namespace tilestep::test {
namespace {

TEST(EquationsIn, SeesWhatDoesNotHold) {
  const auto one = [](const std::string& text) {
    const std::vector<Equation> all = equations_in(text);
    return all.size() == 1 ? (all[0].holds ? "holds" : "fails") : "none";
  };
  EXPECT_STREQ(one("thread (2,1) takes col = 1·4 + 2 = 6."), "holds");
  EXPECT_STREQ(one("thread (2,1) takes col = 1·4 + 2 = 7."), "fails");
  EXPECT_STREQ(one("Thread 1 adds (−3)·9 to 71: acc = 44."), "holds");
  EXPECT_STREQ(one("Thread 1 adds (−3)·9 to 71, for C[1][2]: acc[1] = 45."), "fails");
  EXPECT_STREQ(one("tiles = (8 + 4 − 1) / 4 = 2 (rounded down)"), "holds");
  EXPECT_STREQ(one("y = 0.1·3 + 0.01 ≈ 0.3101"), "holds");
  EXPECT_STREQ(one("y = 0.1·3 + 0.01 = 0.3101"), "fails");
  EXPECT_STREQ(one("y = 0 + 1.5e−08 = 1.5e−08"), "holds");
  EXPECT_STREQ(one("y = 0 + 1.5e−08 = 1.5e−07"), "fails");
  EXPECT_STREQ(one("Thread (2,1) copies A[1][6] = 5 to As[1][2]."), "none");
}

// Returns the number of equations.
std::size_t check_all(const Narrated& narrated) {
  std::size_t count = 0;
  const std::uint32_t block = narrated_block(narrated.recording());
  for (const std::uint32_t thread : {0U, narrated_thread(narrated.recording(), 6)}) {
    for (const Narrated::Line& line : narrated.all(block, thread)) {
      std::vector<narration::Sentence> sentences = line.narrated.notes;
      sentences.push_back(line.narrated.sentence);
      for (const narration::Sentence& s : sentences) {
        for (const narration::Pieces& form : {s.long_form, s.short_form}) {
          const std::string text = narration::plain_text(form);
          for (const Equation& equation : equations_in(text)) {
            ++count;
            EXPECT_TRUE(equation.holds) << equation.text << "\nin: " << text;
          }
        }
      }
    }
  }
  return count;
}

TEST(Equations, HoldOverTheWholeCatalog) {
  for (const CatalogRun& run : catalog_runs()) {
    SCOPED_TRACE(run.name);
    EXPECT_GE(check_all(Narrated(run.launch)), 8U);
  }
}

TEST(Equations, HoldWhereSumsRound) {
  problem::InputSpec random;
  random.pattern = problem::Pattern::Random;
  for (const char* const kernel :
       {"tiled", "naive_1d_kahan", "tiled_kahan_bounds", "register_tile_2d", "float4_loads"}) {
    SCOPED_TRACE(kernel);
    EXPECT_GT(check_all(Narrated(launch_of(kernel, {8, 8, 8}, 4, random))), 10U);
  }
}

}  // namespace
}  // namespace tilestep::test

// The output of tune and errors.
#include "cli/launch_options.h"
#include "cli/measuring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace tilestep::cli {
namespace {

using ::testing::HasSubstr;

problem::BestTable table() {
  problem::BestTable best{"Some GPU", "1.0", "NVRTC 13.0", "13.1.0", "2026-11-26T10:00:00Z",
                          1980,       3201,  1980,         "How",    {}};
  best.winners.push_back({{1000, 1000, 1000},
                          "sliced:BM=32",
                          {{"BM", 32}, {"BN", 8}},
                          0.1,
                          0.099,
                          0.102,
                          0.12,
                          "wide",
                          0.11});
  return best;
}

TEST(TuneOutput, NamesWinnerSpeedSpreadShareAndLead) {
  const std::string text = winners_text(table());
  EXPECT_THAT(text, HasSubstr("Some GPU, driver 1.0, NVRTC 13.0, cuBLAS 13.1.0"));
  EXPECT_THAT(text, HasSubstr("1000×1000×1000"));
  EXPECT_THAT(text, HasSubstr("sliced:BM=32"));
  EXPECT_THAT(text, HasSubstr("20.00"));
  EXPECT_THAT(text, HasSubstr("3.0%"));
  EXPECT_THAT(text, HasSubstr("120.0%"));
  EXPECT_THAT(text, HasSubstr("10.0% ahead of wide"));
}

TEST(TuneOutput, JsonHasTheSame) {
  const auto got = nlohmann::json::parse(winners_json(table()));
  EXPECT_EQ(got["schema"], "tilestep-best");
  EXPECT_EQ(got["winners"][0]["kernel"], "sliced:BM=32");
  EXPECT_EQ(got["winners"][0]["values"]["BM"], 32);
  EXPECT_EQ(got["winners"][0]["cublas_ms"], 0.12);
  EXPECT_EQ(got["winners"][0]["runner_up"], "wide");
}

TEST(BestBySizeOption, IsTheWinnerOfTheSize) {
  problem::Catalog catalog;
  catalog.candidates.resize(1);
  catalog.candidates[0].id = "sliced:BM=32";
  catalog.candidates[0].values = {{"BM", 32}, {"BN", 8}};
  catalog.best = table();
  LaunchOptions options;
  options.kernel = "best_by_size";
  EXPECT_THAT(find_spec(catalog, options).error().message, HasSubstr("Add --size"));
  options.size = "1000";
  EXPECT_EQ(find_spec(catalog, options)->id, "sliced:BM=32");
  EXPECT_EQ(make_state(catalog, options)->kernel, "sliced:BM=32");
  EXPECT_EQ(make_state(catalog, options)->parameters.problem.M, 1000);
  options.size = "0";
  EXPECT_THAT(find_spec(catalog, options).error().message, HasSubstr("--size 0"));
}

timing::ErrorReport report() {
  timing::ErrorReport r;
  timing::ErrorTable table{problem::input_of(problem::Pattern::Decades), {}, {}};
  table.reference = {true, {0, 5}, 1e-17};
  table.rows = {{"naive", "", {0.5, 0.25, 1e-7, 1e-6, 64, 0}},
                {"cublas_fast_16f", "none here", {}}};
  r.tables.push_back(table);
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  r.specials = {{"naive", "", {{infinity, 0}, {nan, nan}, {1e-40F, 0}, {1e-36F, 0}, {3e38F, 0}}},
                {"cublas_fast_16f", "none here", {}}};
  r.compiler = "NVRTC 13.0";
  return r;
}

TEST(ErrorsOutput, HasFiguresNotesReferenceAndSpecialValues) {
  const ErrorSurroundings where{"Some GPU", "1.0", "13.1.0", "2026-11-26T10:00:00Z", {8, 8, 8}};
  const std::string text = errors_text(report(), where);
  EXPECT_THAT(text, HasSubstr("decades:1"));
  EXPECT_THAT(text, HasSubstr("5.00e-01"));
  EXPECT_THAT(text, HasSubstr("none here"));
  EXPECT_THAT(text, HasSubstr("in rows 0, 5: they differ"));
  EXPECT_THAT(text, HasSubstr("NaN; NaN in C[1][0]"));
  EXPECT_THAT(text, HasSubstr("1e-40"));
  const auto got = nlohmann::json::parse(errors_json(report(), where));
  EXPECT_EQ(got["tables"][0]["input"], "decades:1");
  EXPECT_EQ(got["tables"][0]["series"][0]["frobenius"], 1e-7);
  EXPECT_EQ(got["tables"][0]["series"][1]["note"], "none here");
  EXPECT_EQ(got["special_values"][0]["values"][0]["C00"], "inf");
  EXPECT_EQ(got["special_values"][0]["values"][1]["C10"], "NaN");
}

}  // namespace
}  // namespace tilestep::cli

// Exports of a run, byte by byte.
#include "cli/trace_report.h"

#include "folders.h"
#include "problem/file.h"
#include "simulated.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace tilestep::cli {
namespace {

class TraceReport : public testing::Test {
 protected:
  void SetUp() override {
    auto made = record::Recording::make(kernels.program("tiled", {2, 2, 4}, 2), {});
    ASSERT_TRUE(made) << made.error().message;
    run = *made;
  }
  // TILESTEP_UPDATE=1 writes the golden files; read them afterwards.
  static void expect_golden(const std::string& text, const char* name) {
    const auto file = test::source_folder() / "tests/cli/golden" / name;
    if (std::getenv("TILESTEP_UPDATE") != nullptr) {
      ASSERT_TRUE(problem::write_file(file, text));
    }
    EXPECT_EQ(text, problem::read_file(file).value_or("no such file"));
  }

  test::Simulated kernels;
  std::shared_ptr<const record::Recording> run;
};

TEST_F(TraceReport, IsACsvWithARowForEachStatementAndAccess) {
  expect_golden(trace_csv(trace_json(*run, {"tiled", 0, 0})), "trace_tiled_2x2x4.csv");
}

TEST_F(TraceReport, HasTheVariablesOfAThreadAsACsv) {
  expect_golden(variables_csv(variables_json(*run, {"tiled", 0, 3})), "variables_tiled_2x2x4.csv");
}

TEST_F(TraceReport, VariablesAreNumbersWhereTheyAreSome) {
  const auto all = variables_json(*run, {"tiled", 0, 3});
  const auto& last = all["statements"].back()["values"];
  EXPECT_EQ(last["row"], 1);
  EXPECT_EQ(last["col"], 1);
  EXPECT_EQ(all["statements"].front()["values"]["col"], nullptr) << "not yet assigned";
}

TEST_F(TraceReport, EveryRowHasTheHeadsColumns) {
  std::istringstream lines(variables_csv(variables_json(*run, {"tiled", 0, 3})));
  std::string head;
  std::getline(lines, head);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('"') == std::string::npos) {
      EXPECT_EQ(std::count(line.begin(), line.end(), ','),
                std::count(head.begin(), head.end(), ','))
          << line;
    }
  }
}

TEST_F(TraceReport, TellsWhoAccessesAndWhatComesOfMbarriers) {
  auto made =
      record::Recording::make(kernels.program("warpgroup_tf32x3_teaching", {8, 8, 8}, 4), {});
  ASSERT_TRUE(made) << made.error().message;
  std::set<std::string> kinds;
  std::set<std::string> barriers;
  const auto trace = trace_json(**made, {"warpgroup", 0, 0});
  for (const auto& s : trace["statements"]) {
    for (const auto& a : s["accesses"]) {
      kinds.insert(a["agent"].get<std::string>() + " " + a["kind"].get<std::string>());
    }
    for (const auto& b : s["barriers"]) {
      barriers.insert(b.value("mbarrier", "barrier") + " " + b["action"].get<std::string>());
    }
  }
  const std::set<std::string> wanted{"thread load",    "thread store",    "thread init",
                                     "thread arrive",  "thread ask",      "TMA unit load",
                                     "TMA unit store", "tensor core load"};
  EXPECT_EQ(kinds, wanted);
  EXPECT_TRUE(barriers.contains("full[0] arrive"));
  EXPECT_TRUE(barriers.contains("full[0] pass"));
  EXPECT_TRUE(barriers.contains("full[0] release"));
  EXPECT_TRUE(barriers.contains("barrier release"));
}

TEST_F(TraceReport, EndsEarlyWhereItIsCancelled) {
  const std::atomic<bool> cancelled = true;
  EXPECT_TRUE(trace_json(*run, {"tiled", 0, 0, &cancelled})["statements"].empty());
}

}  // namespace
}  // namespace tilestep::cli

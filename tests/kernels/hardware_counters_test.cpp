// What Nsight Compute counted on an H200 (assets/counters/h200.json), counted by us.
#include "catalog_launch.h"
#include "insight/cost.h"
#include "insight/profile.h"
#include "simulated.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

namespace tilestep {
namespace {

using nlohmann::json;

json recorded() {
  std::ifstream file(std::string(TILESTEP_SOURCE_DIR) + "/assets/counters/h200.json");
  return json::parse(file);
}

std::uint64_t number(const json& point, const char* key) {
  return point.at(key).get<std::uint64_t>();
}

class HardwareCounters : public testing::Test {
 protected:
  insight::Cost cost_of(const json& point) {
    const auto launch = test::launch_of(
        point.at("kernel"), {point.at("M"), point.at("N"), point.at("K")}, point.at("block_size"));
    const auto program = simulated_.program(launch, compile::Build::Fast);
    return insight::total_cost(*program, insight::profile(program));
  }

  test::Simulated simulated_;
};

// Every launch was compared when it was recorded (docs/counters.md); these stay compared.
TEST_F(HardwareCounters, GlobalRequestsAndSectorsAreEqualToTheLastDigit) {
  const std::set<int> block_sizes{3, 8, 16, 32};
  int compared = 0;
  const json data = recorded();
  for (const json& point : data.at("points")) {
    if (point.at("M") == 67 || !block_sizes.contains(point.at("block_size"))) {
      continue;
    }
    SCOPED_TRACE(point.dump());
    const insight::Cost cost = cost_of(point);
    EXPECT_EQ(cost.global_loads.requests, number(point, "global_load_requests"));
    EXPECT_EQ(cost.global_loads.sectors, number(point, "global_load_sectors"));
    EXPECT_EQ(cost.global_stores.requests, number(point, "global_store_requests"));
    EXPECT_EQ(cost.global_stores.sectors, number(point, "global_store_sectors"));
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

// ptxas leaves the shared loads and stores of these as they stand in PTX.
TEST_F(HardwareCounters, SharedWavefrontsAreEqualWhereTheCodeIsLeftAsItIs) {
  int compared = 0;
  const json data = recorded();
  for (const json& point : data.at("points")) {
    const int block_size = point.at("block_size");
    if (point.at("M") != 131 || (block_size != 17 && block_size != 31)) {
      continue;
    }
    const std::string kernel = point.at("kernel");
    if (kernel != "tiled" && kernel != "tiled_transposed") {
      continue;
    }
    SCOPED_TRACE(point.dump());
    const insight::Cost cost = cost_of(point);
    EXPECT_EQ(cost.shared_stores.requests, number(point, "shared_store_instructions"));
    EXPECT_EQ(cost.shared_stores.wavefronts, number(point, "shared_store_wavefronts"));
    EXPECT_EQ(cost.shared_loads.requests, number(point, "shared_load_instructions"));
    EXPECT_EQ(cost.shared_loads.wavefronts, number(point, "shared_load_wavefronts"));
    EXPECT_EQ(cost.flops / 2, number(point, "thread_ffma"));
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

}  // namespace
}  // namespace tilestep

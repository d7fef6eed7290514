#include "analysis/why.h"

#include "data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::analysis {
namespace {

using ::testing::HasSubstr;

GpuModel recorded_h200() {
  timing::Provenance provenance;
  provenance.gpu = "NVIDIA H200";
  return gpu_model(provenance);
}

const Remark* find(const std::vector<Remark>& all, const std::string& about) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Remark& r) {
    return r.about.find(about) != std::string::npos;
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(Why, ShapeNamesIdleLanesAndPadding) {
  const auto remarks = remarks_on_shape({{1000, 1000, 1000}, 6}, 36);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0].loss, Loss::Some);
  EXPECT_EQ(remarks[0].sentence, "36 in 2 warps: 28 of 64 lanes are idle.");
  EXPECT_EQ(remarks[1].loss, Loss::Some);
  EXPECT_EQ(remarks[1].sentence, "N = 1000 is 166.67 tiles: 33% of the last tile is padding.");
  const auto whole = remarks_on_shape({{1024, 1024, 1024}, 16}, 256);
  EXPECT_EQ(whole[0].loss, Loss::Nothing);
  EXPECT_EQ(whole[1].loss, Loss::Nothing);
}

TEST(Why, EveryNumberThatMattersHasASentence) {
  const LaunchFacts facts = test::facts("tiled", 16);
  LaunchFacts better = test::facts("register_tile_1d", 16);
  better.cost.shared_loads.elements = 1'000'000'000ULL;
  const Subject subject{"Tiled", &facts, 2.0};
  const Subject next{"Register tile", &better, 1.0};
  const auto all = why(subject, &next, recorded_h200(), "The data stage is busy.");
  for (const char* about :
       {"threads per block", "edge", "occupancy 100%", "waves", "global loads", "shared memory",
        "loads per", "bottleneck", "wait times on one SM", "next kernel"}) {
    EXPECT_NE(find(all, about), nullptr) << about;
  }
  EXPECT_THAT(find(all, "waves")->sentence, HasSubstr("1320 blocks, 8 at once on each of 132 SMs"));
  EXPECT_THAT(find(all, "global loads")->sentence, HasSubstr("4.00 sectors of 32 bytes"));
  EXPECT_THAT(find(all, "loads per")->sentence,
              HasSubstr("2 words from shared and 0.125 from global memory"));
  EXPECT_THAT(find(all, "next kernel")->sentence, HasSubstr("Measured: 2.00 times as fast."));
  EXPECT_EQ(find(all, "wait times on one SM")->sentence, "The data stage is busy.");
  EXPECT_EQ(find(why(subject, &next, recorded_h200()), "wait times on one SM"), nullptr);
}

TEST(Why, TheNextRungIsToldByWhatItRemovesAndNeeds) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.cost.shared_loads.conflicts = facts.cost.shared_loads.wavefronts / 2;  // 19,800,000
  LaunchFacts better = test::facts("register_tile_1d", 16);
  better.cost.shared_loads.wavefronts /= 2;
  better.needs->registers = 40;
  const Subject next{"Register tile", &better, 0.0};
  const auto sentence = [&] {
    return find(why({"Tiled", &facts, 0.0}, &next, recorded_h200()), "next kernel")->sentence;
  };
  EXPECT_EQ(sentence(),
            "Register tile removes 100% of the bank conflicts (19,800,000 → 0 passes). It needs 40 "
            "registers per thread instead of 32 and the same amount of shared memory (2048 bytes "
            "per block).");
  better.schedule.instructions *= 2.0;
  EXPECT_THAT(sentence(),
              HasSubstr("It adds instructions (66,000,000 → 132,000,000 issued by warps)."));
  better = facts;
  EXPECT_EQ(sentence(),
            "Register tile removes none of the costs counted here. It needs the same number of "
            "registers (32 "
            "per thread) and the same amount of shared memory (2048 bytes per block).");
}

TEST(Why, TheLastRungIsToldByWhatStillLimitsIt) {
  LaunchFacts facts = test::facts("fastest", 0);
  const Subject last{"Fastest", &facts, 0.4, true};
  const auto sentence = [&] {
    return find(why(last, nullptr, recorded_h200()), "last kernel")->sentence;
  };
  // 1000³ multiply-adds at 66.9 TFLOP/s.
  EXPECT_EQ(sentence(),
            "This is the last kernel of the ladder. Its main limit: L1 and shared memory, 0.157 of "
            "0.4 ms. "
            "Its multiply-adds alone would take 0.0299 ms at the GPU's peak, 7% of the total.");
  facts.schedule.matrix_products = 1'000.0;
  EXPECT_THAT(sentence(),
              HasSubstr("Its tensor-core products alone would take 0.0808 ms, 20% of the total."));
  EXPECT_EQ(find(why({"Fastest", &facts, 0.4}, nullptr, recorded_h200()), "last kernel"), nullptr);
}

TEST(Why, RegisterPortsAreToldWithTheirNumbers) {
  LaunchFacts facts = test::facts("tiled", 16);
  const auto remark = [&] {
    return *find(why({"Tiled", &facts, 0.0}, nullptr, recorded_h200()), "register ports");
  };
  EXPECT_EQ(find(why({"Tiled", &facts, 0.0}, nullptr, recorded_h200()), "register ports"), nullptr)
      << "nothing was read from machine code";
  facts.schedule.products = 2'000.0;
  facts.schedule.register_reads = 5'000.0;
  facts.schedule.even_reads = 2'000.0;
  facts.schedule.port_waits = 500.0;
  EXPECT_EQ(remark().sentence,
            "25% of the products wait a cycle for a register read: 2.50 reads each, 40% of them "
            "from even-numbered registers; the two banks serve two reads per cycle.");
  EXPECT_EQ(remark().loss, Loss::Neither) << "shared memory binds";
  facts.cost.shared_loads.wavefronts = 0;
  facts.schedule.instructions = 100'000.0;
  facts.schedule.port_waits = 5'000.0;
  EXPECT_EQ(remark().loss, Loss::Some) << "5% of the issue slots, which bind";
  facts.schedule.port_waits = 0.0;
  EXPECT_EQ(remark().loss, Loss::Nothing);
  facts.schedule.products = 0.0;
  facts.schedule.matrix_products = 1'000.0;
  facts.schedule.register_reads = 8'000.0;
  facts.schedule.port_waits = 3'000.0;
  facts.schedule.instructions = 9'000.0;
  EXPECT_EQ(remark().sentence,
            "A matrix product reads 8.0 registers at two per cycle: 25% of the issue slots wait "
            "for a register read.");
}

TEST(Why, AnUnknownGpuLeavesOutWhatDependsOnIt) {
  const LaunchFacts facts = test::facts("tiled", 16);
  const auto all = why({"Tiled", &facts, 0.0}, nullptr, {});
  EXPECT_EQ(find(all, "occupancy"), nullptr);
  EXPECT_EQ(find(all, "waves"), nullptr);
  EXPECT_NE(find(all, "global loads"), nullptr);
}

TEST(Why, BankConflictsAndUnusedSectorsAreWarnings) {
  LaunchFacts facts = test::facts("tiled_transposed", 16);
  facts.cost.shared_loads.conflicts = facts.cost.shared_loads.wavefronts / 2;
  facts.cost.shared_loads.degree = 8;
  facts.cost.global_loads.ideal_sectors /= 4;
  const auto all = why({"Transposed", &facts, 0.0}, nullptr, recorded_h200());
  ASSERT_NE(find(all, "bank conflicts"), nullptr);
  EXPECT_EQ(find(all, "bank conflicts")->loss, Loss::Some);
  EXPECT_THAT(find(all, "bank conflicts")->sentence, HasSubstr("50% of all passes"));
  EXPECT_EQ(find(all, "global loads")->loss, Loss::Some);
}

TEST(Why, ATickStandsOnlyWhereNothingIsLost) {
  LaunchFacts facts = test::facts("tiled", 16);
  const auto loss = [&](const char* about) {
    return find(why({"Tiled", &facts, 0.0}, nullptr, recorded_h200()), about)->loss;
  };
  EXPECT_EQ(loss("waves"), Loss::Nothing) << "1320 blocks on 132 SMs";
  EXPECT_EQ(loss("occupancy"), Loss::Nothing);
  EXPECT_EQ(loss("global loads"), Loss::Nothing);
  EXPECT_EQ(loss("bottleneck"), Loss::Neither) << "a fact";
  EXPECT_EQ(loss("loads per"), Loss::Some);
  facts.blocks = 132 * 1000 - 1;
  EXPECT_EQ(loss("waves"), Loss::Neither) << "a thousandth of the time: no tick, no warning";
  facts.needs->shared_bytes = 40'000;  // 5 blocks at once, of the 8 that warps allow
  EXPECT_EQ(loss("occupancy"), Loss::Neither);
  facts.cost.global_loads.ideal_sectors = 3'990'000ULL;
  EXPECT_EQ(loss("global loads"), Loss::Neither);
}

TEST(Why, TheLeadingReasonNamesWhatBindsAndWhatAMultiplyAddNeeds) {
  const LaunchFacts facts = test::facts("tiled", 16);
  const std::string measured = leading_reason({"Tiled", &facts, 2.0}, recorded_h200());
  EXPECT_THAT(measured, HasSubstr("L1 and shared memory take at least "));
  EXPECT_THAT(measured, HasSubstr(" of the 2 ms. A multiply-add needs 2 words from shared"));
  EXPECT_THAT(leading_reason({"Tiled", &facts, 0.0}, recorded_h200()),
              HasSubstr("of the predicted 0.167 ms."));
  EXPECT_EQ(leading_reason({"Tiled", &facts, 2.0}, {}), "");
}

TEST(Why, TheCostliestLineIsTheSumOfItsAccesses) {
  LaunchFacts facts;
  const auto access = [](std::uint32_t line, std::uint64_t wavefronts) {
    insight::AccessCost a;
    a.line = line;
    a.target = insight::kSharedTarget;
    a.traffic.wavefronts = wavefronts;
    return a;
  };
  facts.accesses = by_line(std::vector{access(20, 30), access(10, 50), access(20, 30)});
  const auto line = costliest_line(facts);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->line, 20U);
  EXPECT_DOUBLE_EQ(line->share, 60.0 / 110.0);
  EXPECT_FALSE(costliest_line(LaunchFacts{}));
}

}  // namespace
}  // namespace tilestep::analysis

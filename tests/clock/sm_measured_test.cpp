// The table of another GPU, from recorded clocks of an H200.
#include "clock/sm_measured.h"

#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace tilestep::clock {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// NVIDIA H200, driver 580.159.04, CUDA 13.0, 1980 MHz, 2026-11-27: rows lds_latency, chase, bar,
// lds, stream and arith of the microbenchmarks that the table h200.json is made of. Constant and
// special loads were not among them.
MeasuredClocks recorded() {
  return {
      .shared_chain = {23.156, 25.153, 29.147, 37.134, 53.109, 85.059},
      .l1_chain = 39.668,
      .l2_chain = 286.805,
      .dram_chain = 687.654,
      .constant_chain = 31.0,
      .special_chain = 24.0,
      .barriers = {{1, 15.009}, {2, 17.016}, {4, 21.022}, {8, 29.041}, {16, 45.038}, {32, 77.178}},
      .shared_rate = 1.018,
      .store_rate = 3.008,
      .line_rate = 3.492,
      .sector_rate = 6.229 / 4,
      .ffma_rate = 0.265,
      .imad_rate = 0.509,
      .shift_rate = 0.515};
}

SmTable h200() {
  return load_sm_table(test::source_folder() / "assets" / "clock", "H200").value();
}

MeasuredGpu another() {
  return {"NVIDIA GH200", 90, 144, "measured here"};
}

Origin origin_of(const SmTable& table, std::string_view name) {
  const auto fields = sm_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) {
      return table.origins[i];
    }
  }
  return Origin::Guess;
}

TEST(MeasuredTable, HasTheNumbersOfTheH200FromItsClocks) {
  const SmTable shipped = h200();
  const SmTable table = measured_table(recorded(), another(), shipped).value();
  EXPECT_NEAR(table.numbers.shared_load, shipped.numbers.shared_load, 0.5);
  EXPECT_NEAR(table.numbers.l1_hit, shipped.numbers.l1_hit, 1.0);
  EXPECT_NEAR(table.numbers.l2_hit, shipped.numbers.l2_hit, 5.0);
  EXPECT_NEAR(table.numbers.dram, shipped.numbers.dram, 2.0);
  EXPECT_NEAR(table.numbers.barrier, shipped.numbers.barrier, 0.2);
  EXPECT_NEAR(table.numbers.barrier_arrival, shipped.numbers.barrier_arrival, 0.02);
  EXPECT_NEAR(table.numbers.shared_gap, shipped.numbers.shared_gap, 0.02);
  EXPECT_EQ(table.numbers.global_store, shipped.numbers.global_store);
  EXPECT_NEAR(table.numbers.l2_bytes, shipped.numbers.l2_bytes, 0.3);
  EXPECT_NEAR(table.numbers.l2_line, shipped.numbers.l2_line, 0.01);
  EXPECT_EQ(table.numbers.special, 18.0);
  EXPECT_EQ(table.numbers.constant_load, 31.0);
  EXPECT_EQ(origin_of(table, "special"), Origin::Measured);
}

TEST(MeasuredTable, SaysWhatItTakesOver) {
  const SmTable shipped = h200();
  const SmTable table = measured_table(recorded(), another(), shipped).value();
  EXPECT_EQ(table.gpu, "NVIDIA GH200");
  EXPECT_EQ(table.sms, 144);
  EXPECT_EQ(table.error.launches, 0);
  EXPECT_EQ(table.numbers.next_block, shipped.numbers.next_block);
  EXPECT_EQ(origin_of(table, "next_block"), Origin::Fitted);
  const auto fields = sm_fields();
  std::size_t taken_over = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    taken_over += table.sources[i].starts_with("taken over from NVIDIA H200") ? 1 : 0;
  }
  EXPECT_EQ(taken_over, fields.size() - 12);
  EXPECT_THAT(table.sources[0], StartsWith("chain of LDS: 23.2 clocks"));
}

TEST(MeasuredTable, IsReadAsItWasWritten) {
  const SmTable table = measured_table(recorded(), another(), h200()).value();
  const SmTable read = read_sm_table(to_json(table)).value();
  EXPECT_EQ(read.gpu, table.gpu);
  EXPECT_EQ(read.sms, table.sms);
  EXPECT_EQ(read.shared_kib, table.shared_kib);
  EXPECT_EQ(read.provenance, table.provenance);
  EXPECT_EQ(read.origins, table.origins);
  EXPECT_EQ(read.sources, table.sources);
  for (const SmField& field : sm_fields()) {
    EXPECT_EQ(read.numbers.*field.number, table.numbers.*field.number) << field.name;
  }
}

TEST(MeasuredTable, RefusesClocksThatCannotBe) {
  const auto why = [](const auto& change) {
    MeasuredClocks clocks = recorded();
    change(clocks);
    const auto table = measured_table(clocks, another(), h200());
    return table ? std::string() : table.error().message;
  };
  EXPECT_EQ(why([](MeasuredClocks&) {}), "");
  EXPECT_THAT(why([](MeasuredClocks& c) { c.l1_chain = 0; }), HasSubstr("l1_chain"));
  EXPECT_THAT(why([](MeasuredClocks& c) { c.dram_chain = 200; }), HasSubstr("dram_chain"));
  EXPECT_THAT(why([](MeasuredClocks& c) { c.line_rate = 1; }), HasSubstr("line_rate"));
  EXPECT_THAT(why([](MeasuredClocks& c) { c.barriers.resize(1); }), HasSubstr("barriers"));
  EXPECT_THAT(
      why([](MeasuredClocks& c) { c.special_chain = std::numeric_limits<double>::quiet_NaN(); }),
      HasSubstr("special_chain"));
}

TEST(MeasuredTable, IsForOneArchitecture) {
  MeasuredGpu gpu = another();
  gpu.architecture = 89;
  const auto table = measured_table(recorded(), gpu, h200());
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("compute capability 8.9"));
}

TEST(MeasuredTable, ChecksTheRulesOfTheModel) {
  for (const RuleCheck& check : check_rules(recorded())) {
    EXPECT_NEAR(check.measured, check.of_model, 0.07 * check.of_model) << check.what;
  }
}

}  // namespace
}  // namespace tilestep::clock

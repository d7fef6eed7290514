// Costs: definitions, and how they are added up.
#include "insight/count/cost.h"

#include "insight/count/counters.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tilestep::insight {
namespace {

simt::MemoryEvent event_of(ptx::Space space, std::uint32_t bytes, std::uint32_t mask,
                           std::uint64_t first, std::uint64_t stride) {
  simt::MemoryEvent event;
  event.space = space;
  event.bytes = bytes;
  event.mask = mask;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    event.addresses.set(lane, first + lane * stride);
  }
  return event;
}

TEST(AccessPattern, OfConsecutiveFloatsIsIdeal) {
  const AccessPattern p = make_pattern(event_of(ptx::Space::Global, 4, ~0U, 256, 4));
  EXPECT_EQ(p.ideal_sectors, 4U);
  EXPECT_EQ(p.sectors[0], 4);
  EXPECT_EQ(p.sectors[4], 5);
}

TEST(AccessPattern, OfAColumnNeedsASectorForEachLane) {
  const AccessPattern p = make_pattern(event_of(ptx::Space::Global, 4, ~0U, 256, 400));
  EXPECT_EQ(p.ideal_sectors, 4U);
  EXPECT_EQ(p.sectors[0], 32);
}

TEST(AccessPattern, OfOneWordForAllIsOneSectorAndOneWavefront) {
  const AccessPattern global = make_pattern(event_of(ptx::Space::Global, 4, ~0U, 256, 0));
  EXPECT_EQ(global.ideal_sectors, 1U);
  EXPECT_EQ(global.sectors[0], 1);
  ASSERT_EQ(global.runs.size(), 1U);
  EXPECT_EQ(global.runs[0].lanes, 32U);
  const AccessPattern shared = make_pattern(event_of(ptx::Space::Shared, 4, ~0U, 256, 0));
  EXPECT_EQ(shared.wavefronts, 1U);
  EXPECT_EQ(shared.ideal_wavefronts, 1U);
  EXPECT_EQ(shared.degree, 1U);
}

TEST(AccessPattern, OfAColumnOfATileOf32ConflictsInOneBank) {
  const AccessPattern p = make_pattern(event_of(ptx::Space::Shared, 4, ~0U, 0, 128));
  EXPECT_EQ(p.wavefronts, 32U);
  EXPECT_EQ(p.ideal_wavefronts, 1U);
  EXPECT_EQ(p.degree, 32U);
  EXPECT_EQ(p.passes, 1U);
}

TEST(AccessPattern, OfFourFloatsALaneTakesFourPassesWithoutAConflict) {
  const AccessPattern p = make_pattern(event_of(ptx::Space::Shared, 16, ~0U, 0, 16));
  EXPECT_EQ(p.wavefronts, 4U);
  EXPECT_EQ(p.passes, 4U);
  EXPECT_EQ(p.ideal_wavefronts, 4U);
  EXPECT_EQ(p.degree, 1U);
}

TEST(AccessPattern, CountsSectorsAndWavefrontsAsCountersDo) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t bytes = 1U << random() % 5;
    simt::MemoryEvent event =
        event_of(ptx::Space::Global, bytes, static_cast<std::uint32_t>(random()) | 1U, 0, 0);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      event.addresses.set(lane, 4096 + random() % (i % 2 == 0 ? 64U : 2048U) * bytes);
    }
    const AccessPattern p = make_pattern(event);
    EXPECT_EQ(p.sectors[first_address(event) % 32], count_sectors(event));
    EXPECT_LE(p.ideal_sectors, count_sectors(event));
    event.space = ptx::Space::Shared;
    const AccessPattern shared = make_pattern(event);
    EXPECT_EQ(shared.wavefronts, count_wavefronts(event));
    EXPECT_LE(shared.ideal_wavefronts, shared.wavefronts);
    EXPECT_LE(shared.passes, shared.wavefronts);
  }
}

class Costs : public testing::Test {
 protected:
  std::shared_ptr<const simt::Program> program(const char* kernel, problem::Problem size,
                                               int block_size) {
    return simulated_.program(kernel, size, block_size, compile::Build::Fast);
  }
  test::Simulated simulated_;
};

TEST_F(Costs, AddUpToTheSameByLineAccessWarpAndBuffer) {
  const auto p = program("tiled", {37, 29, 23}, 8);
  const Profile profile = insight::profile(p);
  const Cost total = total_cost(*p, profile);
  Cost lines;
  for (const LineCost& line : cost_by_line(*p, profile)) {
    lines.add(line.cost);
  }
  Cost warps;
  for (const WarpCost& warp : cost_by_warp(*p, profile)) {
    warps.add(warp.cost, warp.blocks);
  }
  Traffic accesses;
  for (const AccessCost& access : cost_by_access(*p, profile)) {
    accesses.add(access.traffic);
  }
  Traffic all = total.global();
  all.add(total.shared());
  EXPECT_EQ(lines.global(), total.global());
  EXPECT_EQ(lines.shared(), total.shared());
  EXPECT_EQ(lines.flops, total.flops);
  EXPECT_EQ(lines.instructions, total.instructions);
  EXPECT_EQ(warps.shared(), total.shared());
  EXPECT_EQ(warps.active, total.active);
  EXPECT_EQ(accesses, all);
  std::uint64_t sectors = 0;
  for (const BufferCost& buffer : cost_by_buffer(*p, profile)) {
    sectors += buffer.loads.sectors + buffer.stores.sectors + buffer.atomics.sectors;
  }
  EXPECT_EQ(sectors, total.global().sectors);
}

TEST_F(Costs, OfAMultiplyAddAreTwoOperations) {
  const auto p = program("naive", {8, 12, 16}, 4);
  EXPECT_EQ(total_cost(*p, profile(p)).flops, 2U * 8U * 12U * 16U);
}

TEST_F(Costs, OfFullWarpsAreEfficient) {
  const auto p = program("tiled", {32, 32, 32}, 8);
  EXPECT_EQ(total_cost(*p, profile(p)).divergence_efficiency(), 1.0);
}

TEST_F(Costs, OfHalfFilledWarpsAreHalfEfficient) {
  const auto p = program("tiled", {32, 32, 32}, 4);
  EXPECT_EQ(total_cost(*p, profile(p)).divergence_efficiency(), 0.5);
}

TEST_F(Costs, GrowWithTheConflictsOfTransposedTiles) {
  for (const auto& [block_size, degree] : {std::pair{8, 2U}, {16, 8U}, {32, 32U}}) {
    const auto p = program("tiled_transposed", {64, 64, 64}, block_size);
    EXPECT_EQ(total_cost(*p, profile(p)).shared().degree, degree);
  }
}

TEST_F(Costs, ReadEveryElementOnceForEachTileBesideIt) {
  const auto p = program("tiled", {37, 29, 23}, 8);
  const Profile profile = insight::profile(p);
  const std::map<std::uint64_t, std::uint64_t> a{{4, 37 * 23}};  // ⌈29 / 8⌉
  const std::map<std::uint64_t, std::uint64_t> b{{5, 23 * 29}};  // ⌈37 / 8⌉
  EXPECT_EQ(profile.reuse[0].elements_by_reads, a);
  EXPECT_EQ(profile.reuse[1].elements_by_reads, b);
  EXPECT_EQ(profile.reuse[2].most(), 0U);
  EXPECT_EQ(profile.reuse[0].mean(), 4.0);
}

// Tiled, M = N = K = 500, measured with Nsight Compute on H100 and H200.
TEST_F(Costs, AreNsightComputesFromRepresentativesToo) {
  struct Measured {
    int block_size;
    std::uint64_t requests;
    std::uint64_t sectors;
  };
  for (const Measured& m : {Measured{8, 992'250, 5'922'000}, Measured{16, 512'000, 2'512'000},
                            Measured{24, 330'750, 1'643'250}, Measured{32, 256'000, 1'128'000}}) {
    const auto p = program("tiled", {500, 500, 500}, m.block_size);
    const Profile profile = insight::profile(p);
    EXPECT_EQ(profile.method, Method::Representatives);
    const Cost total = total_cost(*p, profile);
    EXPECT_EQ(total.global_loads.requests, m.requests);
    EXPECT_EQ(total.global_loads.sectors, m.sectors);
  }
}

}  // namespace
}  // namespace tilestep::insight

// Kernels with stamps: the text, what it computes, the stamps themselves, and their file.
#include "clock/stamps.h"

#include "catalog_launch.h"
#include "clock/estimate.h"
#include "clock/stamping.h"
#include "folders.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "problem/file.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::clock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

loading::Prepared prepare(compile::Compiler& compiler, const problem::Launch& launch,
                          compile::Build build = compile::Build::Machine) {
  loading::PrepareOptions options;
  options.build = build;
  auto prepared = loading::prepare(compiler, launch, options);
  if (!prepared) {
    throw std::runtime_error(prepared.error().error.message);
  }
  return *std::move(prepared);
}

simt::Machine executed(const loading::Prepared& prepared) {
  simt::Machine machine(prepared.program);
  simt::Scheduler scheduler(*prepared.program, {simt::ScheduleKind::Sequential});
  simt::run_to_end(machine, scheduler, nullptr);
  return machine;
}

std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

// Source lines of barriers in the kernel's text.
std::set<std::uint32_t> barrier_lines(const std::string& source) {
  std::set<std::uint32_t> lines;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < source.size(); ++at) {
    line += source[at] == '\n' ? 1 : 0;
    if (source.compare(at, 16, "__syncthreads();") == 0) {
      lines.insert(line);
    }
  }
  return lines;
}

class StampedKernels : public testing::TestWithParam<std::string> {
 protected:
  compile::Compiler compiler_{test::kept_outputs()};
  problem::Launch plain_ = test::launch_of(GetParam(), {40, 36, 33}, 8);
};

INSTANTIATE_TEST_SUITE_P(Catalog, StampedKernels,
                         testing::Values("naive", "tiled", "tiled_transposed", "register_tile_1d",
                                         "register_tile_2d", "double_buffered", "sliding_window",
                                         "samples_loop", "submatrix_bounded", "full_strip"),
                         [](const auto& test) { return test.param; });

TEST_P(StampedKernels, ComputeTheSameBitForBit) {
  const auto stamped = stamped_launch(plain_, {.records = 40}).value();
  const simt::Machine plain = executed(prepare(compiler_, plain_));
  const simt::Machine with_stamps = executed(prepare(compiler_, stamped.launch));
  ASSERT_TRUE(plain.done());
  ASSERT_TRUE(with_stamps.done());
  for (std::uint32_t buffer = 0; buffer < plain_.buffers.size(); ++buffer) {
    EXPECT_TRUE(std::ranges::equal(plain.buffer(buffer), with_stamps.buffer(buffer)))
        << plain_.buffers[buffer].name;
  }
}

// The records in memory, and the model's own stamps, name the same lines in the same order.
TEST_P(StampedKernels, EveryWarpNotesItsBarriersInMemoryAndInTheModel) {
  constexpr std::uint32_t kRecords = 40;
  const StampedLaunch stamped = stamped_launch(plain_, {.records = kRecords}).value();
  const problem::Launch& launch = stamped.launch;
  const loading::Prepared prepared = prepare(compiler_, launch);
  const simt::Machine machine = executed(prepared);
  const auto words = words_of(machine.buffer(static_cast<std::uint32_t>(plain_.buffers.size())));
  const auto warps = static_cast<std::uint32_t>(launch.grid.count()) * warps_of_block(launch);
  const auto read =
      read_records(words, {warps_of_block(launch), warps, kRecords}, stamped.sites, 0);
  ASSERT_TRUE(read) << read.error().message;
  const std::vector<StampedWarp>* const in_memory = &read->warps;
  EXPECT_EQ(in_memory->size(), warps);

  const SmTable table = load_sm_table(test::source_folder() / "assets" / "clock", "H200").value();
  auto timed = TimedLaunch::make(prepared, table).value();
  const SmRun run = timed.run(table, {.extent = Extent::Block}).value();
  const auto estimated = estimated_stamps(run, timed.tracer().code(), 0);
  ASSERT_TRUE(estimated) << estimated.error().message;
  const std::set<std::uint32_t> barriers = barrier_lines(plain_.source);
  for (const StampedWarp& warp : *estimated) {
    const WarpLife& life = *std::ranges::find_if(run.lives, [&](const WarpLife& one) {
      return one.block == warp.block && one.warp == warp.warp;
    });
    EXPECT_TRUE(std::ranges::is_sorted(warp.stamps, std::less{}, &Stamp::clock));
    EXPECT_LT(warp.stamps.back().clock, life.end);
    EXPECT_GE(warp.stamps.front().clock, 0);
    const auto same = std::ranges::find_if(*in_memory, [&](const StampedWarp& one) {
      return one.block == warp.block && one.warp == warp.warp;
    });
    ASSERT_NE(same, in_memory->end());
    ASSERT_EQ(same->stamps.size(), warp.stamps.size());
    for (std::size_t k = 0; k < warp.stamps.size(); ++k) {
      EXPECT_EQ(same->stamps[k].line, warp.stamps[k].line) << k;
      EXPECT_EQ(same->stamps[k].place, warp.stamps[k].place) << k;
      const bool is_barrier = warp.stamps[k].place == StampPlace::BeforeBarrier ||
                              warp.stamps[k].place == StampPlace::AfterBarrier;
      EXPECT_EQ(barriers.contains(warp.stamps[k].line), is_barrier) << warp.stamps[k].line;
    }
  }
}

TEST(StampedTexts, KeepTheirLines) {
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    const std::string name = spec.entry.substr(0, spec.entry.find('<'));
    const auto text = stamped_text(spec.source, spec.source_name, name);
    ASSERT_TRUE(text) << spec.id << ": " << text.error().message;
    EXPECT_EQ(std::ranges::count(text->text, '\n'), std::ranges::count(spec.source, '\n'))
        << spec.id;
  }
}

TEST(StampedTexts, SayWhyAKernelCannotBeStamped) {
  const auto why = [](const std::string& source) {
    const auto text = stamped_text(source, "my.cu", "k");
    return text ? std::string() : text.error().message;
  };
  EXPECT_EQ(why("__global__ void k() { if (true) __syncthreads(); else return; }"), "");
  EXPECT_THAT(why("__device__ void wait() {\n __syncthreads(); }\n__global__ void k() { wait(); }"),
              HasSubstr("my.cu:2: this barrier is not in the kernel itself"));
  EXPECT_THAT(why("#define WAIT __syncthreads()\n__global__ void k() { WAIT; }"),
              HasSubstr("my.cu:1: this barrier is not in the kernel itself"));
  EXPECT_THAT(why("__global__ void other() {}"), HasSubstr("the kernel k was not found"));
  std::string many = "__global__ void k() {";
  for (int i = 0; i < 254; ++i) {
    many += "__syncthreads();";
  }
  EXPECT_THAT(why(many + "}"),
              HasSubstr("needs timestamps at 256 places, but at most 255 are possible"));
}

TEST(StampedTexts, HaveTheBoundsThatAreGiven) {
  const auto text = [](const std::string& source) {
    return stamped_text(source, "my.cu", "k", "__launch_bounds__(64, 8)").value().text;
  };
  EXPECT_THAT(text("__global__ void k() {}"),
              StartsWith("__global__ __launch_bounds__(64, 8) void"));
  EXPECT_THAT(text("__global__ void __launch_bounds__(8 * (4\n+ 4)) k() {}"),
              StartsWith("__global__ void __launch_bounds__(64, 8)\n k("));
}

// Without them, `tiled` has 6 blocks at once with stamps.
TEST(StampedTexts, LeaveAsManyBlocksAtOnce) {
  compile::Compiler compiler{test::kept_outputs()};
  const SmTable table = load_sm_table(test::source_folder() / "assets" / "clock", "H200").value();
  for (const std::string kernel : {"tiled", "tiled_transposed", "register_tile_1d"}) {
    const problem::Launch launch = test::launch_of(kernel, {64, 64, 64}, 16);
    const loading::Prepared plain = prepare(compiler, launch);
    const int blocks = TimedLaunch::make(plain, table).value().occupancy().blocks;
    const auto stamped = stamped_launch(launch, {.blocks_at_once = blocks}).value();
    const loading::Prepared with_stamps = prepare(compiler, stamped.launch);
    EXPECT_EQ(TimedLaunch::make(with_stamps, table).value().occupancy().blocks, blocks) << kernel;
    EXPECT_EQ(with_stamps.kernel.cubin->local_bytes, 0U) << kernel;
  }
}

TEST(StampedTexts, AnEarlyReturnAndABarrierOverTwoLinesAreStamped) {
  compile::Compiler compiler{test::kept_outputs()};
  problem::Launch launch = test::launch_of("naive", {8, 8, 8}, 8);
  launch.source =
      "__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) "
      "{\n"
      " if (threadIdx.y > 3) return;\n"
      " else __syncthreads\n"
      " ();\n"
      " C[threadIdx.x] = A[0] + B[0] + M + N + K;\n"
      "}\n";
  const auto stamped = stamped_launch(launch, {.records = 3}).value();
  EXPECT_EQ(std::ranges::count(stamped.launch.source, '\n'), 6);
  const simt::Machine machine = executed(prepare(compiler, stamped.launch, compile::Build::Fast));
  const auto words = words_of(machine.buffer(3));
  const auto warps = read_records(words, {2, 2, 3}, stamped.sites, 0).value().warps;
  ASSERT_EQ(warps.size(), 2U);
  EXPECT_EQ(warps[0].stamps.size(), 4U);
  EXPECT_EQ(warps[0].stamps[1].line, 3U);
  EXPECT_EQ(warps[0].stamps.back().line, 6U);
  ASSERT_EQ(warps[1].stamps.size(), 2U);
  EXPECT_EQ(warps[1].stamps.back().line, 2U);
}

TEST(StampedTexts, ALaunchWithTooManyStampsIsRefused) {
  const auto launch =
      stamped_launch(test::launch_of("tiled", {512, 512, 512}, 4), {.records = 9000});
  ASSERT_FALSE(launch);
  EXPECT_THAT(launch.error().message, HasSubstr("Choose a smaller problem"));
}

// Two warps of a block: a barrier at line 5.
std::vector<StampedWarp> two_warps() {
  const auto warp = [](std::uint32_t number, std::vector<std::int64_t> clocks) {
    return StampedWarp{7,
                       number,
                       {{clocks[0], 1, StampPlace::Start},
                        {clocks[1], 5, StampPlace::BeforeBarrier},
                        {clocks[2], 5, StampPlace::AfterBarrier},
                        {clocks[3], 9, StampPlace::End}}};
  };
  return {warp(0, {0, 100, 160, 200}), warp(1, {10, 150, 160, 240})};
}

TEST(Phases, AreTheTimesBetweenStamps) {
  const auto warps = two_warps();
  const auto times = phase_times(warps);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(phase_name(times[0].phase), "from the start to the barrier at line 5");
  EXPECT_EQ(phase_name(times[1].phase), "at the barrier at line 5");
  EXPECT_EQ(phase_name(times[2].phase), "from the barrier at line 5 to the end");
  EXPECT_EQ(times[0].mean, 120);
  EXPECT_EQ(times[1].mean, 35);
  EXPECT_EQ(times[1].low, 10);
  EXPECT_EQ(times[1].high, 60);
  EXPECT_EQ(times[2].mean, 60);
  auto slower = warps;
  for (StampedWarp& warp : slower) {
    warp.stamps[3].clock += 30;
  }
  const auto compared = compare_phases(warps, slower).value();
  EXPECT_EQ(compared[0].error(), 0.0);
  EXPECT_DOUBLE_EQ(compared[2].error().value(), 0.5);
}

TEST(Phases, OfAnotherTextAreNotCompared) {
  auto other = two_warps();
  for (StampedWarp& warp : other) {
    warp.stamps[1].line = warp.stamps[2].line = 6;
  }
  const auto compared = compare_phases(two_warps(), other);
  ASSERT_FALSE(compared);
  EXPECT_THAT(compared.error().message, HasSubstr("different source"));
}

// Records of two blocks of one warp on SM 3 and one on SM 4, the clock passing 2^32.
TEST(Records, AreReadOfOneSmInTheOrderOfItsBlocks) {
  const std::vector<StampSite> sites{
      {StampKind::Start, 1}, {StampKind::Barrier, 5}, {StampKind::End, 9}};
  constexpr std::uint32_t kStart = 1U << 24U;
  constexpr std::uint32_t kBarrier = 2U << 24U;
  constexpr std::uint32_t kEnd = 3U << 24U;
  const std::vector<std::uint32_t> words{
      40, kStart + 3,    90, kStart + 4,   0xfffffff0U, kStart + 3,  //
      50, kBarrier + 10, 95, kBarrier + 1, 4,           kBarrier + 16,
      70, kEnd,          99, kEnd,         44,          kEnd};
  const SmStamps stamps = read_records(words, {1, 3, 3}, sites, 0).value();
  EXPECT_EQ(stamps.sm, 3U);
  ASSERT_EQ(stamps.warps.size(), 2U);
  EXPECT_EQ(stamps.warps[0].block, 2U);
  EXPECT_THAT(stamps.warps[0].stamps,
              ElementsAre(Stamp{0, 1, StampPlace::Start}, Stamp{20, 5, StampPlace::BeforeBarrier},
                          Stamp{36, 5, StampPlace::AfterBarrier}, Stamp{60, 9, StampPlace::End}));
  EXPECT_EQ(stamps.warps[1].stamps.front().clock, 56);
  EXPECT_EQ(read_records(words, {1, 3, 3}, sites, 1).value().warps.size(), 1U);
  const auto cut = read_records(std::span(words).first(12), {1, 3, 2}, sites, 0);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("passed more barriers"));
  EXPECT_FALSE(read_records(std::vector<std::uint32_t>(18), {1, 3, 3}, sites, 0));
}

StampedRun some_run() {
  return {.gpu = "NVIDIA H200",
          .driver = "580.1",
          .date = "2026-11-29T10:00:00Z",
          .kernel = "tiled",
          .problem = {512, 512, 1024},
          .block_size = 16,
          .at_once = 6,
          .is_warm = true,
          .sm = 10,
          .plain_ms = 0.25,
          .stamped_ms = 0.3,
          .warps = two_warps()};
}

TEST(StampFiles, AreReadAsTheyWereWritten) {
  const StampedRun run = some_run();
  EXPECT_EQ(parse_stamped_run(to_json(run), "a.json").value(), run);
}

TEST(StampFiles, HaveWholeBlocks) {
  StampedRun run = some_run();
  for (StampedWarp warp : two_warps()) {
    warp.block = 8;
    run.warps.push_back(warp);
  }
  EXPECT_EQ(parse_stamped_run(to_json(run), "a.json").value(), run);
  const auto cut = parse_stamped_run(to_json(run, 10), "a.json").value();
  EXPECT_EQ(cut.warps, two_warps());
}

TEST(StampFiles, SayWhatIsWrongWithThem) {
  const std::string good = to_json(some_run());
  const auto why = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    const auto run = parse_stamped_run(bad, "a.json");
    return run ? std::string() : run.error().message;
  };
  EXPECT_THAT(why("{", "["),
              HasSubstr("a.json: the timestamps cannot be read: this is not a JSON object"));
  EXPECT_THAT(why("tilestep-stamps", "other"), HasSubstr("this is not a JSON object"));
  EXPECT_THAT(why("\"version\": 1", "\"version\": 2"), HasSubstr("its version is not 1"));
  EXPECT_THAT(why("\"K\"", "\"k\""), HasSubstr("key 'K' not found"));
  EXPECT_THAT(why("\"path\":0", "\"path\":1"), HasSubstr("a warp has path 1; there are 1 paths"));
  EXPECT_THAT(why("[0,100,60,40]", "[0,100,60]"), HasSubstr("a warp has 3 clock values"));
  EXPECT_THAT(why("[0,100,60,40]", "[0,100,-60,40]"), HasSubstr("a clock difference is -60"));
  EXPECT_THAT(why("[0,100,60,40]", "[0,100,-60,40]"), HasSubstr("--measure --out FILE"));
}

// The measurements that are shipped.
TEST(ShippedStamps, AreFoundByTheirLaunchAndFitTheKernels) {
  const std::filesystem::path folder = test::source_folder() / "assets" / "clock";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "h200_stamps", none)) {
    const auto run = load_stamped_run(entry.path());
    ASSERT_TRUE(run) << run.error().message;
    SCOPED_TRACE(entry.path());
    EXPECT_EQ(entry.path().filename(),
              stamped_file_name(run->kernel, run->problem, run->block_size, run->is_warm));
    EXPECT_EQ(find_stamped_run(folder, run->gpu, run->kernel, run->problem, run->block_size,
                               run->is_warm),
              *run);
    const auto launch = test::launch_of(run->kernel, run->problem, std::max(run->block_size, 1));
    const auto barriers = barrier_lines(launch.source);
    for (const StampedWarp& warp : run->warps) {
      EXPECT_TRUE(std::ranges::is_sorted(warp.stamps, std::less{}, &Stamp::clock));
      for (const Stamp& stamp : warp.stamps) {
        const bool is_barrier = stamp.place != StampPlace::Start && stamp.place != StampPlace::End;
        ASSERT_TRUE(!is_barrier || barriers.contains(stamp.line)) << stamp.line;
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::clock

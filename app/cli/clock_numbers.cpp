#include "cli/clock_numbers.h"

#include "cli/output.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tilestep::cli {
namespace {

constexpr std::uint32_t kWarpThreads = 32;
constexpr std::uint32_t kOfRound = 32;    // operations: kChain of sm_numbers.cu
constexpr std::uint32_t kRequests = 400;  // of a warp of sm_lines
constexpr std::uint32_t kRounds = 32;
constexpr std::uint32_t kManyWarps = 16;  // keep an SM busy
constexpr int kRuns = 3;                  // the fastest counts
constexpr std::uint32_t kL1Bytes = 64U << 10U;
constexpr std::uint32_t kL2Bytes = 4U << 20U;
constexpr std::uint32_t kDramBytes = 128U << 20U;
constexpr std::uint32_t kLinesBytes = 8U << 20U;  // of L2, more than L1 of all SMs can hold of it
constexpr std::uint32_t kLineWords = 32;

// As in sm_numbers.cu.
struct WarpClocks {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t sm = 0;
};

struct Work {
  const char* entry = nullptr;
  std::uint32_t blocks = 1;
  std::uint32_t warps = 1;  // of a block
  std::uint32_t first = 0;  // the kernel's third and fourth argument
  std::uint32_t second = kRounds;
  gpu::L2 l2 = gpu::L2::Warm;
};

// The places of a chain through all lines of `words` words, `lines` lines apart.
std::vector<std::uint32_t> chain(std::uint32_t words, std::uint32_t lines) {
  std::vector<std::uint32_t> next(words, 0);
  std::uint32_t at = 0;
  do {
    const std::uint32_t then = (at + lines * kLineWords) % words;
    next[at] = then;
    at = then;
  } while (at != 0);
  return next;
}

class Laboratory {
 public:
  Laboratory(gpu::Device& device, std::string ptx)
      : device_(device),
        ptx_(std::move(ptx)),
        out_(device.make_buffer(sizeof(WarpClocks) * kMostWarps)),
        data_(device.make_buffer(0)) {}

  void set_data(const std::vector<std::uint32_t>& words) {
    data_ = device_.make_buffer(words.size() * sizeof words[0]);
    data_.write(std::as_bytes(std::span(words)));
  }
  // Clocks of each of the `operations` of the first warp.
  Result<double> of_warp(const Work& work, std::uint32_t operations) {
    return fastest(work, [&](std::span<const WarpClocks> warps) {
      return static_cast<double>(warps[0].end - warps[0].start) / operations;
    });
  }
  // Clocks of an SM, the mean of all, for each of the `operations` of each warp.
  Result<double> of_sm(const Work& work, std::uint32_t operations) {
    return fastest(work, [&](std::span<const WarpClocks> warps) {
      struct Busy {
        std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t end = 0;
        double warps = 0;
      };
      std::map<std::uint64_t, Busy> sms;
      for (const WarpClocks& warp : warps) {
        Busy& sm = sms[warp.sm];
        sm.start = std::min(sm.start, warp.start);
        sm.end = std::max(sm.end, warp.end);
        ++sm.warps;
      }
      double sum = 0;
      for (const auto& [number, sm] : sms) {
        sum += static_cast<double>(sm.end - sm.start) / (sm.warps * operations);
      }
      return sum / static_cast<double>(sms.size());
    });
  }

 private:
  static constexpr std::uint32_t kMostWarps = 1U << 16U;

  template <class Evaluate>
  Result<double> fastest(const Work& work, const Evaluate& evaluate) {
    const auto kernel = device_.load(ptx_, work.entry);
    TILESTEP_RETURN_IF_ERROR(kernel);
    const gpu::LaunchShape shape{{work.blocks, 1, 1}, {kWarpThreads * work.warps, 1, 1}, 0};
    std::vector<std::byte> arguments(2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t));
    const std::uint64_t addresses[] = {out_.address(), data_.address()};
    const std::uint32_t numbers[] = {work.first, work.second};
    std::memcpy(arguments.data(), addresses, sizeof addresses);
    std::memcpy(arguments.data() + sizeof addresses, numbers, sizeof numbers);
    double best = std::numeric_limits<double>::infinity();
    device_.launch(*kernel, shape, arguments);  // loads code, and data into the caches
    for (int run = 0; run < kRuns; ++run) {
      if (work.l2 == gpu::L2::Cold) {
        static_cast<void>(device_.time(*kernel, shape, arguments));
      } else {
        device_.launch(*kernel, shape, arguments);
      }
      const std::vector<std::byte> bytes = out_.read();
      std::vector<WarpClocks> warps(std::size_t{work.blocks} * work.warps);
      std::memcpy(warps.data(), bytes.data(), warps.size() * sizeof warps[0]);
      best = std::min(best, evaluate(std::span<const WarpClocks>(warps)));
    }
    return best;
  }

  gpu::Device& device_;
  std::string ptx_;
  gpu::Buffer out_;
  gpu::Buffer data_;
};

// Chains of global memory: the lines of a chain are visited once before the clock is read, but for
// DRAM, where nothing of it may be in L2.
Result<void> measure_global(Laboratory& laboratory, clock::MeasuredClocks& clocks) {
  constexpr std::uint32_t kFarLines = 37;  // so that neighbours in the chain share no page of DRAM
  struct Chain {
    std::uint32_t bytes;
    std::uint32_t lines_apart;
    gpu::L2 l2;
    double* clocks;
  };
  const Chain chains[] = {{kL1Bytes, 1, gpu::L2::Warm, &clocks.l1_chain},
                          {kL2Bytes, kFarLines, gpu::L2::Warm, &clocks.l2_chain},
                          {kDramBytes, kFarLines, gpu::L2::Cold, &clocks.dram_chain}};
  for (const Chain& one : chains) {
    const std::uint32_t words = one.bytes / sizeof(std::uint32_t);
    laboratory.set_data(chain(words, one.lines_apart));
    const std::uint32_t steps = one.l2 == gpu::L2::Cold ? 0 : words / kLineWords;
    const auto measured = laboratory.of_warp(
        {.entry = "sm_global_chain", .first = steps, .second = kRounds, .l2 = one.l2},
        kOfRound * kRounds);
    TILESTEP_RETURN_IF_ERROR(measured);
    *one.clocks = *measured;
  }
  return {};
}

Result<void> measure_lines(Laboratory& laboratory, int sms, clock::MeasuredClocks& clocks) {
  constexpr std::uint32_t kSectorLines = 4;
  constexpr std::uint32_t kWords = kLinesBytes / sizeof(std::uint32_t);
  laboratory.set_data(std::vector<std::uint32_t>(kWords, 0));
  for (const std::uint32_t lines : {1U, kSectorLines}) {
    const auto measured = laboratory.of_sm({.entry = "sm_lines",
                                            .blocks = 2 * static_cast<std::uint32_t>(sms),
                                            .warps = 32,
                                            .first = kWords - 1,
                                            .second = lines},
                                           kRequests * lines);
    TILESTEP_RETURN_IF_ERROR(measured);
    (lines == 1 ? clocks.line_rate : clocks.sector_rate) = *measured;
  }
  return {};
}

std::string number_text(double value) {
  return fmt::format("{:.4g}", value);
}

std::string numbers_text(const clock::SmTable& measured, const clock::SmTable& nearest,
                         const clock::MeasuredClocks& clocks) {
  Table numbers({tr("quantity"), nearest.gpu, tr("measured here"), tr("unit"), tr("source")},
                Table::Last::Sentence);
  const auto fields = clock::sm_fields();
  std::size_t taken_over = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (measured.sources[i].starts_with("taken over")) {
      ++taken_over;
      continue;
    }
    numbers.add({std::string(fields[i].name), number_text(nearest.numbers.*fields[i].number),
                 number_text(measured.numbers.*fields[i].number), std::string(fields[i].unit),
                 measured.sources[i]});
  }
  Table rules({tr("model assumption"), tr("cycles"), tr("measured here")});
  for (const clock::RuleCheck& check : clock::check_rules(clocks)) {
    rules.add({check.what, number_text(check.of_model), number_text(check.measured)});
  }
  return measured.provenance + "\n\n" + numbers.text() + "\n" +
         tr("{} other values are taken from {}.", taken_over, nearest.gpu) + "\n\n" + rules.text();
}

}  // namespace

Result<clock::MeasuredClocks> measure_clocks(gpu::Device& device, compile::Compiler& compiler,
                                             const std::string& source) {
  auto ptx = timing::compile_probes(compiler, "sm_numbers.cu", source);
  TILESTEP_RETURN_IF_ERROR(ptx);
  Laboratory laboratory(device, *std::move(ptx));
  clock::MeasuredClocks clocks;
  TILESTEP_RETURN_IF_ERROR(measure_global(laboratory, clocks));
  TILESTEP_RETURN_IF_ERROR(measure_lines(laboratory, device.info().sm_count, clocks));
  constexpr std::uint32_t kOperations = kOfRound * kRounds;
  std::uint32_t ways = 1;
  for (double& one : clocks.shared_chain) {
    const auto measured =
        laboratory.of_warp({.entry = "sm_shared_chain", .first = ways}, kOperations);
    TILESTEP_RETURN_IF_ERROR(measured);
    one = *measured;
    ways *= 2;
  }
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const auto measured = laboratory.of_warp(
        {.entry = "sm_barriers", .warps = static_cast<std::uint32_t>(warps)}, kOperations);
    TILESTEP_RETURN_IF_ERROR(measured);
    clocks.barriers.emplace_back(warps, *measured);
  }
  const std::pair<const char*, double*> chains[] = {{"sm_constant_chain", &clocks.constant_chain},
                                                    {"sm_special_chain", &clocks.special_chain}};
  for (const auto& [entry, value] : chains) {
    const auto measured = laboratory.of_warp({.entry = entry}, kOperations);
    TILESTEP_RETURN_IF_ERROR(measured);
    *value = *measured;
  }
  const std::pair<const char*, double*> rates[] = {{"sm_shared_rate", &clocks.shared_rate},
                                                   {"sm_stores", &clocks.store_rate},
                                                   {"sm_ffma", &clocks.ffma_rate},
                                                   {"sm_imad", &clocks.imad_rate},
                                                   {"sm_shift", &clocks.shift_rate}};
  for (const auto& [entry, value] : rates) {
    const auto measured = laboratory.of_sm({.entry = entry, .warps = kManyWarps}, kOperations);
    TILESTEP_RETURN_IF_ERROR(measured);
    *value = *measured;
  }
  return clocks;
}

Result<int> show_numbers(const NumbersOptions& options, Context& context) {
  auto opened = gpu::Device::open(gpu::default_libraries(), options.device);
  TILESTEP_RETURN_IF_ERROR(opened);
  gpu::Device& device = **opened;
  const auto source = problem::read_file(context.paths.kernels / "sm_numbers.cu");
  TILESTEP_RETURN_IF_ERROR(source);
  const gpu::DeviceInfo& info = device.info();
  const auto nearest =
      clock::load_sm_table(context.paths.assets / "clock", info.name, clock::OtherGpu::Replaced);
  TILESTEP_RETURN_IF_ERROR(nearest);
  try {
    const auto clocks = measure_clocks(device, context.compiler, *source);
    TILESTEP_RETURN_IF_ERROR(clocks);
    const gpu::Clocks now = device.clocks();
    const clock::MeasuredGpu gpu{
        info.name, 10 * info.compute_major + info.compute_minor, info.sm_count,
        fmt::format("{}, driver {}, {} MHz; microbenchmarks {}. Numbers that are not measured are "
                    "those of {}.",
                    info.name, info.driver_version, now.sm_mhz, timing::utc_now(), nearest->gpu)};
    const auto table = clock::measured_table(*clocks, gpu, *nearest);
    TILESTEP_RETURN_IF_ERROR(table);
    if (!options.out.empty()) {
      TILESTEP_RETURN_IF_ERROR(problem::write_file(options.out, clock::to_json(*table)));
      fmt::print(stderr, "{}\n", tr("Written: {}", options.out));
    }
    fmt::print("{}", printable(numbers_text(*table, *nearest, *clocks)));
  } catch (const gpu::GpuError& error) {
    return fail(error.what());
  }
  return 0;
}

}  // namespace tilestep::cli

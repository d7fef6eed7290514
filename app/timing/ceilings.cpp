#include "timing/ceilings.h"

#include "problem/tr.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

namespace tilestep::timing {
namespace {

constexpr int kLaunches = 10;
constexpr std::uint32_t kReadThreads = 256;
constexpr std::uint32_t kComputeThreads = 1024;
constexpr int kPassesOfL2 = 200;
constexpr int kRounds = 1000;
constexpr int kLoadsOfRound = 32;          // per thread, in ceiling_shared
constexpr int kMultiplyAddsOfRound = 128;  // per thread, in ceiling_ffma
constexpr std::size_t kMostBytes = 4ULL << 30;
constexpr double kBytesOfLoad = 4.0;
constexpr std::size_t kCopiedBytes = 64ULL << 20;
constexpr double kNever = std::numeric_limits<double>::infinity();
// Rows that the documents mention, and their neighbors.
constexpr std::array kPitchedColumns{3,   32,  33,  64,   65,   100,  127,  128,  129, 256,
                                     257, 512, 513, 1000, 1001, 1024, 1025, 4096, 4097};

class Arguments {
 public:
  // In the order of the parameters; each at a multiple of its size.
  template <class T>
  Arguments& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Probe {
 public:
  Probe(gpu::Device& device, const std::string& ptx)
      : device_(device), ptx_(ptx), out_(device.make_buffer(sizeof(float))) {}

  // Throughput in 10⁹ bytes per second.
  Result<double> reads(std::size_t bytes, int passes, gpu::L2 l2) {
    gpu::Buffer data = device_.make_buffer(bytes);
    data.fill(std::byte{0});
    const auto count = static_cast<std::uint32_t>(bytes / 16);
    Arguments arguments;
    arguments.add(data.address()).add(count).add(passes).add(out_.address());
    const auto ms = fastest("ceiling_reads", kReadThreads, arguments, l2);
    return ms.map([&](double t) { return static_cast<double>(bytes) * passes / t * 1e-6; });
  }
  Result<double> shared() {
    Arguments arguments;
    arguments.add(out_.address()).add(kRounds);
    const auto ms = fastest("ceiling_shared", kComputeThreads, arguments, gpu::L2::Warm);
    return ms.map([&](double t) {
      return kBytesOfLoad * kLoadsOfRound * kRounds * threads(kComputeThreads) / t * 1e-6;
    });
  }
  Result<double> multiply_adds() {
    Arguments arguments;
    arguments.add(out_.address()).add(1.0F).add(0.0F).add(kRounds);
    const auto ms = fastest("ceiling_ffma", kComputeThreads, arguments, gpu::L2::Warm);
    return ms.map([&](double t) {
      return 2.0 * kMultiplyAddsOfRound * kRounds * threads(kComputeThreads) / t * 1e-6;
    });
  }

 private:
  // As many blocks as fill the GPU once.
  [[nodiscard]] std::uint32_t blocks(std::uint32_t threads) const {
    const gpu::DeviceInfo& info = device_.info();
    const std::uint32_t of_sm = static_cast<std::uint32_t>(info.max_threads_per_sm) / threads;
    return std::max(1U, of_sm) * static_cast<std::uint32_t>(info.sm_count);
  }
  [[nodiscard]] double threads(std::uint32_t of_block) const {
    return static_cast<double>(blocks(of_block)) * of_block;
  }

  Result<double> fastest(const char* entry, std::uint32_t threads, const Arguments& arguments,
                         gpu::L2 l2) {
    const auto kernel = device_.load(ptx_, entry);
    if (!kernel) {
      return tl::unexpected(kernel.error());
    }
    const gpu::LaunchShape shape{{blocks(threads), 1, 1}, {threads, 1, 1}, 0};
    float best = std::numeric_limits<float>::infinity();
    for (int i = 0; i < kLaunches; ++i) {
      const gpu::Care care = i == 0 ? gpu::Care::Rough : gpu::Care::Exact;
      best = std::min(best, device_.time(*kernel, shape, arguments.bytes(), {l2, care}));
    }
    return static_cast<double>(best);
  }

  gpu::Device& device_;
  const std::string& ptx_;
  gpu::Buffer out_;
};

Copies measure_copies(gpu::Device& device) {
  gpu::CopyTimes pageable{kNever, kNever};
  gpu::CopyTimes locked{kNever, kNever};
  for (int i = 0; i < kLaunches; ++i) {
    for (auto& [best, memory] : {std::pair{&pageable, gpu::HostMemory::Pageable},
                                 std::pair{&locked, gpu::HostMemory::PageLocked}}) {
      const gpu::CopyTimes time = device.time_copies(kCopiedBytes, memory);
      *best = {std::min(best->to_device_ms, time.to_device_ms),
               std::min(best->to_host_ms, time.to_host_ms)};
    }
  }
  const auto rate = [](double ms) { return static_cast<double>(kCopiedBytes) / ms * 1e-6; };
  return {rate(pageable.to_device_ms), rate(pageable.to_host_ms), rate(locked.to_device_ms),
          rate(locked.to_host_ms)};
}

std::vector<Pitch> measure_pitches(gpu::Device& device) {
  constexpr std::size_t kRows = 64;
  std::vector<Pitch> pitches;
  for (const int columns : kPitchedColumns) {
    const int row_bytes = columns * static_cast<int>(sizeof(float));
    pitches.push_back(
        {row_bytes, static_cast<int>(device.pitch_of(static_cast<std::size_t>(row_bytes), kRows))});
  }
  return pitches;
}

// The value of the first line that starts with `key`, up to the separator after it.
std::string look_up(const char* file, const std::string& key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(key, 0) != 0) {
      continue;
    }
    const std::size_t start = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? std::string() : line.substr(start, end + 1 - start);
  }
  return {};
}

}  // namespace

Result<std::string> compile_probes(compile::Compiler& compiler, const char* file,
                                   const std::string& source) {
  compile::Request request;
  request.source_name = file;
  request.source = source;
  request.options = {"-arch=compute_80", "-std=c++20"};
  const auto output = compiler.compile(request);
  TILESTEP_RETURN_IF_ERROR(output);
  if (!output->ok()) {
    return fail(tr("{} does not compile: {}", file, output->log));
  }
  return output->ptx;
}

Result<Ceilings> measure_ceilings(gpu::Device& device, compile::Compiler& compiler,
                                  const std::string& source) {
  const auto ptx = compile_probes(compiler, "ceilings.cu", source);
  TILESTEP_RETURN_IF_ERROR(ptx);
  const gpu::DeviceInfo& info = device.info();
  Probe probe(device, *ptx);
  const std::size_t large = std::min(kMostBytes, info.memory_bytes / 4) / 16 * 16;
  // A quarter of L2: Hopper's has two halves, and data may be in both.
  const std::size_t small = std::max<std::size_t>(info.l2_bytes / 4, 1U << 20) / 16 * 16;
  const auto dram = probe.reads(large, 1, gpu::L2::Cold);
  const auto l2 = probe.reads(small, kPassesOfL2, gpu::L2::Warm);
  const auto shared = probe.shared();
  const auto ffma = probe.multiply_adds();
  for (const auto* result : {&dram, &l2, &shared, &ffma}) {
    if (!*result) {
      return tl::unexpected(result->error());
    }
  }
  return Ceilings{.architecture = 10 * info.compute_major + info.compute_minor,
                  .sms = info.sm_count,
                  .l2_bytes = static_cast<int>(info.l2_bytes),
                  .dram_gb_s = *dram,
                  .l2_gb_s = *l2,
                  .shared_gb_s = *shared,
                  .ffma_gflops = *ffma,
                  .date = utc_now(),
                  .copies = measure_copies(device),
                  .pitches = measure_pitches(device)};
}

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string host_description() {
  const std::string system = look_up("/etc/os-release", "PRETTY_NAME", '=');
  const std::string cpu = look_up("/proc/cpuinfo", "model name", ':');
  return fmt::format("{}{}{}", system, system.empty() || cpu.empty() ? "" : ", ", cpu);
}

}  // namespace tilestep::timing

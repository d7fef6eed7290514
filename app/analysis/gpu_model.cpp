#include "analysis/gpu_model.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::analysis {
namespace {

constexpr int kBytesOfKib = 1024;
constexpr double kBytesOfSharedPass = 128.0;  // 32 banks of 4 bytes

struct DataSheet {
  const char* name;
  int architecture, sms;
  double clock_mhz;
  int ffma_lanes;
  double dram_gb_s, l2_bytes_per_clock, l2_mib;
  const char* source;
};

// From NVIDIA's product and architecture papers. L2 bandwidth only if a paper has it; for Hopper
// the measurement of `tilestep ceilings` on an H200 (assets/timings/h200.json): 8571 GB/s at 1980
// MHz.
constexpr double kHopperL2 = 4330;  // bytes per clock
constexpr std::array kDataSheets{
    DataSheet{"Tesla T4", 75, 40, 1590, 64, 320, 0, 4, "T4 data sheet"},
    DataSheet{"NVIDIA A100-SXM4-80GB", 80, 108, 1410, 64, 2039, 5120, 40,
              "A100 architecture white paper"},
    DataSheet{"NVIDIA GeForce RTX 3090", 86, 82, 1695, 128, 936, 0, 6, "GA102 white paper"},
    DataSheet{"NVIDIA GeForce RTX 4090", 89, 128, 2520, 128, 1008, 0, 72, "Ada white paper"},
    DataSheet{"NVIDIA H100 80GB HBM3", 90, 132, 1980, 128, 3350, kHopperL2, 50, "H100 data sheet"},
    DataSheet{"NVIDIA H200", 90, 132, 1980, 128, 4800, kHopperL2, 50, "H200 data sheet"},
    DataSheet{"NVIDIA B200", 100, 148, 1965, 128, 8000, 0, 126, "Blackwell data sheet"},
    DataSheet{"NVIDIA GeForce RTX 5090", 120, 170, 2407, 128, 1792, 0, 96,
              "RTX Blackwell white paper"},
};

void set_clock(GpuModel& gpu, double clock_mhz) {
  gpu.sm_clock_mhz = clock_mhz;
  gpu.peak_gflops = 2e-3 * gpu.sms * gpu.ffma_lanes * clock_mhz;
  gpu.shared_gb_s = 1e-3 * gpu.sms * kBytesOfSharedPass * clock_mhz;
}

GpuModel from_sheet(const DataSheet& sheet) {
  GpuModel gpu;
  gpu.name = sheet.name;
  gpu.architecture = sheet.architecture;
  gpu.sms = sheet.sms;
  gpu.ffma_lanes = sheet.ffma_lanes;
  gpu.dram_gb_s = sheet.dram_gb_s;
  gpu.l2_gb_s = 1e-3 * sheet.l2_bytes_per_clock * sheet.clock_mhz;
  gpu.l2_mib = sheet.l2_mib;
  gpu.source = tr("from the data sheet ({})", sheet.source);
  set_clock(gpu, sheet.clock_mhz);
  return gpu;
}

template <std::size_t... i>
std::array<GpuModel, sizeof...(i)> all_sheets(std::index_sequence<i...>) {
  return {from_sheet(kDataSheets[i])...};
}

const auto kKnownGpus = all_sheets(std::make_index_sequence<kDataSheets.size()>());

}  // namespace

std::span<const GpuModel> known_gpus() {
  return kKnownGpus;
}

GpuModel gpu_model(const timing::Provenance& provenance) {
  GpuModel gpu;
  const auto known =
      std::ranges::find_if(kKnownGpus, [&](const GpuModel& g) { return g.name == provenance.gpu; });
  if (known != kKnownGpus.end()) {
    gpu = *known;
  }
  gpu.name = provenance.gpu;
  if (provenance.sm_clock_mhz > 0 && gpu.is_known()) {
    set_clock(gpu, provenance.sm_clock_mhz);
  }
  if (provenance.ceilings) {
    const timing::Ceilings& c = *provenance.ceilings;
    gpu.sms = c.sms;
    gpu.architecture = c.architecture;
    gpu.ffma_lanes = gpu.ffma_lanes == 0 ? 128 : gpu.ffma_lanes;
    gpu.sm_clock_mhz = provenance.sm_clock_mhz;
    gpu.dram_gb_s = c.dram_gb_s;
    gpu.l2_gb_s = c.l2_gb_s;
    gpu.shared_gb_s = c.shared_gb_s;
    gpu.peak_gflops = c.ffma_gflops;
    gpu.l2_mib = static_cast<double>(c.l2_bytes) / (1 << 20);
    gpu.is_measured = true;
    gpu.source = tr("measured {}", c.date.substr(0, c.date.find('T')));
  }
  return gpu;
}

std::optional<insight::Architecture> sm_of(const GpuModel& gpu) {
  const insight::Architecture* const known = insight::find_architecture(gpu.architecture);
  if (known == nullptr) {
    return std::nullopt;
  }
  insight::Architecture sm = *known;
  sm.warps = gpu.warps_of_sm > 0 ? gpu.warps_of_sm : sm.warps;
  sm.shared_bytes = gpu.shared_bytes_of_sm > 0 ? gpu.shared_bytes_of_sm : sm.shared_bytes;
  return sm;
}

// The total throughput of the SMs scales with their number and clock, also if it was measured.
GpuModel changed(GpuModel gpu, const state::WhatIf& what_if) {
  if (what_if == state::WhatIf{} || !gpu.is_known()) {
    return gpu;
  }
  std::string differs;
  const auto take = [&differs](int wanted, auto& value, const char* unit) {
    if (wanted > 0) {
      value = wanted;
      differs += fmt::format("{}{} {}", differs.empty() ? "" : ", ", wanted, unit);
    }
  };
  const double sms = gpu.sms;
  const double clock = gpu.sm_clock_mhz;
  take(what_if.sms, gpu.sms, "SMs");
  take(what_if.clock_mhz, gpu.sm_clock_mhz, "MHz");
  const double faster = gpu.sms / sms * (clock > 0.0 ? gpu.sm_clock_mhz / clock : 1.0);
  gpu.peak_gflops *= faster;
  gpu.shared_gb_s *= faster;
  take(what_if.dram_gb_s, gpu.dram_gb_s, tr("GB/s DRAM"));
  take(what_if.l2_gb_s, gpu.l2_gb_s, tr("GB/s L2"));
  take(what_if.shared_kib, gpu.shared_bytes_of_sm, tr("KiB shared memory"));
  gpu.shared_bytes_of_sm *= kBytesOfKib;
  take(what_if.warps, gpu.warps_of_sm, tr("warps per SM"));
  gpu.source = tr("what if: {}", differs);
  return gpu;
}

}  // namespace tilestep::analysis

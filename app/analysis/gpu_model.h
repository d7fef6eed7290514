// A GPU for explanations: its throughput per second, of each kind.
#pragma once

#include "insight/occupancy/occupancy.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <optional>
#include <span>
#include <string>

namespace tilestep::analysis {

struct GpuModel {
  std::string name;      // as the driver reports it: "NVIDIA H200"
  int architecture = 0;  // 90: compute capability 9.0; 0: unknown
  int sms = 0;
  double sm_clock_mhz = 0.0;  // boost clock, or as measured
  int ffma_lanes = 0;         // float32 multiply-adds an SM starts in one clock
  double dram_gb_s = 0.0;
  double l2_gb_s = 0.0;  // 0: unknown
  double l2_mib = 0.0;
  double peak_gflops = 0.0;    // of multiply-adds, each 2 operations
  double shared_gb_s = 0.0;    // L1 cache and shared memory of all SMs
  int warps_of_sm = 0;         // 0: the architecture's
  int shared_bytes_of_sm = 0;  // 0: the architecture's
  bool is_measured = false;    // the figures are from `timing::Ceilings`
  std::string source;          // one clause: the source of the figures

  [[nodiscard]] bool is_known() const { return sms > 0; }
};

// From data sheets. Sources are in docs/insight/model.md, "GPUs".
[[nodiscard]] std::span<const GpuModel> known_gpus();

// The GPU that a data set was measured on: its measured ceilings and clock, and the table's row for
// a GPU of that name; is_known() is false if there is neither.
[[nodiscard]] GpuModel gpu_model(const timing::Provenance& provenance);

// Limits of its SM; empty if its architecture is not in the table.
[[nodiscard]] std::optional<insight::Architecture> sm_of(const GpuModel& gpu);

// The same GPU with the changes of `what_if`, which its source lists. Without changes, the GPU
// itself.
[[nodiscard]] GpuModel changed(GpuModel gpu, const state::WhatIf& what_if);

}  // namespace tilestep::analysis

// A GPU as explanations need it: how much it can do a second, of each kind.
#pragma once

#include "insight/occupancy/occupancy.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <optional>
#include <span>
#include <string>

namespace tilestep::analysis {

struct GpuModel {
  std::string name;      // as the driver says it: "NVIDIA H200"
  int architecture = 0;  // 90: compute capability 9.0; 0: unknown
  int sms = 0;
  double sm_clock_mhz = 0.0;  // boost clock, or as measured
  int ffma_lanes = 0;         // float32 multiply-adds an SM starts in one clock
  double dram_gb_s = 0.0;
  double l2_gb_s = 0.0;  // 0: nobody says
  double l2_mib = 0.0;
  double peak_gflops = 0.0;    // of multiply-adds, each 2 operations
  double shared_gb_s = 0.0;    // L1 cache and shared memory of all SMs
  int warps_of_sm = 0;         // 0: as the architecture says
  int shared_bytes_of_sm = 0;  // 0: as the architecture says
  bool is_measured = false;    // the figures come from `timing::Ceilings`
  std::string source;          // one clause: where the figures come from

  [[nodiscard]] bool is_known() const { return sms > 0; }
};

// By data sheet. Sources stand in docs/insight/model.md, "GPUs".
[[nodiscard]] std::span<const GpuModel> known_gpus();

// Of the GPU that a data set was measured on: its measured ceilings and clock, and what the table
// says of a GPU of that name; is_known() is false where neither says anything.
[[nodiscard]] GpuModel gpu_model(const timing::Provenance& provenance);

// What an SM of it has; nothing where its architecture is not in the table.
[[nodiscard]] std::optional<insight::Architecture> sm_of(const GpuModel& gpu);

// The same GPU with what differs. Its source says what that is; nothing differs: the GPU itself.
[[nodiscard]] GpuModel changed(GpuModel gpu, const state::WhatIf& what_if);

}  // namespace tilestep::analysis

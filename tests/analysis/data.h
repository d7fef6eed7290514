// Small data sets and counted launches for the tests of explanations.
#pragma once

#include "analysis/chart.h"

#include <string>
#include <vector>

namespace tilestep::analysis::test {

// Three samples around `ms`.
inline timing::Point point(const std::string& kernel, int size, int block_size, double ms) {
  timing::Point p;
  p.kernel = kernel;
  p.problem = {size, size, size};
  p.block_size = block_size;
  p.samples_ms = {0.9 * ms, ms, 1.2 * ms};
  p.verified = true;
  return p;
}

// tiled, naive and cuBLAS at 1000³ (2 GFLOP): 1000 ms are 2 GFLOP/s.
inline timing::DataSet data_set() {
  timing::DataSet data;
  data.name = "here";
  data.provenance.gpu = "NVIDIA H200";
  data.provenance.sm_clock_mhz = 1000;
  data.points = {point("tiled", 1000, 8, 4.0),  point("tiled", 1000, 16, 2.0),
                 point("naive", 1000, 16, 8.0), point("tiled", 500, 16, 0.5),
                 point("cublas", 1000, 0, 1.0), point("cublas_tf32", 1000, 0, 0.25)};
  timing::Point skipped;
  skipped.kernel = "naive";
  skipped.problem = {1000, 1000, 1000};
  skipped.block_size = 32;
  skipped.note = "does not fit";
  data.points.push_back(skipped);
  return data;
}

// A launch of 1320 blocks of 256 threads on 132 SMs.
inline LaunchFacts facts(const std::string& kernel, int block_size) {
  LaunchFacts f;
  f.kernel = kernel;
  f.parameters = {{1000, 1000, 1000}, block_size};
  f.flops = 2e9;
  f.blocks = 1320;
  f.threads = 256;
  f.barriers = 20;
  f.global_passes = 1000.0;
  f.l2_sectors = 4000.0;
  f.loads_of_new = 1.0;
  f.schedule.instructions = 6'250.0;  // of each of 8 warps
  f.schedule.clocks = 15'000.0;
  f.schedule.waits = 10.0;
  f.cost.instructions = 1320 * 50'000ULL;
  f.cost.shared_loads.requests = f.cost.shared_loads.wavefronts = 1320 * 30'000ULL;
  f.cost.shared_loads.elements = 2'000'000'000ULL;
  f.cost.global_loads.requests = 1'000'000ULL;
  f.cost.global_loads.sectors = 4'000'000ULL;
  f.cost.global_loads.ideal_sectors = 4'000'000ULL;
  f.cost.global_loads.elements = 125'000'000ULL;
  insight::BlockNeeds needs;
  needs.threads = 256;
  needs.registers = 32;
  needs.shared_bytes = 2048;
  f.architecture = 90;
  f.needs = needs;
  return f;
}

inline ChartRequest request(const std::vector<const timing::DataSet*>& datasets) {
  ChartRequest r;
  r.datasets = datasets;
  r.view.problem = {1000, 1000, 1000};
  r.block_size = 16;
  r.gpu = gpu_model(datasets.front()->provenance);
  r.names = {{"naive", "Naive"}, {"tiled", "Tiled"}};
  return r;
}

}  // namespace tilestep::analysis::test

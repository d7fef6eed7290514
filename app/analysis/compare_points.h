// Why one point is slower than another: the ratio of their times as a product of causes.
//
//   const Comparison c = compare_points({"16", &facts16, gpu, 0.28}, {"17", &facts17, gpu, 0.40});
//   c.sentence() "17 is 1.43× slower than 16: 1.32× passes through shared memory (…); …"
//
// A cause is one number of the model (prediction.h: Terms), or the GPU. Its factor is the change of
// the predicted time when that number becomes the other point's. The change depends on which other
// numbers have changed before (a resource that does not bind costs nothing), so it is averaged over
// all orders (Shapley value of the logarithm). So the factors multiply to the predicted ratio, and
// "the rest" is the measured ratio beyond it.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "analysis/prediction.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::analysis {

enum class Cause {
  Size,
  Gpu,
  Instructions,
  RegisterPorts,
  TensorCores,
  IdleLanes,
  SharedPasses,
  GlobalPasses,
  L2Sectors,
  Waits,
  Barriers,
  ResidentWarps,
  Tail
};

struct ComparedPoint {
  std::string name;  // in the sentence
  const LaunchFacts* facts = nullptr;
  GpuModel gpu;
  double measured_ms = 0.0;  // 0: not measured
};

struct Factor {
  Cause cause = Cause::Size;
  double ratio = 1.0;   // of the times: above 1 makes the slower one slower
  std::string counted;  // counts of both: "2.12 for 32 multiply-adds instead of 1.62"
  std::string reason;   // why they differ, if the counts show it; otherwise empty

  // "1.24× from passes through shared memory"
  [[nodiscard]] std::string claim() const;
  // Both texts.
  [[nodiscard]] std::string sentence() const;
};

struct Comparison {
  bool swapped = false;         // the second point is the faster one
  double measured = 0.0;        // time of the slower / time of the faster; 0: not measured
  double predicted = 1.0;       // product of the factors
  double rest = 1.0;            // measured / predicted; 1 if not measured
  bool explained = true;        // the rest is at most 10 %
  std::vector<Factor> factors;  // the largest first, without causes that do not differ
  std::size_t named = 0;        // number of factors that matter
  double others = 1.0;          // product of the others
  std::string claim;            // "17 is 1.43× slower than 16"
  std::string causes;  // the factors that matter and the rest, with their counts; may be empty
  std::string doubt;   // says that the model does not explain it; empty if it does

  // All three texts.
  [[nodiscard]] std::string sentence() const;
};

// The largest rest of an explained comparison: the accuracy of a model of this size.
inline constexpr double kExplainedRest = 1.1;

// Preconditions: facts->why_not is empty, gpu.is_known(), for both.
[[nodiscard]] Comparison compare_points(const ComparedPoint& a, const ComparedPoint& b);

// Where a cause of slowness is visible: a line of the kernel on the stage, a warp, or a page of the
// Timing tab. Pure.

enum class Sight {
  Memory,       // banks and sectors of the accesses of a line
  Warp,         // the last warp of a block, at a line, with the lanes that have no thread
  MaskedLanes,  // the first statement that some lanes sit out
  Barrier,      // the first barrier
  Ptx,          // the instructions of a line
  Occupancy,    // the table
  BySize,       // the plot over N
  Roofline      // the plot with the GPU's ceilings
};

struct SeenAt {
  Sight sight = Sight::Memory;
  std::uint32_t line = 0;    // 0: none
  std::uint32_t thread = 0;  // linear in the block
};

// For the launch that is slower because of this cause.
[[nodiscard]] SeenAt seen_at(Cause cause, const LaunchFacts& facts);

}  // namespace tilestep::analysis

// Why a point has its speed: sentences made of counted and measured numbers, nothing else.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "analysis/prediction.h"
#include "timing/dataset.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::analysis {

enum class Loss {
  Nothing,  // optimal
  Some,     // it costs time
  Neither,  // a fact, or a loss too small for a warning
};

struct Remark {
  Loss loss = Loss::Neither;
  std::string about;
  std::string sentence;
};

// Consequences of the launch alone: warps and idle lanes of a block, the share of padding in the
// last tiles.
[[nodiscard]] std::vector<Remark> remarks_on_shape(const problem::Parameters& parameters,
                                                   int threads);

// A launch that is compared: counted, and possibly measured.
struct Subject {
  std::string title;  // of its kernel
  const LaunchFacts* facts = nullptr;
  double measured_ms = 0.0;   // 0: not measured
  bool is_last_rung = false;  // no kernel of the ladder follows
};

// All remarks, the reason first: the limit, what warps wait for, the costliest line, what the next
// kernel changes (for the last rung: what still limits it). `gpu` may be unknown: then occupancy,
// waves and ceilings are omitted. `next` may be null. `waits`: clock::waits_sentence of the launch;
// empty: its clocks are not estimated.
[[nodiscard]] std::vector<Remark> why(const Subject& subject, const Subject* next,
                                      const GpuModel& gpu, const std::string& waits = "");

// The strongest limit of the launch, in one sentence for the head of the page; empty if the GPU is
// unknown. Precondition: its facts' why_not is empty.
[[nodiscard]] std::string leading_reason(const Subject& subject, const GpuModel& gpu);

// The accesses of one line to one memory.
struct LineTraffic {
  std::uint32_t line = 0;
  std::uint32_t target = insight::kOtherTarget;
  simt::AccessKind kind = simt::AccessKind::Load;
  double share = 0.0;  // of all the launch's use of the memory pipeline
};
// The costliest: a sector is 32 bytes, a wavefront 128. Empty if nothing is accessed.
[[nodiscard]] std::optional<LineTraffic> costliest_line(const LaunchFacts& facts);

}  // namespace tilestep::analysis

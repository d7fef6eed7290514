// Why a point is where it is: sentences made of counted and measured numbers, nothing else.
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
  Nothing,  // it could not be better
  Some,     // it costs time
  Neither,  // a fact, or a loss too small to be worth a warning
};

struct Remark {
  Loss loss = Loss::Neither;
  std::string about;
  std::string sentence;
};

// What follows from a launch alone: warps and idle lanes of a block, the share of the last tiles
// that is padding.
[[nodiscard]] std::vector<Remark> remarks_on_shape(const problem::Parameters& parameters,
                                                   int threads);

// A launch that is compared: counted, and measured where it was.
struct Subject {
  std::string title;  // of its kernel
  const LaunchFacts* facts = nullptr;
  double measured_ms = 0.0;   // 0: not measured
  bool is_last_rung = false;  // no kernel of the ladder follows
};

// All there is to say, the costliest last but one, what the next kernel changes last
// (of the last rung: what still limits it). `gpu` may be
// unknown: then occupancy, waves and ceilings are left out. `next` may be null.
[[nodiscard]] std::vector<Remark> why(const Subject& subject, const Subject* next,
                                      const GpuModel& gpu);

// What holds the launch back most, in one sentence for the head of the page; empty where the GPU is
// not known. Precondition: its facts' why_not is empty.
[[nodiscard]] std::string leading_reason(const Subject& subject, const GpuModel& gpu);

// Accesses of one line to one memory, together.
struct LineTraffic {
  std::uint32_t line = 0;
  std::uint32_t target = insight::kOtherTarget;
  simt::AccessKind kind = simt::AccessKind::Load;
  double share = 0.0;  // of all that the launch takes of the memory pipeline
};
// The costliest: a sector is 32 bytes, a wavefront 128. Nothing where nothing is accessed.
[[nodiscard]] std::optional<LineTraffic> costliest_line(const LaunchFacts& facts);

}  // namespace tilestep::analysis

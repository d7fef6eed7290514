// The output of `tilestep trace`, and the window's export of a run.
#pragma once

#include "record/recording.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace tilestep::cli {

// The part of a run that is reported.
struct TraceRequest {
  std::string kernel;        // id
  std::uint32_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in the block: the thread whose numbers the sentences have
  // If set, the rest is left out, and the result must not be used.
  const std::atomic<bool>* cancelled = nullptr;
};

// Phases and statements of the block, with sentences, accesses, barriers, prints and faults.
[[nodiscard]] nlohmann::json trace_json(const record::Recording& run, const TraceRequest& request);
// One row per statement, then one for each of its accesses, barriers, prints and faults.
[[nodiscard]] std::string trace_csv(const nlohmann::json& trace);

// Every variable of the thread after each statement that it executed.
[[nodiscard]] nlohmann::json variables_json(const record::Recording& run,
                                            const TraceRequest& request);
// One row per statement, one column per variable.
[[nodiscard]] std::string variables_csv(const nlohmann::json& variables);

}  // namespace tilestep::cli

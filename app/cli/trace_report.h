// What `tilestep trace` prints, and what the window exports of a run.
#pragma once

#include "record/recording.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace tilestep::cli {

struct TraceRequest {
  std::string kernel;        // id
  std::uint32_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in the block: whose numbers the sentences give
  // Set: the rest is left out, and what is there is not to be used.
  const std::atomic<bool>* cancelled = nullptr;
};

// Phases and statements of the block, with sentences, accesses, barriers, prints and faults.
[[nodiscard]] nlohmann::json trace_json(const record::Recording& run, const TraceRequest& request);
// One row a statement, then one for each of its accesses, barriers, prints and faults.
[[nodiscard]] std::string trace_csv(const nlohmann::json& trace);

// Every variable of the thread after each statement that it executed.
[[nodiscard]] nlohmann::json variables_json(const record::Recording& run,
                                            const TraceRequest& request);
// One row a statement, one column a variable.
[[nodiscard]] std::string variables_csv(const nlohmann::json& variables);

}  // namespace tilestep::cli

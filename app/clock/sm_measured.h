// The table of another GPU's SM: clocks that microbenchmarks took there (kernels/sm_numbers.cu) →
// its numbers (sm_table.h). What they do not measure is taken over from a table that exists.
//
// Pure: numbers in, numbers out.
#pragma once

#include "clock/sm_table.h"
#include "problem/result.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::clock {

// Clocks of one operation. Chains: of one warp alone, each operation waiting for the one before.
// Rates: of the SM, with as many warps as it takes to keep it busy.
struct MeasuredClocks {
  // Loads of shared memory with 1, 2, 4, 8, 16, 32 lanes that want words of one bank.
  std::array<double, 6> shared_chain{};
  double l1_chain = 0;  // loads of global memory, with their address: 64 KiB
  double l2_chain = 0;  // 4 MiB
  double dram_chain = 0;
  double constant_chain = 0;                     // LDC with an address in a register
  double special_chain = 0;                      // MUFU
  std::vector<std::pair<int, double>> barriers;  // warps of the block, clocks of one barrier
  double shared_rate = 0;                        // loads without conflicts
  double store_rate = 0;                         // stores to global memory, 8 bytes of one lane
  double line_rate = 0;                          // loads of one line by all SMs, from L2
  double sector_rate = 0;                        // … of one sector of a line
  double ffma_rate = 0;
  double imad_rate = 0;
  double shift_rate = 0;
};

struct MeasuredGpu {
  std::string name;  // "NVIDIA H200"
  int architecture = 0;
  int sms = 0;
  std::string provenance;
};

// Latencies as the model has them: without its queue, whose clocks are taken over. Fails with a
// sentence that names the clocks that are none (0, not finite, or in the wrong order), or if the
// GPU has another architecture than the table.
[[nodiscard]] Result<SmTable> measured_table(const MeasuredClocks& clocks, const MeasuredGpu& gpu,
                                             const SmTable& nearest);

// What the model has in its rules and not in its table, beside the measurement: nothing that a
// table could correct.
struct RuleCheck {
  std::string what;
  double of_model = 0;
  double measured = 0;
};
[[nodiscard]] std::vector<RuleCheck> check_rules(const MeasuredClocks& clocks);

}  // namespace tilestep::clock

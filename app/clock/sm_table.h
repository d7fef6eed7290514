// The numbers of an SM that its model needs: latencies, rates and queues of one GPU, each with
// its source (assets/clock/h200.json).
#pragma once

#include "problem/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::clock {

// Measured: by a microbenchmark or a counter. Fitted: chosen so that launches take the measured
// time. Guess: neither.
enum class Origin : std::uint8_t { Measured, Fitted, Guess };

struct SmNumbers {
  // Clocks from an instruction's entry into the data stage to its result.
  double shared_load = 0;
  double l1_hit = 0;
  double l2_hit = 0;
  double dram = 0;
  double constant_load = 0;
  double special = 0;          // MUFU, S2R
  double operands_read = 0;    // until a memory instruction has read its registers
  double variable = 0;         // other instructions with a scoreboard
  double barrier = 0;          // from the last arrival to the release
  double barrier_arrival = 0;  // clocks of the barrier unit per warp
  double taken_branch = 0;     // clocks that a taken branch costs the warp
  // Memory instructions: from the scheduler into the queue, room in the queue, clocks between two
  // of a scheduler and between two of the SM.
  double queue_delay = 0;
  double queue_places = 0;
  double global_places = 0;
  double scheduler_shared_gap = 0;
  double scheduler_global_gap = 0;
  double shared_gap = 0;
  double global_gap = 0;
  // Passes that may wait for the data stage before the entry stops.
  double shared_backlog = 0;
  double global_backlog = 0;
  double line_gap = 0;         // clocks of the entry for each further line of a request
  double wide_sector_gap = 0;  // … for each sector of a load of 128 bits
  double barrier_passes = 0;   // of a barrier of a block
  double barrier_gap = 0;      // clocks of the data stage for each warp that arrives
  double store_passes = 0;     // in addition, of a store to shared memory
  double global_store = 0;     // clocks of the data stage for a store to global memory, at least
  double copy_passes = 0;      // in addition, of an asynchronous copy
  // Clocks until the scheduler issues again, after an access to global memory (an address of 64
  // bits) and after IMAD.WIDE.
  double global_dispatch = 0;
  double wide_dispatch = 0;
  double port_clocks = 0;  // clocks by which reads of registers may lag behind
  // The way to L2: bytes in a clock and clocks for each request of a line.
  double l2_bytes = 0;
  double l2_line = 0;
  double l1_kib = 0;  // L1 and shared memory together
  // Launch: clocks from the end of a block to the start of the next in its place, between the first
  // blocks of an SM, and between the warps of a block.
  double next_block = 0;
  double block_gap = 0;
  double warp_gap = 0;
  double sm_spread = 0;      // between the fastest and the slowest SM, as a share of the time
  double tensor_clocks = 0;  // of a scheduler's tensor core, for 16×8 by 8 of TF32
  double tensor_latency = 0;
};

struct SmField {
  std::string_view name;
  std::string_view unit;
  double SmNumbers::*number;
};
[[nodiscard]] std::span<const SmField> sm_fields();

// The error of the time of whole launches that Nsight Compute measured, of kernels that were not
// used to fit the numbers. Shares of the measured time.
struct ModelError {
  int launches = 0;  // 0: not known
  double median = 0;
  double nine_of_ten = 0;
};

struct SmTable {
  std::string gpu;
  int architecture = 0;  // 90
  int sms = 0;
  std::vector<double> shared_kib;  // the sizes that shared memory may have, ascending
  std::string provenance;
  SmNumbers numbers;
  ModelError error;
  std::vector<Origin> origins;       // by field
  std::vector<std::string> sources;  // by field: how it was found
};

// Fails with a sentence that names the number that is missing or has no origin.
[[nodiscard]] Result<SmTable> read_sm_table(const std::string& json);
// As read_sm_table reads it.
[[nodiscard]] std::string to_json(const SmTable& table);
// The table of the GPU in a folder of tables, "H100" or "NVIDIA H100 80GB HBM3". Of a GPU without
// one: that of the H200, or a sentence that names those with one.
enum class OtherGpu { Refused, Replaced };
[[nodiscard]] Result<SmTable> load_sm_table(const std::filesystem::path& folder,
                                            const std::string& gpu,
                                            OtherGpu other = OtherGpu::Refused);

// "Estimated by a model of an SM of NVIDIA H200. Of 198 launches …"
[[nodiscard]] std::string estimate_sentence(const SmTable& table);
// The same in a few words.
[[nodiscard]] std::string error_words(const SmTable& table);

}  // namespace tilestep::clock

// Names of threads, blocks and accesses in every sentence, label and table.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"
#include "simt/machine/machine.h"
#include "simt/state/event.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tilestep::insight {

// Coordinates of a block or a thread, x first, as CUDA writes them: "(3,0)" with as many
// coordinates as the launch uses; "5" if it uses one.
[[nodiscard]] std::string coordinates(const problem::Dim3& index, const problem::Launch& launch);
// "block (1,0)"
[[nodiscard]] std::string block_name(const problem::Dim3& block, const problem::Launch& launch);
// "thread (2,1)"
[[nodiscard]] std::string thread_name(const problem::Dim3& thread, const problem::Launch& launch);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_of_block(const problem::Dim3& thread, const problem::Dim3& block,
                                          const problem::Launch& launch);

// Verb of one thread: "reads", "stores", "atomically updates"; "uses" if there is no access.
[[nodiscard]] std::string verb(std::optional<simt::AccessKind> kind);
// Verb of several threads: "read", "store", …
[[nodiscard]] const char* verb_of_several(simt::AccessKind kind);
// "thread (2,1) stores"; `who` alone if there is no access.
[[nodiscard]] std::string with_verb(const std::string& who, std::optional<simt::AccessKind> kind);

// From a place's name to the place: "As[1][2]", "C[0][5]" (the inverse of record::place_name).

struct Cell {
  std::string name;           // as place_name writes it
  std::uint64_t address = 0;  // generic
  std::uint32_t bytes = 4;
  bool shared = false;
  ptx::TypeId type = ptx::kNoType;            // of an element of shared memory, if known
  std::uint32_t launch_buffer = 0xffffffffU;  // 0xffffffff: no buffer
};

// Whether a text has the form of a cell's name: a name and indices.
[[nodiscard]] bool looks_like_cell(const std::string& text);

// An element of a launch buffer or of a shared array.
[[nodiscard]] Result<Cell> find_cell(const simt::Program& program, const std::string& text);

// Processor cores, supplied by code that may start threads.

// Processor cores that a launch may use. `run(n, f)` calls f(0) … f(n − 1), concurrently if
// possible, and returns when all have returned. This room starts no threads.
struct Cores {
  std::size_t count = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

}  // namespace tilestep::insight

// What threads, blocks and accesses are called in every sentence, label and table.
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

// Of a block or a thread, x first, as CUDA writes them: "(3,0)" with as many coordinates as the
// launch uses; "5" when it uses one.
[[nodiscard]] std::string coordinates(const problem::Dim3& index, const problem::Launch& launch);
// "block (1,0)"
[[nodiscard]] std::string block_name(const problem::Dim3& block, const problem::Launch& launch);
// "thread (2,1)"
[[nodiscard]] std::string thread_name(const problem::Dim3& thread, const problem::Launch& launch);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_of_block(const problem::Dim3& thread, const problem::Dim3& block,
                                          const problem::Launch& launch);

// What one thread does: "reads", "stores", "atomically updates"; "uses" where it is no access.
[[nodiscard]] std::string verb(std::optional<simt::AccessKind> kind);
// What several threads do: "read", "store", …
[[nodiscard]] const char* verb_of_several(simt::AccessKind kind);
// "thread (2,1) stores"; `who` alone where it is no access.
[[nodiscard]] std::string with_verb(const std::string& who, std::optional<simt::AccessKind> kind);

// From a place's name to the place: "As[1][2]", "C[0][5]" (record::place_name, the other way).

struct Cell {
  std::string name;           // as place_name writes it
  std::uint64_t address = 0;  // generic
  std::uint32_t bytes = 4;
  bool shared = false;
  ptx::TypeId type = ptx::kNoType;            // of an element of shared memory, where it is known
  std::uint32_t launch_buffer = 0xffffffffU;  // or no buffer
};

// Whether a text has the form of a cell's name: a name and indices.
[[nodiscard]] bool looks_like_cell(const std::string& text);

// An element of a launch buffer or of a shared array.
[[nodiscard]] Result<Cell> find_cell(const simt::Program& program, const std::string& text);

// Processor cores, handed in by whoever may start threads.

// Processor cores that a launch may use. `run(n, f)` calls f(0) … f(n − 1), at once where it can,
// and returns when all have returned; nobody starts threads in this room.
struct Cores {
  std::size_t count = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

}  // namespace tilestep::insight

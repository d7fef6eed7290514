// What threads, blocks and accesses are called in every sentence, label and table.
#pragma once

#include "problem/launch/launch.h"
#include "simt/state/event.h"

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

}  // namespace tilestep::insight

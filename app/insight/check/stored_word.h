#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <optional>

namespace tilestep::insight {

// What a store that is being told puts into one of its words, at the bytes it covers; nothing where
// that does not come from registers one by one.
[[nodiscard]] std::optional<std::uint32_t> stored_word(const simt::Machine& machine,
                                                       const simt::StepInfo& info,
                                                       const simt::MemoryEvent& event,
                                                       std::uint32_t lane, std::uint64_t word);

}  // namespace tilestep::insight

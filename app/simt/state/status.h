// How far warps and blocks are.
#pragma once

#include <cstdint>

namespace tilestep::simt {

enum class WarpStatus : std::uint8_t { Ready, AtBarrier, Exited, Stopped /* by a fault */ };
enum class BlockStatus : std::uint8_t { NotStarted, Running, Ended, Stopped };

}  // namespace tilestep::simt

// Instructions in which a thread may wait for another one: failed locks, flags read over and over.
#pragma once

#include "simt/exec/context.h"

#include <cstdint>
#include <string>

namespace tilestep::simt {

// After an instruction that changed nothing and saw `seen`. If that happens many times in a row,
// the lanes give way to others. When all warps of the launch that could still move do nothing but
// that, they wait for ever: BarrierDeadlock stops them one by one, with what `describe` says.
using DescribeWait = std::string (*)(Context& c, const Bound* i);
[[nodiscard]] std::string wait_for_value(Context& c, const Bound* i);
const Bound* poll(Context& c, const Bound* i, std::uint64_t seen,
                  DescribeWait describe = wait_for_value);
// What was waited for has come, or something new was seen.
void end_polling(Warp& warp);

// A volatile or ordered load: Detail::polled, and poll() with what it read.
const Bound* polling_load(Context& c, const Bound* i);

}  // namespace tilestep::simt

// Counting a launch of any size: what the window, `counters` and `why` share.
#pragma once

#include "insight/count/profile.h"
#include "loading/prepare.h"

#include <atomic>
#include <functional>

namespace tilestep::workspace {

// `prepared` was made with problem::BufferContents::Zero: such buffers take no memory, and where
// the proof of insight/count/profile.h holds, counts depend on no contents. Where proving takes too
// long, a sample of proved blocks needs none either. Otherwise `fill` makes it again with contents
// (false: they are too large, and zeros have to do, as above 96 MiB), and all blocks are executed,
// or a sample of them. Cancelled: what was counted so far.
[[nodiscard]] insight::Profile count_launch(const loading::Prepared& prepared,
                                            const std::function<bool()>& fill,
                                            const std::atomic<bool>* cancel = nullptr);

// The same without a proof and without an estimate: every block is executed.
[[nodiscard]] insight::Profile count_every_block(const loading::Prepared& prepared,
                                                 const std::function<bool()>& fill,
                                                 const std::atomic<bool>* cancel = nullptr);

}  // namespace tilestep::workspace

#include "insight/count/launch_run.h"

#include "insight/count/block_run.h"

namespace tilestep::insight {
namespace {

bool is_set(void* flag) {
  return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

}  // namespace

void LaunchRun::to_end(simt::Observer* observer, const std::atomic<bool>* cancel) {
  if (!blocks.empty()) {
    const auto stop = [&] { return cancel != nullptr && cancel->load(std::memory_order_relaxed); };
    for (const std::uint32_t block : blocks) {
      (void)run_block(machine, block, observer, stop, &steps);
      cancelled = cancelled || stop();
    }
    return;
  }
  auto* flag = const_cast<std::atomic<bool>*>(cancel);
  steps = simt::run_to_end(machine, scheduler, observer, flag == nullptr ? nullptr : is_set, flag);
  cancelled = cancel != nullptr && cancel->load(std::memory_order_relaxed) && !machine.done();
}

}  // namespace tilestep::insight

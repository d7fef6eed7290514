#include "insight/count/launch_run.h"

namespace tilestep::insight {
namespace {

bool is_set(void* flag) {
  return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

}  // namespace

void LaunchRun::to_end(simt::Observer* observer, const std::atomic<bool>* cancel) {
  auto* flag = const_cast<std::atomic<bool>*>(cancel);
  steps = simt::run_to_end(machine, scheduler, observer, flag == nullptr ? nullptr : is_set, flag);
  cancelled = cancel != nullptr && cancel->load(std::memory_order_relaxed) && !machine.done();
}

}  // namespace tilestep::insight

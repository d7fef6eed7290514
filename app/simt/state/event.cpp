#include "simt/state/event.h"

namespace tilestep::simt {

void Observer::on_load_run(const StepInfo& first, const LoadRun& run, MemoryEvent& event) {
  StepInfo info = first;
  info.mask = info.active;
  for (const RunLoad& load : run.loads) {
    info.pc = load.pc;
    info.instruction = load.instruction;
    describe(run, load, event);
    on_memory(info, event);
  }
}

void describe(const LoadRun& run, const RunLoad& load, MemoryEvent& event) {
  const LoadRun::Register& through = run.registers[load.through];
  event.kind = AccessKind::Load;
  event.space = run.space;
  event.bytes = run.bytes;
  event.mask = ~0U;
  event.is_issue = false;
  event.is_arrival = false;
  event.skips_l1 = false;
  event.shape = through.shape;
  event.addresses.look_at(through.addresses, through.bias + load.offset);
}

}  // namespace tilestep::simt

#include "cli/tile_passes.h"

#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilestep::cli {

namespace {

using PassesOfWarps = std::map<std::pair<std::uint32_t, std::uint32_t>, int>;  // by block, warp
using Loops = std::map<const ptx::Instruction*, PassesOfWarps>;  // by their first instruction

Loops tile_loops(const ptx::Function& kernel) {
  Loops loops;
  const auto& all = kernel.instructions;
  for (std::uint32_t pc = 0; pc < all.size(); ++pc) {
    if (all[pc].op != ptx::Opcode::Bra || all[pc].target > pc) {
      continue;
    }
    const auto head = all.begin() + static_cast<std::ptrdiff_t>(all[pc].target);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(pc);
    if (std::any_of(head, end, [](const auto& i) { return i.space == ptx::Space::Shared; })) {
      loops[&*head];
    }
  }
  return loops;
}

class Passes final : public simt::Observer {
 public:
  explicit Passes(Loops& loops) : loops_(loops) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    const auto loop = loops_.find(info.instruction);
    if (loop != loops_.end()) {
      ++loop->second[{info.id.block, info.id.warp}];
    }
  }

 private:
  Loops& loops_;
};

}  // namespace

int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                      std::uint64_t most_steps) {
  Loops loops = tile_loops(program->entry());
  if (loops.empty()) {
    return 0;
  }
  Passes passes(loops);
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  while (most_steps > 0 && scheduler.step(machine, &passes)) {
    --most_steps;
  }
  return most_steps == 0
             ? 0
             : static_cast<int>(std::count_if(loops.begin(), loops.end(), [](const auto& loop) {
                 return !loop.second.empty() &&
                        std::all_of(loop.second.begin(), loop.second.end(),
                                    [](const auto& warp) { return warp.second == 1; });
               }));
}

}  // namespace tilestep::cli

#include "insight/check/left_loops.h"

#include "insight/names.h"
#include "problem/tr.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilestep::insight {

// Where the barrier is in the text, with the calls and the inlining it is in: the same for all
// copies that the compiler makes of it.
LeftLoops::Place LeftLoops::place_of(const simt::StepInfo& info) const {
  Place place;
  std::uint32_t pc = info.pc;
  std::uint32_t frame = info.frame;
  for (auto call = machine_.call(info.id, frame); call; call = machine_.call(info.id, frame)) {
    const ptx::Function& function = machine_.program().module().functions[call->function];
    const std::uint32_t own = function.instructions[pc].line;
    place.insert(place.end(), {call->function, own == 0 ? pc : 0});
    for (std::uint32_t at = own; at != 0; at = function.lines[at].inlined_at) {
      const ptx::Line& line = function.lines[at];
      place.insert(place.end(), {line.file, line.line, line.column});
    }
    if (frame == 0 || call->call_pc == ptx::kNoPc) {
      break;
    }
    pc = call->call_pc;
    frame = call->caller;
  }
  return place;
}

void LeftLoops::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (event.action != simt::BarrierAction::Arrive || !event.whole_block) {
    return;
  }
  std::uint32_t& came = came_[{info.id.block, info.id.warp, place_of(info)}];
  const bool is_left = event.absent != simt::kNoThread && (came & ~event.mask) != 0;
  came |= event.mask;
  if (!is_left) {
    return;
  }
  const std::uint32_t line = lines_.line_of(info, machine_);
  const auto [it, is_new] = findings_.try_emplace(line);
  Finding& finding = it->second;
  if (!is_new) {
    ++finding.occurrences;
    return;
  }
  const simt::Program& program = machine_.program();
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(event.mask));
  finding.kind = FindingKind::DivergentBarrier;
  finding.parties = {party_of(program, info, lane, line, step_)};
  const Party& party = finding.parties.front();
  finding.sentence = tr(
      "Some threads of a warp in {} leave the kernel behind __syncthreads() at line {}, and "
      "others, including {}, come to it again: the loop has not the same number of passes in "
      "all threads. Where the compiler copies the loop's body, a GPU may wait forever. Let all "
      "threads make the same passes, and guard only the work in the loop.",
      block_name(party.block, program.launch()), line, thread_name(party.thread, program.launch()));
}

void take_left_loops(std::vector<Finding>& findings, const LeftLoops& loops) {
  for (Finding& loop : loops.findings()) {
    std::erase_if(findings, [&loop](const Finding& finding) {
      return finding.kind == loop.kind && finding.parties.front().line == loop.parties.front().line;
    });
    findings.push_back(std::move(loop));
  }
}

}  // namespace tilestep::insight

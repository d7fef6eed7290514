#include "insight/check/buffer_stores.h"

#include "insight/check/sentences.h"
#include "record/place_name.h"
#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {

BufferStores::BufferStores(const simt::Machine& machine)
    : machine_(machine), lines_(machine.program()) {
  stored_.resize(machine.program().launch().buffers.size());
}

void BufferStores::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space != ptx::Space::Global || event.kind == simt::AccessKind::Load || event.is_issue) {
    return;
  }
  const simt::Program& program = machine_.program();
  simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
    const simt::Place place = program.locate(event.addresses[lane], event.bytes);
    if (!place.inside ||
        program.allocations()[place.allocation].kind != simt::AllocationKind::Buffer) {
      return;
    }
    const std::uint32_t buffer = program.allocations()[place.allocation].launch_buffer;
    std::vector<bool>& stored = stored_[buffer];
    stored.resize(program.launch().buffers[buffer].contents.size());
    std::fill_n(stored.begin() + place.offset, event.bytes, true);
    if (program.launch().buffers[buffer].role == problem::BufferRole::Input) {
      report(info, event, lane, place);
    }
  });
}

void BufferStores::report(const simt::StepInfo& info, const simt::MemoryEvent& event,
                          std::uint32_t lane, const simt::Place& place) {
  const simt::Program& program = machine_.program();
  const std::uint32_t line = lines_.line_of(info, machine_);
  const auto [it, is_new] = findings_.try_emplace({place.allocation, line});
  Finding& finding = it->second;
  if (!is_new) {
    ++finding.occurrences;
    return;
  }
  finding.kind = FindingKind::StoreToInput;
  finding.variable = program.allocations()[place.allocation].name;
  finding.element = record::place_name(program, place);
  finding.parties = {party_of(program, info, lane, line, step_)};
  finding.parties.front().access = event.kind;
  finding.sentence = input_store_sentence(program, finding);
}

bool BufferStores::is_stored(std::size_t buffer, std::size_t byte) const {
  return byte < stored_[buffer].size() && stored_[buffer][byte];
}

std::vector<Finding> BufferStores::findings() const {
  return findings_of(findings_);
}

}  // namespace tilestep::insight

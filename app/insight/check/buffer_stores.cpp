#include "insight/check/buffer_stores.h"

#include "insight/check/sentences.h"
#include "record/place_name.h"
#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {

BufferStores::BufferStores(const simt::Machine& machine, bool finds)
    : machine_(machine), finds_(finds), lines_(machine.program()) {
  for (const problem::Buffer& buffer : machine.program().launch().buffers) {
    stored_.emplace_back();
    element_bytes_.push_back(problem::byte_size(buffer.type));
  }
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
    const problem::Buffer& of = program.launch().buffers[buffer];
    const std::size_t size = element_bytes_[buffer];
    std::vector<std::uint32_t>& stored = stored_[buffer];
    stored.resize(of.contents.size() / size);
    const std::size_t end = std::min((place.offset + event.bytes + size - 1) / size, stored.size());
    for (std::size_t i = place.offset / size; i < end; ++i) {
      stored[i] = info.id.block + 1;
    }
    if (finds_ && of.role == problem::BufferRole::Input) {
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
  finding.variable = record::variable_name(program, place.allocation);
  finding.element = record::place_name(program, place);
  finding.parties = {party_of(program, info, lane, line, step_)};
  finding.parties.front().access = event.kind;
  finding.sentence = input_store_sentence(program, finding);
}

bool BufferStores::is_stored(std::size_t buffer, std::size_t byte) const {
  return block_of(buffer, byte).has_value();
}

std::optional<std::uint32_t> BufferStores::block_of(std::size_t buffer, std::size_t byte) const {
  const std::vector<std::uint32_t>& stored = stored_[buffer];
  const std::size_t at = byte / element_bytes_[buffer];
  return at < stored.size() && stored[at] != 0 ? std::optional(stored[at] - 1) : std::nullopt;
}

std::vector<Finding> BufferStores::findings() const {
  return findings_of(findings_);
}

}  // namespace tilestep::insight

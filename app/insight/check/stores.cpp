#include "insight/check/stores.h"

#include "insight/check/sentences.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "simt/state/event.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kWord = 4;

std::uint64_t key_of(const simt::StepInfo& info, const simt::MemoryEvent& event,
                     std::uint64_t word) {
  constexpr int kBlockBits = 40;  // above all addresses of shared memory
  return event.space == ptx::Space::Shared ? word | std::uint64_t{info.id.block} << kBlockBits
                                           : word | std::uint64_t{1} << 63;
}

using ptx::Operand;
using ptx::OperandKind;

class Uses {
 public:
  Uses(const ptx::Function& function, const Operand& from, CopyTo to)
      : function_(function), from_(from), to_(to) {}

  void follow(const Operand& result) {
    if (result.kind == OperandKind::Register &&
        std::ranges::find(values_, result.reg) == values_.end()) {
      values_.push_back(result.reg);
    }
  }

  // An unused value is no copy: the text reads it and does nothing with it.
  [[nodiscard]] bool all_are_copies() {
    for (std::size_t next = 0; next < values_.size(); ++next) {
      const ptx::Register value = values_[next];
      for (const ptx::Instruction& i : function_.instructions) {
        if (uses(i, value) && !copies(i, value)) {
          return false;
        }
      }
    }
    return is_stored_;
  }

 private:
  [[nodiscard]] const Operand& operand(const ptx::Instruction& i, std::uint32_t n) const {
    return function_.operands[i.first_operand + n];
  }
  [[nodiscard]] bool uses(const ptx::Instruction& i, const ptx::Register& value) const {
    for (std::uint32_t n = i.dest_count; n < i.operand_count; ++n) {
      const Operand& o = operand(i, n);
      const bool has_register = o.kind == OperandKind::Register || o.kind == OperandKind::Memory;
      if (has_register && o.reg == value) {
        return true;
      }
    }
    return false;
  }
  // True: the value is stored to the frame, or copied to a register that is now followed as well.
  [[nodiscard]] bool copies(const ptx::Instruction& i, const ptx::Register& value) {
    switch (i.op) {
      case ptx::Opcode::St: {
        const Operand& to = operand(i, i.dest_count);
        is_stored_ = true;
        return to.kind == OperandKind::Memory && to.reg != value &&
               (to == from_ ||
                (to_ == CopyTo::BackOrFrame &&
                 (to.reg == function_.stack_pointer || to.reg == function_.stack_pointer_local)));
      }
      case ptx::Opcode::And:
      case ptx::Opcode::Or:
      case ptx::Opcode::Bfi:
      case ptx::Opcode::Mov:
        follow(operand(i, 0));
        return true;
      default:
        return false;
    }
  }

  const ptx::Function& function_;
  const Operand& from_;  // the address that was loaded from
  bool is_stored_ = false;
  CopyTo to_;
  std::vector<ptx::Register> values_;
};

}  // namespace

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
    const std::size_t end =
        std::min<std::size_t>((place.offset + event.bytes + size - 1) / size, stored.size());
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

void OverwrittenStores::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const bool is_followed = event.space == ptx::Space::Shared || event.space == ptx::Space::Global;
  if (!is_followed || event.is_issue) {
    return;
  }
  simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
    const std::uint64_t first = event.addresses[lane] / kWord * kWord;
    for (std::uint64_t word = first; word < event.addresses[lane] + event.bytes; word += kWord) {
      if (event.kind == simt::AccessKind::Store && event.bytes >= kWord) {
        store(info, event, lane, word);
      } else {
        unread_.erase(key_of(info, event, word));
      }
    }
  });
}

void OverwrittenStores::store(const simt::StepInfo& info, const simt::MemoryEvent& event,
                              std::uint32_t lane, std::uint64_t word) {
  const simt::Program& program = machine_.program();
  const auto value = stored_word(machine_, info, event, lane, word / kWord);
  const std::uint64_t key = key_of(info, event, word);
  const auto before = unread_.find(key);
  const Party now = party_of(program, info, lane, lines_.line_of(info, machine_), 0);
  const simt::Place place = program.locate(word, kWord);
  const bool is_lost = before != unread_.end() && value && before->second.value != 0 &&
                       before->second.value != *value && before->second.by.line != now.line &&
                       place.inside;
  if (is_lost) {
    const Party& by = before->second.by;
    const auto [it, is_new] =
        sentences_.try_emplace({place.allocation, by.line, now.line}, std::string());
    if (is_new) {
      const problem::Launch& launch = program.launch();
      it->second = tr(
          "{} is overwritten before any thread reads it: {} stores it at line {}, and {} stores it "
          "again at line {}. Store the second value elsewhere, or read the first one earlier.",
          record::place_name(program, place), thread_of_block(by.thread, by.block, launch), by.line,
          thread_of_block(now.thread, now.block, launch), now.line);
    }
  }
  if (value) {
    unread_.insert_or_assign(key, Stored{now, *value});
  } else {
    unread_.erase(key);
  }
}

std::vector<std::string> OverwrittenStores::sentences() const {
  std::vector<std::string> all;
  for (const auto& [place, sentence] : sentences_) {
    all.push_back(sentence);
  }
  return all;
}

std::optional<std::uint32_t> stored_word(const simt::Machine& machine, const simt::StepInfo& info,
                                         const simt::MemoryEvent& event, std::uint32_t lane,
                                         std::uint64_t word) {
  const ptx::Instruction& i = *info.instruction;
  const std::uint32_t size = ptx::byte_size(i.type);
  if (event.kind != simt::AccessKind::Store || i.op != ptx::Opcode::St || size == 0 || size > 8) {
    return std::nullopt;
  }
  const std::uint64_t address = event.addresses[lane];
  const std::uint64_t offset = word * 4 < address ? 0 : word * 4 - address;
  const std::uint64_t element = offset / size;
  if (element + 1 >= i.operand_count) {
    return std::nullopt;
  }
  const ptx::Function& function = machine.program().module().functions[info.function];
  const ptx::Operand& operand = function.operands[i.first_operand + 1 + element];
  std::uint64_t value = 0;
  if (operand.kind == ptx::OperandKind::Register) {
    value = machine.register_lane(info.id, operand.reg, static_cast<int>(lane), info.frame);
  } else if (operand.kind == ptx::OperandKind::Immediate) {
    value = static_cast<std::uint64_t>(operand.value);
  } else {
    return std::nullopt;
  }
  if (size < 4) {
    return i.vector == 1 ? std::optional(static_cast<std::uint32_t>(value << address % 4 * 8))
                         : std::nullopt;
  }
  return static_cast<std::uint32_t>(value >> offset % size * 8);
}

bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to) {
  const ptx::Instruction& i = function.instructions[load];
  if (i.op != ptx::Opcode::Ld) {
    return false;
  }
  Uses uses(function, function.operands[i.first_operand + i.dest_count], to);
  for (std::uint32_t n = 0; n < i.dest_count; ++n) {
    uses.follow(function.operands[i.first_operand + n]);
  }
  return uses.all_are_copies();
}

bool PlainCopies::has(const simt::StepInfo& info) {
  const auto [found, is_new] = known_.try_emplace(info.instruction, false);
  if (is_new) {
    found->second = is_plain_copy(program_.module().functions[info.function], info.pc, to_);
  }
  return found->second;
}

LocalCells::LocalCells(const simt::Program& program)
    : words_(std::size_t{program.block_count()} * program.warps_per_block()),
      copies_(program, CopyTo::BackOrFrame),
      warps_per_block_(program.warps_per_block()) {}

void LocalCells::start_block(std::uint32_t block) {
  for (std::uint32_t warp = 0; warp < warps_per_block_; ++warp) {
    words({block, warp}) = {};
  }
}

void LocalCells::start_frame(const simt::StepInfo& info, std::uint64_t address,
                             std::uint32_t bytes) {
  std::vector<std::uint32_t>& stored = words(info.id);
  const std::uint64_t first = (address - simt::kLocalWindow) / 4;
  const std::uint64_t end =
      std::min<std::uint64_t>((address - simt::kLocalWindow + bytes + 3) / 4, stored.size());
  for (std::uint64_t word = first; word < end; ++word) {
    stored[word] &= ~info.mask;
  }
}

std::uint32_t LocalCells::access(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  std::vector<std::uint32_t>& stored = words(info.id);
  std::uint32_t empty = 0;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset =
        event.addresses[static_cast<std::size_t>(lane)] - simt::kLocalWindow;
    const std::uint64_t end = (offset + event.bytes + 3) / 4;
    if (end > stored.size()) {
      stored.resize(end);
    }
    std::uint32_t any = 0;
    for (std::uint64_t word = offset / 4; word < end; ++word) {
      any |= stored[word];
      if (event.kind != simt::AccessKind::Load) {
        stored[word] |= 1U << lane;
      }
    }
    empty |= ~any & 1U << lane;
  }
  const bool is_reported =
      event.kind != simt::AccessKind::Store && empty != 0 && !copies_.has(info);
  return is_reported ? empty : 0;
}

}  // namespace tilestep::insight

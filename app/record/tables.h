// Data of each instruction that the recording needs, computed once for a program: its source line,
// its effect on source variables, and the visible variables.
//
// The rule for variables is that of docs/reading-ptx.md: the start of each range of a location list
// is an assignment, and a thread's arrival there takes a snapshot. Reading a range by its addresses
// gives wrong values after `continue`, loops and ternaries.
#pragma once

#include "simt/machine/machine.h"
#include "simt/machine/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilestep::record {

// Applied to the active lanes when they are about to execute the instruction.
struct Action {
  enum class Kind : std::uint8_t {
    Clear,     // entry of the variable's scope: nothing is assigned in it yet
    Snapshot,  // start of a location list's range: the register holds the variable's new value
    Assign,    // the instruction writes the variable's only register
  };
  Kind kind = Kind::Clear;
  std::uint32_t variable = 0;
  ptx::Register reg;
};

enum PcFlag : std::uint8_t {
  kProductPc = 1,  // multiplies floating-point numbers
  kCallPc = 2,
  kReturnPc = 4,  // ret or exit
};

struct PcInfo {
  std::uint32_t line = 0;  // ptx::statement_line
  std::uint32_t first_action = 0;
  std::uint16_t action_count = 0;
  std::uint8_t flags = 0;
  std::uint32_t visible = 0;  // index into FunctionTable::visible_sets
};

inline constexpr std::uint32_t kNoSlot = 0xffffffffU;

// Places in a frame of the tracked data of a source variable.
struct VariableSlot {
  std::uint32_t snapshot = kNoSlot;  // first word of its 32 snapshots; kNoSlot: never snapshotted
  bool wide = false;                 // snapshots are 64 bits each
  // Read live before the first snapshot: parameters that the kernel modifies.
  bool has_entry_register = false;
  ptx::Register entry_register;
};

struct FunctionTable {
  std::vector<PcInfo> pcs;
  std::vector<Action> actions;
  std::vector<std::vector<std::uint32_t>> visible_sets;
  std::vector<VariableSlot> slots;  // by source variable
  struct LocalVariable {            // is in the frame's local memory at [begin, end)
    std::uint32_t variable = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<LocalVariable> locals;
  std::uint32_t frame_words = 0;  // two masks per variable, then the snapshots

  [[nodiscard]] std::span<const Action> actions_at(const PcInfo& pc) const {
    return {actions.data() + pc.first_action, pc.action_count};
  }
};

struct Tables {
  explicit Tables(std::shared_ptr<const simt::Program> program);

  std::shared_ptr<const simt::Program> program;
  std::vector<FunctionTable> functions;  // parallel to Module::functions
  std::uint32_t entry = 0;

  // The windows of the launch's inputs, one bit each (Traffic).
  [[nodiscard]] std::uint64_t input_windows() const;
  // Index of the launch's buffer that contains a generic address; empty for other memory.
  [[nodiscard]] std::optional<std::uint32_t> buffer_at(std::uint64_t address) const;
};

// The source lines that assign a variable of the kernel, whatever the value.

// Sorted. For variables in registers; stores show assignments of variables in memory.
[[nodiscard]] std::vector<std::uint32_t> assigning_lines(const simt::Program& program,
                                                         std::string_view variable);

}  // namespace tilestep::record

// What the recording needs to know about each instruction, worked out once for a program: its
// source line, what arriving there does to source variables, and which variables are visible.
//
// The rule for variables is that of docs/reading-ptx.md: the start of each range of a
// location list is an assignment, snapshotted when a thread gets there; a range read by its
// addresses gives wrong values after `continue`, loops and ternaries.
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

// Done for the active lanes when they are about to execute the instruction.
struct Action {
  enum class Kind : std::uint8_t {
    Clear,     // the variable's scope is entered: nothing is assigned in it yet
    Snapshot,  // a location list's range starts: the register holds the variable's new value
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

// Where a frame keeps what is known of a source variable.
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
  struct LocalVariable {            // lives in the frame's local memory at [begin, end)
    std::uint32_t variable = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<LocalVariable> locals;
  std::uint32_t frame_words = 0;  // two masks a variable, then the snapshots

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
  // Index of the launch's buffer that a generic address lies in; nothing for other memory.
  [[nodiscard]] std::optional<std::uint32_t> buffer_at(std::uint64_t address) const;
};

// The source lines on which a variable of the kernel is assigned, whatever value it gets.

// Sorted. Of variables in registers; those in memory tell by their stores.
[[nodiscard]] std::vector<std::uint32_t> assigning_lines(const simt::Program& program,
                                                         std::string_view variable);

}  // namespace tilestep::record

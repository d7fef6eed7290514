// Collects the executors of one instruction set (compiled once for each, see isa.h).
#include "simt/exec/isa.h"

namespace tilestep::simt::TILESTEP_ISA {

std::optional<LaneExecutor> find_integer(const ptx::Instruction& i);
std::optional<LaneExecutor> find_logic(const ptx::Instruction& i);
std::optional<LaneExecutor> find_shift_by(const ptx::Instruction& i);
std::optional<LaneExecutor> find_compare(const ptx::Instruction& i);
std::optional<LaneExecutor> find_floating(const ptx::Instruction& i);
std::optional<LaneExecutor> find_convert(const ptx::Instruction& i, bool dest_is_long,
                                         bool source_is_long);
Executors find_load(const MemoryForm& form);
Executors find_store(const MemoryForm& form);
FusedExecutors find_fused();
std::array<std::array<LaneExecutor, 3>, 2> find_contracted();
void add_tf32_row(const Tf32Row& row);

Isa isa() {
  Isa isa;
  isa.integer = find_integer;
  isa.logic = find_logic;
  isa.shift_by = find_shift_by;
  isa.compare = find_compare;
  isa.floating = find_floating;
  isa.convert = find_convert;
  isa.load = find_load;
  isa.store = find_store;
  isa.fused = find_fused();
  isa.contracted = find_contracted();
  isa.add_tf32_row = add_tf32_row;
  return isa;
}

}  // namespace tilestep::simt::TILESTEP_ISA

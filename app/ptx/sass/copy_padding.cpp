#include "ptx/sass/copy_padding.h"

#include "ptx/sass/unroll.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tilestep::ptx {
namespace {

// What machine code has, or a piece of PTX.
struct Found {
  std::int64_t padding = 0;
  std::int64_t copies = 0;

  friend bool operator==(const Found&, const Found&) = default;
};

// The next copy needs padding of its own.
bool ends_copies(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::Ld:
    case Opcode::St:
    case Opcode::Atom:
    case Opcode::Red:
      return instruction.space == Space::Shared || instruction.space == Space::Generic;
    case Opcode::Bra:
    case Opcode::BrxIdx:
    case Opcode::Call:
    case Opcode::Bar:
    case Opcode::BarWarp:
    case Opcode::Mbarrier:
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix:
    case Opcode::WmmaLoad:
    case Opcode::WmmaStore:
      return true;
    default:
      return false;
  }
}

// Forward jumps over this many instructions are taken for predicates: ptxas makes them of such.
constexpr std::uint32_t kFewInstructions = 16;

bool is_short_jump(const Instruction& instruction, std::uint32_t pc) {
  return instruction.op == Opcode::Bra && instruction.guard != kNoGuard &&
         instruction.target > pc && instruction.target - pc <= kFewInstructions;
}

// Where padding stands, and the copies of each place. With `predicates` short jumps do not end
// straight code, and the padding of a copy that is jumped over stands before the jump.
std::vector<std::uint32_t> padded_places(const Function& function, bool predicates) {
  std::vector<bool> begins(function.instructions.size() + 1);
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    if (instruction.op == Opcode::Bra && !(predicates && is_short_jump(instruction, pc))) {
      begins[instruction.target] = true;
    }
  }
  std::vector<std::uint32_t> places;
  bool is_first = true;
  std::uint32_t jump = kNoPc;  // the one that is being jumped by
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    const bool is_jump = predicates && is_short_jump(instruction, pc);
    if (jump != kNoPc && pc >= function.instructions[jump].target) {
      jump = kNoPc;
    }
    jump = jump == kNoPc && is_jump ? pc : jump;
    is_first = is_first || begins[pc] || (ends_copies(instruction) && !is_jump);
    if (instruction.op == Opcode::CpAsync) {
      if (is_first) {
        places.push_back(jump == kNoPc ? pc : jump);
      }
      is_first = false;
    }
  }
  return places;
}

// Whether `left` is the sum of the loops' code, each loop at least once.
bool is_made_of(Found left, const std::vector<Found>& loops, std::size_t first) {
  if (first == loops.size()) {
    return left == Found{};
  }
  while (left.padding >= 0 && left.copies >= 0) {
    left.padding -= loops[first].padding;
    left.copies -= loops[first].copies;
    if (is_made_of(left, loops, first + 1)) {
      return true;
    }
  }
  return false;
}

Found in_machine_code(const Sass& machine_code) {
  Found found;
  found.copies = machine_code.count(SassKind::AsyncCopy);
  found.padding = std::count_if(machine_code.accesses.begin(), machine_code.accesses.end(),
                                [](const SassAccess& access) {
                                  return access.kind == SassKind::SharedLoad && access.is_never;
                                });
  return found;
}

bool agrees(const Function& function, const std::vector<std::uint32_t>& places,
            const Found& wanted) {
  Found outside;
  Found once;
  std::map<std::uint32_t, Found> by_loop;
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Found here{std::binary_search(places.begin(), places.end(), pc) ? kPaddingOfCopies : 0,
                     function.instructions[pc].op == Opcode::CpAsync ? 1 : 0};
    if (here == Found{}) {
      continue;
    }
    const std::uint32_t loop = innermost_loop(function, pc);
    for (Found* found : {loop == kNoPc ? &outside : &by_loop[loop], &once}) {
      found->padding += here.padding;
      found->copies += here.copies;
    }
  }
  // Of a text that depends on the architecture the machine code may copy less by cp.async (the
  // library has another way from 9.0 on), but then no loop was copied.
  if (wanted.padding == once.padding && wanted.copies <= once.copies) {
    return true;
  }
  std::vector<Found> loops;
  for (const auto& [loop, found] : by_loop) {
    loops.push_back(found);
  }
  return is_made_of({wanted.padding - outside.padding, wanted.copies - outside.copies}, loops, 0);
}

}  // namespace

bool mark_copy_padding(Function& function, const Sass& machine_code) {
  const Found wanted = in_machine_code(machine_code);
  if (wanted.padding == 0) {
    return true;
  }
  for (const bool predicates : {false, true}) {
    const std::vector<std::uint32_t> places = padded_places(function, predicates);
    if (agrees(function, places, wanted)) {
      for (const std::uint32_t pc : places) {
        function.padding[pc] = kPaddingOfCopies;
      }
      return true;
    }
  }
  return false;
}

}  // namespace tilestep::ptx

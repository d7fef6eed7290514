#include "ptx/sass/loops.h"

#include "ptx/sass/ptxas.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <map>

namespace tilestep::ptx {
namespace {

constexpr std::size_t kCodeBytes = 16;  // per instruction
constexpr std::size_t kScoreboards = 6;
constexpr int kHopper = 90;

// The lowest nine bits of an instruction.
enum class Code : std::uint32_t {
  Ffma = 0x023,
  MatrixProduct = 0x03c,  // HMMA
  Barrier = 0x11d,
  Branch = 0x147,
  SpecialRegister = 0x119,
  Mufu = 0x108,
  GenericLoad = 0x180,
  GlobalLoad = 0x181,
  ConstantLoad = 0x182,
  SharedLoad = 0x184,
  SharedStore = 0x188,
  AsyncCopy = 0x1ae,
  AsyncCopyBarrier = 0x1af,
};

// Clocks until a result with a scoreboard is available. Shared memory: a chain of dependent loads,
// measured (docs/insight/model.md). The others matter little in loops.
constexpr double kSharedLatency = 23.0;
constexpr double kUnitLatency = 20.0;
constexpr double kOtherLatency = 14.0;
constexpr double kOperandsRead = 8.0;
// Two latencies of global memory, of a hit in L1 and of one in L2, rounded. A loop's time is
// assumed to be linear between them.
constexpr double kNear = 40.0;
constexpr double kFar = 300.0;
constexpr int kPasses = 4;

struct Coded {
  Code code = Code::Ffma;
  double stall = 1.0;  // clocks
  std::uint32_t result_board = 7;
  std::uint32_t operand_board = 7;
  std::uint32_t wanted_boards = 0;
  std::int64_t target = -1;  // of a branch: index
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

std::int64_t branch_target(std::uint64_t low, std::uint64_t high, std::int64_t index,
                           int architecture) {
  // In units of four bytes after the branch: 48 bits, from 9.0 on with eight more below them.
  std::uint64_t offset = low >> 34U | high << 30U;
  const unsigned bits = architecture >= kHopper ? 56 : 48;
  if (architecture >= kHopper) {
    offset = offset << 8U | (low >> 16U & 0xffU);
  }
  const auto words = static_cast<std::int64_t>(offset << (64 - bits)) >> (64 - bits);
  return index + 1 + words * 4 / static_cast<std::int64_t>(kCodeBytes);
}

std::vector<Coded> decode(const CubinKernel& kernel) {
  std::vector<Coded> code;
  for (std::size_t at = 0; at + kCodeBytes <= kernel.code.size(); at += kCodeBytes) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, &kernel.code[at], sizeof low);
    std::memcpy(&high, &kernel.code[at + sizeof low], sizeof high);
    const auto bits = [high](unsigned first, unsigned count) {
      return static_cast<std::uint32_t>(high >> (first - 64) & ((1ULL << count) - 1));
    };
    Coded one;
    one.code = static_cast<Code>(low & 0x1ffU);
    one.low = low;
    one.high = high;
    one.stall = std::max(1.0, static_cast<double>(bits(105, 4)));
    one.result_board = bits(110, 3);
    one.operand_board = bits(113, 3);
    one.wanted_boards = bits(116, 6);
    if (one.code == Code::Branch) {
      one.target =
          branch_target(low, high, static_cast<std::int64_t>(code.size()), kernel.architecture);
    }
    code.push_back(one);
  }
  return code;
}

bool is_global(Code code) {
  return code == Code::GlobalLoad || code == Code::GenericLoad || code == Code::AsyncCopy ||
         code == Code::AsyncCopyBarrier;
}

double latency(Code code, double of_global) {
  if (is_global(code)) {
    return of_global;
  }
  switch (code) {
    case Code::SharedLoad:
      return kSharedLatency;
    case Code::SpecialRegister:
    case Code::Mufu:
    case Code::ConstantLoad:
      return kUnitLatency;
    default:
      return kOtherLatency;
  }
}

// Clocks of a pass: instructions start in order, each when its scoreboards are free.
double clocks_of_pass(const std::vector<Coded>& body, double of_global) {
  std::array<double, kScoreboards> free_at{};
  double tensor_core_free_at = 0.0;
  double now = 0.0;
  double first_pass = 0.0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const Coded& one : body) {
      for (std::size_t board = 0; board < kScoreboards; ++board) {
        if ((one.wanted_boards >> board & 1U) != 0) {
          now = std::max(now, free_at[board]);
        }
      }
      if (one.code == Code::MatrixProduct) {
        now = std::max(now, tensor_core_free_at);
        tensor_core_free_at = now + kClocksOfMatrixProduct;
      }
      const auto hold = [&](std::uint32_t board, double clocks) {
        if (board < kScoreboards) {
          free_at[board] = std::max(free_at[board], now + clocks);
        }
      };
      hold(one.result_board, latency(one.code, of_global));
      hold(one.operand_board, kOperandsRead);
      now += one.stall;
    }
    first_pass = pass == 0 ? now : first_pass;
  }
  return (now - first_pass) / (kPasses - 1);
}

// By start; the value is the end.
using Extents = std::map<std::uint32_t, std::uint32_t>;

Extents find_extents(const std::vector<Coded>& code) {
  Extents extents;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::int64_t target = code[i].target;
    // A branch to itself fills the code's end.
    if (target >= 0 && target < static_cast<std::int64_t>(i)) {
      std::uint32_t& last = extents[static_cast<std::uint32_t>(target)];
      last = std::max(last, static_cast<std::uint32_t>(i));
    }
  }
  return extents;
}

SassLoop read_loop(const std::vector<Coded>& code, const Extents& extents, std::uint32_t first,
                   std::uint32_t last) {
  SassLoop loop;
  loop.first = first;
  loop.last = last;
  std::vector<Coded> body;
  RegisterReader registers;
  for (std::uint32_t i = first; i <= last; ++i) {
    const auto inside = extents.find(i);
    if (i != first && inside != extents.end() && inside->second <= last) {
      loop.is_innermost = false;
      i = inside->second;
      continue;
    }
    body.push_back(code[i]);
    ++loop.instructions;
    loop.ffma += code[i].code == Code::Ffma ? 1 : 0;
    loop.matrix_products += code[i].code == Code::MatrixProduct ? 1 : 0;
    registers.add(code[i].low, code[i].high);
    loop.barriers += code[i].code == Code::Barrier ? 1 : 0;
    loop.shared_stores += code[i].code == Code::SharedStore ? 1 : 0;
    loop.global_loads += is_global(code[i].code) && code[i].code != Code::AsyncCopyBarrier ? 1 : 0;
  }
  const double near = clocks_of_pass(body, kNear);
  const double far = clocks_of_pass(body, kFar);
  loop.registers = registers.reads();
  loop.waits = (far - near) / (kFar - kNear);
  loop.clocks = near - loop.waits * kNear;
  return loop;
}

// Padding and copies in machine code, or in a piece of PTX.
struct Found {
  std::int64_t padding = 0;
  std::int64_t copies = 0;

  friend bool operator==(const Found&, const Found&) = default;
};

// The next copy needs separate padding.
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

// Forward jumps over at most this many instructions count as predicates: ptxas converts them.
constexpr std::uint32_t kFewInstructions = 16;

bool is_short_jump(const Instruction& instruction, std::uint32_t pc) {
  return instruction.op == Opcode::Bra && instruction.guard != kNoGuard &&
         instruction.target > pc && instruction.target - pc <= kFewInstructions;
}

// Places with padding, and the copies of each place. With `predicates` short jumps do not end
// straight code, and the padding of a copy inside one is before the jump.
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
  std::uint32_t jump = kNoPc;  // the current jump
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
  found.padding = std::ranges::count_if(machine_code.accesses, [](const SassAccess& access) {
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
  // If a text depends on the architecture, the machine code may have fewer cp.async copies (from
  // 9.0 on the library uses another instruction), but then no loop was copied.
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

std::vector<SassLoop> read_loops(const CubinKernel& kernel) {
  assert(kernel.architecture >= 70 && "older instructions have 64 bits");
  const std::vector<Coded> code = decode(kernel);
  const Extents extents = find_extents(code);
  std::vector<SassLoop> loops;
  for (const auto& [first, last] : extents) {
    loops.push_back(read_loop(code, extents, first, last));
  }
  return loops;
}

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

#include "ptx/sass/loops.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <map>
#include <span>

namespace tilestep::ptx {
namespace {

constexpr std::size_t kScoreboards = 6;

// Operations; an instruction that is not known has one, too.
enum class Code : std::uint16_t {
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

Code code_of(const SassInstruction& instruction) {
  return static_cast<Code>(instruction.operation);
}

// Reads of the operands of a product of matrices.
constexpr std::array<std::uint32_t, 3> kRegistersOfMatrices{4, 2, 4};

double beyond_one_each(double reads, double products) {
  return std::max(0.0, reads / kReadsInAClock - products);
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
double clocks_of_pass(std::span<const SassInstruction> body, double of_global) {
  std::array<double, kScoreboards> free_at{};
  double tensor_core_free_at = 0.0;
  double now = 0.0;
  double first_pass = 0.0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const SassInstruction& one : body) {
      for (std::size_t board = 0; board < kScoreboards; ++board) {
        if ((one.awaited_boards >> board & 1U) != 0) {
          now = std::max(now, free_at[board]);
        }
      }
      if (code_of(one) == Code::MatrixProduct) {
        now = std::max(now, tensor_core_free_at);
        tensor_core_free_at = now + kClocksOfMatrixProduct;
      }
      const auto hold = [&](std::uint32_t board, double clocks) {
        if (board < kScoreboards) {
          free_at[board] = std::max(free_at[board], now + clocks);
        }
      };
      hold(one.result_board, latency(code_of(one), of_global));
      hold(one.operand_board, kOperandsRead);
      now += std::max<double>(1.0, one.stall);
    }
    first_pass = pass == 0 ? now : first_pass;
  }
  return (now - first_pass) / (kPasses - 1);
}

// By start; the value is the end.
using Extents = std::map<std::uint32_t, std::uint32_t>;

Extents find_extents(std::span<const SassInstruction> code) {
  Extents extents;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code_of(code[i]) != Code::Branch || !code[i].is_known()) {
      continue;
    }
    const std::int64_t target = code[i].operands.back().value / static_cast<int>(kSassBytes);
    // A branch to itself fills the code's end.
    if (target >= 0 && target < static_cast<std::int64_t>(i)) {
      std::uint32_t& last = extents[static_cast<std::uint32_t>(target)];
      last = std::max(last, static_cast<std::uint32_t>(i));
    }
  }
  return extents;
}

SassLoop read_loop(std::span<const SassInstruction> code, const Extents& extents,
                   std::uint32_t first, std::uint32_t last) {
  SassLoop loop;
  loop.first = first;
  loop.last = last;
  std::vector<SassInstruction> body;
  RegisterReader registers;
  for (std::uint32_t i = first; i <= last; ++i) {
    const auto inside = extents.find(i);
    if (i != first && inside != extents.end() && inside->second <= last) {
      loop.is_innermost = false;
      i = inside->second;
      continue;
    }
    const Code one = code_of(code[i]);
    body.push_back(code[i]);
    ++loop.instructions;
    loop.ffma += one == Code::Ffma ? 1 : 0;
    loop.matrix_products += one == Code::MatrixProduct ? 1 : 0;
    registers.add(code[i]);
    loop.barriers += one == Code::Barrier ? 1 : 0;
    loop.shared_stores += one == Code::SharedStore ? 1 : 0;
    loop.global_loads += is_global(one) && one != Code::AsyncCopyBarrier ? 1 : 0;
  }
  const double near = clocks_of_pass(body, kNear);
  const double far = clocks_of_pass(body, kFar);
  loop.registers = registers.reads();
  loop.waits = (far - near) / (kFar - kNear);
  loop.clocks = near - loop.waits * kNear;
  return loop;
}

}  // namespace

double RegisterReads::waits() const {
  return beyond_one_each(static_cast<double>(even) + odd, products) +
         beyond_one_each(of_matrices, matrix_products);
}

void RegisterReader::add(const SassInstruction& instruction) {
  const bool of_matrices = code_of(instruction) == Code::MatrixProduct;
  if (!of_matrices && code_of(instruction) != Code::Ffma) {
    kept_ = kNone;
    return;
  }
  const Kept before = kept_of_matrices_ == of_matrices ? kept_ : kNone;
  Kept numbers = kNone;
  kept_ = kNone;
  kept_of_matrices_ = of_matrices;
  ++(of_matrices ? reads_.matrix_products : reads_.products);
  for (std::size_t i = 0; i < numbers.size() && i + 1 < instruction.operands.size(); ++i) {
    const SassOperand& operand = instruction.operands[i + 1];
    if (operand.kind != SassOperand::Kind::Register || operand.index == kZeroRegister) {
      continue;  // its zero is not read
    }
    // A register in two operands is read once.
    const bool is_read =
        before[i] != operand.index && std::ranges::find(numbers, operand.index) == numbers.end();
    numbers[i] = operand.index;
    kept_[i] = operand.is_kept ? operand.index : kZeroRegister;
    if (of_matrices) {
      reads_.of_matrices += is_read ? kRegistersOfMatrices[i] : 0;
    } else {
      reads_.kept += before[i] == operand.index ? 1 : 0;
      (operand.index % 2 == 0 ? reads_.even : reads_.odd) += is_read ? 1 : 0;
    }
  }
}

std::vector<SassLoop> read_loops(const CubinKernel& kernel) {
  assert(kernel.architecture >= 70 && "older instructions have 64 bits");
  const std::vector<SassInstruction> code = read_sass(kernel.code, kernel.architecture);
  const Extents extents = find_extents(code);
  std::vector<SassLoop> loops;
  for (const auto& [first, last] : extents) {
    loops.push_back(read_loop(code, extents, first, last));
  }
  return loops;
}

}  // namespace tilestep::ptx

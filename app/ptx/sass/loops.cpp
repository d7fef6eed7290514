#include "ptx/sass/loops.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <map>

namespace tilestep::ptx {
namespace {

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
  return index + 1 + words * 4 / static_cast<std::int64_t>(kSassBytes);
}

std::vector<Coded> decode(const CubinKernel& kernel) {
  std::vector<Coded> code;
  for (std::size_t at = 0; at + kSassBytes <= kernel.code.size(); at += kSassBytes) {
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

}  // namespace tilestep::ptx

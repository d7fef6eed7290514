#include "ptx/sass/sass.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace tilestep::ptx {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint32_t kFfma = 0x023;
constexpr std::uint32_t kAlways = 7;
constexpr std::uint32_t kNever = 15;

// How the width of an access is told.
enum class Width { Field, Fixed256, Matrices, Copy, None };

struct Operation {
  std::uint32_t code;
  SassKind kind;
  Width width;
};

constexpr std::array kOperations = {
    Operation{0x03b, SassKind::MatrixLoad, Width::Matrices},
    Operation{0x17e, SassKind::GlobalLoad, Width::Fixed256},
    Operation{0x17f, SassKind::GlobalStore, Width::Fixed256},
    Operation{0x180, SassKind::GenericLoad, Width::Field},
    Operation{0x181, SassKind::GlobalLoad, Width::Field},
    Operation{0x183, SassKind::LocalLoad, Width::Field},
    Operation{0x184, SassKind::SharedLoad, Width::Field},
    Operation{0x185, SassKind::GenericStore, Width::Field},
    Operation{0x186, SassKind::GlobalStore, Width::Field},
    Operation{0x187, SassKind::LocalStore, Width::Field},
    Operation{0x188, SassKind::SharedStore, Width::Field},
    Operation{0x18c, SassKind::SharedAtomic, Width::None},
    Operation{0x18e, SassKind::GlobalAtomic, Width::None},
    Operation{0x1a8, SassKind::GlobalAtomic, Width::None},
    Operation{0x1ae, SassKind::AsyncCopy, Width::Copy},
};

struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // `count` bits from bit `first`; they lie in one half.
  [[nodiscard]] std::uint32_t bits(unsigned first, unsigned count) const {
    const std::uint64_t half = first < 64 ? low >> first : high >> (first - 64);
    return static_cast<std::uint32_t>(half & ((1ULL << count) - 1));
  }
};

int width_of(const Word& word, Width how, int architecture) {
  static constexpr std::array kWidths{8, 8, 16, 16, 32, 64, 128, 128};
  switch (how) {
    case Width::Field:
      return kWidths[word.bits(73, 3)];
    case Width::Fixed256:
      return 256;
    case Width::Matrices:  // 1, 2 or 4 of 8×8 halves: a lane gets 32 bits of each
      return 32 << word.bits(72, 2);
    case Width::Copy:
      return 32 << word.bits(architecture >= 100 ? 74 : 73, 2);
    case Width::None:
      break;
  }
  return 0;
}

}  // namespace

std::uint32_t Sass::count(SassKind kind) const {
  return static_cast<std::uint32_t>(
      std::count_if(accesses.begin(), accesses.end(),
                    [kind](const SassAccess& access) { return access.kind == kind; }));
}

std::uint32_t Sass::count(SassKind kind, int bits) const {
  return static_cast<std::uint32_t>(
      std::count_if(accesses.begin(), accesses.end(), [kind, bits](const SassAccess& access) {
        return access.kind == kind && access.bits == bits;
      }));
}

Sass read_sass(const CubinKernel& kernel) {
  assert(kernel.architecture >= 70 && "older instructions have 64 bits");
  Sass sass;
  RegisterReader registers;
  for (std::size_t at = 0; at + kInstructionBytes <= kernel.code.size(); at += kInstructionBytes) {
    Word word;
    std::memcpy(&word.low, &kernel.code[at], 8);
    std::memcpy(&word.high, &kernel.code[at + 8], 8);
    ++sass.instructions;
    registers.add(word.low, word.high);
    const std::uint32_t code = word.bits(0, 9);
    sass.ffma += code == kFfma ? 1 : 0;
    const auto* const found =
        std::find_if(kOperations.begin(), kOperations.end(),
                     [code](const Operation& operation) { return operation.code == code; });
    if (found != kOperations.end()) {
      sass.accesses.push_back({static_cast<std::uint32_t>(at), found->kind,
                               width_of(word, found->width, kernel.architecture),
                               word.bits(12, 4) != kAlways, word.bits(12, 4) == kNever});
    }
  }
  sass.registers = registers.reads();
  return sass;
}

}  // namespace tilestep::ptx

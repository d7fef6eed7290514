// One instruction of machine code (SASS), decoded. The table is that of compute capability 9.0 and
// of what 8.x and 10.0 have in addition.
//
// The encoding is not documented. The fields were found with nvdisasm (CUDA Binary Utilities), and
// tests/ptx/sass_test.cpp compares the text of every instruction of the catalog with nvdisasm's.
// What is common to all of them, in bits of the 128:
//
//   0–8      the operation; 9–11 the form: which of the sources is a constant or an immediate
//   12–15    the guard: a predicate, and whether it is negated
//   16–23    the destination; 24–31, 32–39, 64–71 the sources; 255 is RZ (uniform: 63, URZ)
//   105–108  clocks until the warp's next instruction may start; 109: 0 if another warp should be
//            preferred
//   110–112  the scoreboard that is held until the result is there; 7: none
//   113–115  the scoreboard that is held until the operands are read; 7: none
//   116–121  the scoreboards that have to be free before this one starts
//   122–125  the operands that are kept for the next instruction, `.reuse`
//
// A field that is not known makes the instruction unknown: nothing is guessed.
//
// Pure: bytes in, values out.
#pragma once

#include "problem/result.h"
#include "ptx/sass/sass.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

inline constexpr std::uint8_t kZeroRegister = 255;
inline constexpr std::uint8_t kZeroUniform = 255;  // up to 9.0 encoded as 63
inline constexpr std::uint8_t kTruePredicate = 7;

struct SassOperand {
  enum class Kind : std::uint8_t {
    Register,          // R12
    Uniform,           // UR4
    Predicate,         // P0
    UniformPredicate,  // UP0
    Immediate,         // value: 32 bits, signed or not as they are written; or a field
    Float,             // value: the bits of a float32 constant
    Halves,            // value: those of two float16 constants
    Constant,          // c[bank][value], or c[bank][index + value]
    Address,           // [index + uniform + value]
    Special,           // value: number of a special register (SR_TID.X)
    Barrier,           // B0: a register of convergence barriers
    Scoreboard,        // SB0
    Label,             // value: byte offset in the code
    AllPredicates,     // PR
  };
  Kind kind = Kind::Register;
  std::uint8_t index = kZeroRegister;
  std::uint8_t uniform =
      kZeroUniform;  // Address: added to the register, or (global) its descriptor
  std::uint8_t bank = 0;
  bool negated = false;   // -R, !P
  bool absolute = false;  // |R|
  bool is_wide = false;   // Address: in global memory, by the register and the next one
  bool has_uniform = false;
  bool has_index = false;  // Constant: has a register, which may be RZ
  bool is_kept = false;    // .reuse
  bool is_hidden = false;  // not in the text: a predicate that is always true
  std::uint8_t scale = 0;  // Address: the register counts 2 << scale times; 0: once
  std::int64_t value = 0;
};

struct SassInstruction {
  std::uint32_t offset = 0;  // bytes from the start of the code
  std::uint16_t operation = 0;
  std::string_view name;  // "IMAD", of a static table; "": not known
  std::string modifiers;  // ".WIDE.U32"
  std::uint8_t guard = kTruePredicate;
  bool guard_is_negated = false;
  bool guard_is_uniform = false;
  std::vector<SassOperand> operands;  // in the order of the text, predicates that are PT too

  std::uint8_t stall = 0;  // clocks
  bool prefers_others = false;
  std::uint8_t result_board = 7;
  std::uint8_t operand_board = 7;
  std::uint8_t awaited_boards = 0;  // a bit each

  [[nodiscard]] bool is_known() const { return !name.empty(); }
  // Whether ".U32" is one of the modifiers.
  [[nodiscard]] bool has(std::string_view modifier) const;
  // As nvdisasm writes it; labels as numbers of bytes: "@P0 BRA 0x1f0".
  [[nodiscard]] std::string text() const;
};

// A special register, by its number in machine code.
struct SassSpecial {
  std::int64_t number = 0;
  const char* name = "";
  const char* ptx = "";  // as an operand of PTX
};
[[nodiscard]] const SassSpecial* find_sass_special(std::int64_t number);  // null: not known

// If the instruction is not known, it has no name and no operands; the fields that are common to
// all of them are read.
[[nodiscard]] SassInstruction read_sass(std::uint64_t low, std::uint64_t high, std::uint32_t offset,
                                        int architecture = 90);

// All instructions of a kernel's code. Precondition: an architecture of at least 70.
[[nodiscard]] std::vector<SassInstruction> read_sass(std::span<const std::byte> code,
                                                     int architecture);

// As above. Fails with a sentence that names the first instruction that is not known: its place,
// the operation's number and all bits.
[[nodiscard]] Result<std::vector<SassInstruction>> decode_sass(std::span<const std::byte> code,
                                                               int architecture = 90);

// Bits 0–63 and 64–127 of the instruction at `offset`.
[[nodiscard]] std::array<std::uint64_t, 2> sass_words(std::span<const std::byte> code,
                                                      std::size_t offset);

// Machine code as text: a line for each instruction, and before a branch's target a line with its
// offset. An instruction that is not known is its bits and a sentence.
struct SassListing {
  std::string text;
  std::vector<std::uint32_t> lines;  // source line of each line of `text`; 0: none
};
[[nodiscard]] SassListing list_sass(const CubinKernel& kernel);

}  // namespace tilestep::ptx

// Integer instructions against wide arithmetic written down independently of the machine.
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tilestep::simt {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

[[nodiscard]] Wide as_signed(std::uint64_t bits, int width) {
  const std::uint64_t sign = 1ULL << (width - 1);
  const std::uint64_t low = width == 64 ? bits : bits & ((sign << 1) - 1);
  return (low & sign) != 0 ? static_cast<Wide>(low) - (static_cast<Wide>(1) << width)
                           : static_cast<Wide>(low);
}

[[nodiscard]] Wide as_unsigned(std::uint64_t bits, int width) {
  return static_cast<Wide>(width == 64 ? bits : bits & ((1ULL << width) - 1));
}

[[nodiscard]] std::uint64_t cut(Wide value, int width) {
  const auto bits = static_cast<std::uint64_t>(static_cast<UnsignedWide>(value));
  return width == 64 ? bits : bits & ((1ULL << width) - 1);
}

using Operation = std::function<Wide(const Wide*)>;

// "add.%t $d, $a, $b;" for each type; operands reach the oracle as mathematical integers.
struct IntegerCase {
  std::string text;  // %t: the type
  std::vector<std::string> types;
  int sources = 2;
  Operation oracle;
  bool doubles_dest = false;  // .wide
  bool doubles_third = false;
  std::vector<int> word_sources = {};  // operands that are always u32
  bool word_dest = false;
};

void check(const IntegerCase& test) {
  for (const std::string& type : test.types) {
    SCOPED_TRACE(test.text + " " + type);
    const int width = std::stoi(type.substr(1));
    const bool is_signed = type[0] == 's';
    LaneInstruction instruction;
    instruction.text = test.text;
    instruction.text.replace(instruction.text.find("%t"), 2, type);
    instruction.dest_bits = test.word_dest ? 32 : test.doubles_dest ? 2 * width : width;
    instruction.source_bits.clear();
    std::vector<std::vector<std::uint64_t>> special;
    std::vector<bool> word;
    for (int k = 0; k < test.sources; ++k) {
      const bool is_word = std::find(test.word_sources.begin(), test.word_sources.end(), k) !=
                           test.word_sources.end();
      const int bits = is_word ? 32 : k == 2 && test.doubles_third ? 2 * width : width;
      word.push_back(is_word);
      instruction.source_bits.push_back(bits);
      special.push_back(special_integers(bits));
    }
    OperandBits random(7);
    const auto operands = random.combinations(special, instruction.source_bits, 1024);
    const auto results = execute_lanes(instruction, operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      Wide in[4] = {};
      for (std::size_t k = 0; k < operands.size(); ++k) {
        in[k] = is_signed && !word[k] ? as_signed(operands[k][n], instruction.source_bits[k])
                                      : as_unsigned(operands[k][n], instruction.source_bits[k]);
      }
      ASSERT_EQ(results[n], cut(test.oracle(in), instruction.dest_bits))
          << "operands " << std::hex << operands[0][n] << " "
          << (operands.size() > 1 ? operands[1][n] : 0) << " "
          << (operands.size() > 2 ? operands[2][n] : 0);
    }
  }
}

const std::vector<std::string> kAll = {"u16", "s16", "u32", "s32", "u64", "s64"};
const std::vector<std::string> kNarrow = {"u16", "s16", "u32", "s32"};
const std::vector<std::string> kSigned = {"s16", "s32", "s64"};

// Quotients are checked where PTX defines them; for a division by zero the machine promises all
// ones.
[[nodiscard]] Wide quotient(const Wide* in) {
  return in[1] == 0 ? -1 : in[0] / in[1];
}

TEST(Integers, AddSubtractAndMultiplyModuloTheirWidth) {
  check({"add.%t $d, $a, $b;", kAll, 2, [](const Wide* in) { return in[0] + in[1]; }});
  check({"sub.%t $d, $a, $b;", kAll, 2, [](const Wide* in) { return in[0] - in[1]; }});
  check({"mul.lo.%t $d, $a, $b;", kAll, 2, [](const Wide* in) {
           return static_cast<Wide>(static_cast<UnsignedWide>(in[0]) *
                                    static_cast<UnsignedWide>(in[1]));
         }});
  check({"mad.lo.%t $d, $a, $b, $c;", kAll, 3, [](const Wide* in) {
           return static_cast<Wide>(static_cast<UnsignedWide>(in[0]) *
                                        static_cast<UnsignedWide>(in[1]) +
                                    static_cast<UnsignedWide>(in[2]));
         }});
}

TEST(Integers, GiveTheUpperHalfAndTheWholeOfAProduct) {
  for (const std::string& type : kAll) {
    const int width = std::stoi(type.substr(1));
    const Operation high = [width, type](const Wide* in) {
      // Unsigned 64-bit products fill 128 bits: shift without a sign.
      return type[0] == 'u'
                 ? static_cast<Wide>(
                       static_cast<UnsignedWide>(in[0]) * static_cast<UnsignedWide>(in[1]) >> width)
                 : in[0] * in[1] >> width;
    };
    check({"mul.hi.%t $d, $a, $b;", {type}, 2, high});
    check({"mad.hi.%t $d, $a, $b, $c;", {type}, 3, [high](const Wide* in) {
             return high(in) + in[2];
           }});
  }
  check(
      {"mul.wide.%t $d, $a, $b;", kNarrow, 2, [](const Wide* in) { return in[0] * in[1]; }, true});
  check({"mad.wide.%t $d, $a, $b, $c;", kNarrow, 3,
         [](const Wide* in) { return in[0] * in[1] + in[2]; }, true, true});
}

TEST(Integers, DivideTowardsZeroAndNeverTrap) {
  check({"div.%t $d, $a, $b;", kAll, 2, quotient});
  check({"rem.%t $d, $a, $b;", kAll, 2,
         [](const Wide* in) { return in[1] == 0 ? Wide{-1} : in[0] % in[1]; }});
}

TEST(Integers, HaveMinimumMaximumAbsoluteValueAndNegation) {
  check({"min.%t $d, $a, $b;", kAll, 2, [](const Wide* in) { return std::min(in[0], in[1]); }});
  check({"max.%t $d, $a, $b;", kAll, 2, [](const Wide* in) { return std::max(in[0], in[1]); }});
  check({"abs.%t $d, $a;", kSigned, 1, [](const Wide* in) { return in[0] < 0 ? -in[0] : in[0]; }});
  check({"neg.%t $d, $a;", kSigned, 1, [](const Wide* in) { return -in[0]; }});
  check({"sad.%t $d, $a, $b, $c;", kAll, 3,
         [](const Wide* in) { return in[2] + (in[0] < in[1] ? in[1] - in[0] : in[0] - in[1]); }});
}

[[nodiscard]] Wide low24(Wide value, bool is_signed) {
  const auto bits = static_cast<std::uint64_t>(static_cast<UnsignedWide>(value)) & 0xffffff;
  return is_signed && (bits & 0x800000) != 0 ? static_cast<Wide>(bits) - 0x1000000
                                             : static_cast<Wide>(bits);
}

TEST(Integers, MultiplyTheLow24Bits) {
  for (const bool is_signed : {false, true}) {
    const std::vector<std::string> type = {is_signed ? "s32" : "u32"};
    const auto product = [is_signed](const Wide* in) {
      return low24(in[0], is_signed) * low24(in[1], is_signed);
    };
    check({"mul24.lo.%t $d, $a, $b;", type, 2, product});
    check({"mul24.hi.%t $d, $a, $b;", type, 2, [=](const Wide* in) { return product(in) >> 16; }});
    check({"mad24.lo.%t $d, $a, $b, $c;", type, 3,
           [=](const Wide* in) { return product(in) + in[2]; }});
    check({"mad24.hi.%t $d, $a, $b, $c;", type, 3,
           [=](const Wide* in) { return (product(in) >> 16) + in[2]; }});
  }
}

[[nodiscard]] Wide clamp32(Wide value) {
  return std::max<Wide>(-0x80000000LL, std::min<Wide>(0x7fffffffLL, value));
}

TEST(Integers, SaturateWhereAsked) {
  check({"add.sat.%t $d, $a, $b;", {"s32"}, 2, [](const Wide* in) {
           return clamp32(in[0] + in[1]);
         }});
  check({"sub.sat.%t $d, $a, $b;", {"s32"}, 2, [](const Wide* in) {
           return clamp32(in[0] - in[1]);
         }});
}

[[nodiscard]] int bit_count(Wide value, int width) {
  int count = 0;
  for (int k = 0; k < width; ++k) {
    count += static_cast<int>(value >> k & 1);
  }
  return count;
}

[[nodiscard]] int leading_zeros(Wide value, int width) {
  int count = 0;
  while (count < width && (value >> (width - 1 - count) & 1) == 0) {
    ++count;
  }
  return count;
}

TEST(Integers, CountAndFindBits) {
  for (const std::string width : {"32", "64"}) {
    const int bits = std::stoi(width);
    check({"popc.%t $d, $a;",
           {"b" + width},
           1,
           [=](const Wide* in) { return bit_count(in[0], bits); },
           false,
           false,
           {},
           true});
    check({"clz.%t $d, $a;",
           {"b" + width},
           1,
           [=](const Wide* in) { return leading_zeros(in[0], bits); },
           false,
           false,
           {},
           true});
    check({"brev.%t $d, $a;", {"b" + width}, 1, [=](const Wide* in) {
             Wide reversed = 0;
             for (int k = 0; k < bits; ++k) {
               reversed |= (in[0] >> k & 1) << (bits - 1 - k);
             }
             return reversed;
           }});
    for (const std::string sign : {"u", "s"}) {
      const auto position = [=](const Wide* in) -> Wide {
        const Wide value = in[0] < 0 ? ~in[0] : in[0];
        return value == 0 ? -1 : bits - 1 - leading_zeros(value, bits);
      };
      check({"bfind.%t $d, $a;", {sign + width}, 1, position, false, false, {}, true});
      check(
          {"bfind.shiftamt.%t $d, $a;",
           {sign + width},
           1,
           [=](const Wide* in) -> Wide { return position(in) < 0 ? -1 : bits - 1 - position(in); },
           false,
           false,
           {},
           true});
    }
  }
}

TEST(Integers, ExtractAndInsertBitFields) {
  check({"bfe.%t $d, $a, $b, $c;",
         {"u32", "u64"},
         3,
         [](const Wide* in) -> Wide {
           const int at = static_cast<int>(in[1] & 0xff);
           const int length = static_cast<int>(in[2] & 0xff);
           if (at >= 64) {
             return 0;
           }
           return in[0] >> at & ((static_cast<Wide>(1) << std::min(length, 64)) - 1);
         },
         false,
         false,
         {1, 2}});
  for (const int width : {32, 64}) {
    check({"bfe.%t $d, $a, $b, $c;",
           {"s" + std::to_string(width)},
           3,
           [width](const Wide* in) -> Wide {
             // The field of a number that is sign-extended without end.
             const int at = static_cast<int>(in[1] & 0xff);
             const int length = static_cast<int>(in[2] & 0xff);
             if (length == 0) {
               return 0;
             }
             const int top = std::min(at + length, width) - 1;
             const Wide moved = at > width - 1 ? (in[0] < 0 ? -1 : 0) : in[0] >> at;
             const int kept = top - at + 1;
             if (kept <= 0 || at > width - 1) {
               return moved;
             }
             const Wide field = moved & ((static_cast<Wide>(1) << kept) - 1);
             const bool negative = (field >> (kept - 1) & 1) != 0;
             return negative ? field - (static_cast<Wide>(1) << kept) : field;
           },
           false,
           false,
           {1, 2}});
    check({"bfi.%t $d, $a, $b, $c, $e;",
           {"b" + std::to_string(width)},
           4,
           [width](const Wide* in) -> Wide {
             const int at = static_cast<int>(in[2] & 0xff);
             const int length = static_cast<int>(in[3] & 0xff);
             Wide result = in[1];
             for (int k = 0; k < length && at + k < width; ++k) {
               const Wide bit = in[0] >> k & 1;
               result = (result & ~(static_cast<Wide>(1) << (at + k))) | bit << (at + k);
             }
             return result;
           },
           false,
           false,
           {2, 3}});
  }
}

TEST(Integers, MultiplyBytesAndAddUp) {
  const auto byte = [](Wide value, int k, bool is_signed) -> Wide {
    const auto bits = static_cast<int>(value >> (8 * k) & 0xff);
    return is_signed && bits > 127 ? bits - 256 : bits;
  };
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const std::string types = std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32");
      LaneInstruction instruction{"dp4a" + types + " $d, $a, $b, $c;", 32, {32, 32, 32}};
      OperandBits random(3);
      const auto special = special_integers(32);
      const auto operands = random.combinations({special, special, special}, {32, 32, 32}, 512);
      const auto results = execute_lanes(instruction, operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        Wide sum = static_cast<Wide>(operands[2][n]);
        for (int k = 0; k < 4; ++k) {
          sum += byte(static_cast<Wide>(operands[0][n]), k, a) *
                 byte(static_cast<Wide>(operands[1][n]), k, b);
        }
        ASSERT_EQ(results[n], cut(sum, 32)) << types;
      }
    }
  }
}

// A 96-bit sum from three words, as compilers write it.
TEST(Integers, CarryFromWordToWord) {
  const std::string text =
      "{ .reg .b32 low, high; add.cc.u32 low, $a, $b; addc.u32 high, $c, $e; "
      "mov.b64 $d, {low, high}; }";
  const std::string back =
      "{ .reg .b32 low, high; sub.cc.u32 low, $a, $b; subc.u32 high, $c, $e; "
      "mov.b64 $d, {low, high}; }";
  OperandBits random(5);
  const auto special = special_integers(32);
  const auto operands =
      random.combinations({special, special, special, special}, {32, 32, 32, 32}, 1024);
  // Unguarded only: a guard would cover only the first instruction of the block.
  for (const bool adds : {true, false}) {
    const auto a = [&](std::size_t n) { return operands[0][n] | operands[2][n] << 32; };
    const auto b = [&](std::size_t n) { return operands[1][n] | operands[3][n] << 32; };
    LaneInstruction instruction{adds ? text : back, 64, {32, 32, 32, 32}};
    const auto results = execute_sequence(instruction, operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      ASSERT_EQ(results[n], adds ? a(n) + b(n) : a(n) - b(n));
    }
  }
}

TEST(Video, DifferencesOfBytesStandSideBySideOrAddUp) {
  OperandBits random(211);
  const auto special = special_integers(32);
  const auto operands = random.combinations({special, special, special}, {32, 32, 32}, 1024);
  const auto apart =
      execute_lanes({"vabsdiff4.u32.u32.u32 $d, $a, $b, $c;", 32, {32, 32, 32}}, operands);
  const auto total =
      execute_lanes({"vabsdiff4.u32.s32.s32.add $d, $a, $b, $c;", 32, {32, 32, 32}}, operands);
  for (std::size_t n = 0; n < apart.size(); ++n) {
    std::uint32_t side_by_side = 0;
    std::uint32_t sum = static_cast<std::uint32_t>(operands[2][n]);
    for (unsigned k = 0; k < 4; ++k) {
      const auto a = static_cast<std::uint8_t>(operands[0][n] >> (8 * k));
      const auto b = static_cast<std::uint8_t>(operands[1][n] >> (8 * k));
      side_by_side |= static_cast<std::uint32_t>(std::abs(int{a} - int{b})) << (8 * k);
      sum += static_cast<std::uint32_t>(
          std::abs(int{static_cast<std::int8_t>(a)} - int{static_cast<std::int8_t>(b)}));
    }
    ASSERT_EQ(apart[n], side_by_side);
    ASSERT_EQ(total[n], sum);
  }
}

}  // namespace
}  // namespace tilestep::simt

// Comparisons, selection, logic and shifts.
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

namespace tilestep::simt {
namespace {

using Bits = std::uint64_t;

struct Relation {
  const char* name;
  std::function<bool(long double, long double)> holds;
};

const Relation kOrdered[] = {
    {"eq", [](long double a, long double b) { return a == b; }},
    {"ne", [](long double a, long double b) { return a < b || a > b; }},
    {"lt", [](long double a, long double b) { return a < b; }},
    {"le", [](long double a, long double b) { return a <= b; }},
    {"gt", [](long double a, long double b) { return a > b; }},
    {"ge", [](long double a, long double b) { return a >= b; }},
};

[[nodiscard]] long double as_number(Bits bits, const std::string& type) {
  if (type == "f32") {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
  if (type == "f64") {
    return std::bit_cast<double>(bits);
  }
  if (type == "s16") {
    return static_cast<std::int16_t>(bits);
  }
  if (type == "s32") {
    return static_cast<std::int32_t>(bits);
  }
  return type == "s64" ? static_cast<long double>(static_cast<std::int64_t>(bits))
                       : static_cast<long double>(bits);
}

[[nodiscard]] std::vector<std::vector<Bits>> operand_pairs(const std::string& type,
                                                           std::size_t count = 1024) {
  const int width = std::stoi(type.substr(1));
  const auto special = type == "f32"   ? special_floats()
                       : type == "f64" ? special_doubles()
                                       : special_integers(width);
  OperandBits random(23);
  return random.combinations({special, special}, {width, width}, count);
}

TEST(Comparisons, OrderNumbersOfEveryType) {
  for (const std::string type : {"s16", "u16", "s32", "u32", "s64", "u64", "f32", "f64"}) {
    const int width = std::stoi(type.substr(1));
    const auto operands = operand_pairs(type);
    for (const Relation& relation : kOrdered) {
      const auto results = execute_lanes(
          {"setp." + std::string(relation.name) + "." + type + " $d, $a, $b;", 1, {width, width}},
          operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        const auto a = as_number(operands[0][n], type);
        const auto b = as_number(operands[1][n], type);
        ASSERT_EQ(results[n] != 0, relation.holds(a, b)) << relation.name << type << a << " " << b;
      }
    }
  }
}

TEST(Comparisons, AreTrueForNanWhereUnordered) {
  for (const std::string type : {"f32", "f64"}) {
    const int width = std::stoi(type.substr(1));
    const auto operands = operand_pairs(type);
    for (const Relation& relation : kOrdered) {
      const auto results = execute_lanes(
          {"setp." + std::string(relation.name) + "u." + type + " $d, $a, $b;", 1, {width, width}},
          operands);
      const auto numbers =
          execute_lanes({"setp.num." + type + " $d, $a, $b;", 1, {width, width}}, operands);
      const auto nans =
          execute_lanes({"setp.nan." + type + " $d, $a, $b;", 1, {width, width}}, operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        const auto a = as_number(operands[0][n], type);
        const auto b = as_number(operands[1][n], type);
        const bool unordered = std::isnan(a) || std::isnan(b);
        ASSERT_EQ(results[n] != 0, unordered || relation.holds(a, b)) << relation.name << type;
        ASSERT_EQ(numbers[n] != 0, !unordered);
        ASSERT_EQ(nans[n] != 0, unordered);
      }
    }
  }
}

TEST(Comparisons, CompareUnsignedByTheirOwnNames) {
  const auto operands = operand_pairs("u32");
  const std::pair<const char*, const char*> same[] = {
      {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  for (const auto& [name, plain] : same) {
    EXPECT_EQ(execute_lanes({"setp." + std::string(name) + ".u32 $d, $a, $b;", 1}, operands),
              execute_lanes({"setp." + std::string(plain) + ".u32 $d, $a, $b;", 1}, operands));
  }
}

TEST(Comparisons, CombineWithAPredicateAndGiveTheComplement) {
  OperandBits random(29);
  const auto special = special_integers(32);
  const auto operands = random.combinations({special, special, {0, 1}}, {32, 32, 1}, 512);
  const std::pair<const char*, std::function<bool(bool, bool)>> kinds[] = {
      {"and", [](bool a, bool b) { return a && b; }},
      {"or", [](bool a, bool b) { return a || b; }},
      {"xor", [](bool a, bool b) { return a != b; }}};
  for (const auto& [name, combine] : kinds) {
    for (const bool negated : {false, true}) {
      const std::string third = negated ? "!$c" : "$c";
      const std::string tail = std::string(".") + name + ".s32 ";
      const auto first = execute_lanes(
          {"setp.lt" + tail + "$d, $a, $b, " + third + ";", 1, {32, 32, 1}}, operands);
      const auto second = execute_sequence(
          {"{ .reg .pred other; setp.lt" + tail + "other|$d, $a, $b, " + third + "; }",
           1,
           {32, 32, 1}},
          operands);
      for (std::size_t n = 0; n < first.size(); ++n) {
        const bool less =
            static_cast<std::int32_t>(operands[0][n]) < static_cast<std::int32_t>(operands[1][n]);
        const bool c = (operands[2][n] != 0) != negated;
        ASSERT_EQ(first[n] != 0, combine(less, c)) << name;
        ASSERT_EQ(second[n] != 0, combine(!less, c)) << name;
      }
    }
  }
}

TEST(Comparisons, SetWordsAndChooseOperands) {
  const auto operands = operand_pairs("s32");
  const auto ones = execute_lanes({"set.lt.u32.s32 $d, $a, $b;"}, operands);
  const auto floats = execute_lanes({"set.lt.f32.s32 $d, $a, $b;"}, operands);
  const auto chosen = execute_lanes({"slct.b32.s32 $d, $a, $b, $a;", 32, {32, 32}}, operands);
  for (std::size_t n = 0; n < ones.size(); ++n) {
    const bool less =
        static_cast<std::int32_t>(operands[0][n]) < static_cast<std::int32_t>(operands[1][n]);
    ASSERT_EQ(ones[n], less ? 0xffffffffU : 0U);
    ASSERT_EQ(floats[n], less ? 0x3f800000U : 0U);
    ASSERT_EQ(chosen[n],
              static_cast<std::int32_t>(operands[0][n]) >= 0 ? operands[0][n] : operands[1][n]);
  }
}

TEST(Comparisons, SelectByPredicate) {
  for (const int width : {16, 32, 64}) {
    OperandBits random(31);
    const auto special = special_integers(width);
    const auto operands = random.combinations({special, special, {0, 1}}, {width, width, 1}, 512);
    const auto results = execute_lanes(
        {"selp.b" + std::to_string(width) + " $d, $a, $b, $c;", width, {width, width, 1}},
        operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      ASSERT_EQ(results[n], operands[operands[2][n] != 0 ? 0 : 1][n]);
    }
  }
}

TEST(Logic, WorksOnEveryWidthAndOnPredicates) {
  for (const int width : {1, 16, 32, 64}) {
    const std::string type = width == 1 ? ".pred" : ".b" + std::to_string(width);
    const auto special = width == 1 ? std::vector<Bits>{0, 1} : special_integers(width);
    const Bits low = width == 64 ? ~0ULL : (1ULL << width) - 1;
    OperandBits random(37);
    const auto operands = random.combinations({special, special}, {width, width}, 512);
    const std::pair<const char*, std::function<Bits(Bits, Bits)>> operations[] = {
        {"and", [](Bits a, Bits b) { return a & b; }},
        {"or", [](Bits a, Bits b) { return a | b; }},
        {"xor", [](Bits a, Bits b) { return a ^ b; }}};
    for (const auto& [name, oracle] : operations) {
      const auto results =
          execute_lanes({name + type + " $d, $a, $b;", width, {width, width}}, operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        ASSERT_EQ(results[n], oracle(operands[0][n], operands[1][n])) << name << type;
      }
    }
    const auto inverted = execute_lanes({"not" + type + " $d, $a;", width, {width}}, {operands[0]});
    const auto moved = execute_lanes({"mov" + type + " $d, $a;", width, {width}}, {operands[0]});
    for (std::size_t n = 0; n < inverted.size(); ++n) {
      ASSERT_EQ(inverted[n], ~operands[0][n] & low);
      ASSERT_EQ(moved[n], operands[0][n]);
    }
  }
}

TEST(Logic, EvaluatesEveryTableOfThreeOperands) {
  OperandBits random(41);
  const auto operands = random.combinations({{0}, {0}, {0}}, {32, 32, 32}, 32);
  for (int table = 0; table < 256; ++table) {
    const auto results = execute_lanes(
        {"lop3.b32 $d, $a, $b, $c, " + std::to_string(table) + ";", 32, {32, 32, 32}}, operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      for (int bit = 0; bit < 32; ++bit) {
        const auto at = [&](int k) {
          return static_cast<int>(operands[static_cast<std::size_t>(k)][n] >> bit & 1);
        };
        const int row = at(0) << 2 | at(1) << 1 | at(2);
        ASSERT_EQ(static_cast<int>(results[n] >> bit & 1), table >> row & 1);
      }
    }
  }
}

TEST(Shifts, ClampTheirCounts) {
  for (const std::string type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"}) {
    const int width = std::stoi(type.substr(1));
    OperandBits random(43);
    const auto operands = random.combinations(
        {special_integers(width), {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0xffffffff}},
        {width, 32}, 1024);
    const auto right =
        execute_lanes({"shr." + type + " $d, $a, $b;", width, {width, 32}}, operands);
    const Bits low = width == 64 ? ~0ULL : (1ULL << width) - 1;
    for (std::size_t n = 0; n < right.size(); ++n) {
      const Bits count = operands[1][n];
      const bool negative = type[0] == 's' && (operands[0][n] >> (width - 1) & 1) != 0;
      Bits wanted = operands[0][n];
      for (Bits k = 0; k < std::min<Bits>(count, 64); ++k) {
        wanted = wanted >> 1 | (negative ? 1ULL << (width - 1) : 0);
      }
      ASSERT_EQ(right[n], wanted) << type << operands[0][n] << ">>" << count;
    }
    if (type[0] == 'b') {
      const auto left =
          execute_lanes({"shl." + type + " $d, $a, $b;", width, {width, 32}}, operands);
      for (std::size_t n = 0; n < left.size(); ++n) {
        const Bits count = operands[1][n];
        ASSERT_EQ(left[n], count >= 64 ? 0 : operands[0][n] << count & low);
      }
    }
  }
}

TEST(Shifts, TakeImmediateCounts) {
  for (const int count : {0, 1, 5, 31, 32, 40, 63, 64, 100}) {
    for (const std::string type : {"s32", "u32", "b32", "s64", "u64", "b64"}) {
      const int width = std::stoi(type.substr(1));
      OperandBits random(47);
      const auto operands = random.combinations({special_integers(width)}, {width}, 128);
      const std::vector<std::vector<Bits>> with_count = {
          operands[0], std::vector<Bits>(operands[0].size(), static_cast<Bits>(count))};
      for (const std::string op : {"shr.", "shl.b"}) {
        if (op == "shl.b" && type[0] != 'b') {
          continue;
        }
        const std::string name = op == "shr." ? op + type : "shl." + type;
        EXPECT_EQ(execute_lanes({name + " $d, $a, " + std::to_string(count) + ";", width, {width}},
                                operands),
                  execute_lanes({name + " $d, $a, $b;", width, {width, 32}}, with_count))
            << name << count;
      }
    }
  }
}

TEST(Shifts, FunnelTwoWords) {
  OperandBits random(53);
  const auto special = special_integers(32);
  const auto operands =
      random.combinations({special, special, {0, 1, 31, 32, 33, 63, 64}}, {32, 32, 32}, 512);
  for (const bool left : {false, true}) {
    for (const bool clamps : {false, true}) {
      const std::string name = std::string("shf.") + (left ? "l" : "r") +
                               (clamps ? ".clamp" : ".wrap") + ".b32 $d, $a, $b, $c;";
      const auto results = execute_lanes({name, 32, {32, 32, 32}}, operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        const Bits count = clamps ? std::min<Bits>(operands[2][n], 32) : operands[2][n] & 31;
        const Bits both = operands[1][n] << 32 | operands[0][n];
        const Bits wanted = left ? (count == 32 ? operands[0][n] : both << count >> 32)
                                 : both >> count & 0xffffffff;
        ASSERT_EQ(results[n], wanted) << name << count;
      }
    }
  }
}

TEST(Logic, PermutesBytes) {
  OperandBits random(59);
  const auto words =
      random.combinations({{0x80ff7f01}, {0x12345678}, {0x3210, 0xba98}}, {32, 32, 16}, 512);
  const auto results = execute_lanes({"prmt.b32 $d, $a, $b, $c;", 32, {32, 32, 32}}, words);
  const auto rotated = execute_lanes({"prmt.b32.f4e $d, $a, $b, $c;", 32, {32, 32, 32}}, words);
  for (std::size_t n = 0; n < results.size(); ++n) {
    const Bits both = words[1][n] << 32 | words[0][n];
    Bits wanted = 0;
    Bits forward = 0;
    for (int k = 0; k < 4; ++k) {
      const Bits nibble = words[2][n] >> (4 * k) & 15;
      const Bits byte = both >> (8 * (nibble & 7)) & 255;
      wanted |= ((nibble & 8) != 0 ? (byte > 127 ? 255U : 0U) : byte) << (8 * k);
      forward |= (both >> (8 * ((words[2][n] & 3) + static_cast<Bits>(k))) & 255) << (8 * k);
    }
    ASSERT_EQ(results[n], wanted);
    ASSERT_EQ(rotated[n], forward);
  }
}

}  // namespace
}  // namespace tilestep::simt

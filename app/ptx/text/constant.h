// Private to app/ptx: literals and constant expressions (PTX ISA 9.0, 4.5).
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/text/lexer.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilestep::ptx {

enum class ConstantKind : std::uint8_t {
  Integer,
  Float32,  // 0f…: exactly these bits
  Float64,  // 0d… or decimal
};

// `bits`: the integer, or the float's own bits.
struct Constant {
  ConstantKind kind = ConstantKind::Integer;
  std::int64_t bits = 0;
};

// "0x1F", "017", "0b101", "42U", "0f3F800000", "0d3FF0000000000000", "1.5e3"
[[nodiscard]] std::optional<Constant> parse_literal(std::string_view text);

// The bits an operand or initialiser of `type` gets from a constant, sign-extended from the type's
// width to 64 (predicates: 0 or -1); nothing when the type cannot take it (an integer where a float
// stands, a float in an integer of another width).
[[nodiscard]] std::optional<std::int64_t> constant_bits(const Constant& constant, Type type);

// A constant expression at the lexer: literals, WARP_SZ, + - * / % ! ~ & | ^ << >> comparisons,
// && || ?: and parentheses, with C's precedence. Reports its errors to the lexer.
[[nodiscard]] Constant read_constant_expression(Lexer& lexer);

}  // namespace tilestep::ptx

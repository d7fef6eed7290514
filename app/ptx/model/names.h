// Private to app/ptx: names from symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

// "_ZN4Kind1AE" → "Kind::A". A name that is not mangled is returned unchanged.
[[nodiscard]] std::string demangle(std::string_view symbol);

// The last part of a demangled name: "Kind::A" → "A", "f(int)::{lambda(float)#1}" →
// "{lambda(float)#1}".
[[nodiscard]] std::string_view last_component(std::string_view demangled);

// A compiler splits an array or a struct if all its parts are used with constant indices:
// "ends_$_1", "m_$_0_$_2" of "ends" and "m". docs/reading-ptx.md explains which part a number
// means.
struct SymbolPiece {
  std::string_view whole;           // the declared symbol
  std::vector<std::uint32_t> path;  // {1}; {0, 2}; empty: the symbol is whole
};
[[nodiscard]] SymbolPiece split_piece(std::string_view symbol);

// A variable declared in a function, by its Itanium name: `_ZZ <function> E <length><name> [_n]`,
// or a piece of it.
struct LocalName {
  std::string function;             // symbol of the function: "_Z12matmul_tiledILi4EEvPKfS1_Pfiii"
  std::string name;                 // "As"
  std::uint32_t discriminator = 0;  // 0: the first of that name in the function, 1: the second, …
};
[[nodiscard]] std::optional<LocalName> parse_local_name(std::string_view symbol);

}  // namespace tilestep::ptx

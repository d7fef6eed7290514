// Private to app/ptx: variables with their initialisers, parameters, registers.
#pragma once

#include "ptx/text/lexer.h"
#include "ptx/text/parsed_text.h"
#include "ptx/text/symbol_table.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

// A symbol in an initialiser that is declared further down, or only in another scope.
struct PendingRelocation {
  std::uint32_t variable = 0;  // index into Module::variables
  std::uint32_t relocation = 0;
  std::string_view symbol;
  std::uint32_t line = 0;
};

inline constexpr std::uint32_t kFileScope = 0xffffffffU;

// What the readers of one file share.
struct Reading {
  explicit Reading(std::string_view text) : lexer(text) {}

  Lexer lexer;
  SymbolTable symbols;
  std::vector<PendingRelocation> relocations;
};

// `.b32` → Type::B32; nothing for other words.
[[nodiscard]] std::optional<Type> type_word(std::string_view word);
// `.shared` → Space::Shared; nothing for words that declare no memory variable.
[[nodiscard]] std::optional<Space> variable_space(std::string_view word);
// `(.managed)`, `(.unified(1, 2))` after `.attribute`.
void skip_attribute(Lexer& lexer);

// The lexer stands after the state space. Declares every variable up to the `;`.
void read_variables(Reading& reading, Module& module, Space space, bool is_extern,
                    std::uint32_t function);
// Once the whole file is read: the symbols of initialisers that were not known in their place.
void resolve_relocations(Reading& reading, Module& module);

// `.param .align 8 .b8 name[24]`; the lexer stands after `.param`. `offset` is left to the caller.
[[nodiscard]] Param read_param(Lexer& lexer, std::string_view& name);
// `( .param …, .param … )`, laid out from `offset`, which moves on.
[[nodiscard]] std::vector<Param> read_param_list(Reading& reading, std::uint32_t& offset,
                                                 std::vector<std::string_view>& names);

// Free register slots of a function.
struct RegisterSlots {
  std::uint32_t words = 0;
  std::uint32_t predicates = 0;

  [[nodiscard]] Register take(RegisterClass cls, std::uint32_t count);
};

// `.reg .b32 %r<37>, %tmp;`; the lexer stands after `.reg`.
void read_registers(Reading& reading, Function& function, RegisterSlots& slots);

}  // namespace tilestep::ptx

// Private to app/ptx: variables with their initializers, parameters, registers.
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/text/lexer.h"
#include "ptx/text/parsed_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

// Private to app/ptx: the meaning of a name at a place of a PTX text.
//
// PTX has lexical scopes: the file, a function, and every `{ }` in it. NVRTC redeclares the same
// names (param0, retval0, temp_param_reg, %tmp) in block after block.

enum class SymbolKind : std::uint8_t {
  Register,
  Variable,   // index into Module::variables
  Param,      // index: offset in the incoming parameter area
  CallParam,  // index: offset in the call area
  Function,   // index into Module::functions
  Prototype,  // .callprototype
  Targets,    // .branchtargets: index into Function::branch_tables; .calltargets
};

struct Symbol {
  SymbolKind kind = SymbolKind::Register;
  Register reg;
  std::uint32_t index = 0;
  std::uint32_t bytes = 0;  // Param, CallParam
};

class SymbolTable {
 public:
  void open_scope();
  void close_scope();
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size()); }

  // False if this scope already has the name.
  [[nodiscard]] bool declare(std::string_view name, const Symbol& symbol);
  // The same in the file's scope, whatever scopes are open.
  [[nodiscard]] bool declare_global(std::string_view name, const Symbol& symbol);
  // `.reg .b32 %r<37>`: %r0 … %r36 in consecutive slots from `first`.
  [[nodiscard]] bool declare_family(std::string_view prefix, std::uint32_t count, Register first);

  [[nodiscard]] std::optional<Symbol> find(std::string_view name) const;

 private:
  struct Entry {
    Symbol symbol;
    std::uint32_t depth = 0;
  };
  struct Family {
    std::string_view prefix;
    std::uint32_t count = 0;
    Register first;
    std::uint32_t depth = 0;
  };
  // The names that the end of a scope has to restore.
  struct Hidden {
    std::string_view name;
    std::optional<Entry> before;
  };
  struct Scope {
    std::size_t hidden = 0;
    std::size_t families = 0;
  };

  [[nodiscard]] const Family* find_family(std::string_view name, std::uint32_t& number) const;

  std::unordered_map<std::string_view, Entry> entries_;
  std::vector<Family> families_;
  std::vector<Hidden> hidden_;
  std::vector<Scope> scopes_;
};

// Distance between consecutive registers of a class, in the units of Register::index.
[[nodiscard]] std::uint32_t register_stride(RegisterClass cls);

// Private to app/ptx: names of functions and variables on screen.

// "_Z12matmul_tiledILi4EEvPKfS1_Pfiii" → "matmul_tiled<4>": without result and parameters.
[[nodiscard]] std::string short_function_name(std::string_view symbol);
// "_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As" → "As"; "_ZN2ns4coefE" → "ns::coef".
[[nodiscard]] std::string short_variable_name(std::string_view symbol);

// A symbol in an initializer that is declared further down, or only in another scope.
struct PendingRelocation {
  std::uint32_t variable = 0;  // index into Module::variables
  std::uint32_t relocation = 0;
  std::string_view symbol;
  std::uint32_t line = 0;
};

inline constexpr std::uint32_t kFileScope = 0xffffffffU;

// Shared data of the readers of one file.
struct Reading {
  explicit Reading(std::string_view text) : lexer(text) {}

  Lexer lexer;
  SymbolTable symbols;
  std::vector<PendingRelocation> relocations;
};

// `.b32` → Type::B32; empty for other words.
[[nodiscard]] std::optional<Type> type_word(std::string_view word);
// `.shared` → Space::Shared; empty for words that declare no memory variable.
[[nodiscard]] std::optional<Space> variable_space(std::string_view word);
// `(.managed)`, `(.unified(1, 2))` after `.attribute`.
void skip_attribute(Lexer& lexer);

// Called after the state space. Declares every variable up to the `;`.
void read_variables(Reading& reading, Module& module, Space space, bool is_extern,
                    std::uint32_t function);
// Called after the whole file is read: resolves symbols in initializers that were not yet known.
void resolve_relocations(Reading& reading, Module& module);

// `.param .align 8 .b8 name[24]`; called after `.param`. The caller sets `offset`.
[[nodiscard]] Param read_param(Lexer& lexer, std::string_view& name);
// `( .param …, .param … )`, laid out from `offset`, which is advanced.
[[nodiscard]] std::vector<Param> read_param_list(Reading& reading, std::uint32_t& offset,
                                                 std::vector<std::string_view>& names);

// Free register slots of a function.
struct RegisterSlots {
  std::uint32_t words = 0;
  std::uint32_t predicates = 0;

  [[nodiscard]] Register take(RegisterClass cls, std::uint32_t count);
};

// `.reg .b32 %r<37>, %tmp;`; called after `.reg`.
void read_registers(Reading& reading, Function& function, RegisterSlots& slots);

}  // namespace tilestep::ptx

// Private to app/ptx: what a name means at a place of a PTX text.
//
// PTX has lexical scopes: the file, a function, and every `{ }` in it. NVRTC redeclares the same
// names (param0, retval0, temp_param_reg, %tmp) in block after block.
#pragma once

#include "ptx/model/instruction.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

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

  // False when this scope already has the name.
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
  // What a scope's end has to restore.
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

// Distance of consecutive registers of a class, in the units of Register::index.
[[nodiscard]] std::uint32_t register_stride(RegisterClass cls);

}  // namespace tilestep::ptx

// apply_probe: the types a probe's compile found, copied into the module that is executed.
#include "loading/loader.h"
#include "loading/probe.h"
#include "ptx/model/module.h"
#include "ptx/model/names.h"
#include "ptx/text/declarations.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace tilestep::loading {
namespace {

using ptx::Function;
using ptx::kNoType;
using ptx::last_component;
using ptx::LocalName;
using ptx::LocationKind;
using ptx::MemoryVariable;
using ptx::Module;
using ptx::parse_local_name;
using ptx::Scope;
using ptx::short_function_name;
using ptx::sort_variables;
using ptx::SourceType;
using ptx::SourceVariable;
using ptx::TypeId;

// Copies types with everything they are made of, each once.
class TypeCopier {
 public:
  TypeCopier(const std::vector<SourceType>& from, std::vector<SourceType>& to)
      : from_(from), to_(to) {}

  TypeId copy(TypeId id) {
    if (id >= from_.size()) {
      return kNoType;
    }
    auto [place, is_new] = copied_.emplace(id, static_cast<TypeId>(to_.size()));
    TypeId copied = place->second;
    if (!is_new) {
      return copied;
    }
    to_.push_back(from_[id]);
    TypeId element = copy(from_[id].element);
    to_[copied].element = element;
    for (std::size_t i = 0; i < from_[id].members.size(); ++i) {
      TypeId member = copy(from_[id].members[i].type);
      to_[copied].members[i].type = member;
    }
    return copied;
  }

 private:
  const std::vector<SourceType>& from_;
  std::vector<SourceType>& to_;
  std::unordered_map<TypeId, TypeId> copied_;
};

// One appearance of a probe's pointer: in a function, or in each place a function was inlined to.
struct Pointer {
  std::uint32_t function = 0;  // index in the probe's module
  std::uint32_t scope = 0;
  std::uint32_t variable = 0;  // index in the function's source variables
};

// variable of the source → place in the text → appearances
using Pointers = std::map<std::string, std::map<std::uint32_t, std::vector<Pointer>>, std::less<>>;

Pointers find_pointers(const Module& probe) {
  Pointers pointers;
  for (std::uint32_t f = 0; f < probe.functions.size(); ++f) {
    const Function& function = probe.functions[f];
    for (std::uint32_t s = 0; s < function.scopes.size(); ++s) {
      for (std::uint32_t v : function.scopes[s].variables) {
        if (auto name = parse_probe_name(function.source_variables[v].name)) {
          pointers[std::string(name->variable)][name->place].push_back({f, s, v});
        }
      }
    }
  }
  return pointers;
}

std::string without_blanks(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result),
               [](char c) { return c != ' '; });
  return result;
}

// Whether a pointer stands in the function `symbol`, compiled for itself or inlined.
bool belongs_to(const Module& probe, const Pointer& pointer, const std::string& symbol,
                const std::string& inlined_name) {
  const Function& function = probe.functions[pointer.function];
  for (std::uint32_t scope = pointer.scope; scope != 0; scope = function.scopes[scope].parent) {
    const std::string& inlined = function.scopes[scope].inlined;
    if (!inlined.empty()) {
      return without_blanks(inlined) == inlined_name;
    }
  }
  return function.symbol == symbol;
}

// The appearances of the pointer to a memory variable: of the declarations of its name in its
// function, the one its discriminator counts to.
std::vector<Pointer> pointers_to(const Module& probe, const Pointers& pointers,
                                 const LocalName& local) {
  auto found = pointers.find(local.name);
  if (found == pointers.end()) {
    return {};
  }
  const std::string function_name = short_function_name(local.function);
  const std::string inlined_name = without_blanks(last_component(function_name));
  std::uint32_t number = 0;
  for (const auto& [place, all] : found->second) {
    std::vector<Pointer> own;
    std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const Pointer& pointer) {
      return belongs_to(probe, pointer, local.function, inlined_name);
    });
    if (!own.empty() && number++ == local.discriminator) {
      return own;
    }
  }
  return {};
}

bool contains(const Scope& outer, const Scope& inner) {
  return outer.low_pc <= inner.low_pc && inner.high_pc <= outer.high_pc;
}

// The scope of `function` that is `measured` in the probe. The probe's code is the same,
// instruction for instruction, but a block that declares nothing else has a scope in the probe
// only: it is added.
std::uint32_t matching_scope(Function& function, const Scope& measured) {
  std::vector<Scope>& scopes = function.scopes;
  std::uint32_t parent = 0;
  for (std::uint32_t i = 1; i < scopes.size(); ++i) {
    parent = contains(scopes[i], measured) ? i : parent;
  }
  if (contains(measured, scopes[parent])) {
    return parent;
  }
  // Scopes stand before those in them.
  auto place = std::find_if(scopes.begin() + parent + 1, scopes.end(),
                            [&](const Scope& scope) { return contains(measured, scope); });
  auto index = static_cast<std::uint32_t>(place - scopes.begin());
  Scope added = measured;
  added.parent = parent;
  added.variables.clear();
  scopes.insert(place, std::move(added));
  for (std::uint32_t i = 1; i < scopes.size(); ++i) {
    if (i != index && scopes[i].parent >= index) {
      ++scopes[i].parent;
    } else if (i > index && scopes[i].parent == parent && contains(measured, scopes[i])) {
      scopes[i].parent = index;
    }
  }
  return index;
}

// Makes `variable` (a memory variable's) visible in the scope that corresponds to the pointer's.
void place_variable(Function& function, std::uint32_t scope, SourceVariable variable) {
  auto index = static_cast<std::uint32_t>(function.source_variables.size());
  for (std::uint32_t i = 0; i < function.source_variables.size(); ++i) {
    const SourceVariable& known = function.source_variables[i];
    bool is_placeholder = known.kind == LocationKind::Memory &&
                          known.variable == variable.variable && known.type == kNoType;
    if (is_placeholder) {
      std::erase(function.scopes[0].variables, i);
      index = i;
      break;
    }
  }
  if (index == function.source_variables.size()) {
    function.source_variables.emplace_back();
  }
  function.source_variables[index] = std::move(variable);
  function.scopes[scope].variables.push_back(index);
  sort_variables(function, function.scopes[scope]);
}

class Applier {
 public:
  Applier(Module& module, const Module& probe)
      : module_(module),
        probe_(probe),
        pointers_(find_pointers(probe)),
        types_(probe.types, module.types) {}

  void apply() {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      if (std::optional<LocalName> local = parse_local_name(module_.variables[i].symbol)) {
        apply_to_local(i, *local);
      } else if (module_.variables[i].type == kNoType) {
        apply_to_global(i);
      }
    }
  }

 private:
  void apply_to_local(std::uint32_t index, const LocalName& local) {
    std::vector<Pointer> all = pointers_to(probe_, pointers_, local);
    MemoryVariable& memory = module_.variables[index];
    for (const Pointer& pointer : all) {
      const Function& measured = probe_.functions[pointer.function];
      const SourceVariable& variable = measured.source_variables[pointer.variable];
      if (variable.type >= probe_.types.size()) {
        continue;
      }
      TypeId target = probe_.types[variable.type].element;
      if (target >= probe_.types.size() || !set_type(index, target)) {
        continue;
      }
      SourceVariable shown;
      shown.name = memory.name;
      shown.type = memory.type;
      shown.decl_file = variable.decl_file;
      shown.decl_line = variable.decl_line;
      shown.kind = LocationKind::Memory;
      shown.variable = index;
      show(measured, measured.scopes[pointer.scope], std::move(shown));
    }
  }

  // The type that a variable is declared with; a piece of it gets its part of that. False: it does
  // not fit.
  bool set_type(std::uint32_t index, TypeId declared) {
    MemoryVariable& memory = module_.variables[index];
    if (!memory.path.empty()) {
      return name_piece(module_, index, types_.copy(declared));
    }
    const bool fits = probe_.types[declared].bytes == memory.bytes;
    memory.type = fits ? types_.copy(declared) : memory.type;
    return fits;
  }

  void show(const Function& measured, const Scope& scope, SourceVariable variable) {
    for (Function& function : module_.functions) {
      bool is_same = function.symbol == measured.symbol && !function.scopes.empty() &&
                     function.instructions.size() == measured.instructions.size();
      if (is_same) {
        place_variable(function, matching_scope(function, scope), std::move(variable));
        return;
      }
    }
  }

  // A fast build has no debug information: variables outside functions get the probe's types too.
  void apply_to_global(std::uint32_t index) {
    const std::string_view symbol = ptx::split_piece(module_.variables[index].symbol).whole;
    for (const MemoryVariable& measured : probe_.variables) {
      if (measured.symbol == symbol && measured.type != kNoType) {
        set_type(index, measured.type);
        return;
      }
    }
  }

  Module& module_;
  const Module& probe_;
  Pointers pointers_;
  TypeCopier types_;
};

}  // namespace

void apply_probe(Module& module, const Module& probe) {
  Applier(module, probe).apply();
}

}  // namespace tilestep::loading

#include "ptx/debug_dump.h"

#include <fmt/format.h>

#include <set>

namespace tilestep::ptx::test {
namespace {

std::string type_name(const Module& module, TypeId type) {
  return type < module.types.size() ? module.types[type].name : "(no type)";
}

std::string constant_text(const SourceVariable& variable) {
  std::string text = "constant";
  for (std::byte byte : variable.constant) {
    text += fmt::format(" {:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string location_text(const Module& module, const Function* function,
                          const SourceVariable& variable, std::uint32_t index) {
  switch (variable.kind) {
    case LocationKind::None:
      return "optimized out";
    case LocationKind::Constant:
      return constant_text(variable);
    case LocationKind::Register:
      return "live " + register_name(*function, variable.reg);
    case LocationKind::RegisterAddress:
      return fmt::format("at [{}+{}]", register_name(*function, variable.reg), variable.offset);
    case LocationKind::Param:
      return fmt::format("parameter area +{}", variable.offset);
    case LocationKind::Memory:
      return fmt::format("memory {}+{}", module.variables[variable.variable].symbol,
                         variable.offset);
    case LocationKind::Events:
      break;
  }
  std::string text = "events";
  for (const AssignmentEvent& event : function->events) {
    if (event.variable == index) {
      text += fmt::format(" {}:{}", event.pc, register_name(*function, event.reg));
    }
  }
  return text;
}

std::string variable_text(const Module& module, const Function* function,
                          const SourceVariable& variable, std::uint32_t index) {
  return fmt::format("{}{}: {} @{}:{} {}\n", variable.is_parameter ? "parameter " : "",
                     variable.name, type_name(module, variable.type), variable.decl_file,
                     variable.decl_line, location_text(module, function, variable, index));
}

void dump_function(const Module& module, const Function& function, std::string& text) {
  text += fmt::format("function {}\n", function.name);
  for (std::uint32_t s = 0; s < function.scopes.size(); ++s) {
    const Scope& scope = function.scopes[s];
    text += fmt::format("  scope {} in {} [{}, {})", s, scope.parent, scope.low_pc, scope.high_pc);
    text += scope.inlined.empty()
                ? std::string("\n")
                : fmt::format(" inlined {} from line {}\n", scope.inlined, scope.call_line);
    for (std::uint32_t v : scope.variables) {
      text += "    " + variable_text(module, &function, function.source_variables[v], v);
    }
  }
}

std::string_view kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::Structure:
      return "struct";
    case TypeKind::Union:
      return "union";
    case TypeKind::Enumeration:
      return "enum";
    default:
      return "";
  }
}

}  // namespace

std::string register_name(const Function& function, Register reg) {
  for (std::size_t i = 0; i < function.registers.size(); ++i) {
    if (function.registers[i] == reg && function.register_names[i].starts_with('%')) {
      return function.register_names[i];
    }
  }
  return "?";
}

std::string dump_debug_info(const Module& module) {
  std::string text;
  for (const SourceVariable& global : module.globals) {
    text += "global " + variable_text(module, nullptr, global, 0);
  }
  for (const MemoryVariable& memory : module.variables) {
    if (memory.space != Space::Local) {
      text += fmt::format("symbol {}: {}, {} bytes\n", memory.symbol,
                          type_name(module, memory.type), memory.bytes);
    }
  }
  for (const Function& function : module.functions) {
    if (!function.scopes.empty()) {
      dump_function(module, function, text);
    }
  }
  return text;
}

std::string dump_types(const Module& module) {
  std::set<std::string> lines;  // each once: const and typedef copies have the same members
  for (const SourceType& type : module.types) {
    std::string_view kind = kind_name(type.kind);
    if (kind.empty()) {
      continue;
    }
    std::string line = fmt::format("{} {} ({} bytes)\n", kind, type.name, type.bytes);
    for (const Member& member : type.members) {
      line +=
          fmt::format("  +{} {} {}", member.offset, type_name(module, member.type), member.name);
      line += member.bit_size == 0
                  ? std::string("\n")
                  : fmt::format(" : {} bits from {}\n", member.bit_size, member.bit_offset);
    }
    for (const Enumerator& enumerator : type.enumerators) {
      line += fmt::format("  {} = {}\n", enumerator.name, enumerator.value);
    }
    lines.insert(std::move(line));
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

}  // namespace tilestep::ptx::test

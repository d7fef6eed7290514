#include "loading/arguments.h"

#include <algorithm>

namespace tilestep::loading {
namespace {

using ptx::Function;
using ptx::Line;
using ptx::Member;
using ptx::MemoryVariable;
using ptx::Module;
using ptx::Param;
using ptx::SourceType;
using ptx::SourceVariable;
using ptx::Space;
using ptx::Type;
using ptx::TypeId;
using ptx::TypeKind;

using problem::ParameterType;
using ParameterKind = problem::ParameterType::Kind;

ParameterKind kind_of(const SourceType& type) {
  switch (type.kind) {
    case TypeKind::Bool:
      return ParameterKind::Bool;
    case TypeKind::SignedInteger:
    case TypeKind::UnsignedInteger:
    case TypeKind::SignedChar:
    case TypeKind::UnsignedChar:
    case TypeKind::Enumeration:
      return ParameterKind::Integer;
    case TypeKind::Float:
      return ParameterKind::Float;
    case TypeKind::Pointer:
    case TypeKind::Reference:
      return ParameterKind::Pointer;
    case TypeKind::Structure:
    case TypeKind::Union:
      return ParameterKind::Structure;
    case TypeKind::Array:
      return ParameterKind::Array;
    case TypeKind::Void:
    case TypeKind::Function:
    case TypeKind::Unknown:
      break;
  }
  return ParameterKind::Unknown;
}

// Members of base classes and of unnamed structures belong to the outer one.
void add_members(const Module& module, TypeId id, unsigned depth, ParameterType& to);

ParameterType type_of(const Module& module, TypeId id, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 6;  // types may point to themselves
  ParameterType found;
  if (id >= module.types.size() || depth > kMaxDepth) {
    return found;
  }
  const SourceType& type = module.types[id];
  found.kind = kind_of(type);
  found.name = type.name;
  found.bytes = type.bytes;
  found.is_signed = type.kind == TypeKind::SignedInteger || type.kind == TypeKind::SignedChar;
  found.points_to_const = type.name.starts_with("const ");
  found.count = type.count;
  if (type.element < module.types.size()) {
    found.target.push_back(type_of(module, type.element, depth + 1));
  }
  add_members(module, id, depth, found);
  return found;
}

void add_members(const Module& module, TypeId id, unsigned depth, ParameterType& to) {
  for (const Member& member : module.types[id].members) {
    const bool is_transparent = member.name.empty() || member.name.starts_with('<');
    if (is_transparent && member.type < module.types.size() && depth < 6) {
      add_members(module, member.type, depth + 1, to);
    } else {
      to.members.push_back({member.name, type_of(module, member.type, depth + 1)});
    }
    if (module.types[id].kind == TypeKind::Union) {
      break;  // one of the alternatives is enough
    }
  }
}

problem::KernelInterface::Variable variable_of(const Module& module,
                                               const MemoryVariable& variable) {
  problem::KernelInterface::Variable found;
  found.name = variable.name;
  found.bytes = variable.bytes;
  if (variable.type < module.types.size()) {
    found.type = module.types[variable.type].name;
    found.element = problem::element_guess(type_of(module, variable.type)).type;
  }
  return found;
}

// Without debug information: the type in the PTX.
ParameterType type_of(const Param& param) {
  ParameterType found;
  found.bytes = param.bytes;
  found.is_signed = true;
  const bool is_float = param.type == Type::F32 || param.type == Type::F64;
  found.kind = is_float ? ParameterKind::Float : ParameterKind::Integer;
  found.name = is_float ? "float" : "int";
  return found;
}

}  // namespace

problem::KernelInterface interface_of(const Kernel& kernel) {
  const Module& module = *kernel.module;
  const Function& entry = module.functions[kernel.entry];
  problem::KernelInterface found;
  found.name = entry.name;
  found.launch_bounds = {entry.max_ntid[0], entry.max_ntid[1], entry.max_ntid[2]};
  for (std::size_t i = 0; i < entry.params.size(); ++i) {
    const bool is_declared =
        i < entry.source_variables.size() && entry.source_variables[i].is_parameter;
    if (is_declared) {
      const SourceVariable& declared = entry.source_variables[i];
      found.parameters.push_back({declared.name, type_of(module, declared.type)});
    } else {
      found.parameters.push_back({"", type_of(entry.params[i])});
    }
  }
  for (const MemoryVariable& variable : module.variables) {
    const bool is_own = !variable.symbol.starts_with('$') && !variable.symbol.starts_with("__");
    const bool is_elsewhere = variable.function != 0xffffffffU && variable.function != kernel.entry;
    if (variable.space == Space::Shared && !is_elsewhere) {
      const bool is_extern = variable.is_extern || variable.bytes == 0;
      (is_extern ? found.extern_shared : found.shared).push_back(variable_of(module, variable));
    } else if (variable.space == Space::Const && is_own) {
      found.constants.push_back(variable_of(module, variable));
    }
  }
  for (const Line& line : entry.lines) {
    if (line.file == 1 && line.line > 0 && line.inlined_at == 0) {
      found.first_line = found.first_line == 0 ? line.line : std::min(found.first_line, line.line);
      found.last_line = std::max(found.last_line, line.line);
    }
  }
  return found;
}

}  // namespace tilestep::loading

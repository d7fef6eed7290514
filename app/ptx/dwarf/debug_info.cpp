// attach_debug_info: the debug sections of a file into its Module.
#include "ptx/dwarf/debug_info.h"

#include "ptx/dwarf/dwarf_reader.h"
#include "ptx/dwarf/dwarf_scopes.h"
#include "ptx/model/names.h"
#include "ptx/model/source_file.h"
#include "ptx/text/parsed_text.h"

#include <utility>

namespace tilestep::ptx {
namespace {

using dwarf::At;
using dwarf::kNoFunction;
using dwarf::Tag;

// A variable of the unit: gives its memory variable the type, and stands among the globals if it
// was declared in the kernel's own text (one `#include <cooperative_groups.h>` brings a thousand).
void attach_global(dwarf::Context& context, std::uint32_t die) {
  SourceVariable variable = context.describe(die);
  const dwarf::Attribute* attribute = context.tree.find(die, At::Location);
  if (attribute != nullptr && !attribute->bytes.empty()) {
    dwarf::Location location =
        dwarf::read_location(*context.sections.info, attribute->position, attribute->bytes.size());
    if (auto memory = context.memory_variable(location.symbol, kNoFunction)) {
      variable.kind = LocationKind::Memory;
      variable.variable = *memory;
      variable.offset = static_cast<std::uint32_t>(location.offset);
      context.module.variables[*memory].type = variable.type;
    }
  }
  if (variable.decl_file == kSourceFile) {
    context.module.globals.push_back(std::move(variable));
  }
}

// The type of the memory variable that an entry of the function already describes (nvcc).
TypeId type_of_described(const Function& function, std::uint32_t memory) {
  for (const SourceVariable& variable : function.source_variables) {
    if (variable.kind == LocationKind::Memory && variable.variable == memory) {
      return variable.type;
    }
  }
  return kNoType;
}

// Shared arrays and statics of a function, of which NVRTC writes no entry: visible in the whole
// function, of unknown type, until a probe knows better (probe.h).
void add_local_memory(Module& module) {
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const MemoryVariable& memory = module.variables[i];
    std::optional<LocalName> local = parse_local_name(memory.symbol);
    if (!local) {
      continue;
    }
    std::uint32_t function = memory.function;
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].symbol == local->function && !module.functions[f].scopes.empty()) {
        function = f;
      }
    }
    if (function >= module.functions.size() || module.functions[function].scopes.empty()) {
      continue;
    }
    Function& owner = module.functions[function];
    if (TypeId described = type_of_described(owner, i); described != kNoType) {
      module.variables[i].type = described;
      continue;
    }
    SourceVariable variable;
    variable.name = local->name;
    variable.kind = LocationKind::Memory;
    variable.variable = i;
    variable.type = memory.type;
    variable.decl_file = kSourceFile;
    auto index = static_cast<std::uint32_t>(owner.source_variables.size());
    owner.source_variables.push_back(std::move(variable));
    owner.scopes[0].variables.push_back(index);
  }
}

}  // namespace

Result<void> attach_debug_info(ParsedText& parsed) {
  std::uint32_t source_file = make_source_file_first(parsed.module);
  dwarf::Sections sections(parsed.sections);
  dwarf::DieTree tree = dwarf::read_dies(sections);
  if (tree.dies.empty()) {
    return {};
  }
  dwarf::Context context(parsed, sections, tree);
  context.source_file = source_file;
  for (std::uint32_t die = 0; die < tree.dies.size(); ++die) {
    std::uint32_t parent = tree.dies[die].parent;
    bool is_in_unit = parent != dwarf::kNoDie && tree.dies[parent].tag == Tag::CompileUnit;
    if (tree.dies[die].tag == Tag::Subprogram) {
      dwarf::attach_subprogram(context, die);
    } else if (tree.dies[die].tag == Tag::Variable && is_in_unit) {
      attach_global(context, die);
    }
  }
  context.types.complete();
  add_local_memory(parsed.module);
  return {};
}

}  // namespace tilestep::ptx

#include "ptx/dwarf/debug_info.h"
#include "ptx/model/control_flow.h"
#include "ptx/model/names.h"

#include <algorithm>
#include <unordered_set>

namespace tilestep::ptx::dwarf {
namespace {

constexpr unsigned kMaxNesting = 256;  // of blocks; variables of deeper blocks are ignored

// The value of a constant as its type's bytes. NVRTC stores integers extended to 64 bits.
std::vector<std::byte> constant_bytes(const Attribute& attribute, std::uint32_t type_bytes) {
  std::vector<std::byte> bytes;
  bool is_block = attribute.form == Form::Block1 || attribute.form == Form::Block2 ||
                  attribute.form == Form::Block4 || attribute.form == Form::Block;
  if (is_block) {
    bytes.assign(attribute.bytes.begin(), attribute.bytes.end());
  } else {
    for (unsigned i = 0; i < 8; ++i) {
      bytes.push_back(static_cast<std::byte>((attribute.value >> (8 * i)) & 0xffU));
    }
  }
  if (type_bytes > 0 && bytes.size() > type_bytes) {
    bytes.resize(type_bytes);
  }
  return bytes;
}

class SubprogramReader {
 public:
  SubprogramReader(DebugContext& context, std::uint32_t function)
      : context_(context),
        tree_(context.tree),
        function_index_(function),
        function_(context.module.functions[function]),
        definitions_(function_) {
    for (std::size_t i = 0; i < function_.register_names.size() && i < function_.registers.size();
         ++i) {
      registers_.emplace(function_.register_names[i], function_.registers[i]);
    }
  }

  void read(std::uint32_t die) {
    Scope whole;
    whole.high_pc = code_size();
    function_.scopes.push_back(std::move(whole));
    tree_.for_each_child(die, [&](std::uint32_t child) {
      if (tree_.dies[child].tag == Tag::FormalParameter) {
        add_variable(child, 0);
      }
    });
    read_children(die, 0, true);
    add_unmentioned(die, 0);
    order();
  }

 private:
  [[nodiscard]] std::uint32_t code_size() const {
    return static_cast<std::uint32_t>(function_.instructions.size());
  }

  void read_children(std::uint32_t die, std::uint32_t scope, bool parameters_are_read) {
    if (++nesting_ <= kMaxNesting) {
      tree_.for_each_child(die, [&](std::uint32_t child) {
        switch (tree_.dies[child].tag) {
          case Tag::FormalParameter:
            if (!parameters_are_read) {
              add_variable(child, scope);
            }
            break;
          case Tag::Variable:
            add_variable(child, scope);
            break;
          case Tag::LexicalBlock:
          case Tag::InlinedSubroutine:
            read_scope(child, scope);
            break;
          default:
            break;
        }
      });
    }
    --nesting_;
  }

  // A block without its own code range belongs to the enclosing one.
  void read_scope(std::uint32_t die, std::uint32_t parent) {
    std::optional<LabelPlace> low = context_.place(die, At::LowPc);
    std::optional<LabelPlace> high = context_.place(die, At::HighPc);
    bool has_range = low && high && low->function == function_index_ &&
                     high->function == function_index_ && low->pc <= high->pc;
    std::uint32_t index = parent;
    if (has_range) {
      Scope scope;
      scope.low_pc = low->pc;
      scope.high_pc = high->pc;
      scope.parent = parent;
      if (tree_.dies[die].tag == Tag::InlinedSubroutine) {
        scope.inlined = tree_.text(die, At::Name);
        scope.call_line = static_cast<std::uint32_t>(tree_.number(die, At::CallLine, 0));
      }
      index = static_cast<std::uint32_t>(function_.scopes.size());
      function_.scopes.push_back(std::move(scope));
    }
    read_children(die, index, false);
    add_unmentioned(die, index);
  }

  // Variables of an inlined function that this instance does not mention: optimized out.
  void add_unmentioned(std::uint32_t die, std::uint32_t scope) {
    std::uint32_t origin = tree_.reference(die, At::AbstractOrigin);
    if (origin == kNoDie || tree_.dies[origin].tag != Tag::Subprogram) {
      return;
    }
    std::unordered_set<std::uint32_t> mentioned;
    for (std::uint32_t i = die + 1; i < tree_.dies[die].end; ++i) {
      mentioned.insert(tree_.reference(i, At::AbstractOrigin));
    }
    for (std::uint32_t i = origin + 1; i < tree_.dies[origin].end; ++i) {
      Tag tag = tree_.dies[i].tag;
      if ((tag == Tag::Variable || tag == Tag::FormalParameter) && !mentioned.contains(i)) {
        add_variable(i, scope);
      }
    }
  }

  void add_variable(std::uint32_t die, std::uint32_t scope) {
    auto index = static_cast<std::uint32_t>(function_.source_variables.size());
    SourceVariable variable = context_.describe(die);
    variable.is_parameter = tree_.dies[die].tag == Tag::FormalParameter;
    if (const Attribute* attribute = tree_.find(die, At::Location)) {
      bool is_list = attribute->bytes.empty();
      if (is_list) {
        read_list(*attribute, scope, index, variable);
      } else {
        locate(read_location(*context_.sections.info, attribute->position, attribute->bytes.size()),
               scope, index, variable);
      }
    }
    if (variable.kind == LocationKind::None && variable.is_parameter && scope == 0) {
      read_from_param(die, index, variable);
    }
    bool has_name = !variable.name.empty();  // `void f(int)` has an unnamed parameter
    if (has_name) {
      function_.scopes[scope].variables.push_back(index);
    }
    function_.source_variables.push_back(std::move(variable));
  }

  void locate(const Location& location, std::uint32_t scope, std::uint32_t index,
              SourceVariable& variable) {
    switch (location.kind) {
      case Location::Kind::None:
        return;
      case Location::Kind::Register:
        if (std::optional<Register> reg = find_register(location.register_name)) {
          locate_in_register(*reg, scope, index, variable);
        }
        return;
      case Location::Kind::RegisterAddress:
        if (std::optional<Register> reg = find_register(location.register_name)) {
          variable.kind = LocationKind::RegisterAddress;
          variable.reg = *reg;
          variable.offset = static_cast<std::uint32_t>(location.offset);
        }
        return;
      case Location::Kind::Symbol:
        locate_at_symbol(location, variable);
        return;
    }
  }

  // One register for the whole scope. It does not hold the variable's value before the instruction
  // that writes it; the one assignment event is after that instruction. The register of `int* q =
  // p;` is p's, and is written before q's scope: the event is the scope's entry. If several
  // instructions write the register, it is read live.
  void locate_in_register(Register reg, std::uint32_t scope, std::uint32_t index,
                          SourceVariable& variable) {
    const Scope& range = function_.scopes[scope];
    variable.reg = reg;
    variable.kind = LocationKind::Register;
    std::optional<std::uint32_t> write = definitions_.only_write(reg);
    if (!write || *write >= range.high_pc) {
      return;
    }
    bool is_earlier = *write < range.low_pc;
    std::uint32_t pc = is_earlier ? range.low_pc : *write + 1;
    if (is_earlier || !definitions_.is_branch_target(pc)) {
      variable.kind = LocationKind::Events;
      function_.events.push_back({pc, index, reg});
    }
  }

  void locate_at_symbol(const Location& location, SourceVariable& variable) {
    variable.offset = static_cast<std::uint32_t>(location.offset);
    if (auto memory = context_.memory_variable(location.symbol, function_index_)) {
      variable.kind = LocationKind::Memory;
      variable.variable = *memory;
      return;
    }
    for (const Param& param : function_.params) {
      if (param.symbol == location.symbol) {
        variable.kind = LocationKind::Param;
        variable.offset += param.offset;
      }
    }
  }

  // A kernel's `const __grid_constant__` parameter without a copy.
  void read_from_param(std::uint32_t die, std::uint32_t index, SourceVariable& variable) {
    std::uint32_t type = tree_.reference(die, At::Type);
    bool is_const = type != kNoDie && tree_.dies[type].tag == Tag::ConstType;
    if (function_.is_entry && is_const && index < function_.params.size()) {
      variable.kind = LocationKind::Param;
      variable.offset = function_.params[index].offset;
    }
  }

  void read_list(const Attribute& attribute, std::uint32_t scope, std::uint32_t index,
                 SourceVariable& variable) {
    const Section* loc = context_.sections.loc;
    if (loc == nullptr) {
      return;
    }
    std::size_t offset = attribute.value;
    if (std::optional<Symbol> symbol = symbol_at(*context_.sections.info, attribute.position)) {
      offset = static_cast<std::size_t>(symbol->addend);
      for (const auto& [label, place] : loc->labels) {
        offset += label == symbol->name ? place : 0;
      }
    }
    for (const LocationEntry& entry : read_location_list(*loc, offset)) {
      if (entry.location.kind == Location::Kind::Register) {
        add_assignment(entry, scope, index, variable);
      } else if (variable.kind == LocationKind::None) {
        locate(entry.location, scope, index, variable);
      }
    }
  }

  void add_assignment(const LocationEntry& entry, std::uint32_t scope, std::uint32_t index,
                      SourceVariable& variable) {
    const Scope& range = function_.scopes[scope];
    std::optional<Register> reg = find_register(entry.location.register_name);
    std::optional<LabelPlace> begin = context_.place(entry.begin);
    std::optional<LabelPlace> end = context_.place(entry.end);
    bool is_here = reg && begin && end && begin->function == function_index_ &&
                   end->function == function_index_;
    if (!is_here || begin->pc >= range.high_pc ||
        (begin->pc < range.low_pc && end->pc <= range.low_pc)) {
      return;
    }
    std::uint32_t pc = std::max(begin->pc, range.low_pc);
    if (begin->pc == 0) {  // a parameter: the prologue still has to load its register
      std::optional<std::uint32_t> write = definitions_.only_write(*reg);
      pc = std::max(range.low_pc, write ? *write + 1 : prologue_end());
    }
    if (variable.kind != LocationKind::Events) {
      variable.kind = LocationKind::Events;
      variable.reg = *reg;
    }
    function_.events.push_back({pc, index, *reg});
  }

  // The first instruction of the body: the prologue's `.loc` has column 0.
  [[nodiscard]] std::uint32_t prologue_end() const {
    for (std::uint32_t pc = 0; pc < code_size(); ++pc) {
      std::uint32_t line = function_.instructions[pc].line;
      if (line < function_.lines.size() && function_.lines[line].column != 0) {
        return pc;
      }
    }
    return 0;
  }

  // regx holds the register's name: its characters are the number's bytes.
  [[nodiscard]] std::optional<Register> find_register(std::uint64_t name) const {
    std::string text;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
      auto c = static_cast<char>((name >> (shift - 8)) & 0xffU);
      if (c != '\0') {
        text += c;
      }
    }
    auto found = registers_.find(text);
    return found == registers_.end() ? std::nullopt : std::optional(found->second);
  }

  // Orders events by pc, and keeps only the last of one variable at one pc (its range is the
  // nonempty one); orders the variables of a scope by declaration.
  void order() {
    std::vector<AssignmentEvent>& events = function_.events;
    std::ranges::stable_sort(events, [](const AssignmentEvent& a, const AssignmentEvent& b) {
      return std::pair(a.pc, a.variable) < std::pair(b.pc, b.variable);
    });
    auto same = [](const AssignmentEvent& a, const AssignmentEvent& b) {
      return a.pc == b.pc && a.variable == b.variable;
    };
    // unique() keeps the first of equals; in reverse order that is the last.
    auto kept = std::unique(events.rbegin(), events.rend(), same);
    events.erase(events.begin(), kept.base());
    for (Scope& scope : function_.scopes) {
      sort_variables(function_, scope);
    }
  }

  DebugContext& context_;
  const DieTree& tree_;
  std::uint32_t function_index_;
  Function& function_;
  Definitions definitions_;
  std::unordered_map<std::string_view, Register> registers_;
  unsigned nesting_ = 0;
};

}  // namespace

DebugContext::DebugContext(ParsedText& parsed, const Sections& all_sections, const DieTree& dies)
    : module(parsed.module),
      labels(parsed.labels),
      sections(all_sections),
      tree(dies),
      types(dies, parsed.module.types) {
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    memory_variables_.emplace(module.variables[i].symbol, i);
  }
}

std::optional<LabelPlace> DebugContext::place(std::string_view label) const {
  auto found = labels.find(label);
  if (found == labels.end() || found->second.function >= module.functions.size() ||
      found->second.pc > module.functions[found->second.function].instructions.size()) {
    return std::nullopt;
  }
  return found->second;
}

std::optional<LabelPlace> DebugContext::place(std::uint32_t die, At attribute) const {
  const Attribute* address = tree.find(die, attribute);
  if (address == nullptr) {
    return std::nullopt;
  }
  std::optional<Symbol> symbol = symbol_at(*sections.info, address->position);
  return symbol ? place(symbol->name) : std::nullopt;
}

std::optional<std::uint32_t> DebugContext::memory_variable(std::string_view symbol,
                                                           std::uint32_t function) const {
  auto found = memory_variables_.find(symbol);
  if (found == memory_variables_.end()) {
    return std::nullopt;
  }
  std::uint32_t owner = module.variables[found->second].function;
  if (owner == function || owner == kNoFunction) {
    return found->second;
  }
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].function == function && module.variables[i].symbol == symbol) {
      return i;
    }
  }
  return found->second;
}

SourceVariable DebugContext::describe(std::uint32_t die) {
  SourceVariable variable;
  variable.name = demangle(tree.text(die, At::Name));
  variable.type = types.type_of(die);
  variable.decl_file = static_cast<std::uint32_t>(tree.number(die, At::DeclFile, 0));
  if (variable.decl_file == source_file) {  // make_source_file_first() has numbered the lines
                                            // this way
    variable.decl_file = kSourceFile;
  } else if (variable.decl_file == kSourceFile) {
    variable.decl_file = source_file;
  }
  variable.decl_line = static_cast<std::uint32_t>(tree.number(die, At::DeclLine, 0));
  if (const Attribute* value = tree.find_inherited(die, At::ConstValue)) {
    variable.kind = LocationKind::Constant;
    variable.constant =
        constant_bytes(*value, variable.type == kNoType ? 0 : module.types[variable.type].bytes);
  }
  return variable;
}

void attach_subprogram(DebugContext& context, std::uint32_t die) {
  std::optional<LabelPlace> low = context.place(die, At::LowPc);
  if (!low || !context.module.functions[low->function].scopes.empty()) {
    return;
  }
  SubprogramReader(context, low->function).read(die);
}

}  // namespace tilestep::ptx::dwarf

// attach_debug_info: decodes the debug sections of a file into its Module.
#include "ptx/dwarf/debug_info.h"

#include "ptx/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tilestep::ptx {
namespace {

using dwarf::At;
using dwarf::kNoFunction;
using dwarf::Tag;

// A variable of the unit: sets the type of its memory variable, and adds it to the globals if it
// was declared in the kernel's own text (one `#include <cooperative_groups.h>` adds a thousand
// others).
void attach_global(dwarf::DebugContext& context, std::uint32_t die) {
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

// The type of a memory variable that an entry of the function already describes (nvcc).
TypeId type_of_described(const Function& function, std::uint32_t memory) {
  for (const SourceVariable& variable : function.source_variables) {
    if (variable.kind == LocationKind::Memory && variable.variable == memory) {
      return variable.type;
    }
  }
  return kNoType;
}

// Shared arrays and statics of a function have no entries from NVRTC. They are visible in the whole
// function, and their type is unknown until a probe finds it (loading/probe.h).
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
  dwarf::DebugContext context(parsed, sections, tree);
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

namespace tilestep::ptx::dwarf {
namespace {

constexpr std::uint32_t kPointerBytes = 8;
// Deeper than any real type: corrupt entries can refer to each other endlessly.
constexpr unsigned kMaxDepth = 200;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxNameLength = 512;

// DWARF 2.0.0, section 7.8: DW_ATE_*.
TypeKind kind_of_encoding(std::uint64_t encoding) {
  switch (encoding) {
    case 2:
      return TypeKind::Bool;
    case 4:
      return TypeKind::Float;
    case 5:
      return TypeKind::SignedInteger;
    case 6:
      return TypeKind::SignedChar;
    case 7:
      return TypeKind::UnsignedInteger;
    case 8:
      return TypeKind::UnsignedChar;
    default:
      return TypeKind::Unknown;
  }
}

// "Arr<float,4,true>" → "Arr<float, 4, true>".
std::string with_blanks_after_commas(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    text += name[i];
    if (name[i] == ',' && i + 1 < name.size() && name[i + 1] != ' ') {
      text += ' ';
    }
  }
  return text;
}

// EDG names the type of an unnamed member `__C2`.
bool is_unnamed(std::string_view name) {
  return name.starts_with("__C") &&
         name.find_first_not_of("0123456789", 3) == std::string_view::npos;
}

// A structure's, union's or enumeration's name as a programmer writes it.
std::string record_name(std::string_view dwarf_name, std::string_view keyword) {
  std::string name = demangle(dwarf_name);
  std::string_view last = name == dwarf_name ? std::string_view(name) : last_component(name);
  if (last.empty() || last.starts_with("{unnamed") || is_unnamed(last)) {
    return fmt::format("(unnamed {})", keyword);
  }
  if (last.starts_with("{lambda")) {  // "{lambda(float)#1}"
    return std::string(last.substr(1, last.rfind('#') - 1));
  }
  return with_blanks_after_commas(last);
}

// EDG names the subobject of a base class `__b_<length><class>`; shown as `<class>`.
std::string member_name(std::string_view dwarf_name) {
  constexpr std::string_view kBase = "__b_";
  std::size_t digits_end = dwarf_name.find_first_not_of("0123456789", kBase.size());
  if (!dwarf_name.starts_with(kBase) || digits_end == kBase.size() ||
      digits_end == std::string_view::npos) {
    return std::string(dwarf_name);
  }
  return fmt::format("<{}>", dwarf_name.substr(digits_end));
}

// A member's offset: `plus_uconst n`.
std::uint32_t member_offset(const DieTree& tree, std::uint32_t die) {
  const Attribute* attribute = tree.find(die, At::DataMemberLocation);
  if (attribute == nullptr) {
    return 0;
  }
  if (attribute->bytes.empty()) {
    return static_cast<std::uint32_t>(attribute->value);
  }
  Cursor cursor(attribute->bytes, 1);
  std::uint64_t offset = cursor.uleb();
  return cursor.ok() ? static_cast<std::uint32_t>(offset) : 0;
}

// DWARF 2 counts a bit-field's offset from the most significant bit of its storage unit.
void read_bit_field(const DieTree& tree, std::uint32_t die, Member& member) {
  std::uint64_t bits = tree.number(die, At::BitSize, 0);
  std::uint64_t storage_bits = tree.number(die, At::ByteSize, 0) * 8;
  std::uint64_t from_top = tree.number(die, At::BitOffset, 0);
  if (bits > 0 && storage_bits <= 64 && from_top <= 64 && bits + from_top <= storage_bits) {
    member.bit_size = static_cast<std::uint32_t>(bits);
    member.bit_offset = static_cast<std::uint32_t>(storage_bits - from_top - bits);
  }
}

std::uint32_t narrow_size(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

TypeId TypeReader::type_of(std::uint32_t die) {
  const Attribute* attribute = tree_.find_inherited(die, At::Type);
  if (attribute == nullptr) {
    return kNoType;
  }
  std::uint32_t target = tree_.at_offset(attribute->value);
  return target == kNoDie ? kNoType : read(target);
}

TypeId TypeReader::read(std::uint32_t die) {
  auto known = by_die_.find(die);
  if (known != by_die_.end()) {
    return known->second;
  }
  if (depth_ >= kMaxDepth) {
    return kNoType;
  }
  TypeId id = reserve(die);
  ++depth_;
  fill(id, die);
  --depth_;
  return id;
}

// The id is registered before the type is filled, so that the recursion of `struct Node { Node*
// next; }` ends.
TypeId TypeReader::reserve(std::uint32_t die) {
  auto id = static_cast<TypeId>(types_.size());
  SourceType unknown;
  unknown.name = "?";
  types_.push_back(std::move(unknown));
  declarators_.push_back({"?", ""});
  by_die_.emplace(die, id);
  return id;
}

void TypeReader::finish(TypeId id, SourceType type, Declarator named) {
  if (named.left.size() + named.right.size() > kMaxNameLength) {
    named = {named.left.substr(0, kMaxNameLength / 2) + "…", ""};
  }
  type.name = named.left + named.right;
  types_[id] = std::move(type);
  declarators_[id] = std::move(named);
}

void TypeReader::complete() {
  for (auto [copy, original] : copies_) {
    types_[copy].members = types_[original].members;
  }
}

const TypeReader::Declarator& TypeReader::declarator(TypeId id) const {
  return declarators_[id];
}

void TypeReader::fill(TypeId id, std::uint32_t die) {
  switch (tree_.dies[die].tag) {
    case Tag::BaseType:
    case Tag::UnspecifiedType:
      return fill_base(id, die);
    case Tag::PointerType:
      return fill_pointer(id, die, TypeKind::Pointer, "*");
    case Tag::ReferenceType:
      return fill_pointer(id, die, TypeKind::Reference, "&");
    case Tag::RvalueReferenceType:
      return fill_pointer(id, die, TypeKind::Reference, "&&");
    case Tag::ConstType:
      return fill_qualified(id, die, "const");
    case Tag::VolatileType:
      return fill_qualified(id, die, "volatile");
    case Tag::ArrayType:
      return fill_array(id, die);
    case Tag::StructureType:
      return fill_record(id, die, TypeKind::Structure);
    case Tag::UnionType:
      return fill_record(id, die, TypeKind::Union);
    case Tag::EnumerationType:
      return fill_enumeration(id, die);
    case Tag::Typedef:
      return fill_typedef(id, die);
    case Tag::SubroutineType:
      return fill_function(id, die);
    default:
      return;
  }
}

void TypeReader::fill_base(TypeId id, std::uint32_t die) {
  SourceType type;
  std::string name(tree_.text(die, At::Name));
  bool is_void = tree_.dies[die].tag == Tag::UnspecifiedType;
  type.kind = is_void ? TypeKind::Void : kind_of_encoding(tree_.number(die, At::Encoding, 0));
  type.bytes = narrow_size(tree_.number(die, At::ByteSize, 0));
  finish(id, std::move(type), {std::move(name), ""});
}

void TypeReader::fill_pointer(TypeId id, std::uint32_t die, TypeKind kind, std::string_view sign) {
  TypeId target = type_of(die);
  SourceType type;
  type.kind = kind;
  type.bytes = kPointerBytes;
  type.element = target;
  if (target == kNoType) {
    return finish(id, std::move(type), {fmt::format("void{}", sign), ""});
  }
  const Declarator& inner = declarator(target);
  TypeKind inner_kind = types_[target].kind;
  bool needs_parentheses = inner_kind == TypeKind::Array || inner_kind == TypeKind::Function;
  Declarator named = needs_parentheses
                         ? Declarator{fmt::format("{}({}", inner.left, sign), ")" + inner.right}
                         : Declarator{fmt::format("{}{}", inner.left, sign), inner.right};
  finish(id, std::move(type), std::move(named));
}

void TypeReader::fill_qualified(TypeId id, std::uint32_t die, std::string_view qualifier) {
  TypeId target = type_of(die);
  if (target == kNoType) {  // const void
    SourceType type;
    type.kind = TypeKind::Void;
    return finish(id, std::move(type), {fmt::format("{} void", qualifier), ""});
  }
  SourceType type = types_[target];
  Declarator named = declarator(target);
  bool on_the_right = type.kind == TypeKind::Pointer;
  // The parentheses of `int (*)[4]` are open at the end of `left`: `int (* const)[4]`.
  named.left = on_the_right ? fmt::format("{} {}", named.left, qualifier)
                            : fmt::format("{} {}", qualifier, named.left);
  copies_.emplace_back(id, target);
  finish(id, std::move(type), std::move(named));
}

// One entry holds all dimensions; a SourceType holds one, so float[4][3] is an array of float[3].
void TypeReader::fill_array(TypeId id, std::uint32_t die) {
  std::vector<std::uint32_t> counts;
  tree_.for_each_child(die, [&](std::uint32_t child) {
    if (tree_.dies[child].tag == Tag::SubrangeType && counts.size() < kMaxDimensions) {
      counts.push_back(narrow_size(tree_.number(child, At::Count, 0)));
    }
  });
  TypeId element = type_of(die);
  if (element == kNoType || counts.empty()) {
    return;
  }
  Declarator named = declarator(element);
  std::uint64_t bytes = types_[element].bytes;
  for (std::size_t i = counts.size(); i-- > 0;) {
    std::uint32_t count = counts[i];
    bytes = std::min<std::uint64_t>(bytes * count, std::numeric_limits<std::uint32_t>::max());
    std::string dimension = count == 0 ? std::string("[]") : fmt::format("[{}]", count);
    named.right = dimension + named.right;
    SourceType type;
    type.kind = TypeKind::Array;
    type.bytes = static_cast<std::uint32_t>(bytes);
    type.element = element;
    type.count = count;
    TypeId place = id;
    if (i > 0) {
      place = static_cast<TypeId>(types_.size());
      types_.emplace_back();
      declarators_.emplace_back();
    }
    finish(place, std::move(type), named);
    element = place;
  }
}

void TypeReader::fill_record(TypeId id, std::uint32_t die, TypeKind kind) {
  SourceType type;
  type.kind = kind;
  type.bytes = narrow_size(tree_.number(die, At::ByteSize, 0));
  std::string name =
      record_name(tree_.text(die, At::Name), kind == TypeKind::Union ? "union" : "struct");
  finish(id, type, {name, ""});  // members may point back to this type
  tree_.for_each_child(die, [&](std::uint32_t child) {
    if (tree_.dies[child].tag != Tag::Member) {
      return;
    }
    Member member;
    member.name = member_name(tree_.text(child, At::Name));
    member.type = type_of(child);
    member.offset = member_offset(tree_, child);
    read_bit_field(tree_, child, member);
    type.members.push_back(std::move(member));
  });
  finish(id, std::move(type), {std::move(name), ""});
}

void TypeReader::fill_enumeration(TypeId id, std::uint32_t die) {
  SourceType type;
  type.kind = TypeKind::Enumeration;
  type.bytes = narrow_size(tree_.number(die, At::ByteSize, 0));
  tree_.for_each_child(die, [&](std::uint32_t child) {
    if (tree_.dies[child].tag == Tag::Enumerator) {
      std::string name = demangle(tree_.text(child, At::Name));
      type.enumerators.push_back(
          {std::string(last_component(name)),
           static_cast<std::int64_t>(tree_.number(child, At::ConstValue, 0))});
    }
  });
  finish(id, std::move(type), {record_name(tree_.text(die, At::Name), "enum"), ""});
}

void TypeReader::fill_typedef(TypeId id, std::uint32_t die) {
  TypeId target = type_of(die);
  SourceType type;
  if (target != kNoType) {
    type = types_[target];
    copies_.emplace_back(id, target);
  }
  finish(id, std::move(type), {with_blanks_after_commas(tree_.text(die, At::Name)), ""});
}

void TypeReader::fill_function(TypeId id, std::uint32_t die) {
  TypeId result = type_of(die);
  Declarator named = result == kNoType ? Declarator{"void", ""} : declarator(result);
  std::string parameters;
  tree_.for_each_child(die, [&](std::uint32_t child) {
    TypeId parameter = type_of(child);
    if (parameter != kNoType && parameters.size() < kMaxNameLength) {
      parameters += (parameters.empty() ? "" : ", ") + types_[parameter].name;
    }
  });
  named.right = "(" + parameters + ")" + named.right;
  SourceType type;
  type.kind = TypeKind::Function;
  finish(id, std::move(type), std::move(named));
}

}  // namespace tilestep::ptx::dwarf

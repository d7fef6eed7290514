// The debug information of a PTX file, decoded into its Module.
#pragma once

#include "problem/result.h"
#include "ptx/dwarf/dwarf_reader.h"
#include "ptx/model/module.h"
#include "ptx/text/parsed_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::ptx {

// Decodes `sections` into the parts of `module` that parse_text leaves empty; without debug
// sections they stay empty. Makes the kernel's own text file 1 in every module.
[[nodiscard]] Result<void> attach_debug_info(ParsedText& parsed);

}  // namespace tilestep::ptx

namespace tilestep::ptx::dwarf {

// Private to app/ptx: DWARF's type entries as SourceTypes.

// Reads each type entry once, on demand. Broken or endless descriptions become Unknown types.
class TypeReader {
 public:
  TypeReader(const DieTree& tree, std::vector<SourceType>& types) : tree_(tree), types_(types) {}

  // The type in an entry's DW_AT_type (inherited from its abstract origin); kNoType if there is
  // none.
  TypeId type_of(std::uint32_t die);
  // The type that entry `die` describes.
  TypeId read(std::uint32_t die);
  // Call it when everything has been read. A const or typedef created while its structure was still
  // being read (`struct Node { const Node* next; }`) gets the members here.
  void complete();

 private:
  // A type's name around the name of a variable of it: `float (` x `)[4]`.
  struct Declarator {
    std::string left;
    std::string right;
  };

  TypeId reserve(std::uint32_t die);
  void finish(TypeId id, SourceType type, Declarator declarator);
  void fill(TypeId id, std::uint32_t die);
  void fill_base(TypeId id, std::uint32_t die);
  void fill_pointer(TypeId id, std::uint32_t die, TypeKind kind, std::string_view sign);
  void fill_qualified(TypeId id, std::uint32_t die, std::string_view qualifier);
  void fill_array(TypeId id, std::uint32_t die);
  void fill_record(TypeId id, std::uint32_t die, TypeKind kind);
  void fill_enumeration(TypeId id, std::uint32_t die);
  void fill_typedef(TypeId id, std::uint32_t die);
  void fill_function(TypeId id, std::uint32_t die);
  [[nodiscard]] const Declarator& declarator(TypeId id) const;

  const DieTree& tree_;
  std::vector<SourceType>& types_;
  std::vector<Declarator> declarators_;  // parallel to types_
  std::unordered_map<std::uint32_t, TypeId> by_die_;
  std::vector<std::pair<TypeId, TypeId>> copies_;  // qualified or named type, its base type
  unsigned depth_ = 0;
};

// Private to app/ptx: a subprogram's entries as scopes, source variables and assignment events.

inline constexpr std::uint32_t kNoFunction = 0xffffffffU;

// File-wide data for reading variables.
class DebugContext {
 public:
  DebugContext(ParsedText& parsed, const Sections& all_sections, const DieTree& dies);

  // The instruction after a label.
  [[nodiscard]] std::optional<LabelPlace> place(std::string_view label) const;
  // The instruction at an address attribute (low_pc, high_pc).
  [[nodiscard]] std::optional<LabelPlace> place(std::uint32_t die, At attribute) const;
  // Index into Module::variables; a function's own variable has precedence over another function's
  // with the same symbol.
  [[nodiscard]] std::optional<std::uint32_t> memory_variable(std::string_view symbol,
                                                             std::uint32_t function) const;
  // Name, type, declaration, constant value: everything but the location.
  [[nodiscard]] SourceVariable describe(std::uint32_t die);

  Module& module;
  const std::unordered_map<std::string_view, LabelPlace>& labels;
  const Sections& sections;
  const DieTree& tree;
  TypeReader types;
  std::uint32_t source_file = kSourceFile;  // the kernel's own text, as the entries number it

 private:
  std::unordered_map<std::string_view, std::uint32_t> memory_variables_;
};

// Fills scopes, source_variables and events of the function whose code subprogram `die` describes.
// The function's own parameters are its first source variables, in their order.
void attach_subprogram(DebugContext& context, std::uint32_t die);

}  // namespace tilestep::ptx::dwarf

// Private to app/ptx: DWARF's type entries as SourceTypes.
#pragma once

#include "ptx/dwarf/dwarf_reader.h"
#include "ptx/model/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::ptx::dwarf {

// Reads each type entry once, on demand. Broken or endless descriptions become Unknown types.
class TypeReader {
 public:
  TypeReader(const DieTree& tree, std::vector<SourceType>& types) : tree_(tree), types_(types) {}

  // The type an entry's DW_AT_type names (inherited from its abstract origin); kNoType when there
  // is none.
  TypeId type_of(std::uint32_t die);
  // The type that entry `die` describes.
  TypeId read(std::uint32_t die);
  // To be called when everything was read: a const or typedef made while its structure was still
  // being read (`struct Node { const Node* next; }`) gets the members.
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
  std::vector<std::pair<TypeId, TypeId>> copies_;  // qualified or named type, what it was made from
  unsigned depth_ = 0;
};

}  // namespace tilestep::ptx::dwarf

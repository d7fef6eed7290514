// Source-level types as DWARF describes them (PTX carries DWARF 2 as text; docs/reading-ptx.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::ptx {

using TypeId = std::uint32_t;  // index into Module::types
inline constexpr TypeId kNoType = 0xffffffffU;

enum class TypeKind {
  Void,
  Bool,
  SignedInteger,
  UnsignedInteger,
  SignedChar,
  UnsignedChar,
  Float,
  Pointer,
  Reference,
  Array,
  Structure,
  Union,
  Enumeration,
  Function,
  Unknown
};

struct Member {
  std::string name;  // "<Base>": the part of a base class
  TypeId type = kNoType;
  std::uint32_t offset = 0;      // bytes
  std::uint32_t bit_size = 0;    // 0: not a bit-field
  std::uint32_t bit_offset = 0;  // from the least significant bit of the `type` at `offset`
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

// const, volatile and typedef are folded into `name`; they change nothing about the bytes.
struct SourceType {
  TypeKind kind = TypeKind::Unknown;
  std::string name;  // as a programmer writes it: "const float*", "float[4][4]"
  std::uint32_t bytes = 0;
  TypeId element = kNoType;     // Pointer, Reference: target; Array: element
  std::uint32_t count = 0;      // Array: this dimension; 0: unknown (extern shared)
  std::vector<Member> members;  // Structure, Union
  std::vector<Enumerator> enumerators;
};

}  // namespace tilestep::ptx

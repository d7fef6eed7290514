// Private to app/ptx: DWARF 2 as NVRTC writes it, read into a flat tree of entries.
//
// The reader trusts nothing: anything that is cut short, unknown or contradictory ends the reading
// there, and what was read before is kept. It never fails.
#pragma once

#include "ptx/text/parsed_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilestep::ptx::dwarf {

// DWARF 2.0.0 (1993), section 7.5. Only what NVRTC and nvcc write.
enum class Tag : std::uint16_t {
  ArrayType = 0x01,
  EnumerationType = 0x04,
  FormalParameter = 0x05,
  LexicalBlock = 0x0b,
  Member = 0x0d,
  PointerType = 0x0f,
  ReferenceType = 0x10,
  CompileUnit = 0x11,
  StructureType = 0x13,
  SubroutineType = 0x15,
  Typedef = 0x16,
  UnionType = 0x17,
  InlinedSubroutine = 0x1d,
  SubrangeType = 0x21,
  BaseType = 0x24,
  ConstType = 0x26,
  Enumerator = 0x28,
  Subprogram = 0x2e,
  Variable = 0x34,
  VolatileType = 0x35,
  UnspecifiedType = 0x3b,
  RvalueReferenceType = 0x42,
};

enum class At : std::uint16_t {
  Location = 0x02,
  Name = 0x03,
  ByteSize = 0x0b,
  BitOffset = 0x0c,
  BitSize = 0x0d,
  LowPc = 0x11,
  HighPc = 0x12,
  ConstValue = 0x1c,
  AbstractOrigin = 0x31,
  Count = 0x37,
  DataMemberLocation = 0x38,
  DeclFile = 0x3a,
  DeclLine = 0x3b,
  Encoding = 0x3e,
  Type = 0x49,
  CallLine = 0x59,
};

enum class Form : std::uint8_t {
  Addr = 0x01,
  Block2 = 0x03,
  Block4 = 0x04,
  Data2 = 0x05,
  Data4 = 0x06,
  Data8 = 0x07,
  String = 0x08,
  Block = 0x09,
  Block1 = 0x0a,
  Data1 = 0x0b,
  Flag = 0x0c,
  Sdata = 0x0d,
  Strp = 0x0e,
  Udata = 0x0f,
  Ref1 = 0x11,
  Ref2 = 0x12,
  Ref4 = 0x13,
  Ref8 = 0x14,
};

// A bounds-checked position in a section. Reading past the end returns zeroes and clears `ok`.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::size_t position)
      : bytes_(bytes), position_(position), ok_(position <= bytes.size()) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return !ok_ || position_ >= bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return position_; }
  std::uint64_t unsigned_number(std::size_t bytes);  // little-endian, at most 8 bytes
  std::uint64_t uleb();
  std::int64_t sleb();
  std::string_view string();  // up to the zero byte, which is skipped
  std::span<const std::byte> block(std::uint64_t bytes);

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_;
  bool ok_;
};

// `symbol + addend`: the text has a name in place of a number.
struct Symbol {
  std::string_view name;
  std::int64_t addend = 0;
};

// The sections of one PTX file, by name; an absent one is null.
struct Sections {
  explicit Sections(const std::vector<Section>& all);

  const Section* info = nullptr;
  const Section* abbrev = nullptr;
  const Section* loc = nullptr;
  const Section* str = nullptr;
};

// The symbol at `offset` of a section; empty: none.
[[nodiscard]] std::optional<Symbol> symbol_at(const Section& section, std::size_t offset);

struct Attribute {
  At name{};
  Form form{};
  std::uint64_t value = 0;           // numbers, references (offset in .debug_info), addresses
  std::span<const std::byte> bytes;  // blocks
  std::string_view text;             // strings
  std::uint32_t position = 0;        // of the value in .debug_info: a possible position of a symbol
};

inline constexpr std::uint32_t kNoDie = 0xffffffffU;

// Debugging information entry.
struct Die {
  std::uint32_t offset = 0;  // in .debug_info: the target of references
  Tag tag{};
  std::uint32_t parent = kNoDie;
  std::uint32_t end = 0;  // index after the last descendant
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
};

// Entries in the order of the file: the descendants of entry i are i + 1 .. end - 1.
struct DieTree {
  std::vector<Die> dies;
  std::vector<Attribute> attributes;

  [[nodiscard]] const Attribute* find(std::uint32_t die, At name) const;
  // Like find, but uses the entry's abstract origin if the entry has no such attribute.
  [[nodiscard]] const Attribute* find_inherited(std::uint32_t die, At name) const;
  [[nodiscard]] std::string_view text(std::uint32_t die, At name) const;  // inherited; "" if absent
  [[nodiscard]] std::uint64_t number(std::uint32_t die, At name, std::uint64_t otherwise) const;
  // The entry that a reference attribute names; kNoDie if it is absent or names none.
  [[nodiscard]] std::uint32_t reference(std::uint32_t die, At name) const;
  [[nodiscard]] std::uint32_t at_offset(std::uint64_t offset) const;
  // Calls `visit(index)` for each child of `die`.
  template <class Visit>
  void for_each_child(std::uint32_t die, Visit visit) const {
    for (std::uint32_t child = die + 1; child < dies[die].end; child = dies[child].end) {
      visit(child);
    }
  }
};

[[nodiscard]] DieTree read_dies(const Sections& sections);

// A variable's location, from its expression.
struct Location {
  enum class Kind { None, Register, RegisterAddress, Symbol };
  Kind kind = Kind::None;
  std::uint64_t register_name = 0;  // the name's characters, most significant byte first
  std::string_view symbol;
  std::int64_t offset = 0;
};

// Reads the expression at `position` of `section`. Expressions other than those NVRTC writes
// (docs/reading-ptx.md) have no location.
[[nodiscard]] Location read_location(const Section& section, std::size_t position,
                                     std::size_t bytes);

struct LocationEntry {
  std::string_view begin;  // labels
  std::string_view end;
  Location location;
};

// The location list at `offset` of .debug_loc.
[[nodiscard]] std::vector<LocationEntry> read_location_list(const Section& loc, std::size_t offset);

}  // namespace tilestep::ptx::dwarf

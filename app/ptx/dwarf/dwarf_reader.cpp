#include "ptx/dwarf/dwarf_reader.h"

#include <algorithm>
#include <unordered_map>

namespace tilestep::ptx::dwarf {
namespace {

constexpr std::uint64_t kMaxRun = 64;  // abstract origins followed, expression operations

struct AbbreviatedAttribute {
  std::uint16_t name = 0;
  std::uint8_t form = 0;
};

struct Abbreviation {
  Tag tag{};
  bool has_children = false;
  std::vector<AbbreviatedAttribute> attributes;
};

using Abbreviations = std::unordered_map<std::uint64_t, Abbreviation>;

Abbreviations read_abbreviations(const Section& section, std::size_t offset) {
  Abbreviations result;
  Cursor cursor(section.bytes, offset);
  for (;;) {
    std::uint64_t code = cursor.uleb();
    Abbreviation abbreviation;
    abbreviation.tag = static_cast<Tag>(cursor.uleb());
    abbreviation.has_children = cursor.unsigned_number(1) != 0;
    if (code == 0 || !cursor.ok()) {
      return result;
    }
    for (;;) {
      std::uint64_t name = cursor.uleb();
      std::uint64_t form = cursor.uleb();
      if (!cursor.ok()) {
        return result;
      }
      if (name == 0 && form == 0) {
        break;
      }
      abbreviation.attributes.push_back(
          {static_cast<std::uint16_t>(name), static_cast<std::uint8_t>(form)});
    }
    result.emplace(code, std::move(abbreviation));
  }
}

std::string_view string_in(const Section* section, std::uint64_t offset) {
  if (section == nullptr || offset >= section->bytes.size()) {
    return {};
  }
  return Cursor(section->bytes, static_cast<std::size_t>(offset)).string();
}

class TreeReader {
 public:
  explicit TreeReader(const Sections& sections) : sections_(sections) {}

  DieTree read() {
    std::size_t unit = 0;
    while (unit < sections_.info->bytes.size()) {
      std::size_t next = read_unit(unit);
      if (next <= unit) {
        break;
      }
      unit = next;
    }
    return std::move(tree_);
  }

 private:
  // Returns the start of the next unit; `start` if this one cannot be read to its end.
  std::size_t read_unit(std::size_t start) {
    std::span<const std::byte> info = sections_.info->bytes;
    Cursor header(info, start);
    std::uint64_t length = header.unsigned_number(4);
    header.unsigned_number(2);  // version
    std::size_t abbrev_position = header.position();
    std::uint64_t abbrev_offset = header.unsigned_number(4);
    if (std::optional<Symbol> symbol = symbol_at(*sections_.info, abbrev_position)) {
      abbrev_offset = static_cast<std::uint64_t>(symbol->addend);
    }
    address_bytes_ = static_cast<std::size_t>(header.unsigned_number(1));
    if (!header.ok() || address_bytes_ == 0 || address_bytes_ > 8 ||
        abbrev_offset > sections_.abbrev->bytes.size()) {
      return start;
    }
    std::size_t end = std::min<std::size_t>(info.size(), start + 4 + length);
    Abbreviations abbreviations =
        read_abbreviations(*sections_.abbrev, static_cast<std::size_t>(abbrev_offset));
    Cursor cursor(info.first(end), header.position());
    unit_start_ = start;
    bool whole = read_entries(cursor, abbreviations);
    return whole ? end : start;
  }

  bool read_entries(Cursor& cursor, const Abbreviations& abbreviations) {
    std::vector<std::uint32_t> open;
    bool whole = true;
    while (!cursor.at_end()) {
      std::size_t offset = cursor.position();
      std::uint64_t code = cursor.uleb();
      if (code == 0) {
        if (open.empty()) {
          continue;  // padding at the end of a unit
        }
        tree_.dies[open.back()].end = static_cast<std::uint32_t>(tree_.dies.size());
        open.pop_back();
        continue;
      }
      auto found = abbreviations.find(code);
      if (found == abbreviations.end() || !read_entry(cursor, found->second, offset, open)) {
        whole = false;
        break;
      }
    }
    for (std::uint32_t die : open) {
      tree_.dies[die].end = static_cast<std::uint32_t>(tree_.dies.size());
    }
    return whole;
  }

  bool read_entry(Cursor& cursor, const Abbreviation& abbreviation, std::size_t offset,
                  std::vector<std::uint32_t>& open) {
    Die die;
    die.offset = static_cast<std::uint32_t>(offset);
    die.tag = abbreviation.tag;
    die.parent = open.empty() ? kNoDie : open.back();
    die.first_attribute = static_cast<std::uint32_t>(tree_.attributes.size());
    for (AbbreviatedAttribute attribute : abbreviation.attributes) {
      if (!read_attribute(cursor, attribute)) {
        tree_.attributes.resize(die.first_attribute);
        return false;
      }
    }
    die.attribute_count = static_cast<std::uint32_t>(tree_.attributes.size()) - die.first_attribute;
    std::uint32_t index = static_cast<std::uint32_t>(tree_.dies.size());
    die.end = index + 1;
    tree_.dies.push_back(die);
    if (abbreviation.has_children) {
      open.push_back(index);
    }
    return true;
  }

  bool read_attribute(Cursor& cursor, AbbreviatedAttribute abbreviated) {
    Attribute attribute;
    attribute.name = static_cast<At>(abbreviated.name);
    attribute.form = static_cast<Form>(abbreviated.form);
    attribute.position = static_cast<std::uint32_t>(cursor.position());
    if (!read_value(cursor, attribute) || !cursor.ok()) {
      return false;
    }
    tree_.attributes.push_back(attribute);
    return true;
  }

  bool read_value(Cursor& cursor, Attribute& attribute) {
    switch (attribute.form) {
      case Form::Addr:
        attribute.value = cursor.unsigned_number(address_bytes_);
        return true;
      case Form::Data1:
      case Form::Flag:
        attribute.value = cursor.unsigned_number(1);
        return true;
      case Form::Data2:
        attribute.value = cursor.unsigned_number(2);
        return true;
      case Form::Data4:
        attribute.value = cursor.unsigned_number(4);
        return true;
      case Form::Data8:
        attribute.value = cursor.unsigned_number(8);
        return true;
      case Form::Sdata:
        attribute.value = static_cast<std::uint64_t>(cursor.sleb());
        return true;
      case Form::Udata:
        attribute.value = cursor.uleb();
        return true;
      case Form::Ref1:
      case Form::Ref2:
      case Form::Ref4:
      case Form::Ref8:
        attribute.value =
            unit_start_ + cursor.unsigned_number(
                              std::size_t{1} << (static_cast<unsigned>(attribute.form) - 0x11U));
        return true;
      case Form::String:
        attribute.text = cursor.string();
        return true;
      case Form::Strp:
        attribute.text = string_in(sections_.str, cursor.unsigned_number(4));
        return true;
      case Form::Block1:
        return read_block(cursor, attribute, cursor.unsigned_number(1));
      case Form::Block2:
        return read_block(cursor, attribute, cursor.unsigned_number(2));
      case Form::Block4:
        return read_block(cursor, attribute, cursor.unsigned_number(4));
      case Form::Block:
        return read_block(cursor, attribute, cursor.uleb());
    }
    return false;  // a form that cannot be skipped: its length is not known
  }

  static bool read_block(Cursor& cursor, Attribute& attribute, std::uint64_t bytes) {
    attribute.position = static_cast<std::uint32_t>(cursor.position());
    attribute.bytes = cursor.block(bytes);
    return true;
  }

  const Sections& sections_;
  DieTree tree_;
  std::size_t address_bytes_ = 8;
  std::uint64_t unit_start_ = 0;
};

// DWARF 2.0.0, section 7.7.1.
enum class Op : std::uint8_t {
  Addr = 0x03,
  PlusUconst = 0x23,
  Regx = 0x90,
  Bregx = 0x92,
};

constexpr std::size_t kAddressBytes = 8;
constexpr std::size_t kMaxEntries = 1U << 20;  // of one list; a real one has at most hundreds

}  // namespace

std::uint64_t Cursor::unsigned_number(std::size_t bytes) {
  if (!ok_ || bytes > bytes_.size() - position_) {
    ok_ = false;
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes_[position_ + i]) << (8 * i);
  }
  position_ += bytes;
  return value;
}

std::uint64_t Cursor::uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    std::uint64_t byte = unsigned_number(1);
    if (!ok_ || shift > 63) {
      ok_ = false;
      return 0;
    }
    value |= (byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
}

std::int64_t Cursor::sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;;) {
    std::uint64_t byte = unsigned_number(1);
    if (!ok_ || shift > 63) {
      ok_ = false;
      return 0;
    }
    value |= (byte & 0x7fU) << shift;
    shift += 7;
    if ((byte & 0x80U) == 0) {
      if ((byte & 0x40U) != 0 && shift < 64) {
        value |= ~std::uint64_t{0} << shift;
      }
      return static_cast<std::int64_t>(value);
    }
  }
}

std::string_view Cursor::string() {
  if (!ok_) {
    return {};
  }
  auto rest = bytes_.subspan(position_);
  auto zero = std::ranges::find(rest, std::byte{0});
  if (zero == rest.end()) {
    ok_ = false;
    return {};
  }
  auto length = static_cast<std::size_t>(zero - rest.begin());
  position_ += length + 1;
  return {reinterpret_cast<const char*>(rest.data()), length};
}

std::span<const std::byte> Cursor::block(std::uint64_t bytes) {
  if (!ok_ || bytes > bytes_.size() - position_) {
    ok_ = false;
    return {};
  }
  auto result = bytes_.subspan(position_, static_cast<std::size_t>(bytes));
  position_ += static_cast<std::size_t>(bytes);
  return result;
}

Sections::Sections(const std::vector<Section>& all) {
  for (const Section& section : all) {
    if (section.name == ".debug_info") {
      info = &section;
    } else if (section.name == ".debug_abbrev") {
      abbrev = &section;
    } else if (section.name == ".debug_loc") {
      loc = &section;
    } else if (section.name == ".debug_str") {
      str = &section;
    }
  }
}

std::optional<Symbol> symbol_at(const Section& section, std::size_t offset) {
  auto found = std::lower_bound(
      section.references.begin(), section.references.end(), offset,
      [](const SectionReference& reference, std::size_t o) { return reference.offset < o; });
  if (found == section.references.end() || found->offset != offset) {
    return std::nullopt;
  }
  return Symbol{found->symbol, found->addend};
}

const Attribute* DieTree::find(std::uint32_t die, At name) const {
  const Die& entry = dies[die];
  for (std::uint32_t i = 0; i < entry.attribute_count; ++i) {
    const Attribute& attribute = attributes[entry.first_attribute + i];
    if (attribute.name == name) {
      return &attribute;
    }
  }
  return nullptr;
}

const Attribute* DieTree::find_inherited(std::uint32_t die, At name) const {
  for (std::uint64_t run = 0; die != kNoDie && run < kMaxRun; ++run) {
    if (const Attribute* attribute = find(die, name)) {
      return attribute;
    }
    die = reference(die, At::AbstractOrigin);
  }
  return nullptr;
}

std::string_view DieTree::text(std::uint32_t die, At name) const {
  const Attribute* attribute = find_inherited(die, name);
  return attribute == nullptr ? std::string_view{} : attribute->text;
}

std::uint64_t DieTree::number(std::uint32_t die, At name, std::uint64_t otherwise) const {
  const Attribute* attribute = find_inherited(die, name);
  return attribute == nullptr ? otherwise : attribute->value;
}

std::uint32_t DieTree::reference(std::uint32_t die, At name) const {
  const Attribute* attribute = find(die, name);
  return attribute == nullptr ? kNoDie : at_offset(attribute->value);
}

std::uint32_t DieTree::at_offset(std::uint64_t offset) const {
  auto found = std::lower_bound(dies.begin(), dies.end(), offset,
                                [](const Die& die, std::uint64_t o) { return die.offset < o; });
  if (found == dies.end() || found->offset != offset) {
    return kNoDie;
  }
  return static_cast<std::uint32_t>(found - dies.begin());
}

DieTree read_dies(const Sections& sections) {
  if (sections.info == nullptr || sections.abbrev == nullptr) {
    return {};
  }
  return TreeReader(sections).read();
}

Location read_location(const Section& section, std::size_t position, std::size_t bytes) {
  std::span<const std::byte> all = section.bytes;
  if (position > all.size() || bytes > all.size() - position) {
    return {};
  }
  Location location;
  Cursor cursor(all.first(position + bytes), position);
  while (!cursor.at_end()) {
    auto op = static_cast<Op>(cursor.unsigned_number(1));
    if (op == Op::Addr) {
      std::optional<Symbol> symbol = symbol_at(section, cursor.position());
      cursor.unsigned_number(kAddressBytes);
      if (!symbol) {
        return {};
      }
      location.kind = Location::Kind::Symbol;
      location.symbol = symbol->name;
      location.offset = symbol->addend;
    } else if (op == Op::PlusUconst) {
      std::uint64_t addend = cursor.uleb();
      location.offset =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(location.offset) + addend);
    } else if (op == Op::Regx) {
      location.kind = Location::Kind::Register;
      location.register_name = cursor.uleb();
    } else if (op == Op::Bregx) {
      location.kind = Location::Kind::RegisterAddress;
      location.register_name = cursor.uleb();
      location.offset = cursor.sleb();
    } else {
      return {};
    }
  }
  return cursor.ok() ? location : Location{};
}

std::vector<LocationEntry> read_location_list(const Section& loc, std::size_t offset) {
  std::vector<LocationEntry> entries;
  Cursor cursor(loc.bytes, offset);
  while (!cursor.at_end() && entries.size() < kMaxEntries) {
    std::optional<Symbol> begin = symbol_at(loc, cursor.position());
    std::uint64_t begin_number = cursor.unsigned_number(kAddressBytes);
    std::optional<Symbol> end = symbol_at(loc, cursor.position());
    std::uint64_t end_number = cursor.unsigned_number(kAddressBytes);
    bool is_last = !begin && !end && begin_number == 0 && end_number == 0;
    if (is_last || !cursor.ok()) {
      break;
    }
    auto length = static_cast<std::size_t>(cursor.unsigned_number(2));
    std::size_t position = cursor.position();
    cursor.block(length);
    if (!cursor.ok()) {
      break;
    }
    if (begin && end) {
      entries.push_back({begin->name, end->name, read_location(loc, position, length)});
    }
  }
  return entries;
}

}  // namespace tilestep::ptx::dwarf

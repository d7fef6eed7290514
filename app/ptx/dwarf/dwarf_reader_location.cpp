#include "ptx/dwarf/dwarf_reader.h"

namespace tilestep::ptx::dwarf {
namespace {

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

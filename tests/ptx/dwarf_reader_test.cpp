// The reader of DWARF bytes, on bytes written by hand.
#include "ptx/dwarf/dwarf_reader.h"

#include "ptx/dwarf/line_table.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>

namespace tilestep::ptx::dwarf {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) {
    result.push_back(static_cast<std::byte>(value));
  }
  return result;
}

Section section(std::string_view name, std::initializer_list<int> values) {
  Section result;
  result.name = name;
  result.bytes = bytes(values);
  return result;
}

TEST(DwarfCursor, ReadsNumbersOfEveryKind) {
  const auto data = bytes({0x34, 0x12, 0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f});
  Cursor cursor(data, 0);
  EXPECT_EQ(cursor.unsigned_number(2), 0x1234U);
  EXPECT_EQ(cursor.uleb(), 624485U);  // the manual's example
  EXPECT_EQ(cursor.sleb(), -1);
  EXPECT_EQ(cursor.sleb(), -128);
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.at_end());
}

TEST(DwarfCursor, StaysInsideItsBytes) {
  const auto data = bytes({1, 2, 0x80});
  Cursor cursor(data, 0);
  EXPECT_EQ(cursor.unsigned_number(4), 0U);
  EXPECT_FALSE(cursor.ok());
  EXPECT_EQ(cursor.uleb(), 0U);
  Cursor endless(data, 2);
  EXPECT_EQ(endless.uleb(), 0U);
  EXPECT_FALSE(endless.ok());
  Cursor no_zero(data, 0);
  EXPECT_EQ(no_zero.string(), "");
  EXPECT_FALSE(no_zero.ok());
  EXPECT_FALSE(Cursor(data, 4).ok());
}

TEST(DwarfCursor, RejectsANumberOfMoreThan64Bits) {
  const auto data = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01});
  Cursor cursor(data, 0);
  EXPECT_EQ(cursor.uleb(), 0U);
  EXPECT_FALSE(cursor.ok());
}

TEST(DwarfLocation, ARegistersNumberIsItsName) {
  const Section loc = section(".debug_loc", {0x90, 181, 232, 200, 171, 2});  // regx "%r45"
  const Location location = read_location(loc, 0, loc.bytes.size());
  EXPECT_EQ(location.kind, Location::Kind::Register);
  EXPECT_EQ(location.register_name, 0x25723435U);
}

TEST(DwarfLocation, ADepotVariableIsItsSymbolAndAnOffset) {
  Section info = section(".debug_info", {0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 0xc0, 0x00});
  info.references.push_back({1, 8, "__local_depot2", 0});
  const Location location = read_location(info, 0, info.bytes.size());
  EXPECT_EQ(location.kind, Location::Kind::Symbol);
  EXPECT_EQ(location.symbol, "__local_depot2");
  EXPECT_EQ(location.offset, 64);
}

TEST(DwarfLocation, AnAddressWithoutSymbolOrAnUnknownOperationIsNowhere) {
  const Section number = section(".debug_info", {0x03, 1, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(read_location(number, 0, 9).kind, Location::Kind::None);
  const Section piece = section(".debug_info", {0x90, 0x01, 0x93, 0x04});  // DW_OP_piece
  EXPECT_EQ(read_location(piece, 0, 4).kind, Location::Kind::None);
  EXPECT_EQ(read_location(piece, 3, 9).kind, Location::Kind::None);
}

Section one_entry_list() {
  Section loc = section(".debug_loc", {0, 0, 0,    0,   0,   0,   0, 0,  //
                                       0, 0, 0,    0,   0,   0,   0, 0,  //
                                       5, 0, 0x90, 177, 204, 149, 1,     // regx "%f1"
                                       0, 0, 0,    0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0,  //
                                       0, 0});
  loc.references.push_back({0, 8, "$L__tmp5", 0});
  loc.references.push_back({8, 8, "$L__tmp7", 0});
  return loc;
}

TEST(DwarfLocationList, EndsAtTwoZeroes) {
  const std::vector<LocationEntry> entries = read_location_list(one_entry_list(), 0);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].begin, "$L__tmp5");
  EXPECT_EQ(entries[0].end, "$L__tmp7");
  EXPECT_EQ(entries[0].location.register_name, 0x256631U);
}

TEST(DwarfLocationList, CutShortKeepsWhatItHas) {
  Section loc = one_entry_list();
  loc.bytes.resize(30);
  EXPECT_EQ(read_location_list(loc, 0).size(), 1U);
  loc.bytes.resize(20);
  EXPECT_TRUE(read_location_list(loc, 0).empty());
  EXPECT_TRUE(read_location_list(loc, 4000).empty());
}

// compile_unit { base_type "int"; variable "x": int }
struct SmallUnit {
  std::vector<Section> sections;

  SmallUnit() {
    sections.push_back(section(".debug_abbrev", {1, 0x11, 1, 0,    0,                 //
                                                 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b,  //
                                                 0, 0,                                //
                                                 3, 0x34, 0, 0x03, 0x08, 0x49, 0x13,  //
                                                 0, 0,    0}));
    sections.push_back(section(".debug_info", {22, 0,   0,   0,   2, 0, 0, 0, 0, 0, 8,  //
                                               1,                                       //
                                               2,  'i', 'n', 't', 0, 4,                 //
                                               3,  'x', 0,   12,  0, 0, 0,              //
                                               0}));
  }
};

TEST(DwarfTree, ReadsEntriesAttributesAndReferences) {
  const SmallUnit unit;
  const DieTree tree = read_dies(Sections(unit.sections));
  ASSERT_EQ(tree.dies.size(), 3U);
  EXPECT_EQ(tree.dies[0].tag, Tag::CompileUnit);
  EXPECT_EQ(tree.dies[0].end, 3U);
  EXPECT_EQ(tree.dies[2].parent, 0U);
  EXPECT_EQ(tree.text(2, At::Name), "x");
  EXPECT_EQ(tree.reference(2, At::Type), 1U);
  EXPECT_EQ(tree.text(1, At::Name), "int");
  EXPECT_EQ(tree.number(1, At::ByteSize, 0), 4U);
  EXPECT_EQ(tree.number(1, At::Encoding, 99), 99U);
}

TEST(DwarfTree, StopsAtAnUnknownAbbreviationAndKeepsWhatCameBefore) {
  SmallUnit unit;
  unit.sections[1].bytes[18] = std::byte{77};
  const DieTree tree = read_dies(Sections(unit.sections));
  ASSERT_EQ(tree.dies.size(), 2U);
  EXPECT_EQ(tree.dies[0].end, 2U);
}

TEST(DwarfTree, IsEmptyWithoutSectionsOrWithOneOnly) {
  EXPECT_TRUE(read_dies(Sections({})).dies.empty());
  SmallUnit unit;
  unit.sections.erase(unit.sections.begin());
  EXPECT_TRUE(read_dies(Sections(unit.sections)).dies.empty());
}

TEST(DwarfTree, SurvivesEveryCut) {
  for (std::size_t size = 0; size < 26; ++size) {
    SmallUnit unit;
    unit.sections[1].bytes.resize(size);
    EXPECT_LE(read_dies(Sections(unit.sections)).dies.size(), 3U);
  }
}

TEST(DwarfTree, AnEntryThatIsItsOwnOriginEnds) {
  SmallUnit unit;
  unit.sections[0].bytes[19] = std::byte{0x31};  // x: type → abstract origin
  unit.sections[1].bytes[21] = std::byte{18};    // of itself
  const DieTree tree = read_dies(Sections(unit.sections));
  ASSERT_EQ(tree.dies.size(), 3U);
  EXPECT_EQ(tree.reference(2, At::AbstractOrigin), 2U);
  EXPECT_EQ(tree.find_inherited(2, At::ByteSize), nullptr);
}

// A table of one file whose program sets address 0, and then is `rest`.
std::vector<std::byte> line_table(std::initializer_list<int> rest) {
  std::vector<std::byte> table = bytes({0, 0, 0, 0, 2, 0, 21, 0, 0, 0,   1, 1, 0xfb, 14, 10, 0,
                                        1, 1, 1, 1, 0, 0, 0,  1, 0, 'k', 0, 0, 0,    0,  0});
  const auto start = bytes({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0});
  table.insert(table.end(), start.begin(), start.end());
  const auto program = bytes(rest);
  table.insert(table.end(), program.begin(), program.end());
  table[0] = static_cast<std::byte>(table.size() - 4);
  return table;
}
const std::set<std::uint64_t> kStart = {34};  // of the address in it

TEST(LineTable, ARowLastsUntilTheNextOne) {
  const auto table = line_table({3, 13, 1, 2, 32, 3, 2, 1, 2, 16, 0, 1, 1});
  EXPECT_EQ(read_line_table(table, kStart, 64), (std::vector<std::uint32_t>{14, 14, 16, 0}));
  EXPECT_EQ(read_line_table(table, {}, 64), std::vector<std::uint32_t>(4));  // other code's
}

TEST(LineTable, AnAddressFarBeyondTheCodeEnds) {
  const auto table = line_table({3, 13, 1, 2, 255, 255, 255, 255, 255, 255, 255, 255, 127, 1});
  EXPECT_EQ(read_line_table(table, kStart, 64), std::vector<std::uint32_t>(4, 14));
}

TEST(LineTable, SurvivesEveryCut) {
  const auto whole = line_table({3, 13, 1, 2, 32, 3, 2, 1, 2, 16, 0, 1, 1});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> table(whole.begin(), whole.begin() + static_cast<long>(size));
    EXPECT_EQ(read_line_table(table, kStart, 64).size(), 4U);
  }
}

}  // namespace
}  // namespace tilestep::ptx::dwarf

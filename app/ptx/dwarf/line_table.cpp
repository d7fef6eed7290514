#include "ptx/dwarf/line_table.h"

#include "ptx/dwarf/dwarf_reader.h"

#include <algorithm>

namespace tilestep::ptx {
namespace {

constexpr std::uint64_t kCodeUnit = 16;  // bytes of an instruction

// Operations of DWARF 2, 6.2.5.2 and 6.2.5.3.
enum Standard : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddAddress = 8,
  kFixedAdvanceAddress = 9,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

// One table's program.
class LineProgram {
 public:
  LineProgram(const std::set<std::uint64_t>& sequences, std::vector<std::uint32_t>& lines)
      : sequences_(sequences), lines_(lines) {}

  // `base`: the table's offset in its section.
  void run(std::span<const std::byte> table, std::size_t base) {
    dwarf::Cursor header(table, 0);
    header.unsigned_number(2);  // version
    const std::uint64_t header_bytes = header.unsigned_number(4);
    dwarf::Cursor program(table, header.position() + header_bytes);
    const std::uint64_t unit = header.unsigned_number(1);
    header.unsigned_number(1);  // whether a row starts a statement
    const auto line_base = static_cast<std::int8_t>(header.unsigned_number(1));
    const auto line_range = std::max<std::uint64_t>(header.unsigned_number(1), 1);
    const std::uint64_t first_special = header.unsigned_number(1);
    std::vector<std::uint64_t> operands(1);
    while (operands.size() < first_special) {
      operands.push_back(header.unsigned_number(1));
    }
    while (!program.at_end()) {
      const std::uint64_t operation = program.unsigned_number(1);
      if (operation >= first_special) {
        const std::uint64_t step = operation - first_special;
        address_ += unit * (step / line_range);
        line_ += line_base + static_cast<int>(step % line_range);
        add_row();
        continue;
      }
      switch (operation) {
        case kExtended:
          run_extended(program, base);
          break;
        case kCopy:
          add_row();
          break;
        case kAdvanceAddress:
          address_ += unit * program.uleb();
          break;
        case kAdvanceLine:
          line_ += static_cast<std::int32_t>(program.sleb());
          break;
        case kSetFile:
          file_ = program.uleb();
          break;
        case kConstAddAddress:
          address_ += unit * ((255U - first_special) / line_range);
          break;
        case kFixedAdvanceAddress:
          address_ += program.unsigned_number(2);
          break;
        default:
          for (std::uint64_t k = 0; k < operands[operation]; ++k) {
            program.uleb();
          }
      }
    }
  }

 private:
  void run_extended(dwarf::Cursor& program, std::size_t base) {
    const std::uint64_t bytes = program.uleb();
    const std::size_t at = base + program.position() + 1;
    dwarf::Cursor operation(program.block(bytes), 0);
    switch (operation.unsigned_number(1)) {
      case kSetAddress:
        is_ours_ = sequences_.contains(at);
        address_ = operation.unsigned_number(8);
        break;
      case kEndSequence:
        fill_to(address_);
        address_ = 0;
        line_ = 1;
        file_ = 1;
        is_ours_ = false;
        has_row_ = false;
        break;
      default:  // NVIDIA's, for inlined functions
        break;
    }
  }

  // The previous row lasts until here.
  void fill_to(std::uint64_t address) {
    const std::uint64_t end = std::min<std::uint64_t>(address, lines_.size() * kCodeUnit);
    for (std::uint64_t at = row_address_; is_ours_ && has_row_ && at < end; at += kCodeUnit) {
      lines_[at / kCodeUnit] = row_line_;
    }
  }
  void add_row() {
    fill_to(address_);
    row_address_ = address_;
    row_line_ = file_ == 1 && line_ > 0 ? static_cast<std::uint32_t>(line_) : 0;
    has_row_ = true;
  }

  const std::set<std::uint64_t>& sequences_;
  std::vector<std::uint32_t>& lines_;
  std::uint64_t address_ = 0;
  std::int64_t line_ = 1;
  std::uint64_t file_ = 1;
  bool is_ours_ = false;
  bool has_row_ = false;
  std::uint64_t row_address_ = 0;
  std::uint32_t row_line_ = 0;
};

}  // namespace

std::vector<std::uint32_t> read_line_table(std::span<const std::byte> section,
                                           const std::set<std::uint64_t>& sequences,
                                           std::size_t code_bytes) {
  std::vector<std::uint32_t> lines(code_bytes / kCodeUnit);
  dwarf::Cursor tables(section, 0);
  while (!tables.at_end()) {
    const std::uint64_t bytes = tables.unsigned_number(4);
    const std::size_t base = tables.position();
    LineProgram(sequences, lines).run(tables.block(bytes), base);
  }
  return lines;
}

}  // namespace tilestep::ptx

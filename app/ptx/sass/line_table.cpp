#include "ptx/sass/line_table.h"

#include <algorithm>

namespace tilestep::ptx {
namespace {

constexpr std::uint64_t kCodeUnit = 16;

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

class LineReader {
 public:
  explicit LineReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool is_done() const { return at_ >= bytes_.size(); }
  void move_to(std::size_t at) { at_ = std::min(at, bytes_.size()); }

  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k) {
      value |= std::uint64_t{byte()} << (8 * k);
    }
    return value;
  }
  std::uint8_t byte() {
    return at_ < bytes_.size() ? std::to_integer<std::uint8_t>(bytes_[at_++]) : 0;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t part = 0x80;
    while ((part & 0x80U) != 0 && shift < 64 && !is_done()) {
      part = byte();
      value |= std::uint64_t{part & 0x7fU} << shift;
      shift += 7;
    }
    is_negative_ = (part & 0x40U) != 0 && shift < 64;
    bits_ = shift;
    return value;
  }
  std::int64_t signed_leb() {
    const std::uint64_t value = leb();
    return static_cast<std::int64_t>(is_negative_ ? value | ~std::uint64_t{0} << bits_ : value);
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool is_negative_ = false;
  unsigned bits_ = 0;
};

// One table's program.
class LineProgram {
 public:
  LineProgram(LineReader& reader, const std::set<std::uint64_t>& sequences,
              std::vector<std::uint32_t>& lines)
      : reader_(reader), sequences_(sequences), lines_(lines) {}

  void run() {
    const std::size_t end = static_cast<std::size_t>(reader_.number(4)) + reader_.at();
    reader_.number(2);  // version
    const std::size_t program = static_cast<std::size_t>(reader_.number(4)) + reader_.at();
    const std::uint64_t unit = reader_.byte();
    reader_.byte();  // whether a row starts a statement
    const auto line_base = static_cast<std::int8_t>(reader_.byte());
    const std::uint8_t line_range = std::max<std::uint8_t>(reader_.byte(), 1);
    const std::uint8_t first_special = reader_.byte();
    std::vector<std::uint8_t> operands(1);
    while (operands.size() < first_special) {
      operands.push_back(reader_.byte());
    }
    reader_.move_to(program);
    while (reader_.at() < end && !reader_.is_done()) {
      const std::uint8_t operation = reader_.byte();
      if (operation >= first_special) {
        const unsigned step = operation - first_special;
        address_ += unit * (step / line_range);
        line_ += line_base + static_cast<int>(step % line_range);
        add_row();
        continue;
      }
      switch (operation) {
        case kExtended:
          run_extended();
          break;
        case kCopy:
          add_row();
          break;
        case kAdvanceAddress:
          address_ += unit * reader_.leb();
          break;
        case kAdvanceLine:
          line_ += reader_.signed_leb();
          break;
        case kSetFile:
          file_ = reader_.leb();
          break;
        case kConstAddAddress:
          address_ += unit * ((255U - first_special) / line_range);
          break;
        case kFixedAdvanceAddress:
          address_ += reader_.number(2);
          break;
        default:
          for (std::uint8_t k = 0; k < operands[operation]; ++k) {
            reader_.leb();
          }
      }
    }
    reader_.move_to(end);
  }

 private:
  void run_extended() {
    const std::size_t size = static_cast<std::size_t>(reader_.leb());
    const std::size_t end = reader_.at() + size;
    const std::uint8_t operation = reader_.byte();
    if (operation == kSetAddress) {
      is_ours_ = sequences_.contains(reader_.at());
      address_ = reader_.number(size - 1);
    } else if (operation == kEndSequence) {
      fill_to(address_);
      reset();
    }
    reader_.move_to(end);
  }

  void reset() {
    address_ = 0;
    line_ = 1;
    file_ = 1;
    is_ours_ = false;
    has_row_ = false;
  }
  // The previous row lasts until here.
  void fill_to(std::uint64_t address) {
    for (std::uint64_t at = row_address_; is_ours_ && has_row_ && at < address; at += kCodeUnit) {
      if (at / kCodeUnit < lines_.size()) {
        lines_[at / kCodeUnit] = row_line_;
      }
    }
  }
  void add_row() {
    fill_to(address_);
    row_address_ = address_;
    row_line_ = file_ == 1 && line_ > 0 ? static_cast<std::uint32_t>(line_) : 0;
    has_row_ = true;
  }

  LineReader& reader_;
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
  LineReader reader(section);
  while (!reader.is_done()) {
    LineProgram(reader, sequences, lines).run();
  }
  return lines;
}

}  // namespace tilestep::ptx

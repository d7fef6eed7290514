#include "ptx/sass/sass.h"

#include "problem/tr.h"
#include "ptx/dwarf/line_table.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <set>
#include <span>

namespace tilestep::ptx {
namespace {

constexpr std::uint32_t kFfma = 0x023;
constexpr std::uint32_t kAlways = 7;
constexpr std::uint32_t kNever = 15;

// How the width of an access is encoded.
enum class Width { Field, Fixed256, Matrices, Copy, None };

struct Operation {
  std::uint32_t code;
  SassKind kind;
  Width width;
};

constexpr std::array kOperations = {
    Operation{0x03b, SassKind::MatrixLoad, Width::Matrices},
    Operation{0x17e, SassKind::GlobalLoad, Width::Fixed256},
    Operation{0x17f, SassKind::GlobalStore, Width::Fixed256},
    Operation{0x180, SassKind::GenericLoad, Width::Field},
    Operation{0x181, SassKind::GlobalLoad, Width::Field},
    Operation{0x183, SassKind::LocalLoad, Width::Field},
    Operation{0x184, SassKind::SharedLoad, Width::Field},
    Operation{0x185, SassKind::GenericStore, Width::Field},
    Operation{0x186, SassKind::GlobalStore, Width::Field},
    Operation{0x187, SassKind::LocalStore, Width::Field},
    Operation{0x188, SassKind::SharedStore, Width::Field},
    Operation{0x18c, SassKind::SharedAtomic, Width::None},
    Operation{0x18e, SassKind::GlobalAtomic, Width::None},
    Operation{0x1a8, SassKind::GlobalAtomic, Width::None},
    Operation{0x1ae, SassKind::AsyncCopy, Width::Copy},
};

struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // `count` bits, starting at bit `first`; they are in one half.
  [[nodiscard]] std::uint32_t bits(unsigned first, unsigned count) const {
    const std::uint64_t half = first < 64 ? low >> first : high >> (first - 64);
    return static_cast<std::uint32_t>(half & ((1ULL << count) - 1));
  }
};

int width_of(const Word& word, Width how, int architecture) {
  static constexpr std::array kWidths{8, 8, 16, 16, 32, 64, 128, 128};
  switch (how) {
    case Width::Field:
      return kWidths[word.bits(73, 3)];
    case Width::Fixed256:
      return 256;
    case Width::Matrices:  // 1, 2 or 4 of 8×8 halves: a lane gets 32 bits of each
      return 32 << word.bits(72, 2);
    case Width::Copy:
      return 32 << word.bits(architecture >= 100 ? 74 : 73, 2);
    case Width::None:
      break;
  }
  return 0;
}

constexpr std::uint64_t kFfmaOperation = 0x023;
constexpr std::uint64_t kHmmaOperation = 0x03c;
constexpr unsigned kFirstKeptBit = 122 - 64;
constexpr std::array<std::uint32_t, 3> kRegistersOfMatrices{4, 2, 4};

std::uint32_t register_at(std::uint64_t word, unsigned first) {
  return static_cast<std::uint32_t>(word >> first & 0xffU);
}

double beyond_one_each(double reads, double products) {
  return std::max(0.0, reads / kReadsInAClock - products);
}

// `//## File "/x/tiled.cu", line 14`, possibly followed by ` inlined at …`.
std::uint32_t line_of(std::string_view comment, std::string_view source_name) {
  constexpr std::string_view kBefore = "\", line ";
  const std::size_t end = comment.find(kBefore);
  if (end == std::string_view::npos || !comment.substr(0, end).ends_with(source_name)) {
    return 0;
  }
  const std::string_view number = comment.substr(end + kBefore.size());
  std::uint32_t line = 0;
  std::from_chars(number.data(), number.data() + number.size(), line);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// "/*0010*/   S2R R3, SR_CTAID.Y ;" → "0010  S2R R3, SR_CTAID.Y"
std::string instruction(std::string_view text) {
  const std::size_t end = text.find("*/");
  std::string_view code = trimmed(text.substr(end + 2));
  if (code.ends_with(';')) {
    code = trimmed(code.substr(0, code.size() - 1));
  }
  const std::string indent = code.starts_with('@') ? "  " : "      ";
  return std::string(text.substr(2, end - 2)) + indent + std::string(code);
}

constexpr GElf_Half kMachineCuda = 190;  // EM_CUDA of the ELF registry

// A record of .nv.info: one byte each for how the value is stored and for its meaning, then two
// bytes that are the value (Short) or its size (Sized). Names are those of cuobjdump, EIFMT_… and
// EIATTR_….
enum class AttributeForm : std::uint8_t { None = 1, Byte = 2, Short = 3, Sized = 4 };
enum class Attribute : std::uint8_t {
  MaxThreads = 0x05,
  RequiredThreads = 0x10,
  FrameSize = 0x11,
  RegisterCount = 0x2f,
  BarrierCount = 0x4c,
};

using Bytes = std::span<const std::byte>;

// Little-endian, like every cubin. Zero past the end.
std::uint32_t number_at(Bytes bytes, std::size_t at, std::size_t size = 4) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) {
    number |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  }
  return number;
}

// `visit(attribute, value)` for each record; a truncated one ends the reading.
template <class Visit>
void for_each_record(Bytes info, Visit visit) {
  constexpr std::size_t kHeader = 4;
  std::size_t at = 0;
  while (at + kHeader <= info.size()) {
    const auto form = static_cast<AttributeForm>(info[at]);
    const auto attribute = static_cast<Attribute>(info[at + 1]);
    const std::size_t size = form == AttributeForm::Sized ? number_at(info, at + 2, 2) : 0;
    if (at + kHeader + size > info.size()) {
      return;
    }
    visit(attribute, form == AttributeForm::Sized
                         ? info.subspan(at + kHeader, size)
                         : info.subspan(at + 2, form == AttributeForm::Byte ? 1 : 2));
    at += kHeader + size;
  }
}

struct ElfSection {
  std::size_t index = 0;
  std::size_t size = 0;
  Bytes contents;  // empty for sections that are only a size
};

// The ELF structure, through libelf.
class File {
 public:
  explicit File(const std::string& cubin) : bytes_(cubin) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(bytes_.data(), bytes_.size()));
  }

  [[nodiscard]] bool is_cubin() const {
    GElf_Ehdr header;
    return elf_ != nullptr && elf_kind(elf_.get()) == ELF_K_ELF &&
           gelf_getehdr(elf_.get(), &header) != nullptr && header.e_machine == kMachineCuda &&
           header.e_ident[EI_CLASS] == ELFCLASS64;
  }

  // Precondition: is_cubin(). The layout of the flags is that of version 8, from CUDA 13.
  [[nodiscard]] int architecture() const {
    GElf_Ehdr header;
    gelf_getehdr(elf_.get(), &header);
    const bool is_new = header.e_ident[EI_ABIVERSION] >= 8;
    return static_cast<int>((is_new ? header.e_flags >> 8U : header.e_flags) & 0xffU);
  }

  [[nodiscard]] std::optional<ElfSection> section(std::string_view name) const {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) {
      return std::nullopt;
    }
    Elf_Scn* place = nullptr;
    while ((place = elf_nextscn(elf_.get(), place)) != nullptr) {
      GElf_Shdr header;
      const char* const found = gelf_getshdr(place, &header) != nullptr
                                    ? elf_strptr(elf_.get(), names, header.sh_name)
                                    : nullptr;
      if (found == nullptr || name != found) {
        continue;
      }
      ElfSection section{elf_ndxscn(place), static_cast<std::size_t>(header.sh_size), {}};
      const Elf_Data* const data =
          header.sh_type == SHT_NOBITS ? nullptr : elf_rawdata(place, nullptr);
      if (data != nullptr && data->d_buf != nullptr) {
        section.contents = {static_cast<const std::byte*>(data->d_buf), data->d_size};
      }
      return section;
    }
    return std::nullopt;
  }

  // Index in .symtab of the function `name`.
  [[nodiscard]] std::optional<std::uint32_t> function(std::string_view name) const {
    const std::optional<ElfSection> symbols = section(".symtab");
    Elf_Scn* const place = symbols ? elf_getscn(elf_.get(), symbols->index) : nullptr;
    GElf_Shdr header;
    Elf_Data* const data = place != nullptr ? elf_getdata(place, nullptr) : nullptr;
    if (data == nullptr || gelf_getshdr(place, &header) == nullptr) {
      return std::nullopt;
    }
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      const char* const found = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && found != nullptr && name == found) {
        return static_cast<std::uint32_t>(i);
      }
    }
    return std::nullopt;
  }

  // Places in .debug_line where an address in the section `text` is set, by its relocations.
  [[nodiscard]] std::set<std::uint64_t> line_sequences(const ElfSection& text) const {
    std::set<std::uint64_t> places;
    const std::optional<ElfSection> symbols = section(".symtab");
    Elf_Data* const symbol_data =
        symbols ? elf_getdata(elf_getscn(elf_.get(), symbols->index), nullptr) : nullptr;
    const std::optional<ElfSection> relocations = section(".rela.debug_line");
    Elf_Data* const data =
        relocations ? elf_getdata(elf_getscn(elf_.get(), relocations->index), nullptr) : nullptr;
    GElf_Rela relocation;
    GElf_Sym symbol;
    for (int i = 0; data != nullptr && gelf_getrela(data, i, &relocation) != nullptr; ++i) {
      const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
      if (symbol_data != nullptr && gelf_getsym(symbol_data, index, &symbol) != nullptr &&
          symbol.st_shndx == text.index) {
        places.insert(relocation.r_offset);
      }
    }
    return places;
  }

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  std::string bytes_;  // libelf requires writable memory
  std::unique_ptr<Elf, End> elf_;
};

// False if .nv.info has no registers of the function.
bool read_function_info(const File& file, std::uint32_t function, CubinKernel& kernel) {
  bool has_registers = false;
  const std::optional<ElfSection> info = file.section(".nv.info");
  for_each_record(info ? info->contents : Bytes(), [&](Attribute attribute, Bytes value) {
    if (value.size() != 8 || number_at(value, 0) != function) {
      return;
    }
    if (attribute == Attribute::RegisterCount) {
      kernel.registers = number_at(value, 4);
      has_registers = true;
    } else if (attribute == Attribute::FrameSize) {
      kernel.local_bytes = number_at(value, 4);
    }
  });
  return has_registers;
}

void read_kernel_info(const File& file, const std::string& symbol, CubinKernel& kernel) {
  const std::optional<ElfSection> info = file.section(".nv.info." + symbol);
  for_each_record(info ? info->contents : Bytes(), [&](Attribute attribute, Bytes value) {
    if (attribute == Attribute::BarrierCount) {
      kernel.barriers = number_at(value, 0, 1);
    } else if (attribute == Attribute::MaxThreads || attribute == Attribute::RequiredThreads) {
      kernel.max_threads = number_at(value, 0) * number_at(value, 4) * number_at(value, 8);
    }
  });
}

std::uint32_t static_shared(const File& file, const std::string& symbol) {
  const std::optional<ElfSection> shared = file.section(".nv.shared." + symbol);
  const auto size = static_cast<std::uint32_t>(shared ? shared->size : 0);
  const bool has_reserved = file.section(".nv.shared.reserved.0").has_value();
  return has_reserved && size >= kReservedSharedBytes ? size - kReservedSharedBytes : size;
}

}  // namespace

std::uint32_t Sass::count(SassKind kind) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      accesses, [kind](const SassAccess& access) { return access.kind == kind; }));
}

Sass read_sass(const CubinKernel& kernel) {
  assert(kernel.architecture >= 70 && "older instructions have 64 bits");
  Sass sass;
  RegisterReader registers;
  for (std::size_t at = 0; at + kSassBytes <= kernel.code.size(); at += kSassBytes) {
    Word word;
    std::memcpy(&word.low, &kernel.code[at], 8);
    std::memcpy(&word.high, &kernel.code[at + 8], 8);
    ++sass.instructions;
    registers.add(word.low, word.high);
    const std::uint32_t code = word.bits(0, 9);
    sass.ffma += code == kFfma ? 1 : 0;
    const auto* const found = std::ranges::find_if(
        kOperations, [code](const Operation& operation) { return operation.code == code; });
    if (found != kOperations.end()) {
      sass.accesses.push_back({static_cast<std::uint32_t>(at), found->kind,
                               width_of(word, found->width, kernel.architecture),
                               word.bits(12, 4) != kAlways, word.bits(12, 4) == kNever});
    }
  }
  sass.registers = registers.reads();
  return sass;
}

double RegisterReads::waits() const {
  return beyond_one_each(static_cast<double>(even) + odd, products) +
         beyond_one_each(of_matrices, matrix_products);
}

std::array<bool, 3> RegisterReader::are_read(const Operands& operands, std::uint64_t high,
                                             bool matrices) {
  const Operands before = kept_of_matrices_ == matrices ? kept_ : Operands{kNone, kNone, kNone};
  std::array<bool, 3> are{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::uint32_t number = operands[i];
    const auto* const here = operands.begin() + i;
    const bool is_kept = number != kNone && before[i] == number;
    // A register in two operands is read once.
    are[i] = number != kNone && !is_kept && std::find(operands.begin(), here, number) == here;
    reads_.kept += is_kept && !matrices ? 1 : 0;
    kept_[i] = (high >> (kFirstKeptBit + i) & 1U) != 0 ? number : kNone;
  }
  kept_of_matrices_ = matrices;
  return are;
}

void RegisterReader::add(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t operation = low & 0x1ffU;
  if (operation == kHmmaOperation) {
    const auto are =
        are_read({register_at(low, 24), register_at(low, 32), register_at(high, 0)}, high, true);
    ++reads_.matrix_products;
    for (std::size_t i = 0; i < are.size(); ++i) {
      reads_.of_matrices += are[i] ? kRegistersOfMatrices[i] : 0;
    }
    return;
  }
  if (operation != kFfmaOperation) {
    kept_ = {kNone, kNone, kNone};
    return;
  }
  const auto form = static_cast<unsigned>(low >> 9U & 7U);
  const bool third_is_none = form == 2 || form == 3 || form == 7;
  const std::uint32_t second = form == 1       ? register_at(low, 32)
                               : third_is_none ? register_at(high, 0)
                                               : kNone;
  const Operands operands{register_at(low, 24), second,
                          third_is_none ? kNone : register_at(high, 0)};
  const auto are = are_read(operands, high, false);
  ++reads_.products;
  for (std::size_t i = 0; i < are.size(); ++i) {
    if (are[i]) {
      ++(operands[i] % 2 == 0 ? reads_.even : reads_.odd);
    }
  }
}

SassListing read_listing(std::string_view output, std::string_view source_name) {
  SassListing listing;
  std::uint32_t line = 0;
  const auto add = [&listing](const std::string& text, std::uint32_t of) {
    listing.text += text + "\n";
    listing.lines.push_back(of);
  };
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view text = trimmed(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (text.starts_with("//## File")) {
      line = line_of(text, source_name);
    } else if (text.starts_with("/*") && text.find("*/") != std::string_view::npos) {
      add(instruction(text), line);
    } else if (text.ends_with(':') && !text.starts_with(".text.")) {
      add(std::string(text), 0);
    }
  }
  return listing;
}

Result<CubinKernel> read_cubin(const std::string& cubin, const std::string& symbol) {
  const File file(cubin);
  if (!file.is_cubin()) {
    return fail(tr("The machine code is not an ELF file for NVIDIA GPUs. Compile it again."));
  }
  const std::optional<std::uint32_t> function = file.function(symbol);
  const std::optional<ElfSection> text = file.section(".text." + symbol);
  CubinKernel kernel;
  if (!function || !text || !read_function_info(file, *function, kernel)) {
    return fail(
        tr("The machine code has no kernel {}, or does not give its register count. Name another "
           "entry, or compile with NVRTC 13.",
           symbol));
  }
  read_kernel_info(file, symbol, kernel);
  kernel.architecture = file.architecture();
  kernel.static_shared_bytes = static_shared(file, symbol);
  kernel.code.assign(text->contents.begin(), text->contents.end());
  if (const std::optional<ElfSection> constants = file.section(".nv.constant2." + symbol)) {
    kernel.constants.assign(constants->contents.begin(), constants->contents.end());
  }
  if (const std::optional<ElfSection> lines = file.section(".debug_line")) {
    kernel.lines = read_line_table(lines->contents, file.line_sequences(*text), kernel.code.size());
  }
  return kernel;
}

}  // namespace tilestep::ptx

#include "ptx/sass/sass.h"

#include "problem/tr.h"
#include "ptx/dwarf/line_table.h"

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <set>
#include <span>

namespace tilestep::ptx {
namespace {

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

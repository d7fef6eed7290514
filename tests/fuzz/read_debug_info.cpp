// Debug information: sections and their references, for one kernel with labels, shared memory and a
// stack frame. The result is a module with the invariants that the emulator requires, or a
// sentence.
//
// The bytes: four sections, each after its length (two bytes, little-endian); then references of
// four bytes: position (highest bit: in .debug_loc), symbol, and offset from it.
#include "ptx/dwarf/debug_info.h"
#include "ptx/invariants.h"
#include "ptx/model/module.h"
#include "ptx/text/parsed_text.h"
#include "require.h"
#include "targets.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tilestep::fuzz {
namespace {

constexpr const char* kKernel = R"(.version 9.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[16];
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
  .local .align 8 .b8 __local_depot0[16];
  .reg .b64 %SP;
  .reg .b64 %SPL;
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  .shared .align 4 .b8 _ZZ1kE2As[64];
  .loc 1 1 0
L0:
  mov.u64 %SPL, __local_depot0;
  cvta.local.u64 %SP, %SPL;
  ld.param.u64 %rd1, [k_param_0];
L1:
  .loc 1 2 3
  ld.param.u32 %r1, [k_param_1];
  st.u32 [%SP], %r1;
L2:
  ld.global.f32 %f1, [%rd1];
L3:
  .loc 1 3 3
  st.shared.f32 [_ZZ1kE2As], %f1;
L4:
  ret;
L5:
}
.file 1 "/k.cu"
)";
constexpr std::array kSections{".debug_abbrev", ".debug_info", ".debug_str", ".debug_loc"};
constexpr std::array kSymbols{"L0",
                              "L1",
                              "L2",
                              "L3",
                              "L4",
                              "L5",
                              "L_loc",
                              "k_param_0",
                              "k_param_1",
                              "k",
                              "_ZZ1kE2As",
                              "__local_depot0",
                              ".debug_abbrev",
                              ".debug_info",
                              ".debug_str",
                              ".debug_loc",
                              "table",
                              "nowhere"};

std::size_t number_at(Bytes bytes) {
  return bytes.size() < 2 ? bytes.size() : bytes[0] | bytes[1] << 8U;
}

Bytes take(Bytes& bytes, std::size_t size) {
  const Bytes taken = bytes.first(std::min(size, bytes.size()));
  bytes = bytes.subspan(taken.size());
  return taken;
}

void add_references(Bytes bytes, std::vector<ptx::Section>& sections) {
  constexpr std::size_t kInList = 0x8000;
  while (bytes.size() >= 4) {
    const Bytes one = take(bytes, 4);
    const std::size_t place = number_at(one);
    ptx::Section& section = sections[(place & kInList) != 0 ? 3 : 1];
    ptx::SectionReference reference;
    reference.offset = static_cast<std::uint32_t>(place % kInList);
    reference.bytes = 8;
    reference.symbol = kSymbols[one[2] % kSymbols.size()];
    reference.addend = one[3];
    const bool is_inside = reference.offset + reference.bytes <= section.bytes.size();
    const bool is_behind =
        section.references.empty() || section.references.back().offset < reference.offset;
    if (is_inside && is_behind) {
      section.references.push_back(reference);
    }
  }
}

}  // namespace

void read_debug_info(Bytes bytes) {
  auto parsed = ptx::parse_text(kKernel);
  require(parsed.has_value(), parsed ? "" : parsed.error().message);
  for (const char* const name : kSections) {
    ptx::Section section;
    section.name = name;
    const std::size_t size = number_at(bytes);
    (void)take(bytes, 2);
    const Bytes own = bytes.first(std::min(size, bytes.size()));
    std::transform(own.begin(), own.end(), std::back_inserter(section.bytes),
                   [](auto b) { return std::byte{b}; });
    (void)take(bytes, size);
    parsed->sections.push_back(std::move(section));
  }
  parsed->sections.back().labels.emplace_back("L_loc", 0);
  add_references(bytes, parsed->sections);
  if (const auto attached = ptx::attach_debug_info(*parsed); !attached) {
    require(!attached.error().message.empty(), "an error has a sentence");
    return;
  }
  const std::string broken = ptx::test::broken_invariant(parsed->module);
  require(broken.empty(), broken);
  for (const ptx::Function& function : parsed->module.functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      (void)ptx::visible_variables(function, pc);
    }
  }
}

}  // namespace tilestep::fuzz

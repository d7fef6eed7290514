#include "ptx/translate.h"

#include "problem/tr.h"
#include "ptx/parse.h"
#include "ptx/translator.h"

#include <cassert>
#include <set>

namespace tilestep::ptx {

bool Translator::translate() {
  using Method = bool (Translator::*)(Operands);
  static constexpr std::pair<std::string_view, Method> kMethods[] = {
      {"FFMA", &Translator::float_arithmetic},
      {"FADD", &Translator::float_arithmetic},
      {"FMUL", &Translator::float_arithmetic},
      {"HFMA2", &Translator::float_arithmetic},
      {"MUFU", &Translator::float_arithmetic},
      {"IADD3", &Translator::sum},
      {"UIADD3", &Translator::sum},
      {"VIADD", &Translator::sum},
      {"IADD", &Translator::sum},
      {"IMAD", &Translator::multiply_add},
      {"UIMAD", &Translator::multiply_add},
      {"LEA", &Translator::shifted_sum},
      {"ULEA", &Translator::shifted_sum},
      {"SHF", &Translator::shift},
      {"USHF", &Translator::shift},
      {"LOP3", &Translator::logic},
      {"ULOP3", &Translator::logic},
      {"PLOP3", &Translator::predicate_logic},
      {"P2R", &Translator::predicate_logic},
      {"ISETP", &Translator::compare},
      {"UISETP", &Translator::compare},
      {"FSETP", &Translator::compare},
      {"FMNMX", &Translator::minimum},
      {"VIMNMX", &Translator::minimum},
      {"VIADDMNMX", &Translator::minimum},
      {"IMNMX", &Translator::minimum},
      {"UVIMNMX", &Translator::minimum},
      {"PRMT", &Translator::permute},
      {"SEL", &Translator::select},
      {"USEL", &Translator::select},
      {"FSEL", &Translator::select},
      {"MOV", &Translator::move},
      {"UMOV", &Translator::move},
      {"S2R", &Translator::move},
      {"S2UR", &Translator::move},
      {"CS2R", &Translator::move},
      {"LDC", &Translator::move},
      {"ULDC", &Translator::move},
      {"LDCU", &Translator::move},
      {"R2UR", &Translator::move},
      {"IABS", &Translator::convert},
      {"I2F", &Translator::convert},
      {"F2I", &Translator::convert},
      {"I2FP", &Translator::convert},
      {"POPC", &Translator::convert},
      {"BREV", &Translator::convert},
      {"SHFL", &Translator::shuffle},
      {"LDG", &Translator::access},
      {"STG", &Translator::access},
      {"LDS", &Translator::access},
      {"STS", &Translator::access},
      {"LDL", &Translator::access},
      {"STL", &Translator::access},
      {"ATOMG", &Translator::access},
      {"ATOMS", &Translator::access},
      {"REDG", &Translator::access},
      {"LDGSTS", &Translator::copy_async},
      {"HMMA", &Translator::product_of_matrices},
      {"BRA", &Translator::control},
      {"CALL", &Translator::control},
      {"EXIT", &Translator::control},
      {"VOTEU", &Translator::control},
      {"VOTE", &Translator::control},
      {"BAR", &Translator::control},
      {"LDGDEPBAR", &Translator::control},
      {"DEPBAR", &Translator::control},
      {"MEMBAR", &Translator::control},
      {"BSSY", &Translator::control},
      {"BSYNC", &Translator::control},
      {"BREAK", &Translator::control},
      {"WARPSYNC", &Translator::control},
      {"YIELD", &Translator::control},
      {"NOP", &Translator::control},
      {"ERRBAR", &Translator::control},
      {"CGAERRBAR", &Translator::control},
      {"CCTL", &Translator::control},
  };
  const auto* const method =
      std::ranges::find_if(kMethods, [&](const auto& m) { return m.first == i_->name; });
  return method != std::end(kMethods) && (this->*method->second)(i_->operands) && is_marked_ &&
         !is_refused_;
}

void Translator::write_line() {
  const std::uint32_t line = index_ < kernel_.lines.size() ? kernel_.lines[index_] : 0;
  if (line != line_) {
    body_ += fmt::format("\t.loc 1 {} 0\n", line);
    line_ = line;
  }
}

std::string Translator::declarations() const {
  std::string text = fmt::format(
      "\t.reg .pred %P<7>;\n\t.reg .pred %UP<7>;\n\t.reg .pred %c<8>;\n\t.reg .pred %never;\n"
      "\t.reg .b32 %R<{}>;\n\t.reg .b32 %UR<{}>;\n\t.reg .b32 %t<{}>;\n\t.reg .b64 %d<{}>;\n",
      registers_, uniforms_, most_words_, most_pairs_);
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.function == entry_ && !variable.is_extern) {
      text += fmt::format("\t.shared .align {} .b8 {}[{}];\n", variable.align, variable.symbol,
                          variable.bytes);
    }
  }
  return text;
}

// Paths meet where machine code says so: after the BSYNC of the innermost BSSY around a branch;
// each path executes the BSYNC. Without one they go on separately until they exit. A path that
// leaves a region (BREAK) does not execute its BSYNC: the region around it is where all of its
// paths meet.
void Translator::set_meeting_places(Function& function,
                                    const std::vector<SassInstruction>& decoded) const {
  struct Region {
    std::int64_t first;
    std::int64_t end;  // offset of the instruction after BSYNC
    std::int64_t barrier;
    bool is_left = false;
    [[nodiscard]] bool contains(std::int64_t offset) const {
      return first < offset && offset < end;
    }
  };
  std::vector<Region> regions;  // a later one is the inner one
  for (const SassInstruction& instruction : decoded) {
    if (instruction.name == "BSSY") {
      regions.push_back(
          {instruction.offset, instruction.operands[1].value, instruction.operands[0].value});
    }
  }
  for (const SassInstruction& instruction : decoded) {
    for (Region& region : regions) {
      region.is_left |= instruction.name == "BREAK" && region.contains(instruction.offset) &&
                        region.barrier == instruction.operands[1].value;
    }
  }
  std::map<std::int64_t, std::uint32_t> first_pcs;  // by offset
  for (std::uint32_t pc = 0; pc < owners_.size(); ++pc) {
    first_pcs.emplace(decoded[owners_[pc]].offset, pc);
  }
  for (std::uint32_t pc = 0; pc < owners_.size(); ++pc) {
    if (function.instructions[pc].op != Opcode::Bra) {
      continue;
    }
    const std::int64_t offset = decoded[owners_[pc]].offset;
    std::uint32_t meeting = kNoPc;
    for (const Region& region : regions) {
      if (region.contains(offset) && !region.is_left) {
        const auto place = first_pcs.find(region.end);
        meeting = place == first_pcs.end() ? kNoPc : place->second;
      }
    }
    function.instructions[pc].reconverge = meeting;
  }
}

Result<void> Translator::translate_all(const std::vector<SassInstruction>& decoded) {
  std::set<std::int64_t> targets;
  for (const SassInstruction& instruction : decoded) {
    if (instruction.name == "BRA" || instruction.name == "CALL") {
      targets.insert(instruction.operands.back().value);
    }
  }
  for (index_ = 0; index_ < decoded.size(); ++index_) {
    i_ = &decoded[index_];
    write_line();
    if (targets.contains(i_->offset)) {
      body_ += fmt::format("L_{:x}:\n", i_->offset);
    }
    const bool is_never_executed = i_->guard == kTruePredicate && i_->guard_is_negated;
    if (is_never_executed && i_->name == "LDS") {
      ++padding_;
      continue;
    }
    guard_.clear();
    if (i_->guard != kTruePredicate) {
      guard_ = fmt::format("@{}%{}{} ", i_->guard_is_negated ? "!" : "",
                           i_->guard_is_uniform ? "UP" : "P", i_->guard);
    } else if (is_never_executed) {
      guard_ = "@%never ";
      uses_never_ = true;
    }
    is_marked_ = false;
    is_refused_ = false;
    words_ = 0;
    pairs_ = 0;
    if (!translate()) {
      return fail(tr("The instruction {} at 0x{:x} of the machine code is not simulated.",
                     i_->text(), i_->offset));
    }
    most_words_ = std::max(most_words_, words_);
    most_pairs_ = std::max(most_pairs_, pairs_);
  }
  return {};
}

// The head of the file and of the kernel.
std::string Translator::head() const {
  std::string text =
      fmt::format(".version {}\n.target sm_{}\n.address_size 64\n",
                  fast_.version.empty() ? "9.0" : fast_.version, kernel_.architecture);
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.is_extern) {
      text += fmt::format(".extern .shared .align {} .b8 {}[];\n", variable.align, variable.symbol);
    }
  }
  text += fmt::format(".visible .entry {}(\n", function_.symbol);
  for (std::size_t k = 0; k < function_.params.size(); ++k) {
    const Param& param = function_.params[k];
    const bool is_bytes = param.bytes != byte_size(param.type);
    text += is_bytes ? fmt::format("\t.param .align {} .b8 {}[{}]", param.align, param.symbol,
                                   param.bytes)
                     : fmt::format("\t.param .b{} {}", 8 * param.bytes, param.symbol);
    text += k + 1 < function_.params.size() ? ",\n" : "\n";
  }
  return text + ")\n{\n" + declarations();
}

// Lines before the first instruction.
std::vector<std::string> Translator::first_lines() const {
  std::vector<std::string> lines;
  if (uses_never_) {
    lines.emplace_back("\tsetp.ne.u32 %never, 0, 0;\n");
  }
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.is_extern) {  // it belongs to the kernel
      lines.push_back(fmt::format("\tmov.u32 %t0, {};\n", variable.symbol));
    }
  }
  return lines;
}

// Gives the kernel the names and types of the fast build.
void Translator::take_names(Module& module) const {
  Function& function = module.functions.front();
  function.name = function_.name;
  module.types = fast_.types;
  for (MemoryVariable& variable : module.variables) {
    for (const MemoryVariable& known : fast_.variables) {
      if (known.symbol == variable.symbol) {
        variable.name = known.name;
        variable.type = known.type;
      }
    }
  }
  for (std::size_t k = 0; k < function.params.size(); ++k) {
    function.params[k].type = function_.params[k].type;
  }
}

Result<Module> Translator::module() {
  auto decoded = decode_sass(kernel_.code, kernel_.architecture);
  TILESTEP_RETURN_IF_ERROR(decoded);
  while (!decoded->empty() && is_filling(decoded->back())) {
    decoded->pop_back();
  }
  const auto translated = translate_all(*decoded);
  TILESTEP_RETURN_IF_ERROR(translated);
  std::string text = head();
  const std::vector<std::string> before = first_lines();
  for (const std::string& line : before) {
    text += line;
  }
  represented_.insert(represented_.begin(), before.size(), kNoPc);
  owners_.insert(owners_.begin(), before.size(), 0);
  text += body_ + "}\n.file 1 \"" + (fast_.files.size() > 1 ? fast_.files[1] : "") + "\"\n";
  Result<Module> module = parse(std::move(text));
  TILESTEP_RETURN_IF_ERROR(module);
  Function& function = module->functions.front();
  assert(function.instructions.size() - represented_.size() <= 1 && "parse() adds a return only");
  represented_.resize(function.instructions.size(), kNoPc);
  for (const Instruction& instruction : function.instructions) {
    if (instruction.op == Opcode::Unknown) {
      return fail(tr("An instruction of the machine code is not simulated: {}.",
                     std::string(instruction_text(*module, instruction))));
    }
  }
  set_meeting_places(function, *decoded);
  function.machine_code = std::move(represented_);
  for (const auto& [pc, count] : padded_) {
    function.padding.emplace(pc + static_cast<std::uint32_t>(before.size()), count);
  }
  function.local_bytes = kernel_.local_bytes;
  module->is_machine_code = true;
  take_names(*module);
  return module;
}

Result<Module> translate_sass(const CubinKernel& kernel, const Module& fast, std::uint32_t entry) {
  if (kernel.architecture < kConstantBanks.back().architecture) {
    return fail(tr("Machine code is simulated from compute capability 8.0 on, not for {}.{}.",
                   kernel.architecture / 10, kernel.architecture % 10));
  }
  return Translator(kernel, fast, entry).module();
}

}  // namespace tilestep::ptx

#include "ptx/dump.h"

#include "ptx/text/assemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace tilestep::ptx::test {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string offset_text(std::int64_t value) {
  return value == 0 ? std::string() : fmt::format("{:+}", value);
}

std::string target_text(const Function& function, const Instruction& instruction) {
  std::string text;
  if (instruction.op == Opcode::Bra) {
    text = fmt::format(" -> {}", instruction.target);
  } else if (instruction.op == Opcode::BrxIdx) {
    text = fmt::format(" -> {}", fmt::join(function.branch_tables[instruction.target], ", "));
  }
  if (instruction.reconverge != kNoPc) {
    text += fmt::format(" meet {}", instruction.reconverge);
  }
  return text;
}

std::string bytes_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kShown = 64;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kShown))) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return bytes.size() > kShown ? text + "..." : text;
}

void dump_variable(const Module& module, std::size_t index, Out out) {
  const MemoryVariable& variable = module.variables[index];
  fmt::format_to(out, "variable {} .{} {} \"{}\" bytes {} align {}", index,
                 space_name(variable.space), variable.symbol, variable.name, variable.bytes,
                 variable.align);
  if (variable.is_extern) {
    fmt::format_to(out, " extern");
  }
  if (variable.function != 0xffffffffU) {
    fmt::format_to(out, " in function {}", variable.function);
  }
  if (variable.space == Space::Local) {
    fmt::format_to(out, " at {}", variable.local_offset);
  }
  if (!variable.initial.empty()) {
    fmt::format_to(out, " = {}", bytes_text(variable.initial));
  }
  fmt::format_to(out, "\n");
  for (const MemoryVariable::Relocation& relocation : variable.relocations) {
    const std::string& symbol = relocation.is_function
                                    ? module.functions[relocation.variable].symbol
                                    : module.variables[relocation.variable].symbol;
    fmt::format_to(out, "  +{}: {}{}{}", relocation.offset, relocation.generic ? "generic " : "",
                   symbol, offset_text(relocation.addend));
    if (relocation.bytes != 8) {
      fmt::format_to(out, " bytes {} of >> {}", relocation.bytes, relocation.shift);
    }
    fmt::format_to(out, "\n");
  }
}

std::string_view class_name(RegisterClass cls) {
  switch (cls) {
    case RegisterClass::Pred:
      return "pred";
    case RegisterClass::B16:
      return "b16";
    case RegisterClass::B32:
      return "b32";
    case RegisterClass::B64:
      return "b64";
    case RegisterClass::B128:
      return "b128";
  }
  return "?";
}

// One line for each declaration: registers of one class in a row, named alike.
void dump_registers(const Function& function, Out out) {
  const auto stem = [&](std::size_t i) {
    const std::string& name = function.register_names[i];
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
  };
  for (std::size_t first = 0; first < function.registers.size();) {
    std::size_t last = first;
    while (last + 1 < function.registers.size() && stem(last + 1) == stem(first) &&
           function.registers[last + 1].cls == function.registers[first].cls) {
      ++last;
    }
    fmt::format_to(out, "  registers {}", function.register_names[first]);
    if (last > first) {
      fmt::format_to(out, " .. {}", function.register_names[last]);
    }
    fmt::format_to(out, " .{} at {}\n", class_name(function.registers[first].cls),
                   function.registers[first].index);
    first = last + 1;
  }
}

void dump_params(std::string_view title, const std::vector<Param>& params, Out out) {
  for (const Param& param : params) {
    fmt::format_to(out, "  {} {} .{} bytes {} align {} at {}\n", title, param.symbol,
                   type_name(param.type), param.bytes, param.align, param.offset);
  }
}

void dump_lines(const Function& function, Out out) {
  for (std::size_t i = 1; i < function.lines.size(); ++i) {
    const Line& line = function.lines[i];
    if (line.inlined_at != 0) {
      fmt::format_to(out, "  line {} {}:{}:{} \"{}\" inlined at {}\n", i, line.file, line.line,
                     line.column, line.function, line.inlined_at);
    }
  }
}

void dump_instructions(const Module& module, const Function& function, Out out) {
  for (std::size_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    const Line& line = function.lines[instruction.line];
    std::string text = assemble(module, function, instruction);
    if (instruction.op == Opcode::Unknown) {
      text += fmt::format(" \"{}\"", instruction_text(module, instruction));
    }
    fmt::format_to(out, "  {:4} {:2}:{:<3} {}{}\n", pc, line.file, line.line, text,
                   target_text(function, instruction));
  }
}

void dump_function(const Module& module, std::size_t index, Out out) {
  const Function& function = module.functions[index];
  fmt::format_to(out, "\nfunction {} {}{}{} {} \"{}\"\n", index,
                 function.is_entry ? "entry" : "func", function.is_defined ? "" : " declared",
                 function.is_builtin ? " builtin" : "", function.symbol, function.name);
  dump_params("param", function.params, out);
  dump_params("return", function.returns, out);
  if (!function.is_defined) {
    return;
  }
  fmt::format_to(out, "  text lines {} to {}\n", function.first_text_line, function.last_text_line);
  fmt::format_to(out, "  bytes: params {}, calls {}, local {}; words {}, predicates {}\n",
                 function.param_bytes, function.call_bytes, function.local_bytes,
                 function.register_words, function.predicate_count);
  if (function.max_ntid[0] != 0) {
    fmt::format_to(out, "  block at most {} x {} x {}\n", function.max_ntid[0],
                   function.max_ntid[1], function.max_ntid[2]);
  }
  dump_registers(function, out);
  dump_lines(function, out);
  dump_instructions(module, function, out);
}

}  // namespace

std::string dump(const Module& module) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "version {} target {}{}\n", module.version, module.target,
                 module.is_debug ? " debug" : "");
  for (std::size_t i = 0; i < module.files.size(); ++i) {
    if (!module.files[i].empty()) {
      fmt::format_to(out, "file {} \"{}\"\n", i, module.files[i]);
    }
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    dump_variable(module, i, out);
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    dump_function(module, i, out);
  }
  return text;
}

}  // namespace tilestep::ptx::test

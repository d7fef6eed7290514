// Private to app/ptx: the operands of an instruction checked against its opcode's signature.
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/model/module.h"
#include "ptx/text/opcode_form.h"
#include "ptx/text/operand_reader.h"

#include <vector>

namespace tilestep::ptx {

// Appends the operands to `operands` and completes `instruction` (made from form.prototype). False,
// with nothing appended, when they do not fit: the instruction is Unknown then.
[[nodiscard]] bool bind_operands(const Form& form, const TextOperands& text, const Module& module,
                                 Instruction& instruction, std::vector<Operand>& operands);

}  // namespace tilestep::ptx

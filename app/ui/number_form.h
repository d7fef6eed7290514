// Numbers of the run in the form that was chosen: decimal, the bits as hexadecimal or binary, or
// every digit.
#pragma once

#include "problem/values/element.h"
#include "record/value.h"
#include "state/app_state.h"

#include <optional>
#include <string>

namespace tilestep::ui {

// An element of this type; nothing: a float32. Decimal is full_number's.
//   Hex      "0x40A00000": the element's bits
//   Binary   "0 10000001 01000000000000000000000": sign, exponent, fraction; integers by bytes
//   Exact    "0.100000001490116119384765625": the number that a float is, without rounding
[[nodiscard]] std::string formed_number(double value, std::optional<problem::ElementType> type,
                                        state::NumberForm form);

// A variable: its bits where it is a number or a pointer; structures and arrays stay as they are.
[[nodiscard]] std::string formed_value(const simt::Program& program, const record::Value& value,
                                       state::NumberForm form);

}  // namespace tilestep::ui

// Values of source variables, with their types.
#pragma once

#include "ptx/model/module.h"
#include "simt/machine/machine.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::record {

// A value with its type, for the inspector and the tooltip.
struct Value {
  enum class Status : std::uint8_t {
    Ok,
    NotYetAssigned,
    OptimisedOut,
    OutOfScope,
    ThreadExited,
    Unreadable
  };
  Status status = Status::Unreadable;
  ptx::TypeId type = ptx::kNoType;
  std::vector<std::byte> bytes;

  friend bool operator==(const Value&, const Value&) = default;
};

struct NamedValue {
  std::string name;
  bool is_parameter = false;
  Value value;
};

// A value as text: "73", "0.5", "{width: 8, …}", "&A[1][3]"; "–" if there is none yet. Floats: the
// shortest text that reads back as the same value.
[[nodiscard]] std::string format_value(const simt::Program& program, const Value& value);

}  // namespace tilestep::record

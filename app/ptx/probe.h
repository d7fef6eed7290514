// Private to app/ptx: the names a probe uses. What a probe is, and why: docs/ptx.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::ptx {

// `As` declared at the probe's 3rd place is measured by the pointer `As__tilestep_probe_3`.
[[nodiscard]] std::string probe_name(std::string_view variable, std::uint32_t place);

struct ProbeName {
  std::string_view variable;
  std::uint32_t place = 0;  // counts the declarations of a text, from its start
};
[[nodiscard]] std::optional<ProbeName> parse_probe_name(std::string_view name);

}  // namespace tilestep::ptx

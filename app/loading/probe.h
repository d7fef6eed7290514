// Probes find the types of shared arrays. docs/reading-ptx.md explains them.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::loading {

// Text with a probe inserted for each shared array of `module`; empty if there is nothing to probe.
[[nodiscard]] std::string make_probe_source(const std::string& source, const ptx::Module& module);
// Copies the types that a probe's module found into `module`, and makes the variables visible in
// their blocks. Symbols without a match, or of another size, stay raw bytes. In a module without
// debug information, variables outside functions get their types from `probe` as well.
void apply_probe(ptx::Module& module, const ptx::Module& probe);

// `As` declared at the probe's 3rd place is measured by the pointer `As__tilestep_probe_3`.
[[nodiscard]] std::string probe_name(std::string_view variable, std::uint32_t place);

struct ProbeName {
  std::string_view variable;
  std::uint32_t place = 0;  // index of the declaration in the text
};
[[nodiscard]] std::optional<ProbeName> parse_probe_name(std::string_view name);

}  // namespace tilestep::loading

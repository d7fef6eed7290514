// A sum of products as the subcommands print it.
#pragma once

#include "insight/trace/origin.h"
#include "simt/machine/program.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tilestep::cli {

// "A[1][2]", or the number of a constant.
[[nodiscard]] std::string factor_text(const simt::Program& program,
                                      const insight::Term::Factor& factor);
[[nodiscard]] nlohmann::json factor_json(const simt::Program& program,
                                         const insight::Term::Factor& factor);
[[nodiscard]] nlohmann::json sum_json(const simt::Program& program,
                                      const insight::Accumulation& sum);
// One line a term.
void print_terms(const simt::Program& program, const insight::Accumulation& sum);

}  // namespace tilestep::cli

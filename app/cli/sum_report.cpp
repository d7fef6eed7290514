#include "cli/sum_report.h"

#include "cli/say.h"
#include "insight/trace/origin.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace tilestep::cli {

namespace {

using nlohmann::json;

constexpr std::uint32_t kNoBuffer = 0xffffffffU;

// "7", "(-7)": no sign runs into the dot.
std::string number_text(float value) {
  return std::signbit(value) && !std::isnan(value) ? fmt::format("({:g})", value)
                                                   : fmt::format("{:g}", value);
}

}  // namespace

std::string factor_text(const simt::Program& program, const insight::Term::Factor& factor) {
  return factor.launch_buffer == kNoBuffer
             ? number_text(factor.value)
             : insight::name_of(program, {factor.launch_buffer, factor.row, factor.col});
}

nlohmann::json factor_json(const simt::Program& program, const insight::Term::Factor& factor) {
  return {
      {"element", factor.launch_buffer == kNoBuffer ? json() : json(factor_text(program, factor))},
      {"value", factor.value},
      {"via", factor.via},
      {"loaded_by", factor.loaded_by}};
}

nlohmann::json sum_json(const simt::Program& program, const insight::Accumulation& sum) {
  json terms = json::array();
  for (const insight::Term& term : sum.terms) {
    terms.push_back({{"a", factor_json(program, term.a)},
                     {"b", factor_json(program, term.b)},
                     {"times", term.times},
                     {"step", term.step}});
  }
  return {{"initial", sum.initial}, {"complete", sum.complete}, {"terms", std::move(terms)}};
}

void print_terms(const simt::Program& program, const insight::Accumulation& sum) {
  for (const insight::Term& term : sum.terms) {
    say("  {} {}{}{}·{}{}  = {}·{}  step {}\n", term.times < 0.0 ? "−" : "+",
        std::abs(term.times) == 1.0 ? "" : fmt::format("{:g}·", std::abs(term.times)),
        factor_text(program, term.a), term.a.via.empty() ? "" : " via " + term.a.via,
        factor_text(program, term.b), term.b.via.empty() ? "" : " via " + term.b.via,
        number_text(term.a.value), number_text(term.b.value), term.step);
  }
}

}  // namespace tilestep::cli

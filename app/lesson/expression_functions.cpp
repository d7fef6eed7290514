#include "lesson/expression.h"
#include "problem/describe/toml_reader.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tilestep::lesson {
namespace {

using Kind = Expression::Kind;

constexpr std::array kFunctions = std::to_array<FunctionOfRun>({
    // A thread or a cell, at a place.
    {"value", "x", "btp", "", "value(NAME, b0, t0, PLACE)"},
    {"cell", "c", "bp", "", "cell(As[1][2], b0, PLACE)"},
    {"writer", "c", "bp", "", "writer(As[1][2], b0, PLACE)"},
    {"source", "c", "bp", "", "source(As[1][2], b0, PLACE)"},
    {"read", "n", "btp", "", "read(B, b0, t0, PLACE)"},
    {"stored", "n?", "bt", "", "stored(C, b0, t0)"},
    {"constants", "n", "bp", "", "constants(As, b0, PLACE)"},
    {"cells", "n", "", "", "cells(As)"},
    {"line", "", "btp", "", "line(b0, t0, PLACE)"},
    {"active", "", "bwp", "", "active(b0, w0, PLACE)"},
    {"masked", "", "bwp", "", "masked(b0, w0, PLACE)"},
    {"sectors", "n", "btp", "", "sectors(A, b0, t0, PLACE)"},
    {"passes", "n", "btp", "", "passes(As, b0, t0, PLACE)"},
    {"thread", "ee?", "b", "", "thread(X, Y, b0)"},
    // The launch.
    {"loads", "c", "", "", "loads(A[1][2])"},
    {"products", "c", "", "", "products(A[1][2])"},
    {"count", "n", "", "", "count(loads.A)"},
    {"machine_count", "n", "", "", "machine_count(shared_loads.wavefronts)"},
    {"wrong", "", "", "", "wrong()"},
    {"findings", "", "", "", "findings()"},
    {"found", "e", "", "", "found('misaligned access')"},
    {"finding", "e", "",
     "kind line variable element sentence occurrences thread load.line store.line load.thread "
     "store.thread",
     "finding(0).line"},
    {"grid", "n", "", "", "grid(x)"},
    {"block", "n", "", "", "block(x)"},
    {"blocks", "", "", "", "blocks()"},
    {"threads", "", "", "", "threads()"},
    {"idle_lanes", "", "", "", "idle_lanes()"},
    {"largest_launch", "n", "", "", "largest_launch(K)"},
    {"occupancy", "ene?", "", "", "occupancy(16, blocks)"},
    // The data set.
    {"time", "nee?e?e?", "", "", "time(tiled, 4096, 16)"},
    {"warm_time", "nee?e?e?", "", "", "warm_time(tiled, 4096, 16)"},
    {"gflops", "nee?e?e?", "", "", "gflops(tiled, 4096, 16)"},
    {"share", "nee?e?e?", "", "", "share(tiled, 4096, 16)"},
    {"verified", "nee?e?e?", "", "", "verified(tiled, 4096, 16)"},
    {"ceiling", "n", "", "", "ceiling(dram_gb_s)"},
    // One SM in time.
    {"sm", "n", "", "", "sm(clocks)"},
    {"measured_sm", "n", "", "", "measured_sm(clocks)"},
    {"wave_clocks", "e", "", "", "wave_clocks(4)"},
    {"measured_wave_clocks", "e", "", "", "measured_wave_clocks(4)"},
    {"latency", "n", "", "", "latency(shared)"},
    // Numbers.
    {"ceil_div", "ee", "", "", "ceil_div(N, BLOCK_SIZE)"},
    {"min", "e*", "", "", "min(A, B)"},
    {"max", "e*", "", "", "max(A, B)"},
    {"abs", "e", "", "", "abs(A)"},
    {"sqrt", "e", "", "", "sqrt(A)"},
    {"floor", "e", "", "", "floor(A)"},
    {"round", "ee?", "", "", "round(A, 2)"},
    {"digits", "ee", "", "", "digits(A, 3)"},
    // Other launches.
    {"with", "e", "s", "", "with(block_size = 2, EXPRESSION)"},
    {"argmax", "ne*", "", "", "argmax(block_size, 4, 8, EXPRESSION)"},
    {"argmin", "ne*", "", "", "argmin(block_size, 4, 8, EXPRESSION)"},
    {"order", "ne*", "", "", "order(block_size, 4, 8, EXPRESSION)"},
});

constexpr std::array kNames = std::to_array<std::string_view>(
    {"M", "N", "K", "BLOCK_SIZE", "warp_size", "yes", "no", "error.max", "error.average"});

bool is_of_several_launches(std::string_view name) {
  return name == "argmax" || name == "argmin" || name == "order";
}

// Whether an argument has the kind that the table requires.
bool suits(const Expression& part, char wanted) {
  switch (wanted) {
    case 'c':
      return part.kind == Kind::Cell;
    case 'n':
      return part.kind == Kind::Name;
    default:
      return true;
  }
}

char letter_of(const Expression& part) {
  switch (part.kind) {
    case Kind::Block:
      return 'b';
    case Kind::Thread:
      return 't';
    case Kind::Warp:
      return 'w';
    case Kind::Place:
      return 'p';
    case Kind::Setting:
      return 's';
    default:
      return '\0';
  }
}

std::optional<std::string> mistake_in_call(const Expression& call) {
  const FunctionOfRun& function = *find_function(call.text);
  const auto wrong_form = [&] { return tr("write it as {}", function.form); };
  std::string seen;
  std::vector<const Expression*> positional;
  for (const Expression& part : call.parts) {
    const char letter = letter_of(part);
    const bool is_first_of_value = function.arguments == "x" && positional.empty();
    if (letter == '\0' || is_first_of_value) {
      positional.push_back(&part);
    } else if (function.also.find(letter) == std::string_view::npos ||
               (letter != 's' && seen.find(letter) != std::string::npos)) {
      return wrong_form();
    } else {
      seen += letter;
    }
  }
  std::size_t at = 0;
  bool any_number = false;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const char next = i + 1 < function.arguments.size() ? function.arguments[i + 1] : '\0';
    if (function.arguments[i] == '?' || function.arguments[i] == '*') {
      continue;
    }
    if (at == positional.size() && next != '?') {
      return wrong_form();
    }
    if (at < positional.size()) {
      if (!suits(*positional[at], function.arguments[i])) {
        return wrong_form();
      }
      ++at;
    }
    any_number = next == '*';
  }
  const bool too_many = at < positional.size() && !any_number;
  const bool too_few = is_of_several_launches(call.text) && positional.size() < 4;
  return too_many || too_few ? std::optional(wrong_form()) : std::nullopt;
}

bool is_name_of_run(const std::string& name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

// True for arguments that are plain names: kernels, axes, paths of counters, fields.
bool may_be_any_name(const Expression& call, std::size_t part) {
  if (is_of_several_launches(call.text)) {
    return part + 1 < call.parts.size();
  }
  const FunctionOfRun& function = *find_function(call.text);
  std::size_t at = 0;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    if (function.arguments[i] == '?' || function.arguments[i] == '*') {
      continue;
    }
    if (at++ == part) {
      return function.arguments[i] == 'n' || function.arguments[i] == 'x';
    }
  }
  return false;
}

}  // namespace

std::span<const FunctionOfRun> functions_of_run() {
  return kFunctions;
}

const FunctionOfRun* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &FunctionOfRun::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

std::string unknown_function(const std::string& name) {
  std::vector<std::string_view> known;
  for (const FunctionOfRun& function : kFunctions) {
    known.push_back(function.name);
  }
  const std::string near = problem::nearest(name, known);
  return near.empty() ? tr("unknown function '{}'; known functions: {}", shortened(name),
                           fmt::join(known, ", "))
                      : tr("unknown function '{}'. Did you mean '{}'?", name, near);
}

namespace {

// A field that the function does not have, or a required field that is missing.
std::optional<std::string> mistake_in_field(const Expression& field) {
  const FunctionOfRun& function = *find_function(field.parts.front().text);
  if (function.fields.empty()) {
    return tr("{} has no fields; write it as {}", function.name, function.form);
  }
  const bool is_there =
      !field.text.empty() &&
      fmt::format(" {} ", function.fields).find(fmt::format(" {} ", field.text)) !=
          std::string::npos;
  return is_there ? std::nullopt
                  : std::optional(tr("{} has no field '{}'; known fields: {}", function.name,
                                     shortened(field.text), function.fields));
}

std::optional<std::string> mistake_in_parts(const Expression& expression) {
  for (std::size_t i = 0; i < expression.parts.size(); ++i) {
    const Expression& part = expression.parts[i];
    const bool is_call = expression.kind == Kind::Call;
    const bool is_kernels_own =
        is_call && i == 0 && find_function(expression.text)->arguments == "x";
    const bool any_name =
        expression.kind == Kind::Setting || (is_call && may_be_any_name(expression, i));
    if (is_kernels_own || (any_name && part.kind == Kind::Name)) {
      continue;
    }
    if (auto mistake = mistake_in(part)) {
      return mistake;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> mistake_in(const Expression& expression) {
  if (expression.kind == Kind::Name && !is_name_of_run(expression.text)) {
    return tr("unknown name '{}'; known names: {}", shortened(expression.text),
              fmt::join(kNames, ", "));
  }
  if (expression.kind == Kind::Field) {
    const Expression& call = expression.parts.front();
    if (auto mistake = mistake_in_field(expression)) {
      return mistake;
    }
    auto mistake = mistake_in_call(call);
    return mistake ? mistake : mistake_in_parts(call);
  }
  if (expression.kind == Kind::Call) {
    const FunctionOfRun& function = *find_function(expression.text);
    if (!function.fields.empty()) {
      return tr("write it as {}", function.form);
    }
    if (auto mistake = mistake_in_call(expression)) {
      return mistake;
    }
  }
  return mistake_in_parts(expression);
}

}  // namespace tilestep::lesson

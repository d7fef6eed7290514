#include "course/asked.h"
#include "course/lab.h"
#include "problem/describe/catalog.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

struct CountWords {
  std::string_view path;
  Message words;
};
// Counts of a launch, or of the buffer whose name follows after a dot.
constexpr std::array kBufferCounts = std::to_array<CountWords>({
    {"loads", Message("loads of {of}")},
    {"stores", Message("stores of {of}")},
    {"atomics", Message("atomic operations on {of}")},
    {"sectors", Message("sectors of {of}")},
    {"requests", Message("requests of {of}")},
    {"bytes", Message("bytes transferred for {of}")},
    {"sectors_per_request", Message("sectors per request of {of}")},
});
constexpr Message kGlobal = "global memory";

constexpr std::array kKinds = std::to_array<CountWords>({
    {"global_loads", Message("loads from global memory")},
    {"global_stores", Message("stores to global memory")},
    {"global_atomics", Message("atomic operations on global memory")},
    {"shared_loads", Message("loads from shared memory")},
    {"shared_stores", Message("stores to shared memory")},
    {"shared_atomics", Message("atomic operations on shared memory")},
});
constexpr std::array kFields = std::to_array<CountWords>({
    {"elements", Message("elements of {of}")},
    {"words", Message("words of {of}")},
    {"requests", Message("requests of {of}")},
    {"threads", Message("threads of {of}")},
    {"bytes", Message("bytes of {of}")},
    {"sectors", Message("sectors of {of}")},
    {"ideal_sectors", Message("minimum sectors of {of}")},
    {"wavefronts", Message("passes of {of}")},
    {"ideal_wavefronts", Message("minimum passes of {of}")},
    {"conflicts", Message("bank conflicts of {of}")},
    {"degree", Message("passes per request of {of}")},
});
constexpr std::array kWholeCounts = std::to_array<CountWords>({
    {"barriers", Message("barriers of all blocks")},
    {"barriers_per_block", Message("barriers per block")},
    {"flops", Message("floating-point operations")},
    {"instructions", Message("warp instructions")},
    {"flops_per_byte", Message("floating-point operations per byte")},
    {"flops_per_sector_byte", Message("floating-point operations per byte of the sectors")},
    {"shared_bytes", Message("bytes of shared memory per block")},
    {"sectors_per_request.max", Message("sectors per request of the worst access")},
});
// Words in the singular.
constexpr std::array kOne = std::to_array<CountWords>({
    {"error.max", Message("the largest relative error")},
    {"error.average", Message("the average relative error")},
});

template <std::size_t count>
const char* find_words(const std::array<CountWords, count>& table, std::string_view path) {
  const auto found = std::ranges::find(table, path, &CountWords::path);
  return found == table.end() ? nullptr : found->words.text();
}

std::string with_of(const char* words, std::string_view of) {
  return fmt::format(fmt::runtime(words), fmt::arg("of", of));
}

std::string capital(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

const lesson::Expression* setting(const lesson::Expression& call, std::string_view key) {
  const auto found = std::ranges::find_if(call.parts, [key](const lesson::Expression& part) {
    return part.kind == Kind::Setting && part.text == key;
  });
  return found == call.parts.end() ? nullptr : &*found;
}

// with(kernel = tiled, count(loads.A))
std::optional<std::string> words_of_with(const lesson::Expression& call) {
  const lesson::Expression* const kernel = setting(call, "kernel");
  const auto settings = std::ranges::count(call.parts, Kind::Setting, &lesson::Expression::kind);
  if (kernel == nullptr || settings != 1 || kernel->parts.empty()) {
    return std::nullopt;
  }
  const lesson::Expression& of = call.parts.back();
  const std::string words = words_of_expression(of);
  return words == of.source
             ? std::nullopt
             : std::optional(fmt::format(fmt::runtime(lab_english::kOfKernel.text()),
                                         fmt::arg("count", words),
                                         fmt::arg("kernel", kernel->parts.front().source)));
}

// The words of count(PATH); nullopt if there are none.
std::optional<std::string> words_of_count(const std::string& path) {
  if (const char* const whole = find_words(kWholeCounts, path)) {
    return whole;
  }
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  const std::string tail = dot == std::string::npos ? "" : path.substr(dot + 1);
  const char* const kind = find_words(kKinds, head);
  const char* const field = find_words(kFields, tail);
  if (kind != nullptr && field != nullptr) {
    return with_of(field, kind);
  }
  const char* const of_buffer = find_words(kBufferCounts, head);
  return of_buffer == nullptr
             ? std::nullopt
             : std::optional(with_of(of_buffer, tail.empty() ? kGlobal.text() : tail));
}

std::optional<std::string> words_of_call(const lesson::Expression& call) {
  const std::string argument = call.parts.empty() ? "" : call.parts.front().source;
  return call.text == "count"  ? words_of_count(argument)
         : call.text == "cell" ? std::optional(argument)
         : call.text == "with" ? words_of_with(call)
                               : std::nullopt;
}

// Whether the words need "are": those of counts.
bool is_several(const lesson::Expression& of) {
  return of.kind == Kind::Binary || (of.kind == Kind::Call && of.text != "cell");
}
bool is_code(const lesson::Expression& of, const std::string& words) {
  return words == of.source || (of.kind == Kind::Call && of.text == "cell");
}

// Capitalized for the start of a sentence.
std::string subject_of(const lesson::Expression& left) {
  const std::string words = words_of_expression(left);
  return is_code(left, words) ? words : capital(words);
}

struct RelationWords {
  std::string_view relation;
  Message several;
  Message one;
};
constexpr std::array kRelations = std::to_array<RelationWords>({
    {"<=", lab_english::kAtMost, lab_english::kOneAtMost},
    {"<", lab_english::kLess, lab_english::kOneLess},
    {">=", lab_english::kAtLeast, lab_english::kOneAtLeast},
    {">", lab_english::kMore, lab_english::kOneMore},
    {"==", lab_english::kEqual, lab_english::kOneEqual},
    {"!=", lab_english::kOther, lab_english::kOneOther},
});

// What is allowed, with its formula if it is computed.
std::string limit_text(const lesson::Expression& limit, const std::string& value) {
  return limit.kind == Kind::Number
             ? value
             : fmt::format(fmt::runtime(lab_english::kLimit.text()), fmt::arg("limit", value),
                           fmt::arg("formula", words_of_expression(limit)));
}

// Only of a count that is too large does a line have the most.
bool limits_above(std::string_view relation) {
  return relation == "<=" || relation == "<" || relation == "==";
}

// The line with most of what count(PATH) counts, or of the largest part of a sum; 0: none.
int line_of(const lesson::Expression& what, const lesson::Position& at, Answers& answers) {
  if (what.kind == Kind::Call && what.text == "count" && !what.parts.empty()) {
    const auto& counted = answers.run_of(at).counted(0);
    return counted ? static_cast<int>(line_of_count(*counted, what.parts.front().source)) : 0;
  }
  if (what.kind != Kind::Binary || what.text != "+") {
    return 0;
  }
  const auto part_value = [&](const lesson::Expression& part) {
    const auto value = answers.of(part, at);
    return value ? value->number : 0.0;
  };
  return line_of(*std::ranges::max_element(what.parts, {}, part_value), at, answers);
}

}  // namespace

std::string words_of_expression(const lesson::Expression& expression) {
  std::optional<std::string> words;
  if (expression.kind == Kind::Call) {
    words = words_of_call(expression);
  } else if (expression.kind == Kind::Name) {
    const char* const one = find_words(kOne, expression.text);
    words = one == nullptr ? std::nullopt : std::optional<std::string>(one);
  } else if (expression.kind == Kind::Binary && expression.text == "+") {
    words = fmt::format(fmt::runtime(lab_english::kSum.text()),
                        fmt::arg("a", words_of_expression(expression.parts[0])),
                        fmt::arg("b", words_of_expression(expression.parts[1])));
  }
  return words.value_or(expression.source);
}

LabCause broken_condition(const lesson::Expression& condition, const lesson::Position& at,
                          Answers& answers) {
  const auto relation = std::ranges::find(kRelations, condition.text, &RelationWords::relation);
  if (condition.kind == Kind::Binary && relation != kRelations.end()) {
    const lesson::Expression& what = condition.parts[0];
    const auto value = answers.of(what, at);
    const auto limit = answers.of(condition.parts[1], at);
    if (value && limit) {
      const bool is_one_allowed = relation->relation == "<=" && limit->number == 1.0;
      const Message form = !is_several(what) ? relation->one
                           : is_one_allowed  ? lab_english::kAtMostOne
                                             : relation->several;
      std::string sentence =
          fmt::format(fmt::runtime(form.text()), fmt::arg("what", subject_of(what)),
                      fmt::arg("value", text_of(*value)),
                      fmt::arg("limit", limit_text(condition.parts[1], text_of(*limit))));
      const int line = limits_above(relation->relation) ? line_of(what, at, answers) : 0;
      if (line > 0) {
        sentence +=
            fmt::format(fmt::runtime(lab_english::kMostOfThem.text()), fmt::arg("line", line));
      }
      return {LabOutcome::Condition, std::move(sentence), line};
    }
  }
  return {LabOutcome::Condition,
          fmt::format(fmt::runtime(lab_english::kNotTrue.text()),
                      fmt::arg("condition", condition.source)),
          0};
}

std::string launch_text(const state::AppState& state, const problem::Catalog& catalog) {
  namespace english = lab_english;
  const auto& [problem, block_size] = state.parameters;
  std::string text = fmt::format(fmt::runtime(english::kSizes.text()), fmt::arg("m", problem.M),
                                 fmt::arg("n", problem.N), fmt::arg("k", problem.K));
  const auto spec = problem::find_spec(catalog, state.kernel);
  if (spec && spec->uses_block_size) {
    text +=
        fmt::format(fmt::runtime(english::kBlockSize.text()), fmt::arg("block_size", block_size));
  }
  if (state.schedule.kind == simt::ScheduleKind::RunAhead) {
    text += fmt::format(fmt::runtime(english::kRunAhead.text()),
                        fmt::arg("warp", state.schedule.run_ahead_warp));
  } else if (state.schedule.kind != simt::ScheduleKind::Lockstep) {
    text += fmt::format(fmt::runtime(english::kSchedule.text()),
                        fmt::arg("schedule", word_of(state.schedule.kind).label));
  }
  if (state.warp_size == 1) {
    text += english::kOneLane.text();
  } else if (state.warp_size != state::Setup{}.warp_size) {
    text +=
        fmt::format(fmt::runtime(english::kWarpSize.text()), fmt::arg("lanes", state.warp_size));
  }
  return text;
}

}  // namespace tilestep::course

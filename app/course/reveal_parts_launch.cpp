// Numbers of the whole launch: a count's siblings, the same count of another launch, sizes.
#include "course/reveal_parts.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

// What may replace the core, and what it is: "count(loads.B)", "the number of loads of B".
struct Relative {
  std::string expression;
  std::string noun;
};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  return at == std::string::npos ? "" : text.replace(at, part.size(), by);
}

std::optional<Value> value_at(const Quest& quest, const std::string& text,
                              const lesson::Position& at) {
  const auto expression = lesson::parse_expression(text);
  const auto value =
      expression ? quest.answers.of(*expression, at) : tl::unexpected(expression.error());
  return value ? std::optional(*value) : std::nullopt;
}

// Equal, or the same when written with three digits.
bool is_given(const Value& given, const std::optional<Value>& value) {
  if (!value || given.kind != value->kind) {
    return false;
  }
  const bool is_rounded = given.kind == Value::Kind::Number &&
                          value->number != std::trunc(value->number) &&
                          std::abs(given.number - value->number) <= 5e-3 * std::abs(value->number);
  return are_same(given, *value) || is_rounded;
}

constexpr std::array kPaths = std::to_array<std::string_view>(
    {"loads", "stores", "shared_loads.words", "shared_stores.words", "shared_loads.degree",
     "shared_stores.degree", "shared_loads.conflicts", "shared_stores.conflicts", "sectors",
     "requests", "bytes", "barriers_per_block", "barriers", "flops", "sectors_per_request"});

// The other counts: of the other buffers first.
std::vector<Relative> other_counts(const Quest& quest) {
  std::vector<Relative> all;
  const std::string path = quest.subject();
  const std::string head = path.substr(0, path.find('.'));
  const auto add = [&](const std::string& other) {
    const std::string words = path_words(other);
    if (other != path && !words.empty()) {
      all.push_back({fmt::format("{}({})", quest.name(), other), words});
    }
  };
  if (quest.recording != nullptr) {
    for (const problem::Buffer& buffer : quest.program().launch().buffers) {
      add(fmt::format("{}.{}", head, buffer.name));
    }
  }
  add(head);
  for (const std::string_view other : kPaths) {
    add(std::string(other));
  }
  return all;
}

// The same asked of the launch's other arrays, for functions whose subject is an array.
std::vector<Relative> other_arrays(const Quest& quest) {
  std::vector<Relative> all;
  for (const simt::Array& array : quest.program().arrays()) {
    if (array.name == quest.subject()) {
      continue;
    }
    const std::string call = replaced(quest.core.call->source, quest.subject(), array.name);
    all.push_back({call, quest.name() == "constants"
                             ? tr("the number of cells of {} filled with zeros", array.name)
                         : quest.name() == "passes"
                             ? tr("the number of passes of the access to {}", array.name)
                             : tr("the number of sectors of the access to {}", array.name)});
  }
  return all;
}

std::vector<Relative> other_occupancies(const Quest& quest) {
  std::vector<Relative> all;
  const auto& parts = quest.core.call->parts;
  const std::string field = parts.size() > 1 ? parts[1].source : "";
  for (const int size : {4, 8, 16, 17, 24, 31, 32}) {
    all.push_back(
        {fmt::format("occupancy({}, {})", size, field), tr("the number for BLOCK_SIZE {}", size)});
  }
  for (const auto& [other, noun] :
       {std::pair{"warps", tr("the number of warps on an SM")},
        std::pair{"warps_of_block", tr("the number of warps in a block")},
        std::pair{"percent", tr("the occupancy in percent")}}) {
    all.push_back({replaced(quest.core.call->source, field, other), noun});
  }
  return all;
}

// A measurement's neighbors in the data set.
std::vector<Relative> other_points(const Quest& quest) {
  std::vector<Relative> all;
  const auto& parts = quest.core.call->parts;
  if (parts.size() != 3) {
    return all;
  }
  const auto add = [&](const std::string& kernel, const std::string& n, const std::string& block) {
    all.push_back({fmt::format("{}({}, {}, {})", quest.name(), kernel, n, block),
                   tr("the number for {}, n = {}, BLOCK_SIZE {}", kernel, n, block)});
  };
  for (const char* const block : {"4", "8", "16", "24", "32"}) {
    add(parts[0].source, parts[1].source, block);
  }
  for (const char* const n : {"256", "512", "1024", "2048", "4096"}) {
    add(parts[0].source, n, parts[2].source);
  }
  for (const char* const kernel : {"naive", "tiled"}) {
    add(kernel, parts[1].source, parts[2].source);
  }
  return all;
}

std::vector<Relative> relatives_of(const Quest& quest) {
  const std::string& name = quest.name();
  const std::string& source = quest.core.call->source;
  if (name == "count" || name == "machine_count") {
    return other_counts(quest);
  }
  if (name == "loads" || name == "products") {
    const std::string cell = quest.subject();
    return {{fmt::format("products({})", cell), tr("the number of products that use {}", cell)}};
  }
  if (name == "occupancy") {
    return other_occupancies(quest);
  }
  if (name == "time" || name == "share" || name == "gflops" || name == "warm_time") {
    return other_points(quest);
  }
  if (name == "wrong") {
    return {{"(M * N - wrong())", tr("the number of correct elements of C")}};
  }
  if (name == "idle_lanes") {
    return {{"(block(x) * block(y) % warp_size)",
             tr("the number of lanes of the last warp that have a thread")}};
  }
  if (name == "active" || name == "masked") {
    const bool is_active = name == "active";
    return {{replaced(source, name, is_active ? "masked" : "active"),
             is_active ? tr("the number of inactive lanes") : tr("the number of active lanes")}};
  }
  if (quest.recording != nullptr &&
      (name == "passes" || name == "sectors" || name == "constants")) {
    return other_arrays(quest);
  }
  return {};
}

// In place of the whole answer.
std::vector<Relative> per_unit(const Quest& quest) {
  const std::string& call = quest.core.call->source;
  const std::string noun = noun_of(quest);
  std::vector<Relative> all;
  if (noun.empty() || (quest.name() != "count" && quest.name() != "constants")) {
    return all;
  }
  if (quest.name() == "constants") {
    all.push_back({fmt::format("cells({}) - {}", quest.subject(), call),
                   tr("the number of the other cells, which hold an element")});
    return all;
  }
  all.push_back({call, tr("{}, counted for the whole launch", noun)});
  all.push_back({call + " / blocks()", tr("{}, counted for one block", noun)});
  all.push_back({fmt::format("{} / (blocks() * ceil_div(block(x) * block(y), warp_size))", call),
                 tr("{}, counted for one warp", noun)});
  all.push_back({call + " / threads()", tr("{}, counted for one thread", noun)});
  return all;
}

std::vector<Relative> sizes() {
  return {{"threads()", tr("the number of threads")},
          {"blocks()", tr("the number of blocks")},
          {"block(x) * block(y)", tr("the number of threads in a block")},
          {"ceil_div(block(x) * block(y), warp_size)", tr("the number of warps in a block")},
          {"warp_size", tr("the number of lanes in a warp")},
          {"M * N", tr("the number of elements of C")},
          {"M * K", tr("the number of elements of A")},
          {"K * N", tr("the number of elements of B")},
          {"M * N * K", tr("the number of products")},
          {"2 * M * N * K", tr("the number of operations")},
          {"ceil_div(K, BLOCK_SIZE)", tr("the number of tiles along K")},
          {"BLOCK_SIZE * BLOCK_SIZE", tr("the number of elements in a tile")},
          {"BLOCK_SIZE", "BLOCK_SIZE"}};
}

bool has_block_size(const Quest& quest) {
  const auto& catalog = quest.answers.tools().catalog;
  const problem::LaunchSpec* const spec = catalog.find(quest.question.at.state.kernel);
  return spec == nullptr || spec->uses_block_size;
}

bool names_block_size(const Relative& one) {
  return one.expression.find("BLOCK_SIZE") != std::string::npos;
}

// The same launch with one setting changed.
struct OtherLaunch {
  lesson::Position at;
  std::string words;
};
std::vector<OtherLaunch> other_launches(const Quest& quest) {
  std::vector<OtherLaunch> all;
  const auto add = [&](std::string words) -> state::AppState& {
    all.push_back({quest.question.at, std::move(words)});
    return all.back().at.state;
  };
  const state::AppState& own = quest.question.at.state;
  for (const int size : {1, 2, 4, 8, 16, 32}) {
    if (has_block_size(quest) && size != own.parameters.block_size) {
      add(tr("BLOCK_SIZE {}", size)).parameters.block_size = size;
    }
  }
  if (own.kernel != "naive") {
    add(tr("the kernel {}", "naive")).kernel = "naive";
  }
  const auto with_schedule = [&](const char* words, simt::ScheduleKind kind, int warp_size) {
    if (own.schedule.kind != kind || own.warp_size != warp_size) {
      state::AppState& state = add(words);
      state.schedule = {kind};
      state.warp_size = warp_size;
    }
  };
  with_schedule(tr("all warps in lockstep"), simt::ScheduleKind::Lockstep, own.warp_size);
  with_schedule(tr("one warp after the other"), simt::ScheduleKind::Sequential, own.warp_size);
  with_schedule(tr("a warp that runs ahead"), simt::ScheduleKind::RunAhead, own.warp_size);
  for (const int more : {1, -1}) {
    const problem::Problem p = own.parameters.problem;
    add(fmt::format("N = {}", p.N + more)).parameters.problem.N = p.N + more;
    add(fmt::format("M = {}", p.M + more)).parameters.problem.M = p.M + more;
    add(fmt::format("K = {}", p.K + more)).parameters.problem.K = p.K + more;
  }
  return all;
}

// Executing it takes long, or gives the same.
bool is_too_large(const Quest& quest) {
  constexpr double kMostProducts = 300'000.0;
  const problem::Problem& p = quest.question.at.state.parameters.problem;
  const std::string& name = quest.name();
  return quest.core.is_elsewhere || name == "machine_count" || name.starts_with("error") ||
         name == "time" || name == "share" || name == "gflops" || name == "occupancy" ||
         1.0 * p.M * p.N * p.K > kMostProducts;
}

std::optional<std::string> of_other_launch(const Quest& quest, const Value& given) {
  if (is_too_large(quest)) {
    return std::nullopt;
  }
  for (const OtherLaunch& other : other_launches(quest)) {
    if (is_given(given, value_at(quest, quest.question.answer.text(), other.at))) {
      const bool is_yes_no = given.kind == Value::Kind::YesNo;
      return is_yes_no ? tr("“{}” would be correct with {}.", given.is_yes() ? tr("yes") : tr("no"),
                            other.words)
                       : tr("{} would be the answer with {}.", text_of(given), other.words);
    }
  }
  return std::nullopt;
}

// argmax(K, 8, 9, 10, wrong()): what it is for the given one.
std::optional<std::string> of_an_option(const Quest& quest, const Value& given) {
  const lesson::Expression& whole = quest.question.answer.expression;
  const bool is_one =
      whole.kind == Kind::Call && (whole.text == "argmax" || whole.text == "argmin");
  if (!is_one || whole.parts.size() < 3) {
    return std::nullopt;
  }
  Quest inner{quest.question, quest.answers, core_of(whole.parts.back())};
  const std::string noun = inner.core.call == nullptr ? "" : noun_of(inner);
  const std::string& key = whole.parts.front().source;
  const std::string words = key == "block_size" ? "BLOCK_SIZE" : key;
  const auto value = value_at(
      quest, fmt::format("with({} = {}, {})", key, plain_text_of(given), whole.parts.back().source),
      quest.question.at);
  return value && !noun.empty() ? std::optional(tr("With {} = {}, {} is {}.", words, text_of(given),
                                                   noun, text_of(*value)))
                                : std::nullopt;
}

}  // namespace

std::optional<std::string> number_of_launch(const Quest& quest, const Value& given) {
  if (quest.core.call == nullptr) {
    return std::nullopt;
  }
  if (given.kind != Value::Kind::Number) {
    return of_other_launch(quest, given);
  }
  if (auto option = of_an_option(quest, given)) {
    return option;
  }
  const std::string whole = quest.question.answer.text();
  const lesson::Position& at = quest.question.at;
  for (const Relative& one : relatives_of(quest)) {
    if (is_given(given,
                 value_at(quest, replaced(whole, quest.core.call->source, one.expression), at))) {
      return quest.core.is_whole
                 ? tr("{} is {}.", text_of(given), one.noun)
                 : tr("{} is the result with {} instead.", text_of(given), one.noun);
    }
  }
  const auto among = [&](const std::vector<Relative>& relatives) -> std::optional<std::string> {
    for (const Relative& one : relatives) {
      if (is_given(given, value_at(quest, one.expression, at))) {
        return tr("{} is {}.", text_of(given), one.noun);
      }
    }
    return std::nullopt;
  };
  if (auto unit = among(per_unit(quest))) {
    return unit;
  }
  if (auto other = of_other_launch(quest, given)) {
    return other;
  }
  if (quest.name() == "value" || quest.name() == "cell") {
    return std::nullopt;
  }
  std::vector<Relative> all = sizes();
  if (!has_block_size(quest)) {
    std::erase_if(all, names_block_size);
  }
  // Its size may be a coincidence.
  const auto size = among(all);
  return size ? std::optional(*size + " " + asked_words(quest)) : std::nullopt;
}

}  // namespace tilestep::course

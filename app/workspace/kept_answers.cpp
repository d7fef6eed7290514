#include "workspace/kept_answers.h"

#include "compile/request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tilestep::insight {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Traffic, requests, threads, elements, bytes, sectors,
                                   copy_engine_bytes, ideal_sectors, wavefronts, ideal_wavefronts,
                                   conflicts, degree)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cost, instructions, active, threads, flops, global_loads,
                                   global_stores, global_atomics, shared_loads, shared_stores,
                                   shared_atomics)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WarpSchedule, instructions, clocks, waits, products,
                                   matrix_products, register_reads, even_reads, port_waits,
                                   warpgroup_clocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockNeeds, threads, registers, shared_bytes, barriers,
                                   max_threads)

}  // namespace tilestep::insight

namespace tilestep::analysis {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LineAccesses, line, target, kind, sectors, wavefronts, elements)

}  // namespace tilestep::analysis

namespace tilestep::workspace {
namespace {

// Limit per code: the least recently used sizes are dropped.
constexpr std::size_t kMostOfOneCode = 64;

std::string file_key(const problem::Launch& launch, int architecture) {
  compile::Hash hash;
  hash.add(counting_version());
  hash.add(compile::cache_key(compile::make_request(launch, compile::Build::Fast)));
  hash.add(static_cast<std::uint64_t>(architecture));
  return hash.hex();
}

void add_to_hash(const problem::Dim3& size, compile::Hash& hash) {
  for (const auto extent : {size.x, size.y, size.z}) {
    hash.add(static_cast<std::uint64_t>(extent));
  }
}

void add_to_hash(const std::vector<problem::Buffer>& buffers, bool with_contents,
                 compile::Hash& hash) {
  hash.add(static_cast<std::uint64_t>(buffers.size()));
  for (const problem::Buffer& buffer : buffers) {
    hash.add(buffer.name);
    for (const int number : {static_cast<int>(buffer.type), buffer.rows, buffer.cols, buffer.pitch,
                             static_cast<int>(buffer.role)}) {
      hash.add(static_cast<std::uint64_t>(number));
    }
    if (with_contents) {
      hash.add(std::string_view(reinterpret_cast<const char*>(buffer.contents.data()),
                                buffer.contents.size()));
    }
  }
}

void add_to_hash(const problem::Argument& argument, compile::Hash& hash) {
  hash.add(static_cast<std::uint64_t>(argument.kind));
  hash.add(static_cast<std::uint64_t>(argument.buffer));
  hash.add(static_cast<std::uint64_t>(argument.integer));
  hash.add(std::string_view(reinterpret_cast<const char*>(&argument.real), sizeof(argument.real)));
  hash.add(static_cast<std::uint64_t>(argument.members.size()));
  for (const problem::Argument::Member& member : argument.members) {
    hash.add(member.name);
    add_to_hash(member.value, hash);
  }
}

// Everything about a launch but the code. Counting determines the contents of buffers.
std::string launch_digest(const problem::Launch& launch) {
  compile::Hash hash;
  add_to_hash(launch.grid, hash);
  add_to_hash(launch.block, hash);
  hash.add(std::uint64_t{launch.dynamic_shared_bytes});
  add_to_hash(launch.buffers, false, hash);
  add_to_hash(launch.variables, true, hash);
  hash.add(static_cast<std::uint64_t>(launch.arguments.size()));
  for (const problem::Argument& argument : launch.arguments) {
    add_to_hash(argument, hash);
  }
  return hash.hex();
}

std::vector<KeptAnswer> answers_in(const compile::EntryFolder& folder, const std::string& key) {
  std::optional<std::vector<KeptAnswer>> answers;
  folder.find(key, [&answers](const std::string& text) {
    answers = from_answer_text(text);
    return answers.has_value();
  });
  return std::move(answers).value_or(std::vector<KeptAnswer>());
}

using nlohmann::json;

constexpr std::string_view kAnswersFirstLine = "tilestep-answers 1\nchecksum ";
constexpr std::size_t kChecksumDigits = 32;

std::string answers_checksum(std::string_view body) {
  compile::Hash hash;
  hash.add(body);
  return hash.hex();
}

json facts_to_json(const analysis::LaunchFacts& facts) {
  json row = {{"blocks", facts.blocks},
              {"threads", facts.threads},
              {"is_estimate", facts.is_estimate},
              {"error", facts.error},
              {"cost", facts.cost},
              {"accesses", facts.accesses},
              {"barriers", facts.barriers},
              {"heaviest_block", facts.heaviest_block},
              {"global_passes", facts.global_passes},
              {"l2_sectors", facts.l2_sectors},
              {"loads_of_new", facts.loads_of_new},
              {"schedule", facts.schedule},
              {"heaviest_warp", facts.heaviest_warp},
              {"architecture", facts.architecture},
              {"is_machine_code", facts.is_machine_code}};
  if (facts.needs) {
    row["needs"] = *facts.needs;
  }
  return row;
}

analysis::LaunchFacts facts_from_json(const json& row) {
  analysis::LaunchFacts facts;
  row.at("blocks").get_to(facts.blocks);
  row.at("threads").get_to(facts.threads);
  row.at("is_estimate").get_to(facts.is_estimate);
  row.at("error").get_to(facts.error);
  row.at("cost").get_to(facts.cost);
  row.at("accesses").get_to(facts.accesses);
  row.at("barriers").get_to(facts.barriers);
  row.at("heaviest_block").get_to(facts.heaviest_block);
  row.at("global_passes").get_to(facts.global_passes);
  row.at("l2_sectors").get_to(facts.l2_sectors);
  row.at("loads_of_new").get_to(facts.loads_of_new);
  row.at("schedule").get_to(facts.schedule);
  row.at("heaviest_warp").get_to(facts.heaviest_warp);
  row.at("architecture").get_to(facts.architecture);
  row.at("is_machine_code").get_to(facts.is_machine_code);
  if (row.contains("needs")) {
    facts.needs = row.at("needs").get<insight::BlockNeeds>();
  }
  return facts;
}

}  // namespace

KeptAnswers::KeptAnswers(compile::CacheOptions options) : folder_(std::move(options), ".answers") {}

std::optional<analysis::LaunchFacts> KeptAnswers::find(const problem::Launch& launch,
                                                       int architecture) const {
  std::vector<KeptAnswer> all = answers_in(folder_, file_key(launch, architecture));
  const auto found = std::ranges::find(all, launch_digest(launch), &KeptAnswer::launch);
  if (found == all.end()) {
    return std::nullopt;
  }
  return std::move(found->facts);
}

void KeptAnswers::store(const problem::Launch& launch, const analysis::LaunchFacts& facts) {
  if (!facts.why_not.empty() || (facts.architecture != 0 && !facts.needs)) {
    return;
  }
  const std::string key = file_key(launch, facts.architecture);
  const std::lock_guard lock(mutex_);
  std::vector<KeptAnswer> all = answers_in(folder_, key);
  std::string digest = launch_digest(launch);
  std::erase_if(all, [&](const KeptAnswer& answer) { return answer.launch == digest; });
  if (all.size() >= kMostOfOneCode) {
    all.erase(all.begin());
  }
  all.push_back({std::move(digest), facts});
  folder_.store(key, to_answer_text(all));
}

std::string to_answer_text(const std::vector<KeptAnswer>& answers) {
  json rows = json::array();
  for (const KeptAnswer& answer : answers) {
    rows.push_back({{"launch", answer.launch}, {"facts", facts_to_json(answer.facts)}});
  }
  const std::string body = rows.dump();
  return fmt::format("{}{}\n{}", kAnswersFirstLine, answers_checksum(body), body);
}

std::optional<std::vector<KeptAnswer>> from_answer_text(const std::string& text) {
  const std::size_t start = kAnswersFirstLine.size() + kChecksumDigits + 1;
  if (!text.starts_with(kAnswersFirstLine) || text.size() <= start) {
    return std::nullopt;
  }
  const std::string_view body = std::string_view(text).substr(start);
  if (text.substr(kAnswersFirstLine.size(), kChecksumDigits) != answers_checksum(body)) {
    return std::nullopt;
  }
  try {
    std::vector<KeptAnswer> answers;
    for (const json& row : json::parse(body)) {
      answers.push_back({row.at("launch").get<std::string>(), facts_from_json(row.at("facts"))});
    }
    return answers;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tilestep::workspace

#include "workspace/kept_answers.h"

#include "compile/hash.h"
#include "compile/request.h"
#include "workspace/answer_text.h"
#include "workspace/counting_version.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::workspace {
namespace {

// Of one code: sizes that were asked for longest ago are forgotten.
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

// All that is launched but the code. Contents of buffers are those that counting gives them.
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

}  // namespace tilestep::workspace

// What an expression asks for, in words.
#include "course/asked.h"
#include "course/reveal_parts.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::course {
namespace {

// What the path of a count, or a function of an expression, means.
struct Noun {
  std::string_view of;
  Message noun;
};
constexpr std::array kPathNouns = std::to_array<Noun>(
    {{"loads", Message("the number of loads from global memory")},
     {"stores", Message("the number of stores to global memory")},
     {"atomics", Message("the number of atomic operations on global memory")},
     {"sectors", Message("the number of global-memory sectors accessed")},
     {"requests", Message("the number of requests to global memory")},
     {"bytes", Message("the number of global-memory bytes transferred")},
     {"sectors_per_request", Message("the number of sectors per access of a warp")},
     {"sectors_per_request.max", Message("the largest number of sectors per access of a warp")},
     {"shared_loads.words", Message("the number of words loaded from shared memory")},
     {"shared_stores.words", Message("the number of words stored to shared memory")},
     {"shared_loads.degree", Message("the number of passes of a load from shared memory")},
     {"shared_stores.degree", Message("the number of passes of a store to shared memory")},
     {"shared_loads.conflicts",
      Message("the number of additional passes of loads from shared memory")},
     {"shared_stores.conflicts",
      Message("the number of additional passes of stores to shared memory")},
     {"shared_loads.wavefronts", Message("the number of passes of loads from shared memory")},
     {"shared_stores.wavefronts", Message("the number of passes of stores to shared memory")},
     {"barriers", Message("the number of barriers of all blocks")},
     {"barriers_per_block", Message("the number of barriers in a block")},
     {"flops", Message("the number of operations")},
     {"instructions", Message("the number of instructions")},
     {"shared_bytes", Message("the number of bytes of shared memory")}});

// "loads.A"
std::string noun_of_buffer(std::string_view head, const std::string& buffer) {
  return head == "loads"      ? tr("the number of loads of {}", buffer)
         : head == "stores"   ? tr("the number of stores to {}", buffer)
         : head == "sectors"  ? tr("the number of sectors accessed for {}", buffer)
         : head == "requests" ? tr("the number of requests for {}", buffer)
         : head == "sectors_per_request"
             ? tr("the number of sectors per access of a warp to {}", buffer)
             : std::string();
}

std::string noun_of_thread(const Quest& quest) {
  if (quest.recording == nullptr) {
    return "";
  }
  const std::string& name = quest.name();
  const std::string what = quest.subject();
  const std::string who = thread_words(quest, quest.block, quest.thread);
  return name == "value"    ? tr("{} of {}", what, who)
         : name == "read"   ? tr("the element of {} that {} reads", what, who)
         : name == "stored" ? tr("the element that {} stores", who)
         : name == "line"   ? tr("the line that {} executes next", who)
                            : std::string();
}

constexpr std::array kPlainNouns = std::to_array<Noun>(
    {{"active", Message("the number of active lanes of one warp")},
     {"masked", Message("the number of inactive lanes of one warp")},
     {"wrong", Message("the number of wrong elements of C")},
     {"findings", Message("the number of findings")},
     {"finding", Message("a line of the source")},
     {"idle_lanes", Message("the number of lanes of a block's last warp that have no thread")},
     {"occupancy", Message("the occupancy")},
     {"time", Message("a time measured on the H200")},
     {"warm_time", Message("a time measured on the H200")},
     {"gflops", Message("a speed measured on the H200")},
     {"share", Message("the percentage of cuBLAS's speed")},
     {"error.max", Message("the largest relative error of an element of C")},
     {"error.average", Message("the average relative error of C")},
     {"verified", Message("the result on a real GPU")}});

constexpr std::array kNounsOfOne =
    std::to_array<Noun>({{"cell", Message("the value in {}")},
                         {"writer", Message("the thread that stored {} last")},
                         {"source", Message("the element that {} gets its value from")},
                         {"loads", Message("the number of loads of {} in the whole launch")},
                         {"products", Message("the number of products that use {}")},
                         {"constants", Message("the number of cells of {} filled with zeros")},
                         {"sectors", Message("the number of sectors of one warp's access to {}")},
                         {"passes", Message("the number of passes of one warp's access to {}")},
                         {"largest_launch", Message("the largest {} that can be launched")}});

}  // namespace

std::string path_words(const std::string& path) {
  const auto* const known = std::ranges::find(kPathNouns, path, &Noun::of);
  if (known != kPathNouns.end()) {
    return known->noun.text();
  }
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? "" : noun_of_buffer(path.substr(0, dot), path.substr(dot + 1));
}

std::string noun_of(const Quest& quest) {
  if (quest.core.call == nullptr) {
    return "";
  }
  const std::string& name = quest.name();
  if (name == "count" || name == "machine_count") {
    return path_words(quest.subject());
  }
  if (name == "occupancy" && quest.core.call->source.find("blocks") != std::string::npos) {
    return tr("the number of blocks that one SM holds");
  }
  const auto* const plain = std::ranges::find(kPlainNouns, name, &Noun::of);
  if (plain != kPlainNouns.end()) {
    return plain->noun.text();
  }
  const auto* const of_one = std::ranges::find(kNounsOfOne, name, &Noun::of);
  if (of_one != kNounsOfOne.end()) {
    return fmt::format(fmt::runtime(of_one->noun.text()), quest.subject());
  }
  const std::string of_clock = clock_words(name, quest.subject());
  return of_clock.empty() ? noun_of_thread(quest) : of_clock;
}

std::string asked_words(const Quest& quest) {
  const std::string noun = noun_of(quest);
  if (noun.empty()) {
    return tr("The question asks for {}.", word_of(quest.question.kind).label);
  }
  return quest.core.is_whole ? tr("The question asks for {}.", noun)
                             : tr("The answer follows from {}.", noun);
}

}  // namespace tilestep::course

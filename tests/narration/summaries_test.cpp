// The numbers of a phase's summary, counted independently from the recording: every sentence of the
// catalog, every line of the card.
#include "catalog_runs.h"
#include "insight/count/counters.h"
#include "narrated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace tilestep {
namespace {

// Requested elements, each as often as it is requested.
struct Counted {
  std::set<std::uint32_t> threads;
  std::set<std::uint32_t> reaching;  // threads that loaded or stored
  std::vector<std::string> loaded;   // buffers, in order
  std::map<std::string, std::uint64_t> loads;
  std::map<std::string, std::uint64_t> stores;
  std::uint64_t shared_loads = 0;
  std::uint64_t global_loads = 0;
  std::uint64_t shared_stores = 0;
  std::set<std::uint32_t> fetching;                // loaded from global memory
  std::set<std::uint32_t> storing;                 // threads that store to a buffer
  std::map<std::uint32_t, std::uint64_t> sectors;  // by line
  std::map<std::uint32_t, std::uint64_t> passes;   // by line, of accesses to shared memory
};

Counted count(const record::Recording& run, const record::Phase& phase) {
  Counted counted;
  const simt::Program& program = run.program();
  const auto lanes = program.warp_size();
  const record::Activity activity = run.activity(phase.first_step, phase.last_step);
  for (const auto& executed : activity.executed) {
    for (std::uint32_t lane = 0; lane < 32 && executed.warp.block == phase.block; ++lane) {
      if ((executed.mask >> lane & 1U) != 0) {
        counted.threads.insert(executed.warp.warp * lanes + lane);
      }
    }
  }
  for (const record::Access& access : activity.accesses) {
    const simt::MemoryEvent& event = access.event;
    const bool shared = event.space == ptx::Space::Shared;
    if (access.warp.block != phase.block || event.is_arrival ||
        (!shared && event.space != ptx::Space::Global)) {
      continue;
    }
    const insight::AccessPattern pattern = insight::make_pattern(event);
    (shared ? counted.passes : counted.sectors)[access.line] +=
        shared ? pattern.wavefronts : pattern.sectors[insight::first_address(event) % 32];
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((event.mask >> lane & 1U) == 0) {
        continue;
      }
      counted.reaching.insert(access.warp.warp * lanes + lane);
      const simt::Place place = program.locate(event.addresses[lane], event.bytes);
      const simt::Allocation& array = program.allocations()[place.allocation];
      const std::uint64_t numbers = std::max(1U, event.bytes / 4);  // floats, and vectors of them
      const bool load = event.kind == simt::AccessKind::Load;
      (load ? counted.loads : counted.stores)[array.name] += numbers;
      counted.shared_loads += load && shared ? numbers : 0;
      counted.global_loads += load && !shared ? numbers : 0;
      counted.shared_stores += !load && shared ? numbers : 0;
      if (load && !shared && std::ranges::count(counted.loaded, array.name) == 0) {
        counted.loaded.push_back(array.name);
      }
      if (load && !shared) {
        counted.fetching.insert(access.warp.warp * lanes + lane);
      }
      if (!load && !shared) {
        counted.storing.insert(access.warp.warp * lanes + lane);
      }
    }
  }
  return counted;
}

// How often each of the words that a phase stored in shared memory is read before the next store to
// it, least and most.
std::pair<std::uint64_t, std::uint64_t> reads_of(const record::Recording& run, std::size_t phase) {
  const auto phases = run.phases_of(test::narrated_block(run));
  std::map<std::uint64_t, std::uint64_t> reads;
  std::set<std::uint64_t> open;
  for (std::size_t i = phase; i < phases.size(); ++i) {
    const record::Activity activity = run.activity(phases[i].first_step, phases[i].last_step);
    std::set<std::uint64_t> stored;
    for (const record::Access& access : activity.accesses) {
      if (access.warp.block != phases[i].block || access.event.space != ptx::Space::Shared) {
        continue;
      }
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t at = 0; (access.event.mask >> lane & 1U) != 0 && at < access.event.bytes;
             at += 4) {
          const std::uint64_t word = access.event.addresses[lane] + at;
          if (access.event.kind == simt::AccessKind::Load) {
            reads[word] += open.contains(word) ? 1 : 0;
          } else if (i == phase) {
            open.insert(word);
            reads[word] += 0;
          } else {
            open.erase(word);
          }
        }
      }
    }
  }
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (const auto& [word, times] : reads) {
    least = std::min(least, times);
    most = std::max(most, times);
  }
  return {least, most};
}

class Sentence {
 public:
  explicit Sentence(const std::string& text) : text_(text) {}
  // The numbers in a pattern; empty if it is not in the sentence.
  [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& pattern) const {
    std::smatch match;
    std::vector<std::uint64_t> found;
    if (std::regex_search(text_, match, std::regex(pattern))) {
      for (std::size_t i = 1; i < match.size(); ++i) {
        found.push_back(std::stoull(match[i].str()));
      }
    }
    return found;
  }

 private:
  const std::string& text_;
};

using Numbers = std::vector<std::uint64_t>;

std::size_t check_sentence(const std::string& text, const record::Recording& run,
                           std::size_t index) {
  const record::Phase& phase = run.phases_of(test::narrated_block(run))[index];
  const Counted counted = count(run, phase);
  const Sentence said(text);
  std::size_t checked = 0;
  const auto expect = [&](const std::string& pattern, const Numbers& right) {
    const Numbers found = said.numbers(pattern);
    checked += found.size();
    if (!found.empty()) {
      EXPECT_EQ(found, right) << text;
    }
  };
  expect("^(\\d+) threads? computed indices", {counted.threads.size()});
  expect("^(\\d+) threads? took part", {counted.reaching.size()});
  expect("^(\\d+) threads? loaded", {counted.fetching.size()});
  if (counted.loaded.size() == 2) {
    expect("loaded (\\d+) \\+ (\\d+) numbers",
           {counted.loads.at(counted.loaded[0]), counted.loads.at(counted.loaded[1])});
  }
  const bool in_flight = text.find("in flight") != std::string::npos;
  expect("while (\\d+) numbers of ", {counted.global_loads});
  for (const auto& [array, loads] : counted.loads) {
    if (in_flight) {
      continue;
    }
    expect("(\\d+) numbers? of " + array + "\\b(?:.*loaded)?", {loads});
    expect("(\\d+) reads? of " + array + "[.,]? *(?:none|$)", {loads});
  }
  expect("; (\\d+) zeros? fills? the rest", {counted.shared_stores - counted.global_loads});
  expect("products?: (\\d+) reads? of \\w+ and \\w+, ", {counted.shared_loads});
  expect(", and (\\d+) reads? of .* as well", {counted.global_loads});
  expect("products?: (\\d+) reads? of .* in global memory", {counted.global_loads});
  expect("(?:^|\\. )(\\d+) threads? stored", {counted.storing.size()});
  expect("; (\\d+) threads? had nothing to store",
         {counted.threads.size() - counted.storing.size()});
  const auto [least, most] = reads_of(run, index);
  expect("will be read (\\d+) times?", {most});
  expect("will be read (\\d+) to ", {least});
  expect("will be read \\d+ to (\\d+) times", {most});
  return checked;
}

TEST(Summaries, SayWhatTheRecordingCounts) {
  std::size_t checked = 0;
  for (const test::CatalogRun& run : test::catalog_runs()) {
    SCOPED_TRACE(run.name);
    if (run.name.starts_with("attention_tiled")) {
      continue;  // keys and values of one tile are read in different phases
    }
    const test::Narrated narrated(run.launch);
    const record::Recording& recording = narrated.recording();
    const std::uint32_t block = test::narrated_block(recording);
    const insight::BlockSums sums(recording, block);
    const narration::Narrator narrator(recording, block);
    for (std::size_t i = 0; i < recording.phases_of(block).size(); ++i) {
      const narration::PhaseSummary summary = narrator.summarise(i, 0, &sums);
      checked += check_sentence(narration::plain_text(summary.sentence.long_form), recording, i);
      const Counted counted = count(recording, recording.phases_of(block)[i]);
      for (const narration::PhaseLine& line : summary.lines) {
        const std::string cost = narration::plain_text(line.cost);
        const Sentence said(cost);
        const Numbers sectors = said.numbers("(\\d+) sectors?");
        const Numbers passes = said.numbers("(\\d+) pass");
        checked += sectors.size() + passes.size();
        if (!sectors.empty()) {
          EXPECT_EQ(sectors[0], counted.sectors.at(line.line)) << cost;
        }
        if (!passes.empty()) {
          EXPECT_EQ(passes[0], counted.passes.at(line.line)) << cost;
        }
      }
    }
  }
  EXPECT_GT(checked, 1000U);
}

// "4 products" of a thread are the terms added to its sums in the phase.
TEST(Summaries, CountProductsAsTheSumsDo) {
  std::size_t checked = 0;
  for (const test::CatalogRun& run : test::catalog_runs()) {
    SCOPED_TRACE(run.name);
    if (run.name.starts_with("sliced_k") || run.name.starts_with("split_k") ||
        run.name.starts_with("tensor") || run.name.starts_with("attention")) {
      continue;  // products are added to sums that others store, too; an mma is narrated as one
                 // per lane; a running softmax scales its sums
    }
    const test::Narrated narrated(run.launch);
    const record::Recording& recording = narrated.recording();
    const std::uint32_t block = test::narrated_block(recording);
    const insight::BlockSums sums(recording, block);
    const narration::Narrator narrator(recording, block);
    const auto phases = recording.phases_of(block);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const std::string text =
          narration::plain_text(narrator.summarise(i, 0, &sums).sentence.long_form);
      const Numbers said = Sentence(text).numbers("^Each thread added (\\d+) products?");
      const insight::BlockSums::Range own = sums.of_thread(0);
      if (said.empty() || own.size() == 0) {
        continue;
      }
      std::uint64_t terms = 0;
      bool is_known = true;
      for (std::size_t sum = own.first; sum < own.last; ++sum) {
        const auto before = sums.accumulation(sum, phases[i].first_step);
        const auto after = sums.accumulation(sum, phases[i].last_step);
        is_known = is_known && after && after->complete;
        terms += (after ? after->terms.size() : 0) - (before ? before->terms.size() : 0);
      }
      // Elements beyond C's edge get products, too, but are in no sum.
      if (is_known && run.name.find("7x5x6") == std::string::npos) {
        EXPECT_EQ(said[0], terms) << text;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 40U);
}

}  // namespace
}  // namespace tilestep

#include "narration/narrator.h"

#include "insight/names.h"
#include "narration/narration_builder.h"
#include "narration/summarizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tilestep::narration {
namespace {

// Nothing has run: the threads, and what the focus thread will compute.
Sentence start(const NarratedBlock& narrated, std::uint32_t thread) {
  const simt::Program& program = narrated.recording.program();
  const problem::Launch& launch = program.launch();
  Places places{{"blocks", plain(counted(program.block_count(), Noun::Block))},
                {"threads", plain(counted(program.threads_per_block(), Noun::Thread))},
                {"thread", plain(insight::thread_name(program.thread_index(thread), launch))},
                {"block", plain(insight::block_name(program.block_index(narrated.block), launch))}};
  // Elements of C if it stores any of them; of the array that it stores to last, otherwise.
  std::map<std::uint32_t, std::set<std::uint64_t>> results;
  std::uint32_t last = simt::kNoAllocation;
  for (const BlockRun::Result& r : narrated.run.results(thread)) {
    const auto e = element_at(program, r.address, r.bytes);
    if (!e) {
      continue;
    }
    const std::uint32_t size =
        std::max(1U, element_bytes(program, program.arrays()[e->allocation]));
    for (std::uint32_t at = 0; at < r.bytes; at += size) {
      results[e->allocation].insert(r.address + at);
    }
    last = e->allocation;
  }
  const bool only = program.block_count() == 1;
  if (results.empty()) {
    return say(Kind::Start, only ? Say("start_only_none") : Say("start_none"), places);
  }
  const auto hue_of = [&](std::uint32_t allocation) {
    return narrated.roles.hue(program.arrays()[allocation].name);
  };
  const auto sums =
      std::ranges::find_if(results, [&](const auto& one) { return hue_of(one.first) == Hue::Sum; });
  const auto& [allocation, elements] = sums == results.end() ? *results.find(last) : *sums;
  const Hue hue = hue_of(allocation);
  if (elements.size() == 1) {
    places.emplace_back("element", strong(place_text(program, *elements.begin(), 1), hue));
    return say(Kind::Start, only ? Say("start_only_one") : Say("start_one"), places);
  }
  places.emplace_back("elements", plain(counted(elements.size(), Noun::Element)));
  places.emplace_back("array", strong(program.arrays()[allocation].name, hue));
  return say(Kind::Start, only ? Say("start_only_many") : Say("start_many"), places);
}

Eyebrow eyebrow_of(const NarratedBlock& narrated, Say row, std::size_t index) {
  const auto phases = narrated.recording.phases_of(narrated.block);
  const simt::Program& program = narrated.recording.program();
  Eyebrow line;
  line.block = insight::block_name(program.block_index(narrated.block), program.launch());
  if (index < phases.size()) {
    line.phase = plain_text(part(row, {{"number", plain(fmt::format("{}", index + 1))},
                                       {"count", plain(fmt::format("{}", phases.size()))}}));
    line.name = *phases[index].name;
  }
  return line;
}

Eyebrow eyebrow(const NarratedBlock& narrated, std::uint64_t step) {
  const auto phases = narrated.recording.phases_of(narrated.block);
  // The phase that executed the last step, until another one begins.
  std::size_t index = 0;
  while (index + 1 < phases.size() &&
         phases[index + 1].first_step < std::max<std::uint64_t>(step, 1)) {
    ++index;
  }
  return eyebrow_of(narrated, "eyebrow_phase", index);
}

}  // namespace

// Longer runs are not followed.
constexpr std::uint64_t kFollowedSteps = 600'000;

struct Narrator::Impl {
  Impl(const record::Recording& r, std::uint32_t b, Follow follow)
      : recording(r), source(r.program().launch().source), block(b) {
    if (follow == Follow::Block && r.part().holds(b) && r.steps_to_follow(b) <= kFollowedSteps) {
      run = BlockRun(r, b);
    }
  }
  [[nodiscard]] NarratedBlock narrated(const insight::BlockSums* sums) const {
    return {recording, source, run, Roles(recording, sums, source), block};
  }
  const record::Recording& recording;
  SourceMap source;
  BlockRun run;
  std::uint32_t block;
};

Narrator::Narrator(const record::Recording& recording, std::uint32_t block, Follow follow)
    : impl_(std::make_unique<Impl>(recording, block, follow)) {}
Narrator::~Narrator() = default;
Narrator::Narrator(Narrator&&) noexcept = default;
Narrator& Narrator::operator=(Narrator&&) noexcept = default;

Narration Narrator::narrate(const Moment& moment) const {
  const NarratedBlock narrated = impl_->narrated(moment.sums);
  Narration narration;
  narration.eyebrow = eyebrow(narrated, moment.after.step());
  if (moment.statement == nullptr || moment.after.step() == 0) {
    narration.sentence = start(narrated, moment.thread);
    const problem::Launch& launch = narrated.recording.program().launch();
    if (launch.block.y * launch.grid.y > 1) {
      narration.notes.push_back(say(Kind::Start, "start_names", {}));
    }
    return narration;
  }
  const NarratedStatement statement{moment.before, moment.after, *moment.statement, moment.thread,
                                    moment.findings};
  NarrationBuilder builder(narrated, statement);
  narration.sentence = builder.sentence();
  narration.notes = builder.notes();
  narration.guides = builder.guides();
  narration.eyebrow.pass = builder.pass();
  narration.eyebrow.lanes = builder.lanes_off();
  return narration;
}

PhaseSummary Narrator::summarise(std::size_t phase, std::uint32_t thread,
                                 const insight::BlockSums* sums) const {
  const NarratedBlock narrated = impl_->narrated(sums);
  PhaseSummary done =
      Summarizer(narrated, narrated.recording.phases_of(narrated.block)[phase], thread).summary();
  done.eyebrow = eyebrow_of(narrated, "eyebrow_phase_done", phase);
  done.running = eyebrow_of(narrated, "eyebrow_phase", phase);
  return done;
}

}  // namespace tilestep::narration

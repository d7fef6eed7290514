#include "narration/narrator.h"

#include "insight/names.h"
#include "narration/narration_builder.h"
#include "narration/summarizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tilestep::narration {
namespace {

// Nothing has run: who there is, and what the thread will compute.
Sentence start(const Scene& scene, std::uint32_t thread) {
  const simt::Program& program = scene.recording.program();
  const problem::Launch& launch = program.launch();
  Places places{{"blocks", plain(counted(program.block_count(), Noun::Block))},
                {"threads", plain(counted(program.threads_per_block(), Noun::Thread))},
                {"thread", plain(insight::thread_name(program.thread_index(thread), launch))},
                {"block", plain(insight::block_name(program.block_index(scene.block), launch))}};
  std::set<std::uint64_t> elements;
  std::uint32_t allocation = simt::kNoAllocation;
  std::uint64_t first = 0;
  for (const BlockRun::Result& r : scene.run.results(thread)) {
    const auto e = element_at(program, r.address, r.bytes);
    if (!e) {
      continue;
    }
    const std::uint32_t size =
        std::max(1U, element_bytes(program, program.arrays()[e->allocation]));
    for (std::uint32_t at = 0; at < r.bytes; at += size) {
      elements.insert(r.address + at);
    }
    allocation = e->allocation;
    first = first == 0 ? r.address : first;
  }
  const bool only = program.block_count() == 1;
  if (elements.empty()) {
    return say(Kind::Start, only ? Say("start_only_none") : Say("start_none"), places);
  }
  const Hue hue = scene.roles.hue(program.arrays()[allocation].name);
  if (elements.size() == 1) {
    places.emplace_back("element", strong(place_text(program, first, 1), hue));
    return say(Kind::Start, only ? Say("start_only_one") : Say("start_one"), places);
  }
  places.emplace_back("elements", plain(counted(elements.size(), Noun::Element)));
  places.emplace_back("array", strong(program.arrays()[allocation].name, hue));
  return say(Kind::Start, only ? Say("start_only_many") : Say("start_many"), places);
}

Eyebrow eyebrow_of(const Scene& scene, Say row, std::size_t index) {
  const auto phases = scene.recording.phases_of(scene.block);
  const simt::Program& program = scene.recording.program();
  Eyebrow line;
  line.block = insight::block_name(program.block_index(scene.block), program.launch());
  if (index < phases.size()) {
    line.phase = plain_text(part(row, {{"number", plain(fmt::format("{}", index + 1))},
                                       {"count", plain(fmt::format("{}", phases.size()))}}));
    line.name = *phases[index].name;
  }
  return line;
}

Eyebrow eyebrow(const Scene& scene, std::uint64_t step) {
  const auto phases = scene.recording.phases_of(scene.block);
  // The phase that executed the last step, as long as no other has begun.
  std::size_t index = 0;
  while (index + 1 < phases.size() &&
         phases[index + 1].first_step < std::max<std::uint64_t>(step, 1)) {
    ++index;
  }
  return eyebrow_of(scene, "eyebrow_phase", index);
}

}  // namespace

// Runs that take longer are not followed.
constexpr std::uint64_t kFollowedSteps = 600'000;

struct Narrator::Impl {
  Impl(const record::Recording& r, std::uint32_t b, Follow follow)
      : recording(r), source(r.program().launch().source), block(b) {
    if (follow == Follow::Block && r.part().holds(b) && r.steps_to_follow(b) <= kFollowedSteps) {
      run = BlockRun(r, b);
    }
  }
  [[nodiscard]] Scene scene(const insight::BlockSums* sums) const {
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

std::uint32_t Narrator::block() const {
  return impl_->block;
}

Narration Narrator::narrate(const Moment& moment) const {
  const Scene scene = impl_->scene(moment.sums);
  Narration narration;
  narration.eyebrow = eyebrow(scene, moment.after.step());
  if (moment.statement == nullptr || moment.after.step() == 0) {
    narration.sentence = start(scene, moment.thread);
    const problem::Launch& launch = scene.recording.program().launch();
    if (launch.block.y * launch.grid.y > 1) {
      narration.notes.push_back(say(Kind::Start, "start_names", {}));
    }
    return narration;
  }
  const Told told{moment.before, moment.after, *moment.statement, moment.thread, moment.findings};
  Teller teller(scene, told);
  narration.sentence = teller.sentence();
  narration.notes = teller.notes();
  narration.guides = teller.guides();
  narration.eyebrow.pass = teller.pass();
  narration.eyebrow.lanes = teller.lanes_off();
  return narration;
}

PhaseSummary Narrator::summarise(std::size_t phase, std::uint32_t thread,
                                 const insight::BlockSums* sums) const {
  const Scene scene = impl_->scene(sums);
  PhaseSummary done =
      Summarizer(scene, scene.recording.phases_of(scene.block)[phase], thread).summary();
  done.eyebrow = eyebrow_of(scene, "eyebrow_phase_done", phase);
  done.running = eyebrow_of(scene, "eyebrow_phase", phase);
  return done;
}

}  // namespace tilestep::narration

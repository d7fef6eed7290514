#include "insight/check/race_effect.h"

#include "record/place_name.h"
#include "simt/state/event.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace tilestep::insight {
namespace {

// One lane's access to a word since the last barrier.
struct Touch {
  RaceAccess side;
  std::uint32_t warp = 0;
  std::uint32_t position = 0;  // instructions of the warp since that barrier
};

class RaceEffectFinder final : public simt::Observer {
 public:
  RaceEffectFinder(const simt::Program& program, std::uint32_t block, std::uint64_t first_step)
      : program_(program),
        block_(block),
        step_(first_step),
        positions_(program.warps_per_block()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    if (info.id.block == block_) {
      ++positions_[info.id.warp];
    }
  }
  void after_step(const simt::StepInfo&) override { ++step_; }

  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    if (info.id.block == block_ && event.whole_block &&
        event.action == simt::BarrierAction::Release) {
      words_.clear();
      std::ranges::fill(positions_, 0U);
    }
  }

  // A copy stores when it arrives.
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (info.id.block != block_ || event.space != ptx::Space::Shared || event.is_issue ||
        event.kind == simt::AccessKind::Atomic) {
      return;
    }
    const std::uint32_t line =
        ptx::statement_line(program_.module().functions[info.function], info.pc);
    const auto warp_size = program_.warp_size();
    simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
      const Touch touch{
          {info.id.warp * warp_size + lane, line, step_}, info.id.warp, positions_[info.id.warp]};
      const std::uint64_t end = event.addresses[lane] + event.bytes;
      for (std::uint64_t at = event.addresses[lane] / 4 * 4; at < end; at += 4) {
        note(at, touch, event.kind == simt::AccessKind::Store);
      }
    });
  }

  [[nodiscard]] std::vector<RaceEffect> take() {
    std::ranges::stable_sort(effects_, [](const RaceEffect& a, const RaceEffect& b) {
      return a.reader.step < b.reader.step;
    });
    return std::move(effects_);
  }

 private:
  struct Word {
    std::vector<Touch> stores;
    std::vector<Touch> loads;
  };

  void note(std::uint64_t address, const Touch& touch, bool is_store) {
    Word& word = words_[address];
    if (is_store) {
      for (const Touch& load : word.loads) {
        if (load.warp != touch.warp && load.position > touch.position) {
          add({block_, address, touch.side, load.side});
        }
      }
      word.stores.push_back(touch);
      return;
    }
    // The first of the stores that were too early: it overwrote the value that was there.
    const auto early = std::ranges::find_if(word.stores, [&](const Touch& s) {
      return s.warp != touch.warp && s.position > touch.position;
    });
    if (early != word.stores.end()) {
      add({block_, address, early->side, touch.side});
    }
    word.loads.push_back(touch);
  }

  void add(const RaceEffect& effect) {
    if (effects_.size() < kMostEffects) {
      effects_.push_back(effect);
    }
  }

  static constexpr std::size_t kMostEffects = 200'000;
  const simt::Program& program_;
  std::uint32_t block_;
  std::uint64_t step_;
  std::vector<std::uint32_t> positions_;  // by warp
  std::unordered_map<std::uint64_t, Word> words_;
  std::vector<RaceEffect> effects_;
};

std::optional<std::uint32_t> word_at(const record::State& state, std::uint32_t block,
                                     std::uint64_t address) {
  const auto bytes = state.shared(block);
  const std::uint64_t offset = address - simt::kSharedWindow;
  if (offset + 4 > bytes.size() || !state.shared_writer(block, offset / 4).written) {
    return std::nullopt;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

}  // namespace

std::vector<RaceEffect> find_race_effects(const record::Recording& recording, std::uint32_t block) {
  const auto phases = recording.phases_of(block);
  if (phases.empty()) {
    return {};
  }
  const std::uint64_t first = phases.front().first_step;
  RaceEffectFinder finder(recording.program(), block, first);
  recording.replay(first, phases.back().last_step, finder);
  return finder.take();
}

RaceEffectValues values_of(const record::Recording& recording, const RaceEffect& effect) {
  const auto at = [&](std::uint64_t step) {
    return word_at(recording.state_at(step), effect.block, effect.address);
  };
  return {at(effect.reader.step), at(effect.writer.step + (effect.is_lost() ? 0U : 1U))};
}

Finding finding_of(const simt::Program& program, const RaceEffect& effect) {
  const problem::Launch& launch = program.launch();
  Finding finding;
  finding.kind = FindingKind::SharedRace;
  finding.takes_effect = true;
  const simt::Place place = program.locate(effect.address, 4);
  finding.element = record::place_name(program, place);
  const bool known = place.allocation != simt::kNoAllocation;
  finding.variable = known ? record::variable_name(program, place.allocation) : "";
  const auto party = [&](const RaceAccess& side, simt::AccessKind kind) {
    return Party{launch.grid.at(effect.block), launch.block.at(side.thread), side.line, side.step,
                 kind};
  };
  finding.parties = {party(effect.writer, simt::AccessKind::Store),
                     party(effect.reader, simt::AccessKind::Load)};
  if (!effect.is_lost()) {
    std::swap(finding.parties.front(), finding.parties.back());
  }
  return finding;
}

}  // namespace tilestep::insight

#include "narration/block_run.h"

#include "simt/exec/executors.h"

#include <algorithm>
#include <tuple>

namespace tilestep::narration {
void Box::add(std::int64_t row, std::int64_t col) {
  if (empty()) {
    *this = {row, row, col, col};
    return;
  }
  row0 = std::min(row0, row);
  row1 = std::max(row1, row);
  col0 = std::min(col0, col);
  col1 = std::max(col1, col);
}

void Box::add(const Box& other) {
  if (!other.empty()) {
    add(other.row0, other.col0);
    add(other.row1, other.col1);
  }
}

// Observes the machine while it executes the block.
class BlockWatcher final : public simt::Observer {
 public:
  BlockWatcher(BlockRun& run, const record::Tables& tables, std::uint32_t block)
      : run_(run), tables_(tables), program_(*tables.program), block_(block) {
    run_.visits_.resize(program_.warps_per_block());
    run_.results_.resize(program_.threads_per_block());
    run_.globals_.resize(program_.threads_per_block());
    words_.resize(program_.shared_room() / 4 + 1);
  }

  void set_step(std::uint64_t step) { step_ = step; }
  [[nodiscard]] bool wants_steps() const override { return true; }

  void before_step(const simt::StepInfo& info) override {
    if (info.id.block != block_) {
      return;
    }
    const record::PcInfo& pc = tables_.functions[info.function].pcs[info.pc];
    std::vector<Visit>& visits = run_.visits_[info.id.warp];
    const bool same = !visits.empty() && visits.back().line == pc.line;
    if (pc.line != 0 && !same) {
      visits.push_back({step_, pc.line, info.active});
    } else if (!visits.empty()) {
      visits.back().mask |= info.active;
    }
    if (info.instruction->op == ptx::Opcode::CpAsyncWait && !visits.empty()) {
      run_.wait_lines_.insert(visits.back().line);
    }
    if (info.mask != 0 && ptx::has(info.instruction->op, ptx::kIsUnit)) {
      run_.units_.push_back(
          {step_, info.id.warp, info.mask, info.function, info.frame, info.instruction});
    }
    if ((pc.flags & record::kProductPc) != 0 && info.mask != 0) {
      run_.products_.push_back({step_, info.id.warp, info.mask,
                                visits.empty() ? 0 : visits.back().line, piece_of(info),
                                info.instruction->op == ptx::Opcode::WgmmaMma});
    }
  }
  void after_step(const simt::StepInfo&) override { ++step_; }
  // The shape of a tensor unit's product; zeros: not such an instruction.
  [[nodiscard]] simt::TileShape piece_of(const simt::StepInfo& info) const {
    const ptx::Instruction& i = *info.instruction;
    const ptx::Function& function = program_.module().functions[info.function];
    if (i.op == ptx::Opcode::WgmmaMma) {
      return simt::warpgroup_shape(function.matrix_forms[i.target], 1);
    }
    const bool is_tensor = i.op == ptx::Opcode::MmaSync || i.op == ptx::Opcode::WmmaMma;
    return is_tensor ? simt::tile_shape(function.matrix_forms[i.target].shape) : simt::TileShape{};
  }

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (info.id.block != block_ ||
        (event.space != ptx::Space::Global && event.space != ptx::Space::Shared)) {
      return;
    }
    const bool is_mbarrier = info.instruction->op == ptx::Opcode::Mbarrier;
    if (is_mbarrier && info.instruction->mode == ptx::Mode::MbarInit) {
      note_setup(event);
    }
    Touch touch;
    touch.step = step_;
    touch.warp = info.id.warp;
    touch.mask = event.mask;
    touch.bytes = event.bytes;
    // After its initialization, an mbarrier is for arrivals and passes no data: count its atomics
    // as loads.
    touch.kind =
        is_mbarrier && event.kind == simt::AccessKind::Atomic ? simt::AccessKind::Load : event.kind;
    touch.agent = event.agent;
    touch.is_issue = event.is_issue;
    touch.is_arrival = event.is_arrival;
    const std::vector<Visit>& visits = run_.visits_[info.id.warp];
    touch.line = visits.empty() ? 0 : visits.back().line;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t address = event.addresses[lane];
      const std::uint32_t thread = program_.thread_of(info.id, lane);
      locate(touch, address);
      const bool is_told_again = event.agent == simt::AccessAgent::TensorCore && event.is_arrival;
      if (event.space == ptx::Space::Shared && !event.is_issue && !is_told_again) {
        note_shared(touch, address, thread);
      } else if (event.space == ptx::Space::Global) {
        run_.globals_[thread].push_back({step_, address, touch.line});
        if (event.kind != simt::AccessKind::Load) {
          run_.results_[thread].push_back({step_, address, event.bytes});
        }
      }
    }
    if (!is_mbarrier) {
      run_.touches_.push_back(touch);
    }
  }

  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    if (info.id.block != block_ || event.action != simt::BarrierAction::Release) {
      return;
    }
    if (event.id < simt::kFirstMbarrier) {
      run_.meetings_.push_back({step_, {}, {}});
    } else {
      run_.phase_marks_.push_back({step_, event.id, true});
    }
  }

  void note_setup(const simt::MemoryEvent& event) {
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      run_.phase_marks_.push_back({step_, simt::mbarrier_number(event.addresses[lane]), false});
    }
  }

  void finish() {
    for (Word& word : words_) {
      close(word);
    }
    for (const auto& [meeting, allocation, outer] : completed_.all) {
      run_.meetings_[meeting].completes.insert(name(allocation, outer));
    }
    for (const auto& [meeting, allocation, outer] : freed_.all) {
      run_.meetings_[meeting].frees.insert(name(allocation, outer));
    }
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffffU;
  static constexpr std::uint32_t kSeveral = 0xfffffffeU;
  struct Word {
    std::uint32_t stored_by = kNobody;
    std::uint32_t read_by = kNobody;
    std::uint32_t read_before_by = kNobody;  // in the interval with reads before that of read_by
    std::size_t stored_in = 0;
    std::size_t read_in = 0;
    std::size_t read_before_in = 0;
    std::uint32_t reads = 0;
    std::uint32_t allocation = simt::kNoAllocation;
  };

  // The lanes of an access are nearly always in one array: its shape is looked up once.
  void locate(Touch& touch, std::uint64_t address) {
    if (address < shape_.base || address >= shape_.base + shape_.bytes) {
      const simt::Place place = program_.locate_array(address, touch.bytes);
      if (place.allocation == simt::kNoAllocation || !place.inside) {
        return;
      }
      shape_ = array_shape(program_, place.allocation);
    }
    const Element e = element_in(shape_, static_cast<std::int64_t>(address - shape_.base));
    touch.allocation = e.allocation;
    touch.is_flat = e.is_flat;
    touch.box.add(e.row, e.col);
    touch.box.add(e.row, e.col + std::max<std::int64_t>(touch.bytes / shape_.size, 1) - 1);
  }

  // The last stored value of the word is overwritten.
  void close(Word& word) {
    if (word.stored_by == kNobody || word.allocation == simt::kNoAllocation) {
      return;
    }
    Reuse& reuse = run_.reuse_[{word.stored_in, word.allocation}];
    reuse.least = reuse.words == 0 ? word.reads : std::min(reuse.least, word.reads);
    reuse.most = std::max(reuse.most, word.reads);
    ++reuse.words;
  }

  void note_shared(const Touch& touch, std::uint64_t address, std::uint32_t thread) {
    const std::size_t now = run_.meetings_.size();
    const std::uint64_t first = (address - simt::kSharedWindow) / 4;
    const std::uint64_t count = std::max(touch.bytes / 4, 1U);
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + count, words_.size()); ++i) {
      Word& word = words_[i];
      if (touch.kind != simt::AccessKind::Load) {
        const bool is_read_now = word.read_in == now;
        const std::uint32_t reader = is_read_now ? word.read_before_by : word.read_by;
        if (reader != kNobody && reader != thread) {
          note(freed_, is_read_now ? word.read_before_in : word.read_in, address);
        } else if (word.stored_by != kNobody && word.stored_in < now && word.stored_by != thread) {
          // An update reads the previous value, a store replaces it.
          note(touch.kind == simt::AccessKind::Store ? freed_ : completed_, word.stored_in,
               address);
        }
        close(word);
        word = Word{.stored_by = thread, .stored_in = now, .allocation = touch.allocation};
        continue;
      }
      if (word.stored_by != kNobody && word.stored_in < now && word.stored_by != thread) {
        note(completed_, word.stored_in, address);
      }
      if (word.read_by != kNobody && word.read_in != now) {
        word.read_before_by = word.read_by;
        word.read_before_in = word.read_in;
      }
      word.read_by = word.read_by == kNobody || word.read_in != now || word.read_by == thread
                         ? thread
                         : kSeveral;
      word.read_in = now;
      ++word.reads;
    }
  }

  // Arrays of a meeting by allocation and outer index; most notes repeat the previous one.
  struct Notes {
    std::set<std::tuple<std::size_t, std::uint32_t, std::int64_t>> all;
    std::tuple<std::size_t, std::uint32_t, std::int64_t> latest;
  };
  void note(Notes& notes, std::size_t meeting, std::uint64_t address) const {
    if (address < shape_.base || address >= shape_.base + shape_.bytes) {
      return;
    }
    const Element e = element_in(shape_, static_cast<std::int64_t>(address - shape_.base));
    const std::tuple one{meeting, e.allocation, e.has_outer ? e.outer : -1};
    if (one != notes.latest || notes.all.empty()) {
      notes.all.insert(one);
      notes.latest = one;
    }
  }

  [[nodiscard]] std::string name(std::uint32_t allocation, std::int64_t outer) const {
    Element e;
    e.allocation = allocation;
    e.outer = outer;
    e.has_outer = outer >= 0;
    return array_text(program_, e);
  }

  BlockRun& run_;
  const record::Tables& tables_;
  const simt::Program& program_;
  std::uint32_t block_;
  std::uint64_t step_ = 0;
  std::vector<Word> words_;
  ArrayShape shape_;
  Notes completed_;
  Notes freed_;
};

BlockRun::BlockRun(const record::Recording& recording, std::uint32_t block) {
  const record::Tables tables(recording.shared_program());
  BlockWatcher watcher(*this, tables, block);
  if (recording.keeps_steps_of(block)) {
    simt::Machine machine(recording.shared_program());
    recording.visit_steps_of(block, [&](const record::Recording::BlockStep& step) {
      watcher.set_step(step.step);
      machine.step({block, step.warp}, &watcher);
      return true;
    });
  } else {
    recording.replay(0, recording.step_count(), watcher);
  }
  watcher.finish();
}

BlockRun::BlockRun(const record::Recording& recording, std::uint32_t block, std::uint64_t first,
                   std::uint64_t last) {
  const record::Tables tables(recording.shared_program());
  BlockWatcher watcher(*this, tables, block);
  watcher.set_step(first);
  recording.replay(first, last, watcher);
}

std::span<const Touch> BlockRun::touches(std::uint64_t first, std::uint64_t last) const {
  const auto before = [](const Touch& t, std::uint64_t step) { return t.step < step; };
  const auto from = std::lower_bound(touches_.begin(), touches_.end(), first, before);
  return {from, std::lower_bound(from, touches_.end(), last, before)};
}

std::span<const ProductStep> BlockRun::products(std::uint64_t first, std::uint64_t last) const {
  const auto before = [](const ProductStep& p, std::uint64_t step) { return p.step < step; };
  const auto from = std::lower_bound(products_.begin(), products_.end(), first, before);
  return {from, std::lower_bound(from, products_.end(), last, before)};
}

std::span<const UnitStep> BlockRun::units(std::uint64_t first, std::uint64_t last) const {
  const auto before = [](const UnitStep& u, std::uint64_t step) { return u.step < step; };
  const auto from = std::lower_bound(units_.begin(), units_.end(), first, before);
  return {from, std::lower_bound(from, units_.end(), last, before)};
}

const UnitStep* BlockRun::unit_at(std::uint64_t step) const {
  const auto found = units(step, step + 1);
  return found.empty() ? nullptr : &found.front();
}

std::uint64_t BlockRun::phases_over(std::uint32_t mbarrier, std::uint64_t step) const {
  std::uint64_t over = 0;
  for (const PhaseMark& mark : phase_marks_) {
    if (mark.mbarrier == mbarrier && mark.step <= step) {
      over = mark.is_end ? over + 1 : 0;
    }
  }
  return over;
}

bool BlockRun::has_copies_before(std::uint64_t step) const {
  return std::ranges::any_of(touches_,
                             [step](const Touch& t) { return t.is_issue && t.step < step; });
}

const Meeting* BlockRun::meeting(std::uint64_t first, std::uint64_t last) const {
  const auto found = std::ranges::find_if(
      meetings_, [&](const Meeting& m) { return m.step >= first && m.step < last; });
  return found == meetings_.end() ? nullptr : &*found;
}

const Reuse* BlockRun::reuse(std::size_t interval, std::uint32_t allocation) const {
  const auto found = reuse_.find({interval, allocation});
  return found == reuse_.end() ? nullptr : &found->second;
}

std::size_t BlockRun::interval_of(std::uint64_t step) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(meetings_, [step](const Meeting& m) { return m.step < step; }));
}

}  // namespace tilestep::narration

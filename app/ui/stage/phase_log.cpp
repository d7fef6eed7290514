#include "ui/stage/phase_log.h"

#include "insight/count/counters.h"

#include <algorithm>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kWordBytes = 4;  // the granularity of record::Writer

// Calls `visit(thread, SheetPlace)` for every cell of an access.
template <class Visit>
void for_each_cell(const StageShape& shape, const simt::Program& program,
                   const simt::StepInfo& info, const simt::MemoryEvent& event, Visit visit) {
  const auto warp_size = program.warp_size();
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    if ((event.mask >> lane & 1U) == 0) {
      continue;
    }
    // A lane of a tensor core's read is a piece of the matrix, not a thread.
    const std::uint32_t thread = event.agent == simt::AccessAgent::TensorCore
                                     ? simt::kNoThread
                                     : info.id.warp * warp_size + lane;
    std::uint32_t done = 0;
    while (done < event.bytes) {
      const auto place =
          sheet_place(shape, program, program.locate(event.addresses[lane] + done, 1));
      if (place) {
        visit(thread, *place);
      }
      const std::size_t bytes =
          place ? shape.sheets[static_cast<std::size_t>(place->sheet)].element_bytes : 4;
      done += static_cast<std::uint32_t>(std::max<std::size_t>(bytes, 1));
    }
  }
}

class PhaseObserver final : public simt::Observer {
 public:
  PhaseObserver(const simt::Program& program, const StageShape& shape, std::uint64_t first_step,
                std::uint32_t block, std::uint32_t thread)
      : program_(program),
        shape_(shape),
        next_step_(first_step),
        block_(block),
        thread_(thread),
        touched_(shape.sheets.size()) {
    log_.took_part.resize(program.threads_per_block());
  }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo&) override { ++next_step_; }

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (info.id.block != block_) {
      return;
    }
    const bool is_store = event.kind != simt::AccessKind::Load;
    const bool is_shared = event.space == ptx::Space::Shared;
    if (!is_shared && event.space != ptx::Space::Global) {
      return;
    }
    const std::uint32_t line =
        ptx::statement_line(program_.module().functions[info.function], info.pc);
    const std::uint64_t step = next_step_ - 1;
    note_request(info, line, event);
    for_each_cell(shape_, program_, info, event, [&](std::uint32_t thread, SheetPlace place) {
      if (place.inside) {
        touch(thread, step, place, is_store);
      }
      if (!is_shared || is_store || thread == thread_) {
        log_.accesses.push_back({next_step_ - 1, thread, line, place, is_store, event.is_arrival,
                                 event.kind == simt::AccessKind::Atomic});
      }
    });
  }

  [[nodiscard]] PhaseLog take() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      for (const auto& [cell, touch] : touched_[i]) {
        log_.touches.push_back(touch);
      }
    }
    return std::move(log_);
  }

 private:
  void note_request(const simt::StepInfo& info, std::uint32_t line,
                    const simt::MemoryEvent& event) {
    if (info.id.warp != thread_ / program_.warp_size() ||
        event.agent != simt::AccessAgent::Thread) {
      return;
    }
    const std::uint64_t waste = insight::waste_of(insight::make_pattern(event), event);
    auto& requests = log_.requests.accesses;
    const record::Access access{info.id, info.pc, line, next_step_ - 1, event};
    const auto [asked, is_new] =
        asked_.try_emplace({info.function, info.pc}, requests.size(), waste);
    if (is_new) {
      requests.push_back(access);
    } else if (waste > asked->second.second) {
      requests[asked->second.first] = access;
      asked->second.second = waste;
    }
  }
  void touch(std::uint32_t thread, std::uint64_t step, SheetPlace place, bool is_store) {
    const Sheet& sheet = shape_.sheets[size(place.sheet)];
    const std::size_t cell = cell_index(sheet, {place.row, place.col});
    CellTouch& touch = touched_[size(place.sheet)][cell];
    touch.sheet = place.sheet;
    touch.cell = cell;
    if (is_store) {
      touch.last_write = step;
    } else {
      touch.first_read = touch.is_read() ? touch.first_read : step;
      touch.last_read = step;
      ++touch.reads;
    }
    touch.by_focus_thread = touch.by_focus_thread || thread == thread_;
    if (log_.steps.empty() || log_.steps.back() != step) {
      log_.steps.push_back(step);
    }
    if (thread != simt::kNoThread) {
      log_.took_part[thread] = true;
    }
  }

  const simt::Program& program_;
  const StageShape& shape_;
  std::uint64_t next_step_;
  std::uint32_t block_;
  std::uint32_t thread_;
  PhaseLog log_;
  std::vector<std::map<std::size_t, CellTouch>> touched_;  // by sheet
  // By function and instruction: its index in the requests, and the waste of that access.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, std::uint64_t>> asked_;
};

// Several elements may share a word, so the storing thread of each must be observed.
class StoreObserver final : public simt::Observer {
 public:
  StoreObserver(const simt::Program& program, const StageShape& shape, Ownership& owners)
      : program_(program), shape_(shape), owners_(owners) {}

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (event.kind == simt::AccessKind::Load || event.space != ptx::Space::Global) {
      return;
    }
    for_each_cell(shape_, program_, info, event, [&](std::uint32_t thread, SheetPlace place) {
      if (!place.inside) {
        return;
      }
      const Sheet& sheet = shape_.sheets[static_cast<std::size_t>(place.sheet)];
      auto& cells = owners_.cells[static_cast<std::size_t>(place.sheet)];
      cells.resize(static_cast<std::size_t>(sheet.rows) * static_cast<std::size_t>(sheet.cols));
      cells[cell_index(sheet, {place.row, place.col})] = {info.id.block, thread};
    });
  }

 private:
  const simt::Program& program_;
  const StageShape& shape_;
  Ownership& owners_;
};

// The last store to every word is known at the end of the run.
void take_writers(const record::State& end, const Sheet& sheet, std::vector<Owner>& cells) {
  std::vector<Owner> found(static_cast<std::size_t>(sheet.rows) *
                           static_cast<std::size_t>(sheet.cols));
  bool any = false;
  for (std::size_t c = 0; c < sheet.count; ++c) {
    const record::Writer writer =
        end.buffer_writer(sheet.index, cell_offset(sheet, cell_place(sheet, c)) / kWordBytes);
    if (writer.written) {
      found[c] = {writer.block, writer.thread};
      any = true;
    }
  }
  if (any) {
    cells = std::move(found);
  }
}

}  // namespace

std::vector<Transfer> transfers(const PhaseLog& log, const StageShape& shape) {
  // The values that a thread loaded in one step and has not stored yet; a vector's elements keep
  // their order.
  struct InHand {
    std::vector<const LoggedAccess*> loads;
    std::size_t stored = 0;
    std::uint64_t store_step = 0;  // of the stored elements
  };
  std::vector<Transfer> result;
  std::map<std::uint32_t, InHand> in_hand;  // by thread
  for (const LoggedAccess& access : log.accesses) {
    const SheetKind kind = shape.sheets[size(access.place.sheet)].kind;
    if (access.is_arrival || access.is_update || (!access.is_store && kind != SheetKind::Buffer)) {
      continue;
    }
    InHand& hand = in_hand[access.thread];
    if (!access.is_store) {
      if (hand.loads.empty() || hand.stored > 0 || hand.loads.back()->step != access.step) {
        hand = {};
      }
      hand.loads.push_back(&access);
      continue;
    }
    if (kind != SheetKind::Shared || (hand.stored > 0 && hand.store_step != access.step)) {
      hand = {};
    }
    if (hand.stored < hand.loads.size()) {
      hand.store_step = access.step;
      result.push_back(
          {access.step, access.thread, hand.loads[hand.stored++]->place, access.place});
    }
  }
  return result;
}

void BlockLog::use(const record::Recording& recording, const StageShape& shape,
                   const workspace::Generation& generation, std::uint32_t block,
                   std::uint32_t thread, const insight::BlockSums* sums) {
  const bool is_other_block =
      recording_ != &recording || generation_ != generation || block_ != block;
  // Integers are not followed; then the stored value is guessed.
  const bool is_followed =
      sums != nullptr && std::ranges::any_of(sums->sums(), [](const insight::OwnedSum& sum) {
        return sum.kind != insight::SumKind::Untraced;
      });
  if (is_other_block || is_followed_ != is_followed) {
    is_followed_ = is_followed;
    brought_.clear();
    if (sums != nullptr) {
      brought_.assign(sums->brought().begin(), sums->brought().end());
    }
    transfers_.clear();
  }
  if (recording_ != &recording || generation_ != generation || block_ != block ||
      thread_ != thread) {
    phases_.clear();
    transfers_.clear();
  }
  recording_ = &recording;
  shape_ = &shape;
  generation_ = generation;
  block_ = block;
  thread_ = thread;
}

const PhaseLog& BlockLog::phase(std::size_t phase) {
  const auto known = phases_.find(phase);
  if (known != phases_.end()) {
    return known->second;
  }
  const record::Phase& stretch = recording_->phases_of(block_)[phase];
  PhaseObserver observer(recording_->program(), *shape_, stretch.first_step, block_, thread_);
  recording_->replay(stretch.first_step, stretch.last_step, observer);
  return phases_.emplace(phase, observer.take()).first->second;
}

const std::vector<Transfer>& BlockLog::transfers_of(std::size_t index) {
  const auto known = transfers_.find(index);
  if (known != transfers_.end()) {
    return known->second;
  }
  // Values of less than four bytes are not followed: then there are no copies.
  auto found = brought_.empty() && !is_followed_
                   ? transfers(phase(index), *shape_)
                   : followed_transfers(recording_->phases_of(block_)[index]);
  return transfers_.emplace(index, std::move(found)).first->second;
}

std::vector<Transfer> BlockLog::followed_transfers(const record::Phase& phase) const {
  const simt::Program& program = recording_->program();
  const auto step_of = &insight::BlockSums::Brought::step;
  std::vector<Transfer> result;
  for (auto move = std::ranges::lower_bound(brought_, phase.first_step, {}, step_of);
       move != brought_.end() && move->step < phase.last_step; ++move) {
    const problem::Buffer& buffer = program.launch().buffers[move->from.launch_buffer];
    const std::size_t element =
        size(move->from.row) * size(std::max(buffer.pitch, 1)) + size(move->from.col);
    const std::uint64_t address = simt::kGlobalWindow +
                                  move->from.launch_buffer * simt::kWindowBytes +
                                  element * problem::byte_size(buffer.type);
    const auto from = sheet_place(*shape_, program, program.locate(address, 1));
    const auto to = sheet_place(*shape_, program, program.locate(move->address, 1));
    if (from && to) {
      result.push_back({move->step, move->thread, *from, *to});
    }
  }
  return result;
}

std::size_t BlockLog::phase_count() const {
  return recording_->phases_of(block_).size();
}

std::size_t BlockLog::phase_before(std::uint64_t k) const {
  const auto phases = recording_->phases_of(block_);
  std::size_t found = 0;
  for (std::size_t i = 0; i < phases.size() && phases[i].first_step < k; ++i) {
    found = i;
  }
  return found;
}

Ownership find_owners(const record::Recording& recording, const record::State& end,
                      const StageShape& shape) {
  Ownership owners;
  owners.cells.resize(shape.sheets.size());
  bool shared_words = false;
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    if (sheet.kind == SheetKind::Buffer) {
      shared_words = shared_words || sheet.element_bytes < kWordBytes;
      take_writers(end, sheet, owners.cells[i]);
    }
  }
  if (shared_words) {
    StoreObserver observer(recording.program(), shape, owners);
    recording.replay(0, recording.step_count(), observer);
  }
  return owners;
}

}  // namespace tilestep::ui

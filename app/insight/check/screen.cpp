#include "insight/check/screen.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

constexpr std::int32_t kInterval = 1 << 12;
constexpr std::int32_t kNobody = 0;
constexpr std::int32_t kMany = 4095;
constexpr std::int32_t kAtomic = 4094;
constexpr std::int32_t kLastInterval = 0x7ffff000;
constexpr std::int32_t kUnderWay = 0x7fffffff;  // later than every tag of a store

constexpr std::uint64_t kAnybody = ~std::uint64_t{0};
constexpr int kWideBlockShift = 40;
constexpr int kWideIntervalShift = 12;

constexpr std::array<std::uint32_t, 1> kHere{0};  // a single access

constexpr std::uint64_t kFirstGlobalWord = simt::kGlobalWindow / 4;
constexpr std::uint64_t kWindowWords = simt::kWindowBytes / 4;

// Ordered before an access of `interval` (a wide tag without a thread).
bool is_older(std::uint64_t tag, std::uint64_t interval) {
  return tag == 0 || (tag >> kWideBlockShift == interval >> kWideBlockShift &&
                      tag >> kWideIntervalShift < interval >> kWideIntervalShift);
}

}  // namespace

// The one lane of the warp that accesses word i of a run.
std::uint32_t Screen::thread_of(const Request& request, const Slice& slice, std::uint32_t i) {
  const std::uint32_t words = request.shape.words_per_lane;
  return request.first_thread + slice.run.first_lane + (words == 1 ? i : i / words);
}

Screen::Screen(const simt::Program& program, std::atomic<std::uint32_t>* blocks_done)
    : program_(program),
      warp_size_(program.warp_size()),
      tally_(program),
      blocks_(program.block_count()),
      local_(program),
      blocks_done_(blocks_done) {
  for (const simt::Allocation& allocation : program.allocations()) {
    if (allocation.base < simt::kGlobalWindow) {
      continue;
    }
    const std::size_t window = (allocation.base - simt::kGlobalWindow) / simt::kWindowBytes;
    window_words_.resize(std::max(window_words_.size(), window + 1), 0);
    window_words_[window] = (allocation.bytes + 3) / 4;
  }
  windows_.resize(window_words_.size());
  for (const simt::Allocation& allocation : program.allocations()) {
    if (is_unset(program, allocation)) {
      windows_[(allocation.base - simt::kGlobalWindow) / simt::kWindowBytes].is_unset = true;
    }
  }
}

// Earlier tags of its words no longer apply.
void Screen::on_allocation(const simt::StepInfo& /*info*/, std::uint64_t address,
                           std::uint64_t bytes) {
  Window& window = windows_[(address - simt::kGlobalWindow) / simt::kWindowBytes];
  const std::uint64_t first = address / 4 % kWindowWords;
  for (Zeroed<WideTag>* const tags : {&window.stored, &window.read}) {
    if (!tags->empty()) {
      std::fill_n(tags->begin() + static_cast<std::ptrdiff_t>(first), (bytes + 3) / 4, 0);
    }
  }
}

void Screen::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const bool shared = event.space == ptx::Space::Shared;
  if (event.space == ptx::Space::Local && local_.access(info, event) != 0) {
    suspects_.any = true;
    suspects_.blocks.add(SuspectBlocks::access_of(info));
  }
  if (!shared && event.space != ptx::Space::Global) {
    return;
  }
  Request request{tally_.note(info, event)};
  request.word = first_address(event) / 4;
  request.first_thread = info.id.warp * warp_size_;
  request.place = SuspectBlocks::access_of(info);
  request.kind = event.kind;
  BlockTags& tags = *blocks_[info.id.block];
  if (shared) {
    request.word -= simt::kSharedWindow / 4;
    if (event.agent != simt::AccessAgent::Thread && event.kind == simt::AccessKind::Load)
        [[unlikely]] {
      on_unit_read(request, tags);
    } else if (event.is_issue || event.is_arrival) [[unlikely]] {
      on_copy(request, tags, copy_part(info, event));
    } else if (!request.shape.is_word_groups || !touch_groups(event, request, tags, kHere)) {
      on_shared(request, tags);
    }
  } else {
    on_global(request, tags);
  }
}

bool Screen::touch_groups(const simt::MemoryEvent& event, const Request& request, BlockTags& tags,
                          std::span<const std::uint32_t> offsets) {
  tag_groups::Words words{tags.stored.data(), tags.read.data(), {}};
  for (std::size_t group = 0; group < words.first.size(); ++group) {
    words.first[group] = static_cast<std::uint32_t>(event.addresses[group * 8]) / 4;
  }
  const Tag first = tags.floor + 1 + static_cast<Tag>(request.first_thread);
  const bool same = event.shape == simt::AccessShape::Same;
  if (request.kind == simt::AccessKind::Load) {
    const tag_groups::Interval interval{tags.start, tags.floor, tags.floor + kMany};
    return same ? tag_groups::load_same(words, interval, offsets)
                : tag_groups::load(words, interval, first, offsets);
  }
  return request.kind == simt::AccessKind::Store && !same &&
         tag_groups::store(words, tags.floor, first);
}

void Screen::on_load_run(const simt::StepInfo& first, const simt::LoadRun& run,
                         simt::MemoryEvent& event) {
  BlockTags& tags = *blocks_[first.id.block];
  for (const simt::LoadRun::Register& through : run.registers) {
    simt::StepInfo info = first;
    info.pc = run.loads[through.first].pc;
    simt::describe(run, run.loads[through.first], event);
    Request request{tally_.note_run(info, event, through.further.size())};
    request.first_thread = info.id.warp * warp_size_;
    request.place = SuspectBlocks::access_of(info);
    if (request.shape.is_word_groups && touch_groups(event, request, tags, through.further)) {
      continue;
    }
    const std::uint64_t word = (first_address(event) - simt::kSharedWindow) / 4;
    for (const std::uint32_t further : through.further) {
      request.word = static_cast<std::uint32_t>(word + further);
      on_shared(request, tags);
    }
  }
}

void Screen::on_shared(const Request& request, BlockTags& tags) {
  for (const WordRun& run : request.shape.runs) {
    const Slice all{run,
                    static_cast<std::size_t>(request.word) + static_cast<std::size_t>(run.first), 0,
                    run.count};
    if (!is_fine(request, all, tags)) {
      suspects_.blocks.add(request.place);
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if (!is_fine(request, {run, all.first, i, i + 1}, tags)) {
          suspects_.add_shared(all.first + i);
        }
      }
    }
    leave_tags(request, all, tags);
  }
}

// A barrier does not make a thread's store visible to a unit. The exact check decides.
void Screen::on_unit_read(const Request& request, BlockTags& tags) {
  suspects_.blocks.add(request.place);
  for (const WordRun& run : request.shape.runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      suspects_.add_shared(static_cast<std::size_t>(request.word + run.first) + i);
    }
  }
  on_shared(request, tags);
}

// Until the copy arrives, nobody may access its destination, with or without barriers.
void Screen::on_copy(const Request& request, BlockTags& tags, CopyPart part) {
  if (part == CopyPart::Exit) {
    return;
  }
  const auto for_each_tag = [&](auto&& change) {
    for (const WordRun& run : request.shape.runs) {
      const std::uint64_t first = request.word + static_cast<std::uint64_t>(run.first);
      std::for_each_n(tags.stored.begin() + static_cast<std::ptrdiff_t>(first), run.count, change);
    }
  };
  if (part == CopyPart::Arrival) {
    for_each_tag([](Tag& tag) { tag = tag == kUnderWay ? kNobody : tag; });
  }
  on_shared(request, tags);
  if (part == CopyPart::Issue) {
    for_each_tag([](Tag& tag) { tag = kUnderWay; });
  }
}

bool Screen::is_fine(const Request& request, const Slice& slice, const BlockTags& tags) {
  const Tag* stored = tags.stored.data() + slice.first;
  const Tag* read = tags.read.data() + slice.first;
  const Tag start = tags.start;
  const Tag floor = tags.floor;
  const std::uint32_t count = slice.to - slice.from;
  // Nearly all accesses: a load of words that were stored in an earlier interval, or a store to
  // words that nobody has accessed in this one.
  if (request.kind == simt::AccessKind::Load &&
      tag_lanes::all_between(stored + slice.from, count, start, floor)) {
    return true;
  }
  if (request.kind == simt::AccessKind::Store && !slice.run.many &&
      tag_lanes::all_between(stored + slice.from, count, kNobody, floor) &&
      tag_lanes::all_between(read + slice.from, count, kNobody, floor)) {
    return true;
  }
  bool fine = true;
  for (std::uint32_t i = slice.from; fine && i < slice.to; ++i) {
    const Tag mine =
        slice.run.many ? -1 : floor + 1 + static_cast<Tag>(thread_of(request, slice, i));
    const bool stored_fine = stored[i] < floor || stored[i] == mine;
    switch (request.kind) {
      case simt::AccessKind::Load:
        fine = stored_fine && stored[i] >= start;
        break;
      case simt::AccessKind::Store:
        fine = stored_fine && !slice.run.many && (read[i] < floor || read[i] == mine);
        break;
      case simt::AccessKind::Atomic:
        fine = stored[i] >= start && (stored_fine || stored[i] == floor + kAtomic) &&
               (read[i] < floor || read[i] == mine);
        break;
    }
  }
  return fine;
}

void Screen::leave_tags(const Request& request, const Slice& slice, BlockTags& tags) {
  Tag* stored = tags.stored.data() + slice.first;
  Tag* read = tags.read.data() + slice.first;
  const Tag floor = tags.floor;
  if (request.kind == simt::AccessKind::Atomic) {
    tag_lanes::fill(stored, slice.to, floor + kAtomic);
    return;
  }
  if (slice.run.many && request.kind == simt::AccessKind::Load) {
    tag_lanes::fill(read, slice.to, floor + kMany);
    return;
  }
  if (request.shape.words_per_lane == 1) {
    const Tag first = floor + 1 + static_cast<Tag>(thread_of(request, slice, 0));
    if (request.kind == simt::AccessKind::Store) {
      tag_lanes::number(stored, slice.to, first);
    } else {
      tag_lanes::number_or(read, slice.to, floor, first, floor + kMany);
    }
    return;
  }
  for (std::uint32_t i = 0; i < slice.to; ++i) {
    const Tag mine = floor + 1 + static_cast<Tag>(thread_of(request, slice, i));
    if (request.kind == simt::AccessKind::Store) {
      stored[i] = mine;
    } else {
      read[i] = read[i] < floor || read[i] == mine ? mine : floor + kMany;
    }
  }
}

void Screen::on_global(const Request& request, const BlockTags& tags) {
  const WideTag interval = (std::uint64_t{request.place.block} + 1) << kWideBlockShift |
                           std::uint64_t{tags.interval} << kWideIntervalShift;
  for (const WordRun& run : request.shape.runs) {
    const std::uint64_t word =
        request.word - kFirstGlobalWord + static_cast<std::uint64_t>(run.first);
    const std::size_t index = word / kWindowWords;
    if (index >= windows_.size()) {
      continue;
    }
    Window& window = windows_[index];
    const bool loads = request.kind == simt::AccessKind::Load;
    if (window.read.empty()) {
      window.read.resize(window_words_[index]);
    }
    if (window.stored.empty() && (!loads || window.is_unset)) {
      window.stored.resize(window_words_[index]);
    }
    const Slice all{run, static_cast<std::size_t>(word % kWindowWords), 0, run.count};
    if (!window.stored.empty() && !is_fine(request, all, interval, window)) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if (!is_fine(request, {run, all.first, i, i + 1}, interval, window)) {
          suspects_.add_global(index, all.first + i);
          note_met(request, window, all.first + i);
        }
      }
    }
    leave_tags(request, all, interval, window);
  }
}

void Screen::note_met(const Request& request, const Window& window, std::size_t index) {
  const auto note = [&](WideTag tag) {
    if (tag == kAnybody) {
      suspects_.blocks.add_any();
    } else if (tag != 0) {
      suspects_.blocks.add(request.place, static_cast<std::uint32_t>(tag >> kWideBlockShift) - 1);
    }
  };
  suspects_.blocks.add(request.place);
  note(window.stored[index]);
  if (request.kind != simt::AccessKind::Load) {
    note(window.read[index]);
  }
}

bool Screen::is_fine(const Request& request, const Slice& slice, WideTag interval,
                     const Window& window) {
  const WideTag* stored = window.stored.data() + slice.first;
  const WideTag* read = window.read.data() + slice.first;
  const bool load = request.kind == simt::AccessKind::Load;
  WideTag any = 0;
  for (std::uint32_t i = slice.from; i < slice.to; ++i) {
    any |= stored[i];
  }
  if (any == 0 && load) {
    return !window.is_unset;
  }
  const bool needs_value = window.is_unset && request.kind != simt::AccessKind::Store;
  bool fine = request.kind != simt::AccessKind::Store || !slice.run.many;
  for (std::uint32_t i = slice.from; fine && i < slice.to; ++i) {
    const WideTag mine = slice.run.many ? 0 : interval + 1 + thread_of(request, slice, i);
    const bool stored_fine = is_older(stored[i], interval) || stored[i] == mine ||
                             (request.kind == simt::AccessKind::Atomic && stored[i] == kAnybody);
    fine = stored_fine && !(needs_value && stored[i] == 0) &&
           (load || is_older(read[i], interval) || read[i] == mine);
  }
  return fine;
}

void Screen::leave_tags(const Request& request, const Slice& slice, WideTag interval,
                        Window& window) {
  WideTag* stored = window.stored.empty() ? nullptr : window.stored.data() + slice.first;
  WideTag* read = window.read.data() + slice.first;
  if (request.kind == simt::AccessKind::Atomic) {
    std::fill_n(stored, slice.to, kAnybody);
    return;
  }
  // Several blocks have read these words already.
  if (request.kind == simt::AccessKind::Load && tag_lanes::all_ones(read, slice.to)) {
    return;
  }
  for (std::uint32_t i = 0; i < slice.to; ++i) {
    const WideTag mine = interval + (slice.run.many ? kMany : 1 + thread_of(request, slice, i));
    if (request.kind == simt::AccessKind::Store) {
      stored[i] = mine;
    } else if (is_older(read[i], interval)) {
      read[i] = mine;
    } else if (read[i] != mine && read[i] != kAnybody) {
      const bool this_interval = read[i] >> kWideIntervalShift == interval >> kWideIntervalShift;
      read[i] = this_interval ? interval + kMany : kAnybody;
    }
  }
}

// A release may be reported for a warp that has exited; the warp that arrived last has the line.
void Screen::note_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  EarlyExit& here = blocks_[info.id.block]->at_barrier;
  if (event.action == simt::BarrierAction::Arrive) {
    here.block = info.id.block;
    here.present =
        info.id.warp * warp_size_ + static_cast<std::uint32_t>(std::countr_zero(event.mask));
    here.line = ptx::statement_line(program_.module().functions[info.function], info.pc);
  }
  if (event.absent != simt::kNoThread) {
    suspects_.early_exit = here;
    suspects_.early_exit->left = event.absent;
  }
}

void Screen::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (event.whole_block && !suspects_.early_exit) {
    note_barrier(info, event);
  }
  if (event.action == simt::BarrierAction::Arrive && event.absent != simt::kNoThread &&
      blocks_[info.id.block]->interval != 0 && !suspects_.left_behind_barrier) {
    suspects_.left_behind_barrier = true;
    suspects_.blocks.add(SuspectBlocks::access_of(info));
  }
  if (event.action != simt::BarrierAction::Release || !event.whole_block) {
    return;
  }
  BlockTags& tags = *blocks_[info.id.block];
  next_interval(tags);
  ++tags.interval;
}

void Screen::next_interval(BlockTags& tags) {
  if (tags.floor < kLastInterval) {
    tags.floor += kInterval;
    return;
  }
  // Interval numbers are used up. Keep which words this block has stored, forget the rest.
  for (Tag& tag : tags.stored) {
    tag = tag >= tags.start ? kInterval : 0;
  }
  std::ranges::fill(tags.read, 0);
  tags.start = kInterval;
  tags.floor = 2 * kInterval;
}

void Screen::on_fault(const simt::StepInfo& info, const simt::FaultEvent&) {
  had_faults_ = true;
  suspects_.blocks.add(SuspectBlocks::access_of(info));
}

void Screen::note_undefined(const simt::StepInfo& info) {
  suspects_.any = true;
  suspects_.undefined = true;
  suspects_.blocks.add(SuspectBlocks::access_of(info));
}

void Screen::on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) {
  const ptx::Function& function = program_.module().functions[info.function];
  printout_.add({program_.block_index(info.id.block),
                 program_.thread_index(info.id.warp * warp_size_ + lane),
                 ptx::statement_line(function, info.pc), text});
}

void Screen::on_block_start(std::uint32_t block) {
  std::unique_ptr<BlockTags>& tags = blocks_[block];
  if (pool_.empty()) {
    tags = std::make_unique<BlockTags>();
    tags->stored.resize((program_.shared_room() + 3) / 4);
    tags->read.resize(tags->stored.size());
  } else {
    tags = std::move(pool_.back());
    pool_.pop_back();
  }
  next_interval(*tags);
  tags->start = tags->floor;
  tags->interval = 0;
  local_.start_block(block);
}

void Screen::on_block_end(std::uint32_t block) {
  if (blocks_[block] != nullptr) {
    for (const simt::SharedGap& gap : program_.shared_gaps()) {
      for (std::uint64_t word = (gap.offset + 3) / 4; word < (gap.offset + gap.bytes) / 4; ++word) {
        if (blocks_[block]->stored[word] >= blocks_[block]->start) {
          suspects_.add_shared(static_cast<std::size_t>(word));
          suspects_.blocks.add({~std::uint64_t{0}, block});
        }
      }
    }
    pool_.push_back(std::move(blocks_[block]));
  }
  ++blocks_ended_;
  if (blocks_done_ != nullptr) {
    blocks_done_->fetch_add(1, std::memory_order_relaxed);
  }
}

bool Screen::meets(const Screen& other) const {
  const auto stored_and_touched = [](const Window& stores, const Window& touches) {
    for (std::size_t word = 0; word < stores.stored.size(); ++word) {
      const bool touched = (!touches.stored.empty() && touches.stored[word] != 0) ||
                           (!touches.read.empty() && touches.read[word] != 0);
      if (stores.stored[word] != 0 && touched) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    if (stored_and_touched(windows_[w], other.windows_[w]) ||
        stored_and_touched(other.windows_[w], windows_[w])) {
      return true;
    }
  }
  return false;
}

}  // namespace tilestep::insight

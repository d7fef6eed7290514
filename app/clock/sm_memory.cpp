// The way of an access: entry, data stage, L1, L2.
#include "clock/sm_machine.h"

#include <algorithm>
#include <bit>

namespace tilestep::clock::detail {

void Sm::enter(std::size_t kind) {
  Entry& into = entries_[kind];
  if (into.free >= (now_ + 1) * kTick) {
    return;
  }
  for (std::size_t k = 0; k < kSchedulers; ++k) {
    const std::size_t scheduler = (into.turn + k) % kSchedulers;
    std::deque<Queued>& queue = into.queues[scheduler];
    if (queue.empty() || queue.front().at > now_ || into.queue_free[scheduler] > now_ * kTick) {
      continue;
    }
    const CodedInstruction& code = code_[queue.front().instruction];
    const double backlog = kind == kGlobal ? n_.global_backlog : n_.shared_backlog;
    if (is_memory(code.unit) && data_free_ - now_ * kTick > ticks(backlog)) {
      continue;
    }
    const Queued entry = queue.front();
    queue.pop_front();
    into.turn = scheduler + 1;
    const bool is_slow = kind == kGlobal || code.unit == Unit::SharedStore;
    into.queue_free[scheduler] =
        now_ * kTick + ticks(is_slow ? n_.scheduler_global_gap : n_.scheduler_shared_gap);
    if (is_memory(code.unit)) {
      into.free = std::max(into.free, now_ * kTick) + entry_ticks(entry, code);
    }
    perform(entry, code);
    return;
  }
}

std::int64_t Sm::entry_ticks(const Queued& entry, const CodedInstruction& code) const {
  if (!is_global(code.unit)) {
    return ticks(n_.shared_gap);
  }
  if (!entry.has_request) {
    return ticks(n_.global_gap);
  }
  const RequestShape& shape = shapes_[entry.request.shape];
  const auto lines = static_cast<double>(shape.lines.size());
  double clocks = n_.global_gap + std::max(0.0, lines - 1.0) * n_.line_gap;
  if (code.is_wide && code.unit == Unit::GlobalLoad) {
    clocks = std::max(clocks, static_cast<double>(sectors_of(shape)) * n_.wide_sector_gap);
  }
  return ticks(clocks);
}

void Sm::perform(const Queued& entry, const CodedInstruction& code) {
  Clock end = now_ + whole(n_.special);
  if (is_memory(code.unit)) {
    end = entry.has_request ? access(entry, code) : now_ + 1;
  }
  if (!warps_[entry.slot].lives || warps_[entry.slot].life != entry.life) {
    return;
  }
  if (options_.records && code.result_board < kBoards && entry.has_request) {
    run_.lives[entry.life].loads.push_back({entry.instruction, level_, now_, end});
  }
  if (code.unit == Unit::AsyncCopy) {
    Warp& warp = warps_[entry.slot];
    warp.copies_end = std::max(warp.copies_end, end);
  }
  const bool is_long = is_global(code.unit);
  if (code.result_board < kBoards) {
    at(end, event(EventKind::Board, entry.slot, code.result_board, is_long));
  }
  if (code.operand_board < kBoards) {
    at(now_ + whole(n_.operands_read),
       event(EventKind::Board, entry.slot, code.operand_board, is_long));
  }
}

Clock Sm::access(const Queued& entry, const CodedInstruction& code) {
  const RequestShape& shape = shapes_[entry.request.shape];
  const std::int64_t start = std::max(data_free_, now_ * kTick);
  const Clock first = start / kTick;
  const std::int64_t more = std::max<std::int64_t>(shape.passes, 1) - 1;
  level_ = MemoryLevel::Shared;
  std::int64_t taken = std::max<std::int64_t>(shape.passes + shape.stored_passes, 1) * kTick;
  if (code.unit == Unit::AsyncCopy) {
    taken += ticks(n_.copy_passes);
  } else if (code.unit == Unit::SharedStore) {
    taken += ticks(n_.store_passes);
  } else if (code.unit == Unit::GlobalStore) {
    taken = std::max(taken, ticks(n_.global_store));
  }
  note_busy(start, taken);
  Clock end = first + more;
  if (code.unit == Unit::SharedLoad) {
    end += whole(n_.shared_load) + more;  // a pass in every second clock: others take the rest
  } else if (code.unit == Unit::SharedStore) {
    end += whole(n_.operands_read);
  } else if (code.unit == Unit::GlobalStore) {
    l2_free_ = std::max(l2_free_, start) + bytes_ticks(sectors_of(shape));
    end += whole(n_.operands_read);
  } else {
    end = load(entry, shape, code, start);
  }
  data_free_ = start + taken;
  return end;
}

Clock Sm::load(const Queued& entry, const RequestShape& shape, const CodedInstruction& code,
               std::int64_t start) {
  const Clock first = start / kTick;
  const std::int64_t more = std::max<std::int64_t>(shape.passes, 1) - 1;
  Clock end = first + whole(n_.l1_hit) + more;
  level_ = MemoryLevel::L1;
  for (const LineSectors& of : shape.lines) {
    const std::uint64_t number = entry.request.line + static_cast<std::uint64_t>(of.line);
    L1Cache::Line& line = l1_.find(number, first);
    bool is_missed = false;
    for (std::uint32_t sector = 0; sector < 4; ++sector) {
      if ((of.sectors >> sector & 1U) == 0) {
        continue;
      }
      ++run_.sectors;
      Clock& ready = line.ready[sector];
      if (ready >= 0 && !code.bypasses_l1) {
        ++run_.l1_hits;
        end = std::max(end, ready <= first ? first + whole(n_.l1_hit) : ready);
        continue;
      }
      if (!is_missed) {
        l2_free_ = std::max(l2_free_, start) + ticks(n_.l2_line);
        is_missed = true;
      }
      l2_free_ = std::max(l2_free_, start) + bytes_ticks(1);
      const Clock arrives = l2_free_ / kTick + l2_clocks(number, sector, entry.may_be_cold);
      if (!code.bypasses_l1) {
        ready = arrives;
      }
      end = std::max(end, arrives);
    }
  }
  return end;
}

Clock Sm::l2_clocks(std::uint64_t line, std::uint32_t sector, bool may_be_cold) {
  const bool is_first = may_be_cold && pieces_.insert(line * 2 + sector / 2).second;
  level_ = std::max(level_, is_first ? MemoryLevel::Dram : MemoryLevel::L2);
  return whole(n_.l2_hit) + (is_first ? whole(n_.dram) : 0);
}

void Sm::note_busy(std::int64_t start, std::int64_t taken) {
  passes_ += taken;
  if (!options_.records) {
    return;
  }
  for (std::int64_t t = start / kTick; t < (start + taken) / kTick; ++t) {
    const auto at = static_cast<std::size_t>(t / kBusyClocks);
    if (at >= run_.busy.size()) {
      run_.busy.resize(at + 1);
    }
    ++run_.busy[at];
  }
}

}  // namespace tilestep::clock::detail

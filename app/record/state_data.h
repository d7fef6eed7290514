// What a State holds: the machine, its schedule, and what the recording follows beside them.
#pragma once

#include "record/recording.h"
#include "record/tables.h"
#include "record/tracks.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilestep::record {

struct StateData {
  std::shared_ptr<const Tables> tables;
  std::uint64_t step = 0;
  simt::Machine machine;
  simt::Scheduler scheduler;
  BlockTracks tracks;
  std::vector<Writers> buffer_writers;  // by launch buffer; empty: never written

  StateData(std::shared_ptr<const Tables> t, simt::Schedule schedule, simt::BlockPart part);
  StateData(std::shared_ptr<const Tables> t, std::uint64_t k, simt::Machine m, simt::Scheduler s,
            BlockTracks b, std::vector<Writers> w)
      : tables(std::move(t)),
        step(k),
        machine(std::move(m)),
        scheduler(std::move(s)),
        tracks(std::move(b)),
        buffer_writers(std::move(w)) {}

  [[nodiscard]] std::size_t warp_index(simt::WarpId id) const {
    return std::size_t{id.block} * tables->program->warps_per_block() + id.warp;
  }
  // For keyframes: the same in a fraction of the room, as long as nothing but copies are asked of
  // it. A copy is a state like any other.
  [[nodiscard]] StateData packed() const {
    return {tables, step, machine.packed(), scheduler, tracks.packed(), buffer_writers};
  }
  // Bytes it occupies now.
  [[nodiscard]] std::size_t footprint() const;

  friend bool operator==(const StateData& a, const StateData& b);
};

struct State::Impl {
  StateData data;
};

// One lane of one warp.
struct LanePlace {
  simt::WarpId id;
  int lane = 0;
};
// Of a thread or block that the launch lacks the last one: while a lesson turns its pages the
// window asks for a thread of the launch to come.
[[nodiscard]] LanePlace lane_place(const simt::Program& program, std::uint32_t block,
                                   std::uint32_t thread);

// The frame and pc a live lane is at; `active`: it is among those that execute next, so that
// assignments pending at pc have reached it.
struct LanePosition {
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;
  bool active = false;
};
[[nodiscard]] LanePosition lane_position(const StateData& state, const LanePlace& place);

// Reads source variable `variable` of a frame as the lane sees it from its position. `out` has the
// size of its type; untouched unless the status is Ok.
[[nodiscard]] Value::Status read_variable(const StateData& state, const LanePlace& place,
                                          const LanePosition& position, std::uint32_t frame,
                                          std::uint32_t variable, std::span<std::byte> out);

[[nodiscard]] std::uint32_t type_bytes(const ptx::Module& module, ptx::TypeId type);

}  // namespace tilestep::record

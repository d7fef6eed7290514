// What a State holds: the machine, its schedule, and what the recording follows beside them.
#pragma once

#include "record/recording.h"
#include "record/tables.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilestep::record {

// What is known of the source variables of one call of a function by one warp. `words` holds, by
// variable, the lanes in which it was assigned since its scope was entered, then the lanes that
// have a snapshot, then the snapshots (FunctionTable::slots).
struct Frame {
  std::uint32_t function = 0;
  std::uint32_t caller = 0;   // index into WarpTrack::frames
  std::uint32_t call_pc = 0;  // of the call, in the caller
  std::vector<std::uint32_t> words;

  Frame() = default;
  Frame(const Tables& tables, std::uint32_t function_index)
      : function(function_index), words(tables.functions[function_index].frame_words, 0) {}

  [[nodiscard]] std::uint32_t& assigned(std::uint32_t variable) { return words[2 * variable]; }
  [[nodiscard]] std::uint32_t& snapped(std::uint32_t variable) { return words[2 * variable + 1]; }
  [[nodiscard]] std::uint32_t assigned(std::uint32_t variable) const { return words[2 * variable]; }
  [[nodiscard]] std::uint32_t snapped(std::uint32_t variable) const {
    return words[2 * variable + 1];
  }

  friend bool operator==(const Frame&, const Frame&) = default;
};

// Values of a warp's variables at its lanes' exits, or where a fault stopped it, lane by lane.
// Shared by all later states.
struct ExitImage {
  std::uint32_t mask = 0;     // lanes that have exited or were stopped
  std::uint32_t line = 0;     // where they were stopped; 0: exited
  std::uint32_t visible = 0;  // index into the kernel's FunctionTable::visible_sets
  std::vector<Value::Status> statuses;
  std::vector<std::byte> bytes;  // every lane has the same layout: the variables' sizes in order

  friend bool operator==(const ExitImage&, const ExitImage&) = default;
};

// Where a lane was when the others of its warp went on without it.
struct ParkedLane {
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;

  friend bool operator==(const ParkedLane&, const ParkedLane&) = default;
};

struct WarpTrack {
  // By the machine's numbers of calls (StepInfo::frame); empty: not started, or ended. One whose
  // call has returned stays until its number is given away again.
  std::vector<Frame> frames;
  std::uint32_t active = 0;  // of the last step
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;
  std::vector<ParkedLane> parked;  // by lane; empty while the warp has never diverged
  std::shared_ptr<const ExitImage> exit;
};

// Packed Writer: step is 1-based, 0 says that nobody has written yet.
struct WriterWord {
  std::uint32_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t line = 0;

  friend bool operator==(const WriterWord&, const WriterWord&) = default;
};

struct BlockTrack {
  std::vector<WriterWord> shared_writers;
  std::shared_ptr<const std::vector<std::byte>> ended_shared;
};

struct StateData {
  std::shared_ptr<const Tables> tables;
  std::uint64_t step = 0;
  simt::Machine machine;
  simt::Scheduler scheduler;
  std::vector<WarpTrack> warps;  // block by block
  std::vector<BlockTrack> blocks;
  std::vector<std::vector<WriterWord>> buffer_writers;  // by launch buffer; empty: never written

  StateData(std::shared_ptr<const Tables> t, simt::Schedule schedule);

  [[nodiscard]] std::size_t warp_index(simt::WarpId id) const {
    return std::size_t{id.block} * tables->program->warps_per_block() + id.warp;
  }
  // Bytes that a copy occupies.
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

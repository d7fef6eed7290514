// What a recording follows of every block beside the machine: source variables, where lanes were
// left, who wrote which word of shared memory, and what ended threads and blocks leave behind.
#pragma once

#include "record/recording.h"
#include "record/tables.h"
#include "record/writers.h"
#include "simt/state/block_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
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
  std::vector<std::byte> bytes;  // see ExitLayout

  friend bool operator==(const ExitImage&, const ExitImage&) = default;
};

// Where ExitImage::bytes has the variables: lane by lane, and behind them once for all lanes what
// is in shared memory.
class ExitLayout {
 public:
  // `variables`: of the kernel, as in FunctionTable::visible_sets.
  ExitLayout(const Tables& tables, const std::vector<std::uint32_t>& variables);

  [[nodiscard]] std::size_t bytes() const { return stride_ * simt::kWarpSize + shared_bytes_; }
  // The place of the `i`th variable.
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t lane) const {
    return places_[i].shared ? stride_ * simt::kWarpSize + places_[i].offset
                             : stride_ * lane + places_[i].offset;
  }
  [[nodiscard]] std::uint32_t size(std::size_t i) const { return places_[i].bytes; }

 private:
  struct Place {
    std::size_t offset = 0;
    std::uint32_t bytes = 0;
    bool shared = false;
  };
  std::vector<Place> places_;
  std::size_t stride_ = 0;
  std::size_t shared_bytes_ = 0;
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

  friend bool operator==(const WarpTrack& a, const WarpTrack& b);
};

struct BlockTrack {
  std::vector<WarpTrack> warps;
  Writers shared_writers;
  std::vector<std::byte> ended_shared;  // shared memory as it was at the block's end

  friend bool operator==(const BlockTrack&, const BlockTrack&) = default;
};

// By block. Copies share a block until one of them goes on with it.
class BlockTracks {
 public:
  // Of these blocks; the others never start.
  BlockTracks(const simt::Program& program, simt::BlockPart part);
  // A copy is not packed.
  BlockTracks(const BlockTracks& other);
  BlockTracks& operator=(const BlockTracks& other) { return *this = BlockTracks(other); }
  BlockTracks(BlockTracks&&) noexcept = default;
  BlockTracks& operator=(BlockTracks&&) noexcept = default;
  ~BlockTracks() = default;

  [[nodiscard]] const BlockTrack& operator[](std::uint32_t block) const { return *blocks_[block]; }
  [[nodiscard]] const WarpTrack& warp(simt::WarpId id) const {
    return blocks_[id.block]->warps[id.warp];
  }
  // Of a block that runs: between start and end.
  [[nodiscard]] BlockTrack& running(std::uint32_t block) { return blocks_.at(block).own(); }
  [[nodiscard]] WarpTrack& running(simt::WarpId id) { return running(id.block).warps[id.warp]; }
  void start(std::uint32_t block);
  void end(std::uint32_t block);
  // The same in less room, as long as nothing but copies are asked of it.
  [[nodiscard]] BlockTracks packed() const;
  // Bytes it occupies beside what it shares.
  [[nodiscard]] std::size_t footprint() const;

  friend bool operator==(const BlockTracks& a, const BlockTracks& b);

 private:
  BlockTracks() = default;

  simt::BlockTable<simt::CopyOnWrite<BlockTrack>> blocks_;
  std::vector<std::uint32_t> running_;
  std::vector<std::uint32_t> packed_;  // the frames' words
};

}  // namespace tilestep::record

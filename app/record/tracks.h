// Tracked data of every block besides the machine: source variables, positions of waiting lanes,
// the last writer of each word of shared memory, and the final data of ended threads and blocks.
#pragma once

#include "record/recording.h"
#include "record/tables.h"
#include "simt/state/storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilestep::record {

// The last writer of each word of a buffer or of a block's shared memory.

// Packed Writer: step is 1-based, 0: no thread has stored yet.
struct WriterWord {
  std::uint32_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t line = 0;

  friend bool operator==(const WriterWord&, const WriterWord&) = default;
};

// Organized in pages: pages without stores take no memory, and copies share the others until they
// change.
class Writers {
 public:
  Writers() = default;
  explicit Writers(std::size_t words) : words_(words), pages_((words + kWords - 1) / kWords) {}

  // In words.
  [[nodiscard]] std::size_t size() const { return words_; }
  // Also valid beyond the end: no writer.
  [[nodiscard]] WriterWord operator[](std::size_t word) const {
    return word < words_ && pages_[word / kWords] ? (*pages_[word / kWords])[word % kWords]
                                                  : WriterWord{};
  }
  void set(std::size_t word, const WriterWord& writer) {
    simt::CopyOnWrite<Page>& page = pages_[word / kWords];
    if (!page) {
      page = simt::CopyOnWrite<Page>(std::make_shared<Page>());
    }
    page.own()[word % kWords] = writer;
  }
  // Bytes it occupies, shared pages included.
  [[nodiscard]] std::size_t footprint() const {
    std::size_t bytes = pages_.size() * sizeof(pages_[0]);
    for (const simt::CopyOnWrite<Page>& page : pages_) {
      bytes += page ? sizeof(Page) : 0;
    }
    return bytes;
  }

  friend bool operator==(const Writers&, const Writers&) = default;

 private:
  static constexpr std::size_t kWords = 256;
  using Page = std::array<WriterWord, kWords>;

  std::size_t words_ = 0;
  std::vector<simt::CopyOnWrite<Page>> pages_;
};

// Source variables of one call of a function by one warp. `words` holds, by variable, the lanes in
// which it was assigned since its scope was entered, then the lanes that have a snapshot, then the
// snapshots (FunctionTable::slots).
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

// Values of a warp's variables when its lanes exited, or when a fault stopped it, lane by lane.
// Shared by all later states.
struct ExitImage {
  std::uint32_t mask = 0;     // lanes that have exited or were stopped
  std::uint32_t line = 0;     // where they were stopped; 0: exited
  std::uint32_t visible = 0;  // index into the kernel's FunctionTable::visible_sets
  std::vector<Value::Status> statuses;
  std::vector<std::byte> bytes;  // see ExitLayout

  friend bool operator==(const ExitImage&, const ExitImage&) = default;
};

// Layout of the variables in ExitImage::bytes: lane by lane, then, once for all lanes, those in
// shared memory.
class ExitLayout {
 public:
  // `variables`: of the kernel, as in FunctionTable::visible_sets.
  ExitLayout(const Tables& tables, const std::vector<std::uint32_t>& variables);

  [[nodiscard]] std::size_t bytes() const { return stride_ * simt::kWarpSize + shared_bytes_; }
  // Offset of the `i`th variable.
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t lane) const {
    return sections_[i].shared ? stride_ * simt::kWarpSize + sections_[i].offset
                               : stride_ * lane + sections_[i].offset;
  }
  [[nodiscard]] std::uint32_t size(std::size_t i) const { return sections_[i].bytes; }

 private:
  struct Section {
    std::size_t offset = 0;
    std::uint32_t bytes = 0;
    bool shared = false;
  };
  std::vector<Section> sections_;
  std::size_t stride_ = 0;
  std::size_t shared_bytes_ = 0;
};

// Position of a lane when the others of its warp continued without it.
struct ParkedLane {
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;

  friend bool operator==(const ParkedLane&, const ParkedLane&) = default;
};

struct WarpTrack {
  // By the machine's numbers of calls (StepInfo::frame); empty: not started, or ended. An entry
  // whose call has returned stays until its number is reused.
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
  std::vector<std::byte> ended_shared;  // shared memory at the block's end

  friend bool operator==(const BlockTrack&, const BlockTrack&) = default;
};

// By block. Copies share a block until one of them changes it.
class BlockTracks {
 public:
  // For these blocks; the others never start.
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
  // For a running block: between start and end.
  [[nodiscard]] BlockTrack& running(std::uint32_t block) { return blocks_.at(block).own(); }
  [[nodiscard]] WarpTrack& running(simt::WarpId id) { return running(id.block).warps[id.warp]; }
  void start(std::uint32_t block);
  void end(std::uint32_t block);
  // A smaller version that can only be copied.
  [[nodiscard]] BlockTracks packed() const;
  // Bytes it occupies, without shared ones.
  [[nodiscard]] std::size_t footprint() const;

  friend bool operator==(const BlockTracks& a, const BlockTracks& b);

 private:
  BlockTracks() = default;

  simt::BlockTable<simt::CopyOnWrite<BlockTrack>> blocks_;
  std::vector<std::uint32_t> running_;
  std::vector<std::uint32_t> packed_;  // the frames' words
};

// The contents of a State: the machine, its schedule, and the tracked data.

struct StateData {
  std::shared_ptr<const Tables> tables;
  std::uint64_t step = 0;
  simt::Machine machine;
  simt::Scheduler scheduler;
  BlockTracks tracks;
  std::vector<Writers> buffer_writers;  // by launch buffer; empty: never stored to

  StateData(std::shared_ptr<const Tables> t, const simt::Schedule& schedule, simt::BlockPart part);
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
  // For keyframes: a version of a fraction of the size that can only be copied. A copy of it is a
  // normal state.
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
// A thread or block that the launch does not have is replaced by the last one: while a lesson
// changes pages, the window may ask for a thread of the next launch.
[[nodiscard]] LanePlace lane_place(const simt::Program& program, std::uint32_t block,
                                   std::uint32_t thread);

// The frame and pc of a live lane. `active`: it is among those that execute next, so assignments
// pending at pc apply to it.
struct LanePosition {
  std::uint32_t frame = 0;
  std::uint32_t pc = 0;
  bool active = false;
};
[[nodiscard]] LanePosition lane_position(const StateData& state, const LanePlace& place);

// Reads source variable `variable` of a frame as the lane sees it from its position. `out` has the
// size of its type; unchanged unless the status is Ok.
[[nodiscard]] Value::Status read_variable(const StateData& state, const LanePlace& place,
                                          const LanePosition& position, std::uint32_t frame,
                                          std::uint32_t variable, std::span<std::byte> out);

[[nodiscard]] std::uint32_t type_bytes(const ptx::Module& module, ptx::TypeId type);

}  // namespace tilestep::record

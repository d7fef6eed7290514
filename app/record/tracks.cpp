#include "record/tracks.h"

#include "record/state_data.h"
#include "simt/state/pack_words.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace tilestep::record {
namespace {

template <class T>
[[nodiscard]] bool equal_pointees(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

ExitLayout::ExitLayout(const Tables& tables, const std::vector<std::uint32_t>& variables) {
  const ptx::Module& module = tables.program->module();
  for (const std::uint32_t v : variables) {
    const ptx::SourceVariable& source = module.functions[tables.entry].source_variables[v];
    const bool shared = source.kind == ptx::LocationKind::Memory &&
                        module.variables[source.variable].space == ptx::Space::Shared;
    std::size_t& end = shared ? shared_bytes_ : stride_;
    const std::uint32_t bytes = type_bytes(module, source.type);
    places_.push_back({end, bytes, shared});
    end += bytes;
  }
}

bool operator==(const WarpTrack& a, const WarpTrack& b) {
  return a.frames == b.frames && a.active == b.active && a.frame == b.frame && a.pc == b.pc &&
         a.parked == b.parked && equal_pointees(a.exit, b.exit);
}

BlockTracks::BlockTracks(const simt::Program& program, simt::BlockPart part) {
  auto idle = std::make_shared<BlockTrack>();
  idle->warps.resize(program.warps_per_block());
  blocks_ = simt::BlockTable<std::shared_ptr<BlockTrack>>(part, idle);
  for (std::uint32_t block = part.first; block < part.last; ++block) {
    blocks_.at(block) = idle;
  }
}

BlockTracks::BlockTracks(const BlockTracks& other, Form form)
    : blocks_(other.blocks_), running_(other.running_) {
  assert(other.packed_.empty() || form == Form::Plain);
  simt::WordPacker packer;
  simt::WordUnpacker unpacker(other.packed_);
  for (const std::uint32_t block : running_) {
    const BlockTrack& from = *other.blocks_[block];
    blocks_.at(block) = std::make_shared<BlockTrack>(from);
    for (std::size_t w = 0; w < from.warps.size(); ++w) {
      for (std::size_t f = 0; f < from.warps[w].frames.size(); ++f) {
        std::vector<std::uint32_t>& words = blocks_[block]->warps[w].frames[f].words;
        if (form == Form::Packed) {
          packer.add(std::as_bytes(std::span(from.warps[w].frames[f].words)));
          words = std::vector<std::uint32_t>();  // {} would keep the room
        } else if (!other.packed_.empty()) {
          words.resize(unpacker.next_bytes() / sizeof(words[0]));
          unpacker.next(std::as_writable_bytes(std::span(words)));
        }
      }
    }
  }
  packed_ = packer.take();
}

void BlockTracks::start(std::uint32_t block) {
  blocks_.at(block) = std::make_shared<BlockTrack>(*blocks_[block]);
  running_.push_back(block);
}

void BlockTracks::end(std::uint32_t block) {
  std::erase(running_, block);
}

std::size_t BlockTracks::footprint() const {
  std::size_t bytes =
      blocks_.entries().size() * sizeof(blocks_[0]) + packed_.size() * sizeof(packed_[0]);
  for (const std::uint32_t block : running_) {
    const BlockTrack& track = *blocks_[block];
    bytes += sizeof(BlockTrack) + track.shared_writers.size() * sizeof(WriterWord) +
             track.warps.size() * sizeof(WarpTrack);
    for (const WarpTrack& warp : track.warps) {
      for (const Frame& frame : warp.frames) {
        bytes += sizeof(Frame) + frame.words.size() * sizeof(frame.words[0]);
      }
      bytes += warp.parked.size() * sizeof(ParkedLane);
    }
  }
  return bytes;
}

bool operator==(const BlockTracks& a, const BlockTracks& b) {
  const auto& x = a.blocks_.entries();
  const auto& y = b.blocks_.entries();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const auto& p, const auto& q) { return equal_pointees(p, q); });
}

}  // namespace tilestep::record

#include "insight/count/profile_classes.h"

#include <algorithm>
#include <tuple>

namespace tilestep::insight {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a, by words
    state_ = (state_ ^ value) * kPrime;
    state_ ^= state_ >> 32;
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(const BlockProfile& profile) {
  Hash hash;
  hash.add(profile.barriers);
  for (const Execution& e : profile.executions) {
    hash.add(std::uint64_t{e.spot.warp} << 32 | e.spot.pc);
    hash.add(e.instructions);
    hash.add(e.threads);
  }
  for (const Access& a : profile.accesses) {
    hash.add(std::uint64_t{a.spot.pc} << 32 | a.target);
    hash.add(a.traffic.bytes);
    hash.add(a.traffic.sectors + (a.traffic.wavefronts << 32));
  }
  return hash.value();
}

// A row of blocks that goes on where the last one ended.
bool extend(BlockSet& last, const BlockSet& next) {
  const bool same_row = last.step[0] == 1 && next.step[0] == 1 && next.count[1] == 1 &&
                        next.count[2] == 1 && last.count[1] == 1 && last.count[2] == 1 &&
                        last.first[1] == next.first[1] && last.first[2] == next.first[2];
  if (same_row && last.first[0] + last.count[0] == next.first[0]) {
    last.count[0] += next.count[0];
    return true;
  }
  return false;
}

}  // namespace

void ProfileClasses::add(BlockProfile profile, const std::vector<BlockSet>& where) {
  BlockClass& of = class_of(std::move(profile));
  for (const BlockSet& set : where) {
    of.blocks += set.blocks();
    if (of.where.empty() || !extend(of.where.back(), set)) {
      of.where.push_back(set);
    }
  }
}

BlockClass& ProfileClasses::class_of(BlockProfile profile) {
  const std::uint64_t hash = hash_of(profile);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (classes_[it->second].profile == profile) {
      return classes_[it->second];
    }
  }
  by_hash_.emplace(hash, classes_.size());
  classes_.push_back({{}, 0, std::move(profile)});
  return classes_.back();
}

std::vector<BlockClass> ProfileClasses::take() {
  const auto key = [](const BlockSet& set) {
    return std::tuple{set.first[2], set.first[1], set.first[0]};
  };
  for (BlockClass& c : classes_) {
    std::sort(c.where.begin(), c.where.end(),
              [&](const BlockSet& a, const BlockSet& b) { return key(a) < key(b); });
  }
  std::sort(classes_.begin(), classes_.end(), [&](const BlockClass& a, const BlockClass& b) {
    return key(a.where.front()) < key(b.where.front());
  });
  by_hash_.clear();
  return std::move(classes_);
}

}  // namespace tilestep::insight

// Classes of blocks with the same profile, as they are found.
#pragma once

#include "insight/count/profile.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::insight {

class ProfileClasses {
 public:
  void add(BlockProfile profile, const std::vector<BlockSet>& where);
  // In the order of their first blocks.
  [[nodiscard]] std::vector<BlockClass> take();

 private:
  [[nodiscard]] BlockClass& class_of(BlockProfile profile);

  std::vector<BlockClass> classes_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

}  // namespace tilestep::insight

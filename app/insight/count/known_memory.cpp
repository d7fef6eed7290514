#include "insight/count/known_memory.h"

#include <algorithm>
#include <iterator>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kLargestAccess = 32;  // bytes of a lane

}  // namespace

void KnownMemory::store(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes,
                        const Form& form) {
  if (values_.empty() && !form.known) {
    return;
  }
  const std::uint64_t from = address - std::min<std::uint64_t>(address, kLargestAccess - 1);
  auto it = values_.lower_bound({owner, from});
  while (it != values_.end() && it->first < std::pair{owner, address + bytes}) {
    const bool overlaps = it->first.second + it->second.bytes > address;
    it = overlaps ? values_.erase(it) : std::next(it);
  }
  if (form.known) {
    values_[{owner, address}] = {bytes, form};
  }
}

Form KnownMemory::load(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes) const {
  const auto found = values_.find({owner, address});
  return found == values_.end() || found->second.bytes != bytes ? Form{} : found->second.form;
}

}  // namespace tilestep::insight

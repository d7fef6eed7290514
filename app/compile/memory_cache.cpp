#include "compile/memory_cache.h"

#include <cassert>

namespace tilestep::compile {
namespace {

std::size_t size_of(const Output& output) {
  return output.ptx.size() + output.cubin.size() + 2 * output.log.size();
}

}  // namespace

std::optional<Output> MemoryCache::find(const std::string& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) {
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->second;
}

void MemoryCache::store(const std::string& key, Output output) {
  assert(places_.count(key) == 0);
  output.from_cache = true;
  bytes_ += size_of(output);
  entries_.emplace_front(key, std::move(output));
  places_[key] = entries_.begin();
  while (bytes_ > max_bytes_ && entries_.size() > 1) {
    bytes_ -= size_of(entries_.back().second);
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
}

}  // namespace tilestep::compile

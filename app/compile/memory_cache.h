// Compile results of this process, the least recently used ones dropped first.
#pragma once

#include "compile/compiler.h"

#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace tilestep::compile {

// Not thread-safe.
class MemoryCache {
 public:
  explicit MemoryCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  [[nodiscard]] std::optional<Output> find(const std::string& key);
  // Keeps failed compiles too. Precondition: the key is not there.
  void store(const std::string& key, Output output);

 private:
  using Entries = std::list<std::pair<std::string, Output>>;  // most recently used first

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  Entries entries_;
  std::unordered_map<std::string, Entries::iterator> places_;
};

}  // namespace tilestep::compile

// Compile results in files: one per request, named by its key.
//
// Two processes, a kill at any moment and damaged files do no harm: an entry is written beside and
// renamed, carries a checksum, and is ignored (and removed, where allowed) when it does not match.
// No lock is needed: equal keys have equal contents. Whatever the file system refuses is as if it
// were not there.
#pragma once

#include "compile/compiler.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tilestep::compile {

class DiskCache {
 public:
  // Removes what killed processes left half written.
  explicit DiskCache(CacheOptions options);

  // The user's directory first, then the read-only ones. A hit in the user's directory makes the
  // entry the most recently used.
  [[nodiscard]] std::optional<Output> find(const std::string& key) const;
  // Precondition: output.ok().
  void store(const std::string& key, const Output& output) const;

 private:
  void evict() const;

  CacheOptions options_;
};

// The contents of an entry's file, and back; nothing for a file that is damaged or of another
// format version.
[[nodiscard]] std::string to_entry_text(const Output& output);
[[nodiscard]] std::optional<Output> from_entry_text(const std::string& text);

}  // namespace tilestep::compile

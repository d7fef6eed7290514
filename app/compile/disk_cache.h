// Compile results in files: one per request, named by its key. An entry carries a checksum, and is
// none when it does not match (entry_folder.h).
#pragma once

#include "compile/compiler.h"
#include "compile/entry_folder.h"

#include <optional>
#include <string>

namespace tilestep::compile {

class DiskCache {
 public:
  explicit DiskCache(CacheOptions options);

  [[nodiscard]] std::optional<Output> find(const std::string& key) const;
  // Precondition: output.ok().
  void store(const std::string& key, const Output& output) const;

 private:
  EntryFolder folder_;
};

// The contents of an entry's file, and back; nothing for a file that is damaged or of another
// format version.
[[nodiscard]] std::string to_entry_text(const Output& output);
[[nodiscard]] std::optional<Output> from_entry_text(const std::string& text);

}  // namespace tilestep::compile

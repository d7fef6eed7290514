// Texts that can be made again, in files: one per entry, named by its key.
//
// Two processes, a kill at any moment and damaged files do no harm: an entry is written beside and
// renamed, and is ignored (and removed, where allowed) when its reader does not take it. No lock is
// needed: equal keys have equal contents, or any of them will do. Whatever the file system refuses
// is as if it were not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::compile {

struct CacheOptions {
  std::filesystem::path directory;               // user cache; empty: none
  std::vector<std::filesystem::path> read_only;  // shipped ones, tried after `directory`
  std::uint64_t max_bytes = 256ULL << 20;        // least recently used entries go first
};

class EntryFolder {
 public:
  // `suffix` ends the names of entries. Removes what killed processes left half written.
  EntryFolder(CacheOptions options, std::string suffix);

  // The user's directory first, then the read-only ones, until `read` takes a text. A hit in the
  // user's directory makes the entry the most recently used. False: none was taken.
  bool find(const std::string& key, const std::function<bool(const std::string&)>& read) const;
  void store(const std::string& key, std::string_view text) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::filesystem::path& directory,
                                              const std::string& key) const;
  [[nodiscard]] bool is_unfinished(const std::filesystem::path& file) const;
  void remove_abandoned() const;
  void evict() const;

  CacheOptions options_;
  std::string suffix_;
};

}  // namespace tilestep::compile

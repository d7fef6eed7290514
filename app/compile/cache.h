// A cache of compile results, in memory and in files.
#pragma once

#include "compile/diagnostics.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::compile {

// 128-bit content hash: XXH3 of the xxHash library. Not cryptographic: it distinguishes texts and
// detects damage. An attacker who can write the user's cache needs no collision.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  Hash(Hash&&) = delete;
  Hash& operator=(Hash&&) = delete;

  // Each text is preceded by its length, so that {"ab", "c"} differs from {"a", "bc"}.
  void add(std::string_view text);
  void add(std::uint64_t number);
  [[nodiscard]] std::string hex() const;  // 32 digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reproducible texts in files: one per entry, named by its key.
//
// Two processes, a kill at any moment and damaged files do no harm: an entry is written under
// another name and renamed, and is ignored (and removed, if allowed) if its reader rejects it. No
// lock is needed: equal keys have equal contents, or any of them will do. Errors of the file system
// count as missing entries.
struct CacheOptions {
  std::filesystem::path directory;               // user cache; empty: none
  std::vector<std::filesystem::path> read_only;  // shipped ones, tried after `directory`
  std::uint64_t max_bytes = 256ULL << 20;        // least recently used entries are removed first
};

class EntryFolder {
 public:
  // `suffix` ends the names of entries. Removes incomplete files of killed processes.
  EntryFolder(CacheOptions options, std::string suffix);

  // Tries the user's directory first, then the read-only ones, until `read` accepts a text. A hit
  // in the user's directory makes the entry the most recently used. False: none was accepted.
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

struct Output {
  std::string ptx;                      // empty if the compile failed, or made a cubin
  std::string cubin;                    // bytes of an ELF file; empty unless requested
  std::string entry;                    // lowered name of the .entry
  std::vector<Diagnostic> diagnostics;  // errors and warnings, in the compiler's order
  std::string log;                      // the compiler's own text
  std::string compiler;                 // "NVRTC 13.0" of the run that produced it
  bool from_cache = false;

  [[nodiscard]] bool ok() const { return !ptx.empty() || !cubin.empty(); }
};

// Compile results in files: one per request, named by its key. An entry has a checksum; an entry
// with a wrong one is ignored.
class DiskCache {
 public:
  explicit DiskCache(CacheOptions options);

  [[nodiscard]] std::optional<Output> find(const std::string& key) const;
  // Precondition: output.ok().
  void store(const std::string& key, const Output& output) const;

 private:
  EntryFolder folder_;
};

// Conversion to the contents of an entry's file, and back; empty for a file that is damaged or of
// another format version.
[[nodiscard]] std::string to_entry_text(const Output& output);
[[nodiscard]] std::optional<Output> from_entry_text(const std::string& text);

// Compile results of this process, the least recently used ones dropped first. Not thread-safe.
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

#include "compile/cache.h"

#include "problem/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <new>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <xxhash.h>

namespace tilestep::compile {
namespace {

constexpr std::string_view kPtxFirstLine = "tilestep-ptx 1";
constexpr std::string_view kCubinFirstLine = "tilestep-cubin 1";
constexpr std::string_view kSuffix = ".ptx-entry";

std::string checksum(const Output& output) {
  Hash hash;
  hash.add(output.compiler);
  hash.add(output.entry);
  hash.add(output.log);
  hash.add(output.cubin.empty() ? output.ptx : output.cubin);
  return hash.hex();
}

// "<name> <value>"
bool read_field(std::istream& stream, std::string_view name, std::string& value) {
  std::string line;
  if (!std::getline(stream, line) || !line.starts_with(name) || line.size() <= name.size() ||
      line[name.size()] != ' ') {
    return false;
  }
  value = line.substr(name.size() + 1);
  return true;
}

bool read_bytes(const std::string& text, std::size_t& position, const std::string& count,
                std::string& bytes) {
  if (count.empty() || count.size() > 12 ||
      count.find_first_not_of("0123456789") != std::string::npos) {
    return false;
  }
  const std::size_t size = std::stoull(count);
  if (size > text.size() - position) {
    return false;
  }
  bytes = text.substr(position, size);
  position += size;
  return true;
}

std::size_t size_of(const Output& output) {
  return output.ptx.size() + output.cubin.size() + 2 * output.log.size();
}

namespace fs = std::filesystem;

// An older naming of incomplete entries: KEY.unfinished-XXXXXX.
constexpr std::string_view kOldUnfinished = ".unfinished-";
// An older temporary file belongs to a process that was killed.
constexpr auto kAbandonedAfter = std::chrono::hours(1);

struct EntryFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

}  // namespace

DiskCache::DiskCache(CacheOptions options) : folder_(std::move(options), std::string(kSuffix)) {}

std::string to_entry_text(const Output& output) {
  const bool is_cubin = !output.cubin.empty();
  const std::string& product = is_cubin ? output.cubin : output.ptx;
  return fmt::format("{}\ncompiler {}\nentry {}\nlog {}\n{} {}\nchecksum {}\n{}{}",
                     is_cubin ? kCubinFirstLine : kPtxFirstLine, output.compiler, output.entry,
                     output.log.size(), is_cubin ? "cubin" : "ptx", product.size(),
                     checksum(output), output.log, product);
}

std::optional<Output> from_entry_text(const std::string& text) {
  std::istringstream stream(text);
  std::string first;
  Output output;
  std::string log_bytes;
  std::string product_bytes;
  std::string sum;
  const bool has_first = static_cast<bool>(std::getline(stream, first));
  const bool is_cubin = first == kCubinFirstLine;
  std::string& product = is_cubin ? output.cubin : output.ptx;
  const bool complete = has_first && (is_cubin || first == kPtxFirstLine) &&
                        read_field(stream, "compiler", output.compiler) &&
                        read_field(stream, "entry", output.entry) &&
                        read_field(stream, "log", log_bytes) &&
                        read_field(stream, is_cubin ? "cubin" : "ptx", product_bytes) &&
                        read_field(stream, "checksum", sum) && stream.tellg() >= 0;
  if (!complete) {
    return std::nullopt;
  }
  auto position = static_cast<std::size_t>(stream.tellg());
  if (!read_bytes(text, position, log_bytes, output.log) ||
      !read_bytes(text, position, product_bytes, product) || position != text.size() ||
      checksum(output) != sum || product.empty()) {
    return std::nullopt;
  }
  output.diagnostics = parse_diagnostics(output.log);
  output.from_cache = true;
  return output;
}

std::optional<Output> DiskCache::find(const std::string& key) const {
  std::optional<Output> output;
  folder_.find(key, [&output](const std::string& text) {
    output = from_entry_text(text);
    return output.has_value();
  });
  return output;
}

void DiskCache::store(const std::string& key, const Output& output) const {
  assert(output.ok() && "what did not compile is not kept on disk");
  folder_.store(key, to_entry_text(output));
}

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

EntryFolder::EntryFolder(CacheOptions options, std::string suffix)
    : options_(std::move(options)), suffix_(std::move(suffix)) {
  if (!options_.directory.empty()) {
    remove_abandoned();
  }
}

fs::path EntryFolder::path_of(const fs::path& directory, const std::string& key) const {
  return directory / (key + suffix_);
}

bool EntryFolder::is_unfinished(const fs::path& file) const {
  const std::string ending = file.extension().string();
  return ending.starts_with(kOldUnfinished) ||
         (ending == problem::kUnfinishedFile &&
          file.filename().string().find(suffix_) != std::string::npos);
}

void EntryFolder::remove_abandoned() const {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(options_.directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (is_unfinished(it->path()) && now - it->last_write_time(gone) > kAbandonedAfter && !gone) {
      abandoned.push_back(it->path());
    }
  }
  for (const fs::path& file : abandoned) {
    fs::remove(file, error);
  }
}

bool EntryFolder::find(const std::string& key,
                       const std::function<bool(const std::string&)>& read) const {
  std::error_code ignored;
  if (!options_.directory.empty()) {
    const fs::path path = path_of(options_.directory, key);
    if (const Result<std::string> text = problem::read_file(path)) {
      if (read(*text)) {
        fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
        return true;
      }
      fs::remove(path, ignored);
    }
  }
  return std::ranges::any_of(options_.read_only, [&](const fs::path& directory) {
    const Result<std::string> text = problem::read_file(path_of(directory, key));
    return text && read(*text);
  });
}

void EntryFolder::store(const std::string& key, std::string_view text) const {
  if (options_.directory.empty()) {
    return;
  }
  std::error_code error;
  fs::create_directories(options_.directory, error);
  if (problem::write_file(path_of(options_.directory, key), text, problem::Keep::WhileRunning)) {
    evict();
  }
}

void EntryFolder::evict() const {
  std::error_code error;
  std::vector<EntryFile> files;
  std::uint64_t total = 0;
  for (fs::directory_iterator it(options_.directory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find(suffix_) == std::string::npos || is_unfinished(it->path())) {
      continue;  // not ours, or another process is writing it just now
    }
    std::error_code gone;  // another process may be evicting too
    const std::uint64_t bytes = it->file_size(gone);
    const fs::file_time_type used = it->last_write_time(gone);
    if (!gone) {
      files.push_back({it->path(), bytes, used});
      total += bytes;
    }
  }
  std::ranges::sort(files, {}, &EntryFile::used);
  for (const EntryFile& file : files) {
    if (total > options_.max_bytes) {
      fs::remove(file.path, error);
      total -= file.bytes;
    }
  }
}

struct Hash::State {
  XXH3_state_t* xxh = XXH3_createState();
};

Hash::Hash() : state_(std::make_unique<State>()) {
  static_assert(!std::is_copy_constructible_v<Hash> && !std::is_move_constructible_v<Hash>);
  if (state_->xxh == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(state_->xxh);
}

Hash::~Hash() {
  XXH3_freeState(state_->xxh);
}

void Hash::add(std::string_view text) {
  add(text.size());
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
}

void Hash::add(std::uint64_t number) {
  // Byte by byte: the key does not depend on the machine's byte order.
  unsigned char bytes[sizeof number];
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  }
  XXH3_128bits_update(state_->xxh, bytes, sizeof bytes);
}

std::string Hash::hex() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace tilestep::compile

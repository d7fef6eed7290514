#include "compile/disk_cache.h"

#include "compile/hash.h"
#include "problem/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPtxFirstLine = "tilestep-ptx 1";
constexpr std::string_view kCubinFirstLine = "tilestep-cubin 1";
constexpr std::string_view kSuffix = ".ptx-entry";
// How unfinished entries were named once: KEY.unfinished-XXXXXX.
constexpr std::string_view kOldUnfinished = ".unfinished-";
// Older than this, a file that was written beside belongs to a process that was killed.
constexpr auto kAbandonedAfter = std::chrono::hours(1);

bool is_unfinished(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending.starts_with(kOldUnfinished) ||
         (ending == problem::kUnfinishedFile &&
          file.filename().string().find(kSuffix) != std::string::npos);
}

fs::path entry_path(const fs::path& directory, const std::string& key) {
  return directory / (key + std::string(kSuffix));
}

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

struct File {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

std::vector<File> files_in(const fs::path& directory) {
  std::vector<File> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find(kSuffix) == std::string::npos || is_unfinished(it->path())) {
      continue;  // not ours, or another process is writing it just now
    }
    std::error_code gone;  // another process may be evicting too
    const std::uint64_t bytes = it->file_size(gone);
    const fs::file_time_type used = it->last_write_time(gone);
    if (!gone) {
      files.push_back({it->path(), bytes, used});
    }
  }
  return files;
}

void remove_abandoned(const fs::path& directory) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (is_unfinished(it->path()) && now - it->last_write_time(gone) > kAbandonedAfter && !gone) {
      abandoned.push_back(it->path());
    }
  }
  for (const fs::path& file : abandoned) {
    fs::remove(file, error);
  }
}

}  // namespace

DiskCache::DiskCache(CacheOptions options) : options_(std::move(options)) {
  if (!options_.directory.empty()) {
    remove_abandoned(options_.directory);
  }
}

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
  std::error_code ignored;
  if (!options_.directory.empty()) {
    const fs::path path = entry_path(options_.directory, key);
    if (const Result<std::string> text = problem::read_file(path)) {
      if (std::optional<Output> output = from_entry_text(*text)) {
        fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
        return output;
      }
      fs::remove(path, ignored);
    }
  }
  for (const fs::path& directory : options_.read_only) {
    if (const Result<std::string> text = problem::read_file(entry_path(directory, key))) {
      if (std::optional<Output> output = from_entry_text(*text)) {
        return output;
      }
    }
  }
  return std::nullopt;
}

void DiskCache::store(const std::string& key, const Output& output) const {
  assert(output.ok() && "what did not compile is not kept on disk");
  if (options_.directory.empty()) {
    return;
  }
  std::error_code error;
  fs::create_directories(options_.directory, error);
  if (problem::write_file(entry_path(options_.directory, key), to_entry_text(output),
                          problem::Keep::WhileRunning)) {
    evict();
  }
}

void DiskCache::evict() const {
  std::error_code ignored;
  std::vector<File> files = files_in(options_.directory);
  std::uint64_t total = 0;
  for (const File& file : files) {
    total += file.bytes;
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total > options_.max_bytes) {
      fs::remove(file.path, ignored);
      total -= file.bytes;
    }
  }
}

}  // namespace tilestep::compile

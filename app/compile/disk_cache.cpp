#include "compile/disk_cache.h"

#include "compile/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPtxFirstLine = "tilestep-ptx 1";
constexpr std::string_view kCubinFirstLine = "tilestep-cubin 1";
constexpr std::string_view kSuffix = ".ptx-entry";
constexpr std::string_view kUnfinished = ".unfinished-";
// Older than this, a file that was written beside belongs to a process that was killed.
constexpr auto kAbandonedAfter = std::chrono::hours(1);

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

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  return stream.bad() ? std::nullopt : std::optional(std::move(text));
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

// Writes everything or fails.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
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
    if (name.find(kSuffix) == std::string::npos && name.find(kUnfinished) == std::string::npos) {
      continue;  // not ours
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

}  // namespace

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
    if (const std::optional<std::string> text = read_file(path)) {
      if (std::optional<Output> output = from_entry_text(*text)) {
        fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
        return output;
      }
      fs::remove(path, ignored);
    }
  }
  for (const fs::path& directory : options_.read_only) {
    if (const std::optional<std::string> text = read_file(entry_path(directory, key))) {
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
  std::string unfinished =
      (options_.directory / (key + std::string(kUnfinished) + "XXXXXX")).string();
  const int file = mkstemp(unfinished.data());
  if (file < 0) {
    return;
  }
  fchmod(file, 0644);  // mkstemp's 0600 would keep a shipped cache from other users
  const bool written = write_all(file, to_entry_text(output));
  const bool closed = close(file) == 0;
  if (written && closed) {
    fs::rename(unfinished, entry_path(options_.directory, key), error);
  }
  if (!written || !closed || error) {
    fs::remove(unfinished, error);
    return;
  }
  evict();
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
  const auto now = fs::file_time_type::clock::now();
  for (const File& file : files) {
    const bool unfinished = file.path.filename().string().find(kUnfinished) != std::string::npos;
    const bool abandoned = unfinished && now - file.used > kAbandonedAfter;
    // What another process is writing just now is left alone; its rename would fail for nothing.
    if (abandoned || (!unfinished && total > options_.max_bytes)) {
      fs::remove(file.path, ignored);
      total -= file.bytes;
    }
  }
}

}  // namespace tilestep::compile

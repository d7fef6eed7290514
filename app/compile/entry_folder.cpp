#include "compile/entry_folder.h"

#include "problem/file.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;

// How unfinished entries were named once: KEY.unfinished-XXXXXX.
constexpr std::string_view kOldUnfinished = ".unfinished-";
// Older than this, a file that was written beside belongs to a process that was killed.
constexpr auto kAbandonedAfter = std::chrono::hours(1);

struct EntryFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

}  // namespace

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

}  // namespace tilestep::compile

#include "workspace/recent_files.h"

#include "problem/describe/toml_reader.h"
#include "problem/file.h"
#include "problem/text.h"

#include <algorithm>
#include <system_error>

namespace tilestep::workspace {
namespace {

constexpr const char* kList = "recent.toml";
constexpr const char* kKey = "files";

}  // namespace

RecentFiles::RecentFiles(const std::filesystem::path& user_state)
    : list_(user_state.empty() ? std::filesystem::path() : user_state / kList) {
  read();
}

void RecentFiles::read() {
  const auto text = list_.empty() ? Result<std::string>("") : problem::read_file(list_);
  const auto table = text ? problem::parse_toml(*text, kList) : tl::unexpected(text.error());
  const toml::array* const files = table ? table->get_as<toml::array>(kKey) : nullptr;
  if (files == nullptr) {
    return;
  }
  files_.clear();
  for (const toml::node& file : *files) {
    if (file.is_string() && files_.size() < kMost) {
      files_.push_back(file.as_string()->get());
    }
  }
}

void RecentFiles::write() const {
  if (list_.empty()) {
    return;
  }
  std::string text = std::string(kKey) + " = [\n";
  for (const std::string& file : files_) {
    text += "  " + toml_quoted(file) + ",\n";
  }
  std::error_code ignored;
  std::filesystem::create_directories(list_.parent_path(), ignored);
  static_cast<void>(problem::write_file(list_, text + "]\n", problem::Keep::WhileRunning));
}

void RecentFiles::add(const std::string& path) {
  read();
  std::erase(files_, path);
  files_.insert(files_.begin(), path);
  files_.resize(std::min(files_.size(), kMost));
  write();
}

void RecentFiles::drop(const std::string& path) {
  read();
  if (std::erase(files_, path) > 0) {
    write();
  }
}

}  // namespace tilestep::workspace

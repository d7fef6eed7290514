#include "workspace/session.h"

#include "problem/describe/toml_reader.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "state/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "sessions";
constexpr const char* kUnnamed = "default";
constexpr const char* kEnding = ".toml";
constexpr int kMostAside = 100;

// "default.unread.toml", "default.unread-2.toml": the first that does not exist.
fs::path name_aside(const fs::path& file) {
  for (int i = 1; i < kMostAside; ++i) {
    const std::string number = i == 1 ? "" : fmt::format("-{}", i);
    fs::path aside =
        file.parent_path() / fmt::format("{}.unread{}{}", file.stem().string(), number, kEnding);
    std::error_code ignored;
    if (!fs::exists(aside, ignored)) {
      return aside;
    }
  }
  return {};
}

constexpr const char* kList = "recent.toml";
constexpr const char* kKey = "files";

}  // namespace

Restored restore_session(const fs::path& file) {
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) {
    return {};
  }
  const Result<std::string> text = problem::read_file(file);
  auto scene = text ? state::read_scene(*text, file.string()) : tl::unexpected(text.error());
  if (scene) {
    return {state::without_moment(std::move(scene->state)), std::move(scene->kernel), ""};
  }
  const fs::path aside = name_aside(file);
  std::error_code failed;
  if (!aside.empty()) {
    fs::rename(file, aside, failed);
  }
  const bool is_kept = !aside.empty() && !failed;
  return {std::nullopt, std::nullopt,
          tr("The last session could not be opened. {} {}", scene.error().message,
             is_kept ? tr("Its file is kept as {}.", aside.string())
                     : tr("Its file is kept until the window closes."))};
}

SessionKeeper::SessionKeeper(fs::path file, const state::AppState& state)
    : file_(std::move(file)), kept_(state::without_moment(state)) {}

Result<void> SessionKeeper::keep(const state::AppState& state, double now, bool at_once,
                                 const problem::LaunchSpec* own) {
  if (file_.empty() || (!at_once && now - latest_ < kPause)) {
    return {};
  }
  latest_ = now;  // also without a change: a state is not copied in every frame
  state::AppState next = state::without_moment(state);
  if (next == kept_) {
    return {};
  }
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  const auto written =
      problem::write_file(file_, state::scene_toml(next, own), problem::Keep::WhileRunning);
  kept_ = std::move(next);
  if (!written && !std::exchange(has_failed_, true)) {
    return tl::unexpected(written.error());
  }
  return {};
}

Result<fs::path> session_file(const fs::path& user_state, const std::string& name) {
  const bool is_name = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (!is_name) {
    return fail(
        tr("session '{}': use only letters, digits, '-' and '_' in a name. Choose another name.",
           name));
  }
  return user_state.empty()
             ? fs::path()
             : user_state / kFolder / ((name.empty() ? std::string(kUnnamed) : name) + kEnding);
}

std::vector<std::string> session_names(const fs::path& user_state) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(user_state / kFolder, ignored)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == kEnding && stem != kUnnamed &&
        stem.find('.') == std::string::npos) {
      names.push_back(stem);
    }
  }
  std::ranges::sort(names);
  return names;
}

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

#include "workspace/file_controller.h"

#include "problem/words.h"
#include "state/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMatches = 200;

constexpr Message kOpening = "Opening {} …";
constexpr Message kGone = "{} no longer exists. It is removed from the list of recent files.";
constexpr Message kSaved =
    "Saved as {}. Open it with tilestep open FILE, or drop it on the window.";
constexpr Message kLinkCopied =
    "The link to this scene is on the clipboard. Open it with tilestep open 'tilestep:…'.";
constexpr Message kLinkNamesFile =
    "The link to this scene is on the clipboard, without the kernel's text, which is too long: it "
    "opens only where {} exists. To include the kernel, save the scene as a file.";

std::string absolute(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  return failed ? path : whole.lexically_normal().string();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Names with this prefix, folders with a "/"; hidden files only if the typed name begins with a
// dot.
std::vector<std::string> matches_of(const fs::path& typed, const std::string& text) {
  const std::string begin = text.ends_with('/') ? "" : typed.filename().string();
  const fs::path folder = text.ends_with('/') ? typed : typed.parent_path();
  const std::size_t kept = text.find_last_of('/');
  const std::string before = kept == std::string::npos ? "" : text.substr(0, kept + 1);
  std::vector<std::string> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_hidden = name.starts_with('.') && !begin.starts_with('.');
    if (name.starts_with(begin) && !is_hidden && all.size() < kMostMatches) {
      all.push_back(before + name + (entry.is_directory(ignored) ? "/" : ""));
    }
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

FileController::FileController(Pool& pool, Shared shared)
    : pool_(pool), shared_(std::move(shared)), recent_(shared_.paths.user_state) {
  shared_.view.files.recent = recent_.files();
}

bool FileController::carry_out(const state::Command& command) {
  if (const auto* opened = command.as<state::OpenFile>()) {
    open(opened->path);
    return true;
  }
  if (const auto* saved = command.as<state::SaveScene>()) {
    save(saved->path);
    return true;
  }
  if (const auto* copied = command.as<state::CopyScene>()) {
    tell_of_link(*copied);
    return true;
  }
  if (const auto* typed = command.as<state::CompletePath>()) {
    complete(typed->begin);
    return true;
  }
  if (const auto* said = command.as<state::Say>()) {
    shared_.view.messages.notice = said->sentence;
    return true;
  }
  if (const auto* asked = command.as<state::Ask>()) {
    ask(asked->value);  // the state remembers the open field
  }
  if (command.is<state::ShowPalette>()) {
    list_sessions();
  }
  return false;
}

void FileController::open(const std::string& path) {
  const std::string file = absolute(typed_path(shared_.paths, path).string());
  // Relative names, from the command line or dropped, are resolved from the current folder.
  const std::string here = absolute(path);
  const std::string wanted = state::looks_like_link(path) ? path : exists(here) ? here : file;
  shared_.view.messages.notice = fmt::format(fmt::runtime(kOpening.text()), wanted);
  pool_.submit([this, wanted, input = shared_.state.input, infer = infer_]() -> Completion {
    auto opened = std::make_shared<Result<OpenedFile>>(open_file(wanted, input, infer));
    return [this, wanted, opened] { end(wanted, std::move(*opened)); };
  });
}

void FileController::end(const std::string& path, Result<OpenedFile> opened) {
  shared_.view.messages.notice.clear();
  if (!opened) {
    refuse(path, opened.error().message);
    return;
  }
  if (!state::looks_like_link(path)) {
    note_recent(path);
  }
  std::string notice = std::move(opened->notice);
  shared_.take(std::move(*opened));
  shared_.view.messages.notice = std::move(notice);
}

void FileController::refuse(const std::string& path, const std::string& why) {
  shared_.view.messages.refusal = why;
  const auto& recent = recent_.files();
  if (!exists(path) && std::ranges::find(recent, path) != recent.end()) {
    shared_.view.messages.refusal = fmt::format(fmt::runtime(kGone.text()), path);
    recent_.drop(path);
    shared_.view.files.recent = recent_.files();
  }
}

void FileController::note_recent(const std::string& path) {
  recent_.add(absolute(path));
  shared_.view.files.recent = recent_.files();
}

void FileController::save(const std::string& path) {
  const auto own = own_kernel(shared_.view, shared_.state);
  const auto saved =
      save_scene(typed_path(shared_.paths, path), shared_.state, own ? &*own : nullptr);
  if (!saved) {
    shared_.view.messages.refusal = saved.error().message;
    return;
  }
  note_recent(saved->string());
  shared_.view.messages.notice = fmt::format(fmt::runtime(kSaved.text()), saved->string());
}

void FileController::complete(const std::string& begin) {
  shared_.view.files.completed = begin;
  shared_.view.files.matches = begin.empty() ? std::vector<std::string>()
                                             : matches_of(typed_path(shared_.paths, begin), begin);
}

void FileController::ask(state::Asked what) {
  FilesView& files = shared_.view.files;
  files.proposed.clear();
  if (what == state::Asked::SaveScene) {
    files.proposed = proposed_scene(shared_.paths, shared_.view, shared_.state).string();
  } else if (what == state::Asked::Open) {
    const fs::path folder =
        files.recent.empty() ? shared_.paths.documents : fs::path(files.recent[0]).parent_path();
    files.proposed = folder.empty() ? "" : (folder / "").string();
  }
  complete(files.proposed);
}

void FileController::tell_of_link(const state::CopyScene& copied) {
  const bool names_file = copied.is_of_own_kernel && !copied.holds_kernel;
  shared_.view.messages.notice =
      names_file ? fmt::format(fmt::runtime(kLinkNamesFile.text()), shared_.state.kernel)
                 : std::string(kLinkCopied.text());
}

void FileController::list_sessions() {
  shared_.view.files.sessions = session_names(shared_.paths.user_state);
}

}  // namespace tilestep::workspace

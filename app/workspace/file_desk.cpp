#include "workspace/file_desk.h"

#include "problem/words.h"
#include "workspace/bench.h"
#include "workspace/scene_file.h"
#include "workspace/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMatches = 200;

// What is said.
constexpr Message kOpening = "Opening {} …";
constexpr Message kGone = "{} is gone: it is no longer in the list of recent files.";
constexpr Message kSaved = "Saved as {}. tilestep open FILE, or dropping it, shows it again.";
constexpr Message kLinkCopied =
    "A link to this scene is in the clipboard: tilestep open 'tilestep:…' opens it.";
constexpr Message kLinkNamesFile =
    "A link to this scene is in the clipboard, but the kernel's text is too long for it: it opens "
    "only where {} is. Save the scene as a file to send the kernel along.";

std::string absolute(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  return failed ? path : whole.lexically_normal().string();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Names that begin so, folders with a "/"; hidden ones only where a dot was typed.
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

FileDesk::FileDesk(Pool& pool, Desk desk)
    : pool_(pool), desk_(std::move(desk)), recent_(desk_.paths.user_state) {
  desk_.view.files.recent = recent_.files();
}

bool FileDesk::carry_out(const state::Command& command) {
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
    desk_.view.notice = said->sentence;
    return true;
  }
  if (const auto* asked = command.as<state::Ask>()) {
    ask(asked->what);  // the state remembers what is asked
  }
  if (command.is<state::ShowPalette>()) {
    list_sessions();
  }
  return false;
}

void FileDesk::open(const std::string& path) {
  const std::string file = absolute(typed_path(desk_.paths, path).string());
  // A name of the command line, or a dropped one, is found from the current folder.
  const std::string here = absolute(path);
  const std::string wanted = exists(here) ? here : file;
  desk_.view.notice = fmt::format(fmt::runtime(kOpening.text()), wanted);
  pool_.submit([this, wanted, input = desk_.state.input, infer = infer_]() -> Completion {
    auto opened = std::make_shared<Result<OpenedFile>>(open_file(wanted, input, infer));
    return [this, wanted, opened] { end(wanted, std::move(*opened)); };
  });
}

void FileDesk::end(const std::string& path, Result<OpenedFile> opened) {
  desk_.view.notice.clear();
  if (!opened) {
    refuse(path, opened.error().message);
    return;
  }
  note_recent(path);
  std::string notice = std::move(opened->notice);
  take(std::move(*opened));
  desk_.view.notice = std::move(notice);
}

void FileDesk::take(OpenedFile opened) {
  if (opened.kernel) {
    desk_.add_kernel(std::move(*opened.kernel));
  }
  desk_.forget();
  if (opened.scene) {
    desk_.show(std::move(*opened.scene), std::nullopt);
  } else if (opened.lesson) {
    desk_.open_lesson(std::move(*opened.lesson));
  } else if (opened.dataset) {
    take_dataset(std::move(*opened.dataset));
  } else if (opened.input) {
    desk_.apply(state::SetInput{std::move(*opened.input)});
  } else {
    desk_.apply(state::SelectKernel{opened.select});
    desk_.apply(state::SetTab{state::Tab::Step});
  }
}

void FileDesk::take_dataset(timing::DataSet data) {
  state::TimingView timings = desk_.state.timing;
  timings.dataset = data.name;
  live_dataset(timings.dataset, desk_.datasets) = std::move(data);
  ++desk_.data_version;
  desk_.apply(state::SetTimingView{timings});
  desk_.apply(state::SetTab{state::Tab::Timing});
}

void FileDesk::refuse(const std::string& path, const std::string& why) {
  desk_.view.refusal = why;
  const auto& recent = recent_.files();
  if (!exists(path) && std::ranges::find(recent, path) != recent.end()) {
    desk_.view.refusal = fmt::format(fmt::runtime(kGone.text()), path);
    recent_.drop(path);
    desk_.view.files.recent = recent_.files();
  }
}

void FileDesk::note_recent(const std::string& path) {
  recent_.add(absolute(path));
  desk_.view.files.recent = recent_.files();
}

void FileDesk::save(const std::string& path) {
  const auto own = own_kernel(desk_.view, desk_.state);
  const auto saved = save_scene(typed_path(desk_.paths, path), desk_.state, own ? &*own : nullptr);
  if (!saved) {
    desk_.view.refusal = saved.error().message;
    return;
  }
  note_recent(saved->string());
  desk_.view.notice = fmt::format(fmt::runtime(kSaved.text()), saved->string());
}

void FileDesk::complete(const std::string& begin) {
  desk_.view.files.completed = begin;
  desk_.view.files.matches = begin.empty() ? std::vector<std::string>()
                                           : matches_of(typed_path(desk_.paths, begin), begin);
}

void FileDesk::ask(state::Asked what) {
  FilesView& files = desk_.view.files;
  files.proposed.clear();
  if (what == state::Asked::SaveScene) {
    files.proposed = proposed_scene(desk_.paths, desk_.view, desk_.state).string();
  } else if (what == state::Asked::Open) {
    const fs::path folder =
        files.recent.empty() ? desk_.paths.documents : fs::path(files.recent[0]).parent_path();
    files.proposed = folder.empty() ? "" : (folder / "").string();
  }
  complete(files.proposed);
}

void FileDesk::tell_of_link(const state::CopyScene& copied) {
  const bool names_file = copied.is_of_own_kernel && !copied.holds_kernel;
  desk_.view.notice = names_file
                          ? fmt::format(fmt::runtime(kLinkNamesFile.text()), desk_.state.kernel)
                          : std::string(kLinkCopied.text());
}

void FileDesk::list_sessions() {
  desk_.view.files.sessions = session_names(desk_.paths.user_state);
}

}  // namespace tilestep::workspace

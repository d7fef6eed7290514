#include "workspace/source_file.h"

#include "problem/describe/description.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "state/scene.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

// A scene's own kernel has no file: the scene has its text.
bool is_path(const std::string& kernel) {
  return !state::is_of_scene(kernel) &&
         (kernel.find('.') != std::string::npos || kernel.find('/') != std::string::npos);
}

// The source that a description launches.
std::string source_of(const std::string& kernel) {
  if (fs::path(kernel).extension() != ".toml") {
    return kernel;
  }
  const auto spec = problem::load_kernel_file(kernel);
  return spec ? (fs::path(kernel).parent_path() / spec->source_name).string() : "";
}

fs::path home() {
  const char* const folder = std::getenv("HOME");
  return folder == nullptr ? fs::current_path() : fs::path(folder);
}

const std::string& text_of(const state::AppState& state, const FileView& view) {
  return state.edited_source.empty() ? view.text : state.edited_source;
}

// The kernel's present description, with the text and name of its new file.
std::string description_of(problem::LaunchSpec spec, const fs::path& file) {
  spec.source_name = file.filename().string();
  spec.id = file.stem().string();
  spec.title = spec.id;
  spec.family.clear();
  return problem::description_text(spec, {}, {});
}

}  // namespace

bool SourceFile::follow(const state::AppState& state, const problem::Catalog& catalog, double now) {
  if (!is_open_ || state.kernel != kernel_) {
    kernel_ = state.kernel;
    is_open_ = true;
    latest_ = now;
    open(catalog);
    return false;
  }
  if (view_.path.empty() || now - latest_ < kPause) {
    return false;
  }
  latest_ = now;
  return look();
}

void SourceFile::open(const problem::Catalog& catalog) {
  view_ = {};
  seen_.reset();
  if (!is_path(kernel_)) {
    const problem::LaunchSpec* const spec = catalog.find(kernel_);
    view_.text = spec == nullptr ? "" : spec->source;
    const bool is_of_scene = spec != nullptr && state::is_of_scene(kernel_);
    const std::string name = is_of_scene ? fs::path(spec->source_name).stem().string() : kernel_;
    view_.proposed = (home() / (name + ".cu")).string();
    return;
  }
  view_.path = source_of(kernel_);
  seen_ = stamp();
  view_.text = problem::read_file(view_.path).value_or("");
  const fs::path path(view_.path);
  view_.proposed = (path.parent_path() / (path.stem().string() + "-2.cu")).string();
}

std::optional<SourceFile::Stamp> SourceFile::stamp() const {
  std::error_code missing;
  const auto time = fs::last_write_time(view_.path, missing);
  const auto bytes = missing ? 0 : fs::file_size(view_.path, missing);
  return missing ? std::nullopt : std::optional(Stamp{time, bytes});
}

bool SourceFile::look() {
  const std::optional<Stamp> now = stamp();
  if (!now || now == seen_) {  // a file that is missing for a moment is being written
    return false;
  }
  auto text = problem::read_file(view_.path);
  if (!text) {
    return false;
  }
  seen_ = now;
  view_.on_disk.reset();
  if (*text != view_.text) {
    view_.on_disk = std::move(*text);
  }
  return view_.on_disk.has_value();
}

Result<void> SourceFile::save(const state::AppState& state) {
  if (view_.path.empty()) {
    return fail(tr("This kernel has no file of its own. Save it under a new name."));
  }
  const std::string text = text_of(state, view_);
  if (auto written = problem::write_file(view_.path, text); !written) {
    return written;
  }
  view_.text = text;
  view_.on_disk.reset();
  seen_ = stamp();
  return {};
}

Result<void> SourceFile::save_as(const state::AppState& state, const problem::Catalog& catalog,
                                 const state::SaveSource& command) {
  const fs::path file = command.path;
  if (file.extension() != ".cu") {
    return fail(
        tr("{} is not the name of a kernel file. Write one that ends in .cu.", command.path));
  }
  const fs::path description = fs::path(file).replace_extension(".toml");
  std::error_code ignored;
  for (const fs::path& one : {file, description}) {
    if (!command.replace && fs::exists(one, ignored)) {
      return fail(
          tr("{} exists. Choose another name, or check 'Replace existing files'.", one.string()));
    }
  }
  const auto spec = problem::find_spec(catalog, state.kernel);
  TILESTEP_RETURN_IF_ERROR(spec);
  if (auto written = problem::write_file(file, text_of(state, view_)); !written) {
    return written;
  }
  return problem::write_file(description, description_of(*spec, file));
}

// Makes the file's text the original from now on. The text on screen stays as an edit if the user
// keeps it.
SourceFile::Outcome SourceFile::answer(const state::AnswerDisk& command,
                                       const state::AppState& state) {
  if (!view_.on_disk) {
    return {};
  }
  const std::string mine = text_of(state, view_);
  view_.text = std::move(*view_.on_disk);
  view_.on_disk.reset();
  if (command.take) {
    return {state::ResetSource{}, true, tr("The file's text is on screen. Ctrl+Z restores yours.")};
  }
  return {state::EditSource{mine}, false,
          tr("Your text is kept. Ctrl+S overwrites what the other program wrote.")};
}

std::optional<SourceFile::Outcome> SourceFile::carry_out(const state::Command& command,
                                                         const state::AppState& state,
                                                         const problem::Catalog& catalog) {
  if (const auto* disk = command.as<state::AnswerDisk>()) {
    return answer(*disk, state);
  }
  if (command.is<state::ShowSaveAs>()) {
    view_.mistake.clear();
  }
  const auto* const wanted = command.as<state::SaveSource>();
  if (wanted == nullptr) {
    return std::nullopt;
  }
  const bool has_name = !wanted->path.empty();
  const auto saved = has_name ? save_as(state, catalog, *wanted) : save(state);
  view_.mistake = saved ? "" : saved.error().message;
  if (!saved) {
    return Outcome{};
  }
  if (has_name) {
    return Outcome{state::SavedAs{wanted->path}, false,
                   tr("Saved as {}, with its launch in a .toml of the same name.", wanted->path)};
  }
  return Outcome{state::ResetSource{}, false, tr("Saved to {}.", view_.path)};
}

}  // namespace tilestep::workspace

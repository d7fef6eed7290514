// The file of the text on screen: its content, saving, and changes by other programs.
//
// It is checked once a second while the window draws. A change by another program reaches the stage
// only after the user accepts it (state::AnswerDisk); nothing typed is lost.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/command.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tilestep::workspace {

// The file as a frame shows it.
struct FileView {
  std::string path;                    // of a user's own .cu; empty: a kernel of the catalog
  std::string text;                    // the file's own, as read or saved last
  std::string proposed;                // a path for saving it under another name
  std::string mistake;                 // why it was not saved
  std::optional<std::string> on_disk;  // the changed text of another program
};

class SourceFile {
 public:
  static constexpr double kPause = 1.0;  // seconds between two checks

  // Follows the state's kernel. Returns true if another program has changed the file.
  bool follow(const state::AppState& state, const problem::Catalog& catalog, double now);

  // The file is opened again: it will be read again.
  void forget() { is_open_ = false; }

  // The result of a command about the file.
  struct Outcome {
    std::optional<state::Command> then;  // changes the state
    bool is_undone = false;              // Ctrl+Z can undo it
    std::string notice;                  // the effect; empty: none, see FileView::mistake
  };
  // Nullopt for other commands.
  [[nodiscard]] std::optional<Outcome> carry_out(const state::Command& command,
                                                 const state::AppState& state,
                                                 const problem::Catalog& catalog);

  // Writes the state's text to its file. Fails with a sentence: the catalog's kernels have no file.
  [[nodiscard]] Result<void> save(const state::AppState& state);
  // Saves it under another name with a description beside it, so that its launch is unchanged.
  // Replaces an existing file only on request.
  [[nodiscard]] Result<void> save_as(const state::AppState& state, const problem::Catalog& catalog,
                                     const state::SaveSource& command);
  [[nodiscard]] const FileView& view() const { return view_; }

 private:
  struct Stamp {
    std::filesystem::file_time_type time;
    std::uintmax_t bytes = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  [[nodiscard]] Outcome answer(const state::AnswerDisk& command, const state::AppState& state);
  void open(const problem::Catalog& catalog);
  [[nodiscard]] bool look();
  [[nodiscard]] std::optional<Stamp> stamp() const;

  std::string kernel_;
  bool is_open_ = false;
  FileView view_;
  std::optional<Stamp> seen_;
  double latest_ = 0.0;
};

}  // namespace tilestep::workspace

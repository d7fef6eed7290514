// The file that the text on screen is of: what it holds, saved to it, changed by other programs.
//
// It is looked at once a second while the window draws. What another program has written does not
// reach the stage before somebody has said so (state::AnswerDisk); nothing typed is lost by it.
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

// What a frame shows of it.
struct FileView {
  std::string path;                    // of a user's own .cu; empty: a kernel of the catalog
  std::string text;                    // the file's own, as it was read or saved last
  std::string proposed;                // a path to save it as
  std::string mistake;                 // why it was not saved
  std::optional<std::string> on_disk;  // what another program has made of it since
};

class SourceFile {
 public:
  static constexpr double kPause = 1.0;  // seconds from one look to the next

  // Follows the state's kernel. True when another program has changed the file.
  bool follow(const state::AppState& state, const problem::Catalog& catalog, double now);

  // The file is opened anew: it is read again.
  void forget() { is_open_ = false; }

  // What became of a command that is about the file.
  struct Outcome {
    std::optional<state::Command> then;  // changes the state
    bool is_undone = false;              // Ctrl+Z takes it back
    std::string notice;                  // what was done; empty: nothing, see FileView::mistake
  };
  // Nothing for other commands.
  [[nodiscard]] std::optional<Outcome> carry_out(const state::Command& command,
                                                 const state::AppState& state,
                                                 const problem::Catalog& catalog);

  // Writes the state's text into its file. Fails with a sentence: the catalog's kernels have none.
  [[nodiscard]] Result<void> save(const state::AppState& state);
  // Under another name, with a description beside it, so that it starts as it does now. A file that
  // is there is replaced only where that is asked for.
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

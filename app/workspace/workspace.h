// Turns AppStates into results: compiles, records, checks and benchmarks in the background, and
// gives panels one FrameView. Uses no GL and no ImGui; the window, `render` and tests share it.
//
// It is a room of its own because ui may not use compilers or files, cli may not use ImGui, and
// both need a state's results. It owns the one worker pool.
#pragma once

#include "compile/compiler.h"
#include "lesson/place.h"
#include "problem/launch/launch.h"
#include "state/app_state.h"
#include "state/command.h"
#include "workspace/frame_view.h"
#include "workspace/paths.h"
#include "workspace/pool.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

// The inferred launch of a user's .cu without a description; nullopt if it has one. The spec's id
// is the path.
struct Inferred {
  problem::LaunchSpec spec;
  std::string notice;  // the guesses
};
using Infer = std::function<std::optional<Inferred>(const std::string& cu_file)>;

class Workspace {
 public:
  // Side 2 of a comparison has no measurements and no GPU, and its focus does not move by itself.
  enum class Role { Window, SecondSide };
  // `compiler` must outlive it.
  Workspace(Paths paths, compile::Compiler& compiler, Role role = Role::Window);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Workspace(Workspace&&) = delete;
  Workspace& operator=(Workspace&&) = delete;

  // Counts launches that a click may need in advance, and makes seeks on stage faster, for a
  // window. settle() then also waits for these.
  void look_ahead();
  // The effect of a command that the workspace does not carry out itself.
  void set_notice(std::string sentence);
  // The same for exports.
  void set_export(ExportStatus status);
  // Call after a change of language: remakes what holds sentences.
  void retranslate();
  // Submits a job; update() calls its result.
  void do_beside(std::function<Completion(compile::Compiler&)> job);
  // Adds a described kernel (a user's file) to the catalog, or replaces the one with its id, by
  // which SelectKernel finds it.
  void add_kernel(problem::LaunchSpec spec);
  // Infers the launch of a .cu without a description, for files opened in the window. Called on a
  // worker's thread.
  void infer_with(Infer infer);
  // The session whose name the view shows.
  void name_session(std::string name);

  // Carries out commands: apply() for those that change the state, jobs for the others. `now`
  // (seconds, monotonic) drives playing; the caller owns the clock. Returns true if the next frame
  // may differ: an idle window then draws once more.
  bool update(const std::vector<state::Command>& commands, double now);
  // Waits until no job is pending: for render, tests and the first frame.
  void settle();

  [[nodiscard]] const state::AppState& state() const;
  // Sets the state of a scene, a session or a test. Its step refers to the whole run. Clears the
  // undo history. `place`: its place in the run, if that is not its step.
  void set_state(state::AppState state, std::optional<lesson::Place> place = std::nullopt);
  [[nodiscard]] const FrameView& view() const;
  // Called (from any thread) when a job has a result, to wake an idle window.
  void on_result(void (*wake)());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::workspace

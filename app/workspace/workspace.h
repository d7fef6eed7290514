// Turns AppStates into results: compiles, records, checks and benchmarks in the background, and
// gives panels one FrameView. Uses no GL and no ImGui; the window, `render` and tests share it.
//
// It is a room of its own because ui may not use compilers or files, cli may not use ImGui, and
// both need a state's results. It owns the one worker pool.
#pragma once

#include "analysis/launch_facts.h"
#include "compile/compiler.h"
#include "insight/check/check.h"
#include "insight/compare/compare.h"
#include "insight/count/counters.h"
#include "insight/events/cell_flow.h"
#include "insight/trace/accumulators.h"
#include "lesson/place.h"
#include "loading/loader.h"
#include "narration/narrator.h"
#include "problem/describe/catalog.h"
#include "problem/launch/expected.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/command.h"
#include "timing/counter_set.h"
#include "timing/dataset.h"
#include "workspace/chart_request.h"
#include "workspace/disassembler.h"
#include "workspace/generation.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/shown_lesson.h"
#include "workspace/source_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tilestep::workspace {

// The last successful compile and recording: the content of the stage. A failed edit keeps it.
struct Scene {
  std::string kernel_id;  // as in the state
  std::string unedited;   // the file's text; `spec` has the edited one
  problem::LaunchSpec spec;
  problem::Launch launch;
  loading::Kernel kernel;                              // of the requested build
  std::shared_ptr<const record::Recording> recording;  // of the focus block's part, or of all
  // The sums of the first recorded block; null until it has been followed. `accumulator`: the
  // variable of its sums (BlockSums::common_name).
  std::shared_ptr<const insight::BlockSums> first_sums;
  // The sums of the block that had the focus then; null if that is the first.
  std::shared_ptr<const insight::BlockSums> focus_sums;
  std::string accumulator;
  std::vector<problem::ExpectedOutput> expected;
  Generation generation;  // changes with the scene
};

// The state of the live benchmark.
struct BenchStatus {
  bool gpu_found = false;
  std::string gpu;  // name, or the sentence why there is none
  bool running = false;
  double fraction = 0.0;
  std::size_t done = 0;  // measured points
  std::size_t total = 0;
  double seconds_left = 0.0;  // from the pace so far; 0: unknown yet
  std::string current;
  std::string message;  // the end of the last run: where it was saved, or why it failed
};

// A contrasting kernel, or the kernel on stage itself.
struct ContrastRun {
  bool is_on_stage = false;
  std::string title;
  std::string source;
  std::shared_ptr<const record::Recording> recording;  // of the focus block at least
  std::vector<record::Access> accesses;  // of the focus thread's warp, in execution order
  std::set<std::uint64_t> stored;        // words of shared memory with a store by the block
};

struct FrameView;

// Side 2 of a comparison in side 1's FrameView. Pointers are valid until the next update().
struct Beside {
  const state::AppState* state = nullptr;  // of side 2: its Setup and its step
  const FrameView* view = nullptr;
  const record::JointTimeline* joint = nullptr;  // null until both runs are ready
  const insight::SumComparison* sums = nullptr;  // null until ready; of the focus block
};

// The state of exports for the export panel.
struct ExportStatus {
  std::string path;       // proposed; does not exist yet
  bool running = false;   // something is being made or written
  double fraction = 0.0;  // of a film
  std::string mistake;    // why the last export failed, one sentence; empty: it did not
  bool exists = false;    // … because the file exists: it may be replaced

  friend bool operator==(const ExportStatus&, const ExportStatus&) = default;
};

// For fields and lists of files.
struct FilesView {
  std::string proposed;  // initial path of the open field
  // The files and folders (with "/") whose paths begin with the text that was typed last.
  std::string completed;
  std::vector<std::string> matches;
  std::vector<std::string> recent;    // opened or saved, the latest first
  std::vector<std::string> sessions;  // by name, when the palette was opened
  std::string session;                // the current one; "": the unnamed one
};

// Everything in a frame that is not AppState. Pointers are valid until the next update().
struct FrameView {
  const problem::Catalog* catalog = nullptr;
  std::size_t shipped_kernels = 0;        // the first ones of the catalog; the others were opened
  const Scene* scene = nullptr;           // null until the first recording is ready
  const record::State* state = nullptr;   // at AppState::step
  const record::State* before = nullptr;  // at the start of `statement`
  const record::Activity* statement = nullptr;          // the statement that ended at `step`
  const insight::BlockSums* sums = nullptr;             // of the focus block
  std::shared_ptr<const insight::BlockSums> kept_sums;  // the same, for a job of several frames
  // The focus thread's sum that is written out; nullopt: it has none.
  std::optional<std::size_t> sum;
  const insight::Accumulation* accumulation = nullptr;  // its terms at `step`
  const narration::Narrator* narrator = nullptr;        // of the focus block, once ready
  // The focus block's latest finished phase, and its summary once counted.
  std::optional<std::size_t> phase_over;
  const narration::PhaseSummary* phase_summary = nullptr;
  bool shows_phase = false;  // the phase ends here and is shown as a whole (AppState::phase)
  const insight::CheckResult* check = nullptr;  // of this scene, once ready
  const insight::Counters* counters = nullptr;  // of the fast build, once ready
  bool measurements_read = false;               // data sets and counters; there are none before
  std::string catalog_problem;                  // why the catalog is empty; empty: it is not
  std::string unread_files;  // unreadable measurement files and the reasons; empty: none
  const std::vector<timing::DataSet>* datasets = nullptr;
  const timing::DataSet* dataset = nullptr;      // the chosen one
  const timing::CounterSet* measured = nullptr;  // the hardware's counters, if shipped
  std::span<const analysis::LaunchFacts> facts;  // counted so far, of any launch
  std::uint64_t timing_data = 0;  // changes with the data sets, the facts or the language
  // The content for the state's TimingView, remade when it or the data change; null off the Timing
  // tab.
  const ShownTimings* timings = nullptr;
  std::size_t uncounted = 0;          // launches for which the Timing tab waits
  std::vector<std::string> counting;  // the titles of those that are being counted
  const std::vector<compile::Diagnostic>* diagnostics = nullptr;  // of the text being edited
  BenchStatus bench;
  ExportStatus exporting;
  std::uint64_t recorded_steps = 0;  // of a recording in progress
  bool busy = false;                 // compiling or recording: the stage is not the requested one
  double busy_since = 0.0;           // in the seconds of update()
  std::uint64_t kept_bytes = 0;      // of runs that were recorded ahead, or were on stage
  bool completing = false;           // a part or the start is on stage, the whole follows
  std::string message;               // the last error, one sentence; empty: none
  std::string notice;                // the effect of the last command, if not visible otherwise
  std::string refusal;               // why the last command was refused; empty: it was not
  std::string event;                 // the result of the last run to an event; empty: none
  // Runs in the catalog's order, for the memory view; null: no contrast is shown, or it is not
  // ready.
  std::shared_ptr<const std::vector<ContrastRun>> contrast;
  const insight::CellFlow* flow = nullptr;  // of the pointed or chosen cell, once ready
  std::string looking_for;                  // "Looking for the next barrier …"; empty: no search
  std::string source;                       // the text on screen
  const Beside* beside = nullptr;           // side 2; null: no comparison
  FilesView files;
  FileView file;                                      // the file of the text
  const ShownLesson* lesson = nullptr;                // null: none is open
  const std::vector<LessonEntry>* lessons = nullptr;  // null until they have been read
  const Disassembly* sass = nullptr;                  // of the scene, if shown and ready
  bool is_old = false;  // the stage shows a run of another text or size: the requested one failed
};

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

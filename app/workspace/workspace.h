// Turns AppStates into results: compiles, records, checks and benchmarks in the background, and
// hands panels one FrameView. Knows no GL and no ImGui; the window, `render` and tests share it.
//
// Why a room of its own: ui may not touch compilers or files, cli may not
// touch ImGui, and both need "this state's results". It is the edge where the one worker pool
// lives.
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

// The last good result of compile and record: what stands on stage. A failed edit keeps it.
struct Scene {
  std::string kernel_id;  // as the state names it
  std::string unedited;   // the file's text; `spec` has the edited one
  problem::LaunchSpec spec;
  problem::Launch launch;
  loading::Kernel kernel;                              // of the build that was asked for
  std::shared_ptr<const record::Recording> recording;  // of the focus block's part, or of all
  // Of the first block that is recorded; null until it has been followed. And what its sums live in
  // (BlockSums::common_name).
  std::shared_ptr<const insight::BlockSums> first_sums;
  // The same of the block that was in focus then; null where that is the first, too.
  std::shared_ptr<const insight::BlockSums> focus_sums;
  std::string accumulator;
  std::vector<problem::ExpectedOutput> expected;
  Generation generation;  // changes whenever the scene does
};

struct BenchStatus {
  bool gpu_found = false;
  std::string gpu;  // name, or the sentence why there is none
  bool running = false;
  double fraction = 0.0;
  std::size_t done = 0;  // points
  std::size_t total = 0;
  double seconds_left = 0.0;  // by the pace so far; 0: not known yet
  std::string current;
  std::string message;  // how the last run ended: where it was saved, or why it failed
};

// A kernel that the one on stage is contrasted with, or that one itself.
struct ContrastRun {
  bool is_on_stage = false;
  std::string title;
  std::string source;
  std::shared_ptr<const record::Recording> recording;  // of the focus block at least
  std::vector<record::Access> accesses;  // of the focus thread's warp, in execution order
  std::set<std::uint64_t> stored;        // words of shared memory that the block stores to
};

struct FrameView;

// Side 2 of a comparison, as side 1's FrameView shows it. Pointers are valid until the next
// update().
struct Beside {
  const state::AppState* state = nullptr;  // of side 2: its set-up and its step
  const FrameView* view = nullptr;
  const record::JointTimeline* joint = nullptr;  // null until both runs are there
  const insight::SumComparison* sums = nullptr;  // likewise; of the focus block
};

// What the export panel says beside how it is set.
struct ExportStatus {
  std::string path;       // proposed; no file has it yet
  bool running = false;   // something is being made or written
  double fraction = 0.0;  // of a film
  std::string mistake;    // why the last one was not written, one sentence; empty: it was
  bool exists = false;    // … because a file has that name: it may be replaced

  friend bool operator==(const ExportStatus&, const ExportStatus&) = default;
};

// For the fields and lists that have to do with files.
struct FilesView {
  std::string proposed;  // for the field that was opened: a path to begin with
  // The files and folders (with "/") whose paths begin like the text that was typed last.
  std::string completed;
  std::vector<std::string> matches;
  std::vector<std::string> recent;    // opened or saved, the latest first
  std::vector<std::string> sessions;  // by name, as of the palette's opening
  std::string session;                // the one that is kept; "": the one without a name
};

// Everything a frame shows that is not AppState. Pointers are valid until the next update().
struct FrameView {
  const problem::Catalog* catalog = nullptr;
  std::size_t shipped_kernels = 0;        // the first of the catalog's; the others were opened
  const Scene* scene = nullptr;           // null until the first recording is there
  const record::State* state = nullptr;   // at AppState::step
  const record::State* before = nullptr;  // at the start of `statement`
  const record::Activity* statement =
      nullptr;                               // the statement that ended at `step` (just executed)
  const insight::BlockSums* sums = nullptr;  // of the focus block
  std::shared_ptr<const insight::BlockSums> kept_sums;  // the same, for a job of several frames
  std::optional<std::size_t> sum;  // the focus thread's that is written out; nothing: it has none
  const insight::Accumulation* accumulation = nullptr;  // … its terms at `step`
  const narration::Narrator* narrator = nullptr;        // of the focus block, once it is there
  // The focus block's latest phase that is over, and what it did, once that is counted.
  std::optional<std::size_t> phase_over;
  const narration::PhaseSummary* phase_summary = nullptr;
  bool shows_phase = false;  // it ends here, and is shown as a whole (AppState::phase)
  const insight::CheckResult* check = nullptr;  // of this scene, once it is there
  const insight::Counters* counters = nullptr;  // of the fast build, once they are there
  bool measurements_read = false;               // data sets and counters; until then there are none
  std::string catalog_problem;                  // why the catalog is empty; empty: it is not
  std::string unread_files;  // which of them could not be read, and why; empty: none
  const std::vector<timing::DataSet>* datasets = nullptr;
  const timing::DataSet* dataset = nullptr;      // the chosen one
  const timing::CounterSet* measured = nullptr;  // the hardware's counters, where they ship
  std::span<const analysis::LaunchFacts> facts;  // counted so far, of any launch
  std::uint64_t timing_data = 0;  // another one: data sets, facts or the language have changed
  // Of the state's TimingView, made when it or the data change; null off the Timing tab.
  const ShownTimings* timings = nullptr;
  std::size_t uncounted = 0;          // launches that the Timing tab waits for
  std::vector<std::string> counting;  // … the titles of those that are being counted now
  const std::vector<compile::Diagnostic>* diagnostics = nullptr;  // of the text being edited
  BenchStatus bench;
  ExportStatus exporting;
  std::uint64_t recorded_steps = 0;  // of a recording in progress
  bool busy = false;                 // compiling or recording: the stage is not what was asked for
  double busy_since = 0.0;           // in the seconds of update()
  std::uint64_t kept_bytes = 0;      // of runs that were recorded ahead, or were on stage
  bool completing = false;           // a part or the start is on stage, the whole follows
  std::string message;               // the last error, one sentence; empty: none
  std::string notice;                // what the last command did, where nothing else shows it
  std::string refusal;               // why it could not be done; empty: it could
  std::string event;  // where the last run to something led, or why nowhere; empty: it was none
  // In the catalog's order, for the memory view; null: it shows none, or they are not there yet.
  std::shared_ptr<const std::vector<ContrastRun>> contrast;
  const insight::CellFlow* flow = nullptr;  // of the pointed or chosen cell, once it is there
  std::string looking_for;                  // "Looking for the next barrier …"; empty: nothing is
  std::string source;                       // the text on screen
  const Beside* beside = nullptr;           // side 2; null: nothing is compared
  FilesView files;
  FileView file;                                      // … and the file that it is of
  const ShownLesson* lesson = nullptr;                // null: none is open
  const std::vector<LessonEntry>* lessons = nullptr;  // null until they have been read
  const Disassembly* sass = nullptr;  // of the scene, where it is shown and once it is there
  bool is_old = false;  // the stage shows a run of another text or size: what is asked for failed
};

// What starts a .cu of the user's that has no description: nothing where it has one. The spec's id
// is the path.
struct Inferred {
  problem::LaunchSpec spec;
  std::string notice;  // what was guessed
};
using Infer = std::function<std::optional<Inferred>(const std::string& cu_file)>;

class Workspace {
 public:
  // Side 2 of a comparison knows no measurements and no GPU, and its focus goes nowhere by itself.
  enum class Role { Window, SecondSide };
  // `compiler` has to outlive it.
  Workspace(Paths paths, compile::Compiler& compiler, Role role = Role::Window);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Workspace(Workspace&&) = delete;
  Workspace& operator=(Workspace&&) = delete;

  // For a window: launches that a click may ask about are counted before it does, and seeks in what
  // is on stage get faster. Then settle() waits for those too.
  void look_ahead();
  // What a command did that the workspace does not carry out itself.
  void set_notice(std::string sentence);
  // The same for exports.
  void set_export(ExportStatus status);
  // Another language is spoken now: what holds sentences is made again.
  void retranslate();
  // A job for the workers; what it returns is called by update().
  void do_beside(std::function<Completion(compile::Compiler&)> job);
  // Adds a described kernel to the catalog (a user's file): SelectKernel finds it by its id.
  // Adds a described kernel to the catalog (a user's file), or takes the place of the one with its
  // id: SelectKernel finds it by that.
  void add_kernel(problem::LaunchSpec spec);
  // What starts a .cu without a description, for files that are opened while the window is. Called
  // on a worker's thread.
  void infer_with(Infer infer);
  // Of which the view is to say the name.
  void name_session(std::string name);

  // Carries out commands: apply() for those that change the state, jobs for the others.
  // `now` (seconds, monotonic) drives playing; the caller owns the clock. True when what the next
  // frame shows may differ: an idle window then draws once more.
  bool update(const std::vector<state::Command>& commands, double now);
  // Waits until nothing is in flight: for render, tests and the first frame.
  void settle();

  [[nodiscard]] const state::AppState& state() const;
  // A scene, a session, a test. Its step is one of the whole run. There is nothing to undo then.
  // `place`: where in the run it stands, if that is not its step.
  void set_state(state::AppState state, std::optional<lesson::Place> place = std::nullopt);
  [[nodiscard]] const FrameView& view() const;
  // Called (from any thread) when a job has a result, so that an idle window wakes.
  void on_result(void (*wake)());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::workspace

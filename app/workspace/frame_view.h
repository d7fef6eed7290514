// What a frame shows besides the AppState: one small struct for each family of panels. The
// workspace fills them between two frames.
#pragma once

#include "analysis/launch_facts.h"
#include "clock/places.h"
#include "compile/diagnostics.h"
#include "insight/check/check.h"
#include "insight/compare/compare.h"
#include "insight/count/counters.h"
#include "insight/events/cell_flow.h"
#include "insight/trace/accumulators.h"
#include "loading/loader.h"
#include "narration/narrator.h"
#include "problem/describe/catalog.h"
#include "problem/launch/expected.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "timing/counter_set.h"
#include "timing/dataset.h"
#include "workspace/chart_request.h"
#include "workspace/disassembler.h"
#include "workspace/generation.h"
#include "workspace/shown_lesson.h"
#include "workspace/shown_sm.h"
#include "workspace/source_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
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

// The state of exports for the export panel.
struct ExportStatus {
  std::string path;       // proposed; does not exist yet
  bool running = false;   // something is being made or written
  double fraction = 0.0;  // of a film
  std::string mistake;    // why the last export failed, one sentence; empty: it did not
  bool exists = false;    // … because the file exists: it may be replaced
  std::string student;    // who handed in a progress last; empty: nobody has

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

// The kernels that can be chosen; filled when the catalog is read or gets a kernel.
struct KernelsView {
  std::shared_ptr<const problem::Catalog> catalog;  // never null
  std::size_t shipped = 0;                          // the first ones; the others were opened
  std::string mistake;                              // why the catalog is empty; empty: it is not
};

// The run on stage at AppState::step: for the stage, the timeline and the inspector. Each pointer
// is null until its result is ready.
struct RunView {
  std::shared_ptr<const Scene> scene;
  bool is_old = false;  // of another text or size: the requested run failed
  std::shared_ptr<const record::State> state;
  std::shared_ptr<const record::State> before;        // at the start of `statement`
  std::shared_ptr<const record::Activity> statement;  // the statement that ended at the step
  std::shared_ptr<const insight::BlockSums> sums;     // of the focus block
  std::optional<std::size_t> sum;  // the focus thread's one that is written out; nullopt: none
  std::shared_ptr<const insight::Accumulation> accumulation;  // its terms at the step
  std::shared_ptr<const insight::CheckResult> check;          // of this scene
  std::shared_ptr<const insight::Counters> counters;          // of the fast build
  std::shared_ptr<const insight::CellFlow> flow;              // of the pointed or chosen cell
  // Runs in the catalog's order, for the memory view; null also if no contrast is shown.
  std::shared_ptr<const std::vector<ContrastRun>> contrast;
};

// The focus block's run in sentences; NarrationCache fills it.
struct NarrationView {
  std::shared_ptr<const narration::Narrator> narrator;     // null until ready
  std::optional<std::size_t> phase_over;                   // the block's latest finished phase, …
  std::shared_ptr<const narration::PhaseSummary> summary;  // … and null until counted
  bool shows_phase = false;  // the phase ends here and is shown as a whole (AppState::phase)
};

// The source panel; the text is that of the latest compile.
struct SourceView {
  std::string text;                              // on screen
  FileView file;                                 // of the text
  std::vector<compile::Diagnostic> diagnostics;  // of the text being edited
  std::shared_ptr<const Disassembly> sass;       // of the scene; null unless shown and ready
};

// The Timing tab, and what other panels show of measurements and counts. Side 2 of a comparison
// has none. BenchRunner fills `bench` and adds data sets.
struct TimingsView {
  bool is_read = false;      // data sets and counters; there are none before
  std::string unread_files;  // unreadable measurement files and the reasons; empty: none
  // Never null. They are never changed, but replaced.
  std::shared_ptr<const std::vector<timing::DataSet>> datasets =
      std::make_shared<const std::vector<timing::DataSet>>();
  std::shared_ptr<const timing::DataSet> dataset;      // the chosen one; null: there is none
  std::shared_ptr<const timing::CounterSet> counters;  // the hardware's; null: not shipped
  // Counted so far, of any launch. Never null.
  std::shared_ptr<const std::vector<analysis::LaunchFacts>> facts =
      std::make_shared<const std::vector<analysis::LaunchFacts>>();
  std::uint64_t version = 1;  // increases with data sets, facts, catalog and language
  // The content for the state's TimingView, remade when it or the data change; null off the Timing
  // tab.
  std::shared_ptr<const ShownTimings> shown;
  std::shared_ptr<const ShownSm> sm;  // null: the page is not shown, or it is not ready
  // The stage's steps in the clocks of `sm`; null: it shows another launch, or they are not ready.
  std::shared_ptr<const clock::Places> sm_places;
  std::shared_ptr<const ShownSm> sm_against;  // TimingView::against; null: none, or not ready
  std::size_t uncounted = 0;                  // launches for which the Timing tab waits
  std::vector<std::string> counting;          // the titles of those that are being counted
  BenchStatus bench;
};

// What the workspace is doing.
struct JobsView {
  bool busy = false;                 // compiling or recording: the stage is not the requested one
  double busy_since = 0.0;           // in the seconds of update()
  bool completing = false;           // a part or the start is on stage, the whole follows
  std::uint64_t recorded_steps = 0;  // of a recording in progress
  std::uint64_t kept_bytes = 0;      // of runs that were recorded ahead, or were on stage
  bool waits = false;                // for the next frames: there are no threads
  std::string looking_for;           // "Looking for the next barrier …"; empty: no search
};

// One sentence each; empty: none.
struct MessagesView {
  std::string error;    // why the requested run is not on stage, or the language
  std::string notice;   // the effect of the last command, if not visible otherwise
  std::string refusal;  // why the last command was refused
  std::string event;    // the result of the last run to an event
};

struct Beside;

// Everything in a frame that is not AppState, by panel family. A copy stays valid after the next
// update(): nothing that it shares is changed.
struct FrameView {
  KernelsView kernels;
  RunView run;
  NarrationView narration;
  SourceView source;
  TimingsView timing;
  std::shared_ptr<const ShownLesson> lesson;                // null: none is open
  std::shared_ptr<const std::vector<LessonEntry>> lessons;  // null until they have been read
  std::shared_ptr<const Beside> beside;                     // side 2; null: no comparison
  JobsView jobs;
  ExportStatus exporting;
  FilesView files;
  MessagesView messages;
};

// Side 2 of a comparison in side 1's FrameView.
struct Beside {
  state::AppState state;  // its Setup and its step
  FrameView view;
  std::shared_ptr<const record::JointTimeline> joint;  // null until both runs are ready
  std::shared_ptr<const insight::SumComparison> sums;  // null until ready; of the focus block
};

}  // namespace tilestep::workspace

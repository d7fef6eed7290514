#include "ui/palette_rows.h"

#include "analysis/gpu_model.h"
#include "problem/describe/words.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"
#include "state/words.h"
#include "ui/actions.h"
#include "ui/overlays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <imcmd_fuzzy_search.h>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace tilestep::ui {
namespace {

// Headings in their order; those of the actions are the groups' names.
constexpr Message kPlaces = "Place";
constexpr Message kKernels = "Kernel";
constexpr const char* kBlockSizes = "BLOCK_SIZE";
constexpr Message kSizes = "Size";
constexpr Message kData = "Data";
constexpr Message kSchedules = "Schedule";
constexpr Message kWarpLanes = "Lanes per warp";
constexpr Message kBuilds = "Build";
constexpr Message kLanguages = "Language";
constexpr Message kTypefaces = "Font";
constexpr Message kNumbers = "Numbers";
constexpr Message kPlots = "Timing";
constexpr Message kUnits = "Unit of speed";
constexpr Message kDataSets = "Data set";
constexpr Message kGpus = "Predict for";
constexpr Message kLessonRows = "Lesson";
constexpr Message kBeatRows = "Beat";
constexpr Message kRecent = "Recent";
constexpr Message kSessions = "Session";

constexpr Message kUnnamedSession = "unnamed session";

constexpr std::size_t kMostPlaces = 64;
constexpr std::array kLaneCounts{32, 16, 8, 4, 2, 1};

class RowList {
 public:
  explicit RowList(const Context& context) : c_(context) {}

  void add_actions() {
    for (const Action& a : actions()) {
      if (a.id != ActionId::ShowPalette) {
        rows_.push_back(
            {name(a.group), a.label.text(), a.tooltip.text(), key_name(a.key), a.commands});
        rows_.back().english = a.label.english;
      }
    }
    // The table is in the order of its sources; readers need groups.
    std::ranges::stable_sort(rows_, {}, [](const PaletteRow& row) { return order_of(row.group); });
  }

  void add_places() {
    if (c_.view.run.scene == nullptr) {
      return;
    }
    const auto phases = c_.view.run.scene->recording->phases_of(c_.state.focus.block);
    for (std::size_t i = 0; i < std::min(phases.size(), kMostPlaces); ++i) {
      add(kPlaces, tr("phase {}: {}", i, *phases[i].name), "",
          [step = phases[i].first_step](const Context& c) {
            return commands_to(c, {.kind = insight::GoTo::Kind::Phase, .step = step});
          });
    }
  }

  void add_kernels() {
    for (const problem::LaunchSpec& spec : c_.view.kernels.catalog->kernels) {
      add(kKernels, tr(spec.title.c_str()), tr(spec.summary.c_str()), state::SelectKernel{spec.id});
      rows_.back().english = spec.title;
    }
  }

  void add_sizes() {
    const problem::Parameters now = c_.state.parameters;
    if (c_.view.run.scene == nullptr || c_.view.run.scene->spec.uses_block_size) {
      for (int size = 1; size <= problem::kLargestBlockSize; ++size) {
        add(kBlockSizes, std::to_string(size), "", state::SetParameters{{now.problem, size}});
      }
    }
    for (const problem::Preset& preset : c_.view.kernels.catalog->presets) {
      Commands commands{
          state::SetParameters{{preset.problem, preset.block_size.value_or(now.block_size)}}};
      if (preset.input) {
        commands.emplace_back(state::SetInput{*preset.input});
      }
      rows_.push_back({kSizes.text(), tr(preset.title.c_str()), tr(preset.summary.c_str()), "",
                       [commands](const Context&) { return commands; }, preset.title});
    }
  }

  void add_settings() {
    for (const auto& [pattern, file, label, tip] : words_of<problem::Pattern>()) {
      problem::InputSpec input = c_.state.input;
      input.pattern = pattern;
      const bool has_text = pattern != problem::Pattern::Csv || !input.csv.empty();
      if (pattern != problem::Pattern::Npy && has_text) {
        add(kData, label.text(), tip.text(), state::SetInput{input});
      }
    }
    for (const auto& [kind, file, label, tip] : words_of<simt::ScheduleKind>()) {
      simt::Schedule schedule = c_.state.schedule;
      schedule.kind = kind;
      add(kSchedules, label.text(), tip.text(), state::SetSchedule{schedule});
    }
    for (const int lanes : kLaneCounts) {
      add(kWarpLanes, std::to_string(lanes), "", state::SetWarpSize{lanes});
    }
    for (const auto& [build, file, label, tip] : words_of<problem::Build>()) {
      add(kBuilds, label.text(), tip.text(), state::SetBuild{build});
    }
    for (const Language& language : languages()) {
      add(kLanguages, language.name, "", state::SetLanguage{language.tag});
    }
    for (const auto& [face, file, label, tip] : words_of<state::Typeface>()) {
      add(kTypefaces, label.text(), tip.text(), state::SetTypeface{face});
    }
    for (const auto& [form, file, label, tip] : words_of<state::NumberForm>()) {
      add(kNumbers, label.text(), tip.text(), state::SetNumberForm{form});
    }
  }

  void add_plot_settings() {
    add_switch(tr("Logarithmic axis"), &state::TimingView::log_scale);
    add_switch(tr("Prediction"), &state::TimingView::predict);
    add_switch(tr("Every kernel"), &state::TimingView::every_kernel);
    add_switch(tr("This kernel only"), &state::TimingView::alone);
    for (const auto& [unit, file, label, tip] : words_of<state::SpeedUnit>()) {
      state::TimingView view = c_.state.timing;
      view.unit = unit;
      add_view(kUnits, label.text(), "", view);
    }
    for (const timing::DataSet& data : *c_.view.timing.datasets) {
      state::TimingView view = c_.state.timing;
      view.dataset = data.name;
      view.gpu.clear();
      add_view(kDataSets, data.name, data.provenance.gpu, view);
    }
    for (const analysis::GpuModel& gpu : analysis::known_gpus()) {
      state::TimingView view = c_.state.timing;
      view.gpu = gpu.name;
      add_view(kGpus, gpu.name, "", view);
    }
  }

  void add_files() {
    const workspace::FilesView& files = c_.view.files;
    for (const std::string& file : files.recent) {
      add(kRecent, std::filesystem::path(file).filename().string(), file, state::OpenFile{file});
    }
    for (const std::string& session : files.sessions) {
      if (session != files.session) {
        add(kSessions, session, "", state::OpenSession{session});
      }
    }
    if (!files.session.empty()) {
      add(kSessions, kUnnamedSession.text(), "", state::OpenSession{""});
    }
  }

  // Every lesson with its scenes and questions; also the open lesson if no list has it.
  void add_lessons() {
    const auto& open = c_.view.lesson;
    bool is_listed = open == nullptr;
    for (const workspace::LessonEntry& entry : *c_.view.lessons) {
      add(kLessonRows,
          fmt::format("{} {}", entry.lesson.substr(0, entry.lesson.find('-')), entry.title),
          entry.goal, state::OpenLesson{entry.lesson});
      is_listed = is_listed || entry.lesson == c_.state.course.lesson;
    }
    for (const workspace::LessonEntry& entry : *c_.view.lessons) {
      for (std::size_t i = 0; i < entry.beat_titles.size(); ++i) {
        add_beat(entry.title, entry.beat_titles[i], entry.is_question[i], entry.lesson, i);
      }
    }
    for (std::size_t i = 0; !is_listed && i < open->lesson->beats.size(); ++i) {
      const lesson::Beat& beat = open->lesson->beats[i];
      add_beat(open->lesson_title, open->lesson->title_of(beat).in(spoken_language()),
               beat.kind == lesson::BeatKind::Question, c_.state.course.lesson, i);
    }
  }

  [[nodiscard]] std::vector<PaletteRow> take() { return std::move(rows_); }

 private:
  static int order_of(const char* group) {
    for (const ActionGroup one : {ActionGroup::Stepping, ActionGroup::Running, ActionGroup::Looking,
                                  ActionGroup::Arranging}) {
      if (std::string_view(group) == name(one)) {
        return static_cast<int>(one);
      }
    }
    return static_cast<int>(ActionGroup::Working);
  }

  void add_beat(const std::string& of, const std::string& title, bool is_question,
                const std::string& lesson, std::size_t beat) {
    const std::string what = title.empty() ? std::to_string(beat + 1) : title;
    add(kBeatRows, is_question ? tr("{}: question, {}", of, what) : fmt::format("{}: {}", of, what),
        "", state::OpenLesson{lesson, static_cast<int>(beat)});
  }
  void add(const char* group, std::string row, std::string tip, state::Command command) {
    rows_.push_back({group, std::move(row), std::move(tip), "",
                     [command = std::move(command)](const Context&) { return Commands{command}; }});
  }
  void add(const char* group, std::string row, std::string tip,
           std::function<Commands(const Context&)> run) {
    rows_.push_back({group, std::move(row), std::move(tip), "", std::move(run)});
  }
  // Shows the tab, too, so that the setting has a visible effect.
  void add_view(const char* group, std::string row, std::string tip, state::TimingView view) {
    add(group, std::move(row), std::move(tip),
        std::function<Commands(const Context&)>([view = std::move(view)](const Context&) {
          return Commands{state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
        }));
  }
  void add_switch(const char* what, bool state::TimingView::*member) {
    state::TimingView view = c_.state.timing;
    view.*member = !(view.*member);
    add_view(kPlots, view.*member ? tr("{}: on", what) : tr("{}: off", what), "", view);
  }

  const Context& c_;
  std::vector<PaletteRow> rows_;
};

// The next position of the letter, ignoring case; a blank of the query matches anything.
std::string without_blanks(const std::string& query) {
  std::string letters;
  std::ranges::copy_if(query, std::back_inserter(letters), [](char c) { return c != ' '; });
  return letters;
}

// A contiguous match, best at a word's beginning, ranks before scattered letters.
struct Stretch {
  std::size_t at = std::string::npos;  // npos: not found
  int bonus = 0;
};
Stretch stretch_of(const std::string& query, const std::string& full, std::size_t name_at) {
  constexpr int kInGroup = 100;
  constexpr int kInName = 200;
  constexpr int kAtWord = 100;
  const std::string text = lower(full);
  const std::string wanted = lower(query);
  Stretch best;
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + 1)) {
    const bool begins_word = at == 0 || text[at - 1] == ' ';
    const int bonus = (at < name_at ? kInGroup : kInName) + (begins_word ? kAtWord : 0);
    if (bonus > best.bonus) {
      best = {at, bonus};
    }
  }
  return best;
}

// The match of a query in a row's full name.
struct Found {
  int score = 0;
  std::vector<std::size_t> letters{};
};
std::optional<Found> find(const std::string& query, const char* group, const std::string& name) {
  constexpr int kMostLetters = 255;
  const std::string letters = without_blanks(query);
  if (letters.empty()) {
    return Found{};
  }
  const std::string full = named_in(group, name);
  std::array<std::uint8_t, kMostLetters + 1> at{};
  int score = 0;
  int count = 0;
  if (!ImCmd::FuzzySearch(letters.c_str(), full.c_str(), score, at.data(), kMostLetters, count)) {
    return std::nullopt;
  }
  Found found{score, {at.begin(), at.begin() + count}};
  const Stretch whole = stretch_of(query, full, full.size() - name.size());
  if (whole.at != std::string::npos) {
    found.score += whole.bonus;
    found.letters.resize(query.size());
    std::iota(found.letters.begin(), found.letters.end(), whole.at);
  }
  return found;
}

std::vector<ActionId> likely_actions(const Context& c) {
  using enum ActionId;
  if (c.state.editing) {
    return {EditSource, Undo};
  }
  if (c.state.tab == state::Tab::Timing) {
    return {StepTab, TimingByBlockSize, TimingLadder, TimingRoofline, StartBench, ShowExport};
  }
  std::vector<ActionId> likely{NextPhase, NextStatement, TogglePlay, GoToPlace};
  if (c.view.run.check != nullptr && !c.view.run.check->findings.empty()) {
    likely.insert(likely.begin(), NextFinding);
  }
  if (!c.state.focus.cell_of.empty()) {
    likely.insert(likely.begin(), {NextAccess, LeaveCell});
  }
  likely.insert(likely.end(), {EditSource, OpenFile, SaveScene, TimingTab});
  return likely;
}

}  // namespace

std::vector<PaletteRow> palette_rows(const Context& context) {
  RowList rows(context);
  rows.add_actions();
  rows.add_places();
  rows.add_kernels();
  rows.add_sizes();
  rows.add_settings();
  rows.add_plot_settings();
  rows.add_files();
  if (context.view.lessons != nullptr) {
    rows.add_lessons();
  }
  return rows.take();
}

std::vector<std::size_t> likely_rows(const Context& context, std::span<const PaletteRow> rows) {
  std::vector<std::size_t> likely;
  for (const ActionId id : likely_actions(context)) {
    const Action& wanted = action(id);
    const auto found = std::ranges::find_if(rows, [&wanted](const PaletteRow& row) {
      return row.name == wanted.label.text() && row.group == std::string_view(name(wanted.group));
    });
    if (found != rows.end()) {
      likely.push_back(static_cast<std::size_t>(found - rows.begin()));
    }
  }
  return likely;
}

std::vector<PaletteMatch> matching_rows(std::span<const PaletteRow> rows,
                                        const std::string& query) {
  std::vector<std::pair<int, PaletteMatch>> scored;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::optional<Found> found = find(query, rows[i].group, rows[i].name);
    const std::optional<Found> in_english =
        rows[i].english.empty() ? std::nullopt : find(query, rows[i].group, rows[i].english);
    if (in_english && (!found || in_english->score > found->score)) {
      found = {in_english->score, {}};  // no letters of the shown name
    }
    if (found) {
      scored.push_back({found->score, {i, std::move(found->letters)}});
    }
  }
  std::ranges::stable_sort(scored, std::greater{}, [](const auto& one) { return one.first; });
  std::vector<PaletteMatch> matches;
  for (auto& [score, match] : scored) {
    matches.push_back(std::move(match));
  }
  return matches;
}

}  // namespace tilestep::ui

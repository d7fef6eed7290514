#include "program/exporter.h"

#include "analysis/chart.h"
#include "cli/check_command.h"
#include "cli/counters_report.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "cli/trace_report.h"
#include "loading/prepare.h"
#include "platform/file_dialog.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "problem/words.h"
#include "state/exporting.h"
#include "state/scene.h"
#include "state/words.h"
#include "ui/draw.h"
#include "workspace/shown_lesson.h"
#include "workspace/survey.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>
#include <utility>
#include <vector>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using state::ExportFormat;
using state::ExportOf;

constexpr Message kNoRun =
    "The recording is not ready. Wait until the stage appears, then export again.";
constexpr Message kNoCheck = "The check is not done yet. Export again in a moment.";
constexpr Message kNoPlot = "There is no plot. Open a plot in the Timing tab: Ctrl+3.";
constexpr Message kNoStage = "There is no stage on screen. Choose to export the window.";
constexpr Message kNoStudent =
    "Enter your name, so that your teacher knows whose progress this is.";
constexpr Message kStopped = "The film was stopped and discarded.";
constexpr Message kBusy = "The last export is still being written. Export again in a moment.";

// A new density takes a second frame.
constexpr int kFramesOfAPicture = 3;
constexpr int kChartWidth = 1280;
constexpr int kChartHeight = 720;
constexpr int kIndent = 1;

// The window without overlays.
state::AppState uncovered(state::AppState state) {
  state.show_export = false;
  state.show_palette = false;
  state.show_go_to = false;
  state.condition_line = 0;
  return state;
}

std::string json_or_csv(const json& made, ExportFormat format, std::string (*to_csv)(const json&)) {
  return format == ExportFormat::Json ? cli::json_text(made, kIndent) + "\n" : to_csv(made);
}

// The finished part according to the last line of a film's output.
double last_number(const std::string& output) {
  const std::size_t end = output.rfind('\n');
  if (end == std::string::npos) {
    return 0.0;
  }
  const std::size_t before = output.rfind('\n', end == 0 ? 0 : end - 1);
  const std::size_t from = before == std::string::npos || before == end ? 0 : before + 1;
  double part = 0.0;
  problem::read_number(output.data() + from, output.data() + end, part);
  return part;
}

// The film's child process prints one sentence, after the program's name.
std::string sentence_of(const std::string& errors) {
  const std::string text(trimmed(errors));
  const std::string line = text.substr(text.rfind('\n') + 1);
  constexpr std::string_view kName = "tilestep: ";
  return line.starts_with(kName) ? line.substr(kName.size()) : line;
}

Result<std::string> counted(const workspace::Scene& scene, compile::Compiler& compiler,
                            ExportFormat format, const std::atomic<bool>& cancelled) {
  const auto fast = loading::prepare(compiler, scene.launch);
  if (!fast) {
    return fail(tr("The fast build, needed for counting, does not compile. {}",
                   cli::compile_error(fast.error()).message));
  }
  const auto keep = [] { return true; };
  const insight::Profile profile = workspace::count_launch(*fast, keep, &cancelled);
  auto forms = insight::compare_closed_forms(scene.spec, *fast->program, profile);
  TILESTEP_RETURN_IF_ERROR(forms);
  const cli::CountersReport report{"", "fast", *fast->program, profile, std::move(*forms), {}};
  return json_or_csv(cli::counters_json(report), format, cli::counters_csv);
}

}  // namespace

Exporter::Exporter(workspace::Workspace& workspace, platform::Window& window, ui::Memory& memory,
                   std::filesystem::path user_state)
    : workspace_(workspace), window_(window), memory_(memory), user_state_(std::move(user_state)) {}

Exporter::~Exporter() {
  inbox_->cancelled = true;
  if (film_) {
    film_->stop();
    static_cast<void>(film_->wait());
  }
}

bool Exporter::carry_out(const ui::Commands& commands, double now) {
  for (const state::Command& command : commands) {
    if (const auto* const wanted = command.as<state::Export>()) {
      begin(*wanted, now);
    } else if (command.is<state::SavePicture>()) {
      save_picture(now);
    } else if (command.is<state::CancelExport>() && film_) {
      film_->stop();
    } else if (command.is<state::SetExport>() || command.is<state::ShowExport>()) {
      status_.mistake.clear();
      status_.exists = false;
    }
  }
  follow_film();
  take_outcome(now);
  propose();
  const bool differs = !(status_ == workspace_.view().exporting);
  workspace_.set_export(status_);
  return differs;
}

void Exporter::begin(const state::Export& wanted, double now) {
  const fs::path file = workspace::from_home(wanted.path);
  const auto existing = wanted.replace ? workspace::Existing::Replace : workspace::Existing::Keep;
  std::error_code ignored;
  status_.exists = !wanted.replace && fs::is_regular_file(file, ignored);
  status_.student = wanted.student;
  status_.mistake.clear();
  if (status_.running) {
    status_.mistake = kBusy.text();
    return;
  }
  if (const auto ready = workspace::make_ready(file, existing); !ready) {
    status_.mistake = ready.error().message;
    return;
  }
  file_ = file;
  const state::ExportView view = workspace_.state().exporting;
  if (view.of == ExportOf::Film) {
    const auto started = start_film(file);
    status_.running = started.has_value();
    if (!started) {
      tell(started, now);
    }
    return;
  }
  auto made = content(view, now);
  if (made) {
    write(std::move(*made), file);
  } else {
    tell(tl::unexpected(made.error()), now);
  }
}

// A picture of the window with the panel's settings.
void Exporter::save_picture(double now) {
  if (status_.running) {
    tell(fail(kBusy.text()), now);
    return;
  }
  state::AppState state = workspace_.state();
  state.exporting.of = ExportOf::Window;
  state.exporting.format = ExportFormat::Png;
  const auto& scene = workspace_.view().run.scene;
  const fs::path file = workspace::free_path(
      workspace::export_folder(ExportOf::Window),
      state::export_name(state, scene == nullptr ? nullptr : scene->recording.get()));
  if (const auto ready = workspace::make_ready(file, workspace::Existing::Keep); !ready) {
    tell(ready, now);
    return;
  }
  file_ = file;
  try {
    write(picture(state.exporting, now), file);
  } catch (const platform::PlatformError& error) {
    tell(fail(error.what()), now);
  }
}

Result<Exporter::Make> Exporter::content(const state::ExportView& view, double now) {
  try {
    if (view.of == ExportOf::Plot) {
      return plot(view, now);
    }
    if (view.of == ExportOf::Progress) {
      return progress();
    }
    if (view.of == ExportOf::Stage && workspace_.view().run.scene == nullptr) {
      return fail(kNoRun.text());
    }
    return state::is_picture(view.of) ? Result<Make>(picture(view, now)) : data(view);
  } catch (const platform::PlatformError& error) {
    return fail(error.what());
  }
}

// Drawn at once, encoded by a worker. Throws PlatformError.
Exporter::Make Exporter::picture(const state::ExportView& view, double now) {
  state::AppState state = uncovered(workspace_.state());
  if (view.of == ExportOf::Stage) {
    state.tab = state::Tab::Step;
    state.inspector_open = false;  // it would cover the stage
  }
  const bool svg = state::export_format(view) == ExportFormat::Svg;
  for (int i = 0; i < kFramesOfAPicture; ++i) {
    window_.draw_aside(svg ? 1 : view.scale, [&] {
      static_cast<void>(ui::draw(frame_context(state, workspace_.view(), window_, memory_, now)));
    });
  }
  const auto box = view.of == ExportOf::Plot ? ui::plot_box() : std::nullopt;
  const auto rect =
      box ? std::optional(platform::SvgRect{box->x, box->y, box->right(), box->bottom()})
          : rect_of(view.of == ExportOf::Stage ? Area::Stage : Area::Window,
                    frame_context(state, workspace_.view(), window_, memory_, now));
  if (!rect) {
    throw platform::PlatformError(kNoStage.text());
  }
  if (svg) {
    return [text = window_.svg(*rect)](const std::atomic<bool>&,
                                       compile::Compiler&) -> Result<std::string> { return text; };
  }
  auto image = std::make_shared<platform::Image>(window_.read_pixels(*rect));
  return [image](const std::atomic<bool>&, compile::Compiler&) -> Result<std::string> {
    try {
      return platform::png_of(*image);
    } catch (const platform::PlatformError& error) {
      return fail(error.what());
    }
  };
}

Result<Exporter::Make> Exporter::plot(const state::ExportView& view, double now) {
  const auto& timings = workspace_.view().timing.shown;
  if (timings == nullptr || !state::is_plot(workspace_.state().timing.page)) {
    return fail(kNoPlot.text());
  }
  const ExportFormat format = state::export_format(view);
  if (format == ExportFormat::Png) {
    return picture(view, now);
  }
  std::string text = format == ExportFormat::Svg
                         ? analysis::to_svg(timings->chart, kChartWidth, kChartHeight)
                         : analysis::to_csv(timings->chart);
  return [text = std::move(text)](const std::atomic<bool>&,
                                  compile::Compiler&) -> Result<std::string> { return text; };
}

Result<Exporter::Make> Exporter::data(const state::ExportView& view) const {
  const workspace::FrameView& frame = workspace_.view();
  if (frame.run.scene == nullptr) {
    return fail(kNoRun.text());
  }
  const state::AppState& state = workspace_.state();
  const ExportFormat format = state::export_format(view);
  cli::TraceRequest request{frame.run.scene->launch.id, state.focus.block, state.focus.thread};
  if (view.of == ExportOf::Findings) {
    if (frame.run.check == nullptr) {
      return fail(kNoCheck.text());
    }
    return [json = cli::check_json({frame.run.scene->launch, frame.run.scene->kernel.build, ""},
                                   *frame.run.check, {}),
            format](const std::atomic<bool>&, compile::Compiler&) -> Result<std::string> {
      return json_or_csv(json, format, cli::findings_csv);
    };
  }
  if (view.of == ExportOf::Counters) {
    return [scene = frame.run.scene, format](const std::atomic<bool>& cancelled,
                                             compile::Compiler& compiler) {
      return counted(*scene, compiler, format, cancelled);
    };
  }
  const bool is_trace = view.of == ExportOf::Trace;
  return [run = frame.run.scene->recording, request, format, is_trace](
             const std::atomic<bool>& cancelled, compile::Compiler&) -> Result<std::string> {
    cli::TraceRequest asked = request;
    asked.cancelled = &cancelled;
    return is_trace ? json_or_csv(cli::trace_json(*run, asked), format, cli::trace_csv)
                    : json_or_csv(cli::variables_json(*run, asked), format, cli::variables_csv);
  };
}

Result<Exporter::Make> Exporter::progress() const {
  const std::string student(trimmed(status_.student));
  if (student.empty()) {
    return fail(kNoStudent.text());
  }
  return [student, folder = user_state_](const std::atomic<bool>&,
                                         compile::Compiler&) -> Result<std::string> {
    workspace::Progress progress(folder);
    if (!progress.mistake().empty()) {
      return fail(progress.mistake());
    }
    return workspace::text_of(progress.hand_in(student));
  };
}

void Exporter::write(Make make, fs::path file) {
  status_.running = true;
  workspace_.do_beside([make = std::move(make), file = std::move(file),
                        inbox = inbox_](compile::Compiler& compiler) -> workspace::Completion {
    const Result<std::string> bytes = make(inbox->cancelled, compiler);
    Result<void> outcome = bytes ? Result<void>() : tl::unexpected(bytes.error());
    if (bytes && !inbox->cancelled) {
      outcome = problem::write_file(file, *bytes);
    }
    return [inbox, outcome = std::move(outcome)] { inbox->outcome = outcome; };
  });
}

Result<void> Exporter::start_film(const fs::path& file) {
  const state::AppState& state = workspace_.state();
  const state::ExportView& view = state.exporting;
  std::vector<std::string> words{
      workspace::own_program(),
      "film",
      "--scene",
      "/dev/stdin",
      "--from",
      view.film_from,
      "--to",
      view.film_to,
      "--by",
      std::string(word_of(view.film_by).file),
      "--pace",
      fmt::format("{}", view.film_pace),
      "--pixels",
      fmt::format("{}x{}", state::film_width(view.film_height), view.film_height),
      "--tell-progress",
      "--out",
      file.string()};
  if (view.film_lecture) {
    words.emplace_back("--lecture");
  }
  if (!view.film_caption) {
    words.emplace_back("--no-caption");
  }
  auto child = workspace::Child::start(words, state::scene_toml(state));
  TILESTEP_RETURN_IF_ERROR(child);
  film_ = std::move(*child);
  status_.fraction = 0.0;
  return {};
}

bool Exporter::follow_film() {
  if (!film_) {
    return false;
  }
  status_.fraction = last_number(film_->output());
  if (film_->is_running()) {
    return true;
  }
  const int status = film_->wait();
  const std::string said = sentence_of(film_->errors());
  inbox_->outcome = status == 0 ? Result<void>() : fail(said.empty() ? kStopped.text() : said);
  film_.reset();
  return true;
}

bool Exporter::take_outcome(double now) {
  if (!inbox_->outcome) {
    return false;
  }
  const Result<void> outcome = *std::exchange(inbox_->outcome, std::nullopt);
  status_.running = false;
  tell(outcome, now);
  return true;
}

// If the export panel is open, it shows an error, so that the user can correct it there.
void Exporter::tell(const Result<void>& outcome, double now) {
  const bool is_open = workspace_.state().show_export;
  if (!outcome && is_open) {
    status_.mistake = outcome.error().message;
    return;
  }
  if (is_open) {
    workspace_.update({state::ShowExport{false}}, now);
  }
  proposed_for_.clear();  // its name is taken now
  if (outcome) {
    platform::deliver(file_);
  }
  workspace_.set_notice(outcome ? tr("Saved as {}", file_.string()) : outcome.error().message);
}

void Exporter::propose() {
  const state::AppState& state = workspace_.state();
  if (!state.show_export) {
    proposed_for_.clear();
    return;
  }
  const auto& scene = workspace_.view().run.scene;
  std::string name = state::export_name(state, scene == nullptr ? nullptr : scene->recording.get());
  if (name != proposed_for_) {
    if (state.exporting.of == ExportOf::Progress && status_.student.empty()) {
      status_.student = workspace::Progress(user_state_).student();
    }
    status_.path =
        workspace::free_path(workspace::export_folder(state.exporting.of), name).string();
    proposed_for_ = std::move(name);
  }
}

}  // namespace tilestep::program

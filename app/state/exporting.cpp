#include "state/exporting.h"

#include "state/apply.h"
#include "state/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace tilestep::state {
namespace {

constexpr std::array kPictures{ExportFormat::Png, ExportFormat::Svg};
constexpr std::array kPlots{ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv};
constexpr std::array kData{ExportFormat::Csv, ExportFormat::Json};
constexpr std::array kFilms{ExportFormat::Mp4, ExportFormat::Gif};
constexpr std::array kProgress{ExportFormat::Json};

// A kernel's id (which may be a path) or a place, reduced to characters that shells and file
// systems accept.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (is_plain || (!out.empty() && out.back() != '-')) {
      out += is_plain ? c : '-';
    }
  }
  return out;
}

std::string kernel_name(const std::string& kernel) {
  const std::string file = kernel.substr(kernel.rfind('/') + 1);
  return plain(file.ends_with(".cu") ? file.substr(0, file.size() - 3) : file);
}

// "phase-2", "statement-31", "start", "end": counted from 1, as in the window.
std::string place_name(const AppState& state, const record::Recording* recording) {
  if (recording == nullptr || state.step == 0) {
    return "start";
  }
  if (state.phase.done) {
    if (const auto phase = phase_ended(*recording, state.step, state.focus.block)) {
      return fmt::format("phase-{}", *phase + 1);
    }
  }
  const std::uint64_t step = std::min(state.step, recording->step_count());
  return step == recording->step_count()
             ? "end"
             : fmt::format("statement-{}", recording->statement_of(step - 1) + 1);
}

std::string what_name(const AppState& state, const record::Recording* recording) {
  const std::string kernel = kernel_name(state.kernel);
  const ExportView& view = state.exporting;
  switch (view.of) {
    case ExportOf::Stage:
      return kernel + "-" + place_name(state, recording);
    case ExportOf::Window:
      return state.tab == Tab::Timing
                 ? fmt::format("timing-{}-window", word_of(state.timing.page).file)
                 : kernel + "-" + place_name(state, recording) + "-window";
    case ExportOf::Plot:
      return fmt::format("timing-{}-{}", word_of(state.timing.page).file, state.timing.problem.N);
    case ExportOf::Trace:
      return fmt::format("{}-trace-block-{}", kernel, state.focus.block);
    case ExportOf::Variables:
      return fmt::format("{}-variables-block-{}-thread-{}", kernel, state.focus.block,
                         state.focus.thread);
    case ExportOf::Counters:
      return kernel + "-counters";
    case ExportOf::Findings:
      return kernel + "-findings";
    case ExportOf::Film:
      return fmt::format("{}-{}-to-{}", kernel, plain(view.film_from), plain(view.film_to));
    case ExportOf::Progress:
      return "progress";
  }
  return kernel;
}

}  // namespace

std::span<const ExportFormat> export_formats(ExportOf of) {
  switch (of) {
    case ExportOf::Stage:
    case ExportOf::Window:
      return kPictures;
    case ExportOf::Plot:
      return kPlots;
    case ExportOf::Trace:
    case ExportOf::Variables:
    case ExportOf::Counters:
    case ExportOf::Findings:
      return kData;
    case ExportOf::Film:
      return kFilms;
    case ExportOf::Progress:
      return kProgress;
  }
  return kPictures;
}

ExportFormat export_format(const ExportView& view) {
  const auto formats = export_formats(view.of);
  return std::ranges::find(formats, view.format) != formats.end() ? view.format : formats.front();
}

bool is_picture(ExportOf of) {
  return of == ExportOf::Stage || of == ExportOf::Window || of == ExportOf::Plot ||
         of == ExportOf::Film;
}

ExportView within_limits(ExportView view) {
  view.scale = std::clamp(view.scale, 1, kLargestExportScale);
  view.film_pace = view.film_pace > kLeastFilmPace  // written so that NaN fails
                       ? std::min(view.film_pace, kLargestFilmPace)
                       : kLeastFilmPace;
  view.film_height = std::clamp(view.film_height, kLeastFilmHeight, kLargestFilmHeight) & ~1;
  return view;
}

int film_width(int height) {
  return 2 * static_cast<int>(std::lround(height * 16.0 / 9.0 / 2.0));
}

std::string export_name(const AppState& state, const record::Recording* recording) {
  return fmt::format("tilestep-{}.{}", what_name(state, recording),
                     word_of(export_format(state.exporting)).file);
}

}  // namespace tilestep::state

// What can be exported in which format, and the file's name. Pure.
#pragma once

#include "record/recording.h"
#include "state/app_state.h"

#include <span>
#include <string>

namespace tilestep::state {

inline constexpr int kLargestExportScale = 16;
inline constexpr int kLeastFilmHeight = 240;
inline constexpr int kLargestFilmHeight = 2160;
inline constexpr float kLeastFilmPace = 0.1F;
inline constexpr float kLargestFilmPace = 25.0F;

// The formats of a kind; the default first.
[[nodiscard]] std::span<const ExportFormat> export_formats(ExportOf of);
// The chosen format if the kind has it, else the kind's default.
[[nodiscard]] ExportFormat export_format(const ExportView& view);
// True for pictures and films; the others are data.
[[nodiscard]] bool is_picture(ExportOf of);

[[nodiscard]] ExportView within_limits(ExportView view);

// The width in pixels of a film of that height: 16:9, even.
[[nodiscard]] int film_width(int height);

// "tilestep-tiled-phase-2.png": names the content, in letters, digits, "-", "_" and ".".
// `recording`: the one on stage; may be null.
[[nodiscard]] std::string export_name(const AppState& state, const record::Recording* recording);

}  // namespace tilestep::state

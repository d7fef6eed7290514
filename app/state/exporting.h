// What can be exported as what, and how it is named. Pure.
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

// The formats of a kind, the usual one first.
[[nodiscard]] std::span<const ExportFormat> export_formats(ExportOf of);
// The chosen format where the kind has it, else its usual one.
[[nodiscard]] ExportFormat export_format(const ExportView& view);
// Pictures and films; the others are data.
[[nodiscard]] bool is_picture(ExportOf of);

[[nodiscard]] ExportView within_limits(ExportView view);

// The width of a film of that height: 16:9, even.
[[nodiscard]] int film_width(int height);

// "tilestep-tiled-phase-2.png": what is in the file, in letters, digits, "-", "_" and ".".
// `recording`: the one on stage; null: none.
[[nodiscard]] std::string export_name(const AppState& state, const record::Recording* recording);

}  // namespace tilestep::state

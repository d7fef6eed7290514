// Real fonts from files, rasterised at whatever size is drawn (Dear ImGui's dynamic atlas).
#pragma once

#include "ui/panel.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::platform {

struct LoadedFonts {
  ui::Fonts fonts;
  std::vector<std::string> warnings;
};

// A font that is missing is replaced by another that is there, in the end by ImGui's own.
[[nodiscard]] LoadedFonts load_fonts(const std::filesystem::path& folder);

}  // namespace tilestep::platform

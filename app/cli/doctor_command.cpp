// tilestep doctor: checks the installation and says how to fix what is missing.
#include "cli/doctor_command.h"

#include "cli/output.h"
#include "problem/posix.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/host_reference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>

namespace tilestep::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kNeededIsMissing = 1;
constexpr const char* kChineseFont = "DroidSansFallbackFull.ttf";

std::vector<std::string> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (extension.empty() || entry.path().extension() == extension) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / program;
    if (::access(candidate.string().c_str(), X_OK) == 0) {
      return candidate.string();
    }
  }
  return {};
}

Diagnosis window_line(const Surroundings& s) {
  Diagnosis line{"OpenGL", s.gl.found, s.built_with_window, s.gl.message, {}};
  if (!s.built_with_window) {
    line.message =
        tr("Not checked: this build has no window. To get one, configure with -DTILESTEP_UI=ON.");
  }
  if (!s.gl.found) {
    line.without = tr("check, trace, run, bench and render to SVG need no OpenGL.");
  }
  return line;
}

Diagnosis nvrtc_line(const Surroundings& s) {
  Diagnosis line{"NVRTC", s.nvrtc.found, s.shipped_ptx == 0, {}, {}};
  if (s.nvrtc.found) {
    line.message = fmt::format("{}.{} ({})", s.nvrtc.major, s.nvrtc.minor, s.nvrtc.path);
    if (s.nvrtc.include.empty()) {
      line.message +=
          tr("; without the CUDA Toolkit's headers (only kernels with #include need them)");
    }
    return line;
  }
  line.message = s.nvrtc.why_not;
  line.without = s.shipped_ptx > 0
                     ? tr("The catalog's kernels run from shipped PTX; edited kernels "
                          "and your own do not compile.")
                     : tr("No kernel runs: the shipped PTX is missing too.");
  return line;
}

Diagnosis kernels_line(const Surroundings& s) {
  Diagnosis line{"Kernels", s.kernels > 0, true, {}, {}};
  line.message = s.kernels > 0
                     ? tr("{} in the catalog, {} compiled files shipped", s.kernels, s.shipped_ptx)
                     : s.kernels_message;
  if (s.kernels == 0) {
    line.without = tr("Only your own .cu files open.");
  }
  return line;
}

Diagnosis fonts_line(const Surroundings& s) {
  Diagnosis line{"Fonts", !s.fonts.empty(), false, {}, {}};
  if (s.fonts.empty()) {
    line.message =
        tr("Not found in {}. Run scripts/run.sh: it downloads them once.", s.fonts_folder);
    line.without = tr("Text uses ImGui's built-in font.");
  } else {
    line.message = tr("{} ({} files)", s.fonts_folder, s.fonts.size());
    if (std::ranges::find(s.fonts, kChineseFont) == s.fonts.end()) {
      line.found = false;
      line.message =
          tr("{} has no {}. Install the Debian package fonts-droid-fallback, and build again.",
             s.fonts_folder, kChineseFont);
      line.without = tr("Chinese is shown as boxes.");
    }
  }
  return line;
}

Diagnosis timings_line(const Surroundings& s) {
  Diagnosis line{"Timings", s.datasets > 0, false, {}, {}};
  line.message = s.datasets > 0
                     ? tr("{} shipped", plural(s.datasets, "recorded data set"))
                     : tr("No recorded data set: reinstall, or make one with 'tilestep bench'.");
  return line;
}

json to_json(const Diagnosis& line) {
  return {{"part", line.part},
          {"found", line.found},
          {"needed", line.needed},
          {"message", line.message},
          {"without", line.without}};
}

int print_doctor(Context& context, const GlProbe& gl, bool as_json) {
  const std::vector<Diagnosis> lines = diagnose(look_around(context, gl));
  json out = json::array();
  for (const Diagnosis& line : lines) {
    out.push_back(to_json(line));
    if (as_json) {
      continue;
    }
    say("{} {:<8} {}\n", line.found ? "✓" : line.needed ? "✗" : "–", line.part, line.message);
    if (!line.without.empty()) {
      say("           Without it: {}\n", line.without);
    }
  }
  if (as_json) {
    fmt::print("{}\n", json_text(out));
  }
  const bool fine = std::all_of(lines.begin(), lines.end(),
                                [](const Diagnosis& line) { return line.found || !line.needed; });
  return fine ? 0 : kNeededIsMissing;
}

}  // namespace

Surroundings look_around(Context& context, const GlProbe& gl) {
  const workspace::Paths& paths = context.paths;
  Surroundings s;
  s.built_with_window = static_cast<bool>(gl);
  if (gl) {
    s.gl = gl();
  }
  s.nvrtc = context.compiler.nvrtc();
  s.gpu = gpu::probe();
  s.shipped_ptx = files_in(paths.ptx_cache, "").size();
  if (const auto catalog = problem::load_catalog(paths.kernels)) {
    s.kernels = catalog->kernels.size();
  } else {
    s.kernels_message = catalog.error().message;
  }
  s.datasets = files_in(paths.assets / "timings", ".json").size();
  s.fonts_folder = (paths.assets / "fonts").string();
  s.fonts = files_in(paths.assets / "fonts", ".ttf");
  s.ffmpeg = find_on_path("ffmpeg");
  const auto blas = timing::HostBlas::open();
  s.blas_found = blas.has_value();
  s.blas = blas ? blas->library() : blas.error().message;
  return s;
}

std::vector<Diagnosis> diagnose(const Surroundings& s) {
  const auto optional = [](const char* part, bool found, const std::string& message,
                           const char* without) {
    return Diagnosis{part, found, false, message, found ? "" : without};
  };
  const gpu::Probe& gpu = s.gpu;
  return {
      window_line(s),
      kernels_line(s),
      nvrtc_line(s),
      optional("Driver", gpu.driver_found, gpu.driver_message,
               tr("Kernels are stepped and checked on the CPU; the plot shows recorded timings.")),
      optional("GPU", gpu.device_found, gpu.device_message,
               tr("Everything works except 'run', 'bench', 'tune', 'errors', 'launch', 'ceilings' "
                  "and live timings.")),
      optional(
          "cuBLAS", gpu.cublas_found, gpu.cublas_message,
          tr("'bench' measures only the kernels; recorded timings still show cuBLAS's curve.")),
      optional("NVML", gpu.nvml_found, gpu.nvml_message, tr("Data sets contain no clock rates.")),
      optional("CPU BLAS", s.blas_found, s.blas, tr("'host' times only the methods without BLAS.")),
      timings_line(s),
      fonts_line(s),
      optional("ffmpeg", !s.ffmpeg.empty(),
               s.ffmpeg.empty() ? tr("Not on the PATH. Install the package ffmpeg to write films.")
                                : s.ffmpeg,
               tr("Pictures and numbers can be exported; films cannot.")),
  };
}

void add_doctor(CLI::App& app, Context& context, const GlProbe& gl) {
  auto as_json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand(
      "doctor", "Show what is installed, what is missing, and how to install it");
  command->add_flag("--json", *as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep doctor\n"
      "Exit status: 0 nothing required is missing (– marks missing optional parts); 1 a required "
      "part (✗) is missing.");
  command->callback(
      [as_json, gl, &context] { context.status = print_doctor(context, gl, *as_json); });
}

}  // namespace tilestep::cli

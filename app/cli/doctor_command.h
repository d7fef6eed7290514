// What the program finds on this machine, what is missing, the cure, and what works without it.
#pragma once

#include "cli/command.h"
#include "compile/compiler.h"
#include "gpu/device.h"
#include "gpu/probe.h"
#include "workspace/workspace.h"

#include <string>
#include <vector>

namespace tilestep::cli {

// Facts, collected by the caller.
struct Surroundings {
  bool built_with_window = false;
  GlReport gl;
  compile::NvrtcInfo nvrtc;
  gpu::Probe gpu;
  std::size_t shipped_ptx = 0;  // files in the shipped compile cache
  std::size_t kernels = 0;      // in the catalog
  std::string kernels_message;  // why the catalog cannot be read
  std::size_t datasets = 0;     // shipped recorded timings
  std::vector<std::string> fonts;
  std::string fonts_folder;
  std::string ffmpeg;  // path; empty: not on the PATH
  bool blas_found = false;
  std::string blas;  // the library, or the reason and the cure
};
[[nodiscard]] Surroundings look_around(Context& context, const GlProbe& gl);

// One line of the doctor's report.
struct Diagnosis {
  std::string part;  // "OpenGL"
  bool found = false;
  bool needed = false;  // the program cannot work without it
  std::string message;  // what was found, or what is missing and the cure
  std::string without;  // what works without it; empty when found
};

// Pure: the same facts give the same lines.
[[nodiscard]] std::vector<Diagnosis> diagnose(const Surroundings& s);

}  // namespace tilestep::cli

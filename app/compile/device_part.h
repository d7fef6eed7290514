// The device part of a text that holds host code as well.
//
// People open whole programs: kernels with a main, headers of the host's libraries and calls of the
// CUDA runtime around them. NVRTC takes device code only. What it would refuse is replaced by
// blanks, line ends stay, so every place in messages and in debug information is a place of the
// original text; where device code calls a host function, the mark __host__ is written in front of
// that. Device code is never touched.
#pragma once

#include "compile/declarations.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::compile {

struct DevicePart {
  std::string text;
  // Names that the text and NVRTC's own defaults do not define, but nvcc does (INT_MAX, uint32_t,
  // INFINITY, …) occur in it, or it included host headers.
  bool needs_prelude = false;
  Names of_host_compiler;  // what it names of that (request.h)
  // Something was taken out, or functions without an execution space were left in (constexpr ones,
  // members of structs): NVRTC has to take those as device functions.
  bool default_device = false;
};

// Of the texts of one program, in their order: the .cu and what it includes. Takes out, at
// namespace scope: functions that no __device__, __global__ or constexpr marks, variables that no
// memory space or const marks, declarations that name host types, explicit instantiations without a
// mark; types, constants and constexpr functions that nothing kept and no word of `entry` names. A
// macro counts as what its replacement is. Launches (<<<…>>>) go with the functions around them,
// and so do includes of headers that are not for devices. A function that device code calls
// although it is not marked stays: the compiler's message about it has its line. `given`: names of
// the sources that are included; <…> of these stay, too.
[[nodiscard]] std::vector<DevicePart> device_parts(std::span<const std::string> sources,
                                                   std::string_view entry, const Names& given);
[[nodiscard]] DevicePart device_part(const std::string& source);

// A header for `-include`: what nvcc knows without an #include, and what standard headers define as
// far as device code uses it. Macros, types and templates: it makes no code of its own.
inline constexpr const char* kPreludeName = "tilestep/prelude.h";
[[nodiscard]] const char* prelude();

// Headers of the toolkit's that device code may include.
[[nodiscard]] bool is_device_header(std::string_view include_name);

}  // namespace tilestep::compile

// The device part of a text that also contains host code.
//
// Users open whole programs: kernels with a main, headers of the host's libraries and calls of the
// CUDA runtime around them. NVRTC accepts only device code. Code that it would refuse is replaced
// by blanks, and line ends stay, so every place in messages and in debug information is a place of
// the original text. If device code calls a host function, the mark __host__ is written in front of
// that function. Device code is never changed.
#pragma once

#include "compile/declarations.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::compile {

struct DevicePart {
  std::string text;
  // The text uses names that neither it nor NVRTC defines by default, but nvcc does (INT_MAX,
  // uint32_t, INFINITY, …), or it included host headers.
  bool needs_prelude = false;
  Names of_host_compiler;  // its names that the host compiler defines (request.h)
  // Something was removed, or functions without an execution space were kept (constexpr ones,
  // members of structs): NVRTC has to treat those as device functions.
  bool default_device = false;
};

// For the texts of one program, in their order: the .cu and its includes. Removes, at namespace
// scope: functions without __device__, __global__ or constexpr, variables without a memory space or
// const, declarations that name host types, explicit instantiations without a mark; types,
// constants and constexpr functions that neither kept code nor a word of `entry` names. A macro
// counts as its replacement. Launches (<<<…>>>) are removed with the functions around them, and so
// are includes of headers that are not for devices. A function that device code calls although it
// is not marked stays: the compiler's message about it has its line. `given`: names of the included
// sources; #include <…> of these stay, too.
[[nodiscard]] std::vector<DevicePart> device_parts(std::span<const std::string> sources,
                                                   std::string_view entry, const Names& given);

// A header for `-include`: what nvcc knows without an #include, and the parts of standard headers
// that device code uses. Macros, types and templates: it generates no code.
inline constexpr const char* kPreludeName = "tilestep/prelude.h";
[[nodiscard]] const char* prelude();

// Toolkit headers that device code may include.
[[nodiscard]] bool is_device_header(std::string_view include_name);

}  // namespace tilestep::compile

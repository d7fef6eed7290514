// Modules of tests/ptx/debug_data: PTX that NVRTC 13.0 wrote (-G, compute_80) from the .cu of the
// same name there or in kernels/; `<name>_probe.ptx` is the compile of that text's probe.
#pragma once

#include "folders.h"
#include "loading/loader.h"
#include "loading/probe.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tilestep::ptx::test {

inline std::filesystem::path debug_data(const std::string& file) {
  return tilestep::test::source_folder() / "tests/ptx/debug_data" / file;
}

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("cannot read " + file.string());
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline Module parse_or_throw(std::string text) {
  Result<Module> module = parse(std::move(text));
  if (!module) {
    throw std::runtime_error(module.error().message);
  }
  return std::move(*module);
}

inline Module debug_module(const std::string& name) {
  return parse_or_throw(read_text(debug_data(name + ".ptx")));
}

// With the types of shared arrays, as load_kernel leaves it.
inline Module probed_module(const std::string& name) {
  Module module = debug_module(name);
  if (std::filesystem::exists(debug_data(name + "_probe.ptx"))) {
    loading::apply_probe(module, debug_module(name + "_probe"));
  }
  return module;
}

inline const Function& function_named(const Module& module, const std::string& name) {
  for (const Function& function : module.functions) {
    if (function.name == name && function.is_defined) {
      return function;
    }
  }
  throw std::runtime_error("no function " + name);
}

inline const SourceVariable& variable_named(const Function& function, const std::string& name) {
  for (const SourceVariable& variable : function.source_variables) {
    if (variable.name == name) {
      return variable;
    }
  }
  throw std::runtime_error("no variable " + name);
}

}  // namespace tilestep::ptx::test

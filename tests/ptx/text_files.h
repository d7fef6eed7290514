// Files of tests/ptx, read whole.
#pragma once

#include "folders.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tilestep::ptx::test {

inline std::filesystem::path golden_folder() {
  return tilestep::test::source_folder() / "tests" / "ptx" / "golden";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string golden_input(const std::string& name) {
  return read_file(golden_folder() / name / "input.ptx");
}

}  // namespace tilestep::ptx::test

// Where tests and benchmarks find files. The paths are compiled into one source (folders.cpp.in),
// so that everything else is the same text in every checkout, and the compiler cache serves them
// all.
#pragma once

#include <filesystem>
#include <string>

namespace tilestep::test {

[[nodiscard]] std::filesystem::path source_folder();  // the repository
[[nodiscard]] std::filesystem::path share_folder();   // the build tree's share/tilestep
[[nodiscard]] std::string fake_driver();              // libraries that tests open
[[nodiscard]] std::string fake_blas();

}  // namespace tilestep::test

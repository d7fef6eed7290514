// Paths of files for tests and benchmarks. They are compiled into one generated source, so
// that all other sources are the same text in every checkout and share one compiler cache.
#pragma once

#include <filesystem>
#include <string>

namespace tilestep::test {

[[nodiscard]] std::filesystem::path source_folder();  // the repository
[[nodiscard]] std::filesystem::path share_folder();   // the build tree's share/tilestep
[[nodiscard]] std::string fake_driver();              // libraries that tests open
[[nodiscard]] std::string fake_blas();

}  // namespace tilestep::test

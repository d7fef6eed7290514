// Each folder of tests/compile/diagnostics is one case:
//   kernel.cu     the text               entry.txt     its name expression
//   log.txt       what NVRTC 13.0 says   expected.txt  the diagnostics, one per line
// TILESTEP_UPDATE_GOLDEN=1 writes log.txt and expected.txt anew; read the difference before
// committing it.
#include "compile/compiler.h"
#include "compile/diagnostics.h"
#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = tilestep::test::source_folder() / "tests" / "compile" / "diagnostics";

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string name_of(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "";
}

std::string as_text(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    text += d.file + ":" + std::to_string(d.line) + ":" + std::to_string(d.column) + ": " +
            name_of(d.severity) + ": " + d.message + "\n";
  }
  return text;
}

Request request_of(const fs::path& folder) {
  std::string entry = read(folder / "entry.txt");
  entry.erase(entry.find_last_not_of('\n') + 1);
  return {
      "kernel.cu", read(folder / "kernel.cu"), {}, {"-arch=compute_80", "-std=c++20", "-G"}, entry};
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class DiagnosticsGolden : public testing::TestWithParam<std::string> {};

TEST_P(DiagnosticsGolden, LogGivesTheExpectedDiagnostics) {
  const fs::path folder = kFolder / GetParam();
  const Request request = request_of(folder);
  EXPECT_EQ(as_text(explain_syntax(
                explain_entry(parse_diagnostics(read(folder / "log.txt")), request), request)),
            read(folder / "expected.txt"));
}

TEST_P(DiagnosticsGolden, CompilerStillSaysWhatTheLogHas) {
  const fs::path folder = kFolder / GetParam();
  Compiler compiler({});
  const NvrtcInfo nvrtc = compiler.nvrtc();
  if (!nvrtc.found || nvrtc.major != 13 || nvrtc.minor != 0) {
    GTEST_SKIP() << "the logs are those of NVRTC 13.0";
  }
  const Request request = request_of(folder);
  if (nvrtc.include.empty() && request.source.find("#include") != std::string::npos) {
    GTEST_SKIP() << "without the toolkit's headers NVRTC words it otherwise";
  }
  const Result<Output> output = compiler.compile(request);
  ASSERT_TRUE(output) << output.error().message;
  if (std::getenv("TILESTEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(folder / "log.txt", std::ios::binary) << output->log;
    std::ofstream(folder / "expected.txt", std::ios::binary) << as_text(output->diagnostics);
  }
  EXPECT_EQ(output->log, read(folder / "log.txt"));
  EXPECT_EQ(as_text(output->diagnostics), read(folder / "expected.txt"));
}

INSTANTIATE_TEST_SUITE_P(Cases, DiagnosticsGolden, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tilestep::compile

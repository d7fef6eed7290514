#include "cli/doctor_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::cli {
namespace {

using ::testing::HasSubstr;

Surroundings everything() {
  Surroundings s;
  s.built_with_window = true;
  s.gl = {true, "llvmpipe, OpenGL 4.5"};
  s.nvrtc.found = true;
  s.nvrtc.path = "/usr/lib/libnvrtc.so.13";
  s.gpu = {true, true, true, true, "driver", "GPU", "cuBLAS", "NVML", "13.1.0"};
  s.shipped_ptx = 256;
  s.kernels = 4;
  s.datasets = 1;
  s.fonts = {"DroidSansFallbackFull.ttf", "Roboto.ttf"};
  s.fonts_folder = "share/fonts";
  s.ffmpeg = "/usr/bin/ffmpeg";
  s.blas_found = true;
  s.blas = "libblas.so.3";
  return s;
}

const Diagnosis& line(const std::vector<Diagnosis>& lines, const std::string& part) {
  const auto it =
      std::find_if(lines.begin(), lines.end(), [&](const Diagnosis& l) { return l.part == part; });
  EXPECT_NE(it, lines.end()) << part;
  return *it;
}

TEST(Doctor, WhereAllIsThereNothingIsMissing) {
  for (const Diagnosis& l : diagnose(everything())) {
    EXPECT_TRUE(l.found) << l.part;
    EXPECT_EQ(l.without, "") << l.part;
    EXPECT_NE(l.message, "") << l.part;
  }
}

TEST(Doctor, WhereNothingIsThereEveryLineHasItsSentence) {
  Surroundings s;
  s.gpu = {false,       false,          false,        false, "No CUDA driver: …",
           "No GPU: …", "No cuBLAS: …", "No NVML: …", ""};
  s.nvrtc.why_not = "No NVRTC: …";
  s.kernels_message = "catalog.toml: cannot be read";
  s.blas = "No CPU BLAS: …";
  for (const Diagnosis& l : diagnose(s)) {
    EXPECT_FALSE(l.found) << l.part;
    EXPECT_NE(l.message, "") << l.part;
  }
}

TEST(Doctor, AGpuIsNeverNeeded) {
  Surroundings s = everything();
  s.gpu = {};
  const auto lines = diagnose(s);
  for (const char* part : {"Driver", "GPU", "cuBLAS", "NVML"}) {
    EXPECT_FALSE(line(lines, part).found) << part;
    EXPECT_FALSE(line(lines, part).needed) << part;
    EXPECT_NE(line(lines, part).without, "") << part;
  }
}

TEST(Doctor, NvrtcIsNeededOnlyWhereNoPtxIsShipped) {
  Surroundings s = everything();
  s.nvrtc = {};
  s.nvrtc.why_not = "No NVRTC: …";
  EXPECT_FALSE(line(diagnose(s), "NVRTC").needed);
  EXPECT_THAT(line(diagnose(s), "NVRTC").without, HasSubstr("shipped PTX"));
  s.shipped_ptx = 0;
  EXPECT_TRUE(line(diagnose(s), "NVRTC").needed);
}

TEST(Doctor, NvrtcWithoutHeadersSaysWhatTheyAreFor) {
  Surroundings s = everything();
  EXPECT_THAT(line(diagnose(s), "NVRTC").message, HasSubstr("without the CUDA Toolkit's headers"));
  s.nvrtc.include = "/usr/local/cuda/include";
  EXPECT_EQ(line(diagnose(s), "NVRTC").message, "0.0 (/usr/lib/libnvrtc.so.13)");
}

TEST(Doctor, OpenGlIsNeededWhereAWindowWasBuilt) {
  Surroundings s = everything();
  s.gl = {false, "No EGL: install libegl1."};
  EXPECT_TRUE(line(diagnose(s), "OpenGL").needed);
  EXPECT_EQ(line(diagnose(s), "OpenGL").message, "No EGL: install libegl1.");
  s.built_with_window = false;
  EXPECT_FALSE(line(diagnose(s), "OpenGL").needed);
}

}  // namespace
}  // namespace tilestep::cli

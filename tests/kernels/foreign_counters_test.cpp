// Kernels from elsewhere, executed as machine code: every count is Nsight Compute's on an H200
// (foreign_counters.json).
#include "folders.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "recorded_counts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace tilestep {
namespace {

using nlohmann::json;

const std::string kFolder = test::source_folder().string() + "/tests/kernels/";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

problem::Buffer matrix(const std::string& name, int rows, int cols) {
  problem::Buffer buffer;
  buffer.name = name;
  buffer.rows = rows;
  buffer.cols = buffer.pitch = cols;
  buffer.role = problem::BufferRole::InOut;
  return buffer;
}

// A letter for each argument: a matrix, a size, or a digit for a float.
problem::Argument argument(char letter, const json& point) {
  problem::Argument argument;
  if (letter >= 'A' && letter <= 'C') {
    argument.kind = problem::ArgumentSpec::Kind::Buffer;
    argument.buffer = static_cast<std::size_t>(letter - 'A');
  } else if (letter >= '0' && letter <= '9') {
    argument.is_real = true;
    argument.real = letter - '0';
  } else {
    argument.integer = point.at(std::string(1, letter)).get<int>();
  }
  return argument;
}

problem::Launch launch_of(const json& point) {
  problem::Launch launch;
  launch.id = launch.entry = point.at("kernel").get<std::string>();
  launch.source_name = "foreign.cu";
  launch.source = text_of(launch.source_name);
  launch.grid = {point.at("grid")[0], point.at("grid")[1], 1};
  launch.block = {point.at("block")[0], point.at("block")[1], 1};
  launch.dynamic_shared_bytes = point.at("dynamic_shared_bytes");
  const int m = point.at("M");
  const int n = point.at("N");
  const int k = point.at("K");
  launch.buffers = {matrix("A", m, k), matrix("B", k, n), matrix("C", m, n)};
  for (const char letter : point.at("arguments").get<std::string>()) {
    launch.arguments.push_back(argument(letter, point));
  }
  return launch;
}

TEST(ForeignKernels, HaveTheCountsOfTheHardware) {
  compile::Compiler compiler{test::kept_outputs()};
  if (const compile::NvrtcInfo nvrtc = compiler.nvrtc();
      !nvrtc.found || nvrtc.major != 13 || nvrtc.minor != 0) {
    GTEST_SKIP() << "recorded for the code of NVRTC 13.0";
  }
  const json data = json::parse(text_of("foreign_counters.json"));
  EXPECT_EQ(data.at("points").size(), 22U);
  for (const json& point : data.at("points")) {
    SCOPED_TRACE(point.dump());
    loading::PrepareOptions options;
    options.architecture = 90;
    const auto prepared = loading::prepare(compiler, launch_of(point), options);
    ASSERT_TRUE(prepared) << prepared.error().error.message;
    ASSERT_TRUE(prepared->is_machine_code) << prepared->why_not_machine_code;
    for (const auto& [key, count] : test::counts_as_recorded(prepared->program)) {
      const std::uint64_t recorded = point.at(key);
      if (key == "shared_store_wavefronts" && point.contains(key + "_differ_every_time")) {
        EXPECT_LT(count, recorded) << key;
      } else {
        EXPECT_EQ(count, recorded) << key;
      }
    }
  }
}

}  // namespace
}  // namespace tilestep

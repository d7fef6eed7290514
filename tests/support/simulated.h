// Kernels ready to execute, for tests that use the emulator: compiled with NVRTC.
#pragma once

#include "catalog_launch.h"
#include "compile/compiler.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "simt/machine/machine.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::test {

// Uses one compiler, so that a suite compiles each kernel once.
class Simulated {
 public:
  Simulated() : compiler_(kept_outputs()) {}

  [[nodiscard]] std::shared_ptr<const simt::Program> program(
      const problem::Launch& launch, compile::Build build = compile::Build::Step,
      int warp_size = simt::kWarpSize) {
    auto prepared =
        loading::prepare(compiler_, launch, {build, warp_size, loading::Declarations::Always});
    if (!prepared) {
      throw std::runtime_error(prepared.error().error.message);
    }
    return std::move(prepared->program);
  }

  [[nodiscard]] std::shared_ptr<const simt::Program> program(
      const std::string& kernel, problem::Problem size, int block_size,
      compile::Build build = compile::Build::Step, int warp_size = simt::kWarpSize) {
    return program(launch_of(kernel, size, block_size), build, warp_size);
  }

 private:
  compile::Compiler compiler_;
};

// A launch of a kernel written in a test: one-dimensional unless `block` says otherwise. Buffers
// are passed in order: list them in the order of the kernel's parameters.
struct OwnKernel {
  std::string source;
  std::string entry = "kernel";
  problem::Dim3 grid{1, 1, 1};
  problem::Dim3 block{32, 1, 1};
  std::vector<std::pair<std::string, int>> buffers;  // float32 name and columns, one row each
  std::uint32_t dynamic_shared_bytes = 0;
};

inline problem::Launch launch_of(const OwnKernel& kernel) {
  problem::Launch launch;
  launch.id = "own";
  launch.source_name = "own.cu";
  launch.source = kernel.source;
  launch.entry = kernel.entry;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  for (const auto& [name, columns] : kernel.buffers) {
    problem::Buffer buffer;
    buffer.name = name;
    buffer.rows = 1;
    buffer.cols = columns;
    buffer.pitch = columns;
    buffer.role = problem::BufferRole::InOut;
    buffer.contents.resize(static_cast<std::size_t>(columns) * sizeof(float));
    problem::Argument argument;
    argument.kind = problem::ArgumentSpec::Kind::Buffer;
    argument.buffer = launch.buffers.size();
    launch.buffers.push_back(std::move(buffer));
    launch.arguments.push_back(argument);
  }
  return launch;
}

// 1-based number of the first line of a text that contains `part`; throws if there is none.
inline std::uint32_t line_of(const std::string& text, const std::string& part) {
  std::uint32_t line = 1;
  const std::size_t at = text.find(part);
  if (at == std::string::npos) {
    throw std::runtime_error("the text does not contain " + part);
  }
  for (std::size_t i = 0; i < at; ++i) {
    line += text[i] == '\n' ? 1 : 0;
  }
  return line;
}

}  // namespace tilestep::test

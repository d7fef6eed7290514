// Catalog kernels ready to launch at any size, compiled once for each BLOCK_SIZE and build.
#pragma once

#include "compile/compiler.h"
#include "problem/catalog.h"
#include "problem/launch.h"
#include "problem/reference.h"
#include "ptx/loader.h"
#include "simt/machine.h"
#include "simt/schedule.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tilestep::simt {

class MatrixKernels {
 public:
  MatrixKernels();

  [[nodiscard]] problem::Launch launch(const std::string& id, problem::Problem size,
                                       int block_size) const;
  [[nodiscard]] const ptx::Kernel& kernel(const std::string& id, int block_size,
                                          compile::Build build);
  [[nodiscard]] std::shared_ptr<const Program> program(const problem::Launch& launch,
                                                       compile::Build build,
                                                       int warp_size = kWarpSize);
  [[nodiscard]] std::shared_ptr<const Program> program(const std::string& id, problem::Problem size,
                                                       int block_size, compile::Build build,
                                                       int warp_size = kWarpSize);

 private:
  problem::Catalog catalog_;
  compile::Compiler compiler_;
  std::map<std::tuple<std::string, int, compile::Build>, ptx::Kernel> kernels_;
};

// Runs a launch to its end.
[[nodiscard]] Machine run(const std::shared_ptr<const Program>& program, Schedule schedule,
                          Observer* observer = nullptr);

// The host's product, and the elements of C that differ from it (==, not a tolerance).
[[nodiscard]] problem::Numbers expected_product(const Program& program);
[[nodiscard]] std::size_t wrong_elements(const Machine& machine, const problem::Numbers& expected);
[[nodiscard]] std::size_t wrong_elements(const Machine& machine);

}  // namespace tilestep::simt

// Catalog kernels ready to launch at any size, loaded once for each BLOCK_SIZE and build: from the
// PTX of the build, or else compiled.
#pragma once

#include "compile/compiler.h"
#include "loading/loader.h"
#include "problem/describe/catalog.h"
#include "problem/launch/launch.h"
#include "problem/launch/reference.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

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
  [[nodiscard]] const loading::Kernel& kernel(const std::string& id, int block_size,
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
  std::map<std::tuple<std::string, int, compile::Build>, loading::Kernel> kernels_;
};

// Schedules for the catalog's kernels: one of each kind.
inline const Schedule kMatrixSchedules[] = {{ScheduleKind::Sequential, 0, 1},
                                            {ScheduleKind::Lockstep, 0, 1},
                                            {ScheduleKind::RunAhead, 1, 1},
                                            {ScheduleKind::Random, 0, 7}};

// Runs a launch to its end.
[[nodiscard]] Machine run(const std::shared_ptr<const Program>& program, const Schedule& schedule,
                          Observer* observer = nullptr);

// The host's product, and the elements of C that differ from it (==, not a tolerance).
[[nodiscard]] problem::Numbers expected_product(const Program& program);
[[nodiscard]] std::size_t wrong_elements(const Machine& machine, const problem::Numbers& expected);
[[nodiscard]] std::size_t wrong_elements(const Machine& machine);

}  // namespace tilestep::simt

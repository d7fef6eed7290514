// Checks of kernels written in a test.
#pragma once

#include "insight/check/check.h"
#include "insight/check/finding.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tilestep::insight {

inline const simt::Schedule kSchedules[] = {{simt::ScheduleKind::Lockstep},
                                            {simt::ScheduleKind::Sequential},
                                            {simt::ScheduleKind::RunAhead, 0},
                                            {simt::ScheduleKind::Random, 0, 11}};

class Check : public testing::Test {
 protected:
  CheckResult check_source(const std::string& source,
                           std::vector<std::pair<std::string, int>> buffers,
                           problem::Dim3 block = {32, 1, 1}, problem::Dim3 grid = {1, 1, 1},
                           const simt::Schedule& schedule = {simt::ScheduleKind::Sequential}) {
    test::OwnKernel kernel;
    kernel.source = source;
    kernel.buffers = std::move(buffers);
    kernel.block = block;
    kernel.grid = grid;
    return check(simulated_.program(test::launch_of(kernel)), schedule);
  }
  static std::vector<std::string> sentences(const CheckResult& result) {
    std::vector<std::string> all;
    for (const Finding& finding : result.findings) {
      all.push_back(finding.sentence);
    }
    return all;
  }

  test::Simulated simulated_;
};

}  // namespace tilestep::insight

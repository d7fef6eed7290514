// Kernels written in a test, run on integers, and the buffer's contents afterwards.
#pragma once

#include "ptx_lanes.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"
#include "simulated.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::simt {

// Collects the events of a run.
struct Log : Observer {
  std::vector<FaultEvent> faults;
  std::vector<StepInfo> fault_steps;
  std::vector<BarrierEvent> barriers;
  std::vector<MemoryEvent> accesses;
  std::vector<std::uint32_t> started;
  std::vector<std::uint32_t> ended;

  void on_fault(const StepInfo& step, const FaultEvent& fault) override {
    faults.push_back(fault);
    fault_steps.push_back(step);
  }
  void on_barrier(const StepInfo&, const BarrierEvent& event) override {
    barriers.push_back(event);
  }
  void on_memory(const StepInfo&, const MemoryEvent& event) override { accesses.push_back(event); }
  void on_block_start(std::uint32_t block) override { started.push_back(block); }
  void on_block_end(std::uint32_t block) override { ended.push_back(block); }
};

// kernel(int* out): `declarations` are its first line, `before` are functions and variables.
struct Written {
  std::string body;
  int blocks = 1;
  int threads = 1;
  int results = 1;  // ints in `out`
  std::string before = {};
  std::string declarations = "int t = threadIdx.x;";
};
inline test::OwnKernel own_kernel(const Written& written) {
  test::OwnKernel kernel;
  kernel.source = written.before + "extern \"C\" __global__ void kernel(int* out) {\n  " +
                  written.declarations + "\n" + written.body + "\n}\n";
  kernel.grid.x = static_cast<std::uint32_t>(written.blocks);
  kernel.block.x = static_cast<std::uint32_t>(written.threads);
  kernel.buffers = {{"out", written.results}};
  return kernel;
}

inline Machine run_to_the_end(const std::shared_ptr<const Program>& program,
                              const Schedule& schedule = {ScheduleKind::Sequential},
                              Observer* observer = nullptr) {
  Machine machine(program);
  Scheduler scheduler(*program, schedule);
  run_to_end(machine, scheduler, observer);
  return machine;
}

// A PTX kernel with one buffer, one word per thread, in one block.
inline std::shared_ptr<const Program> test_program(const std::string& ptx, std::uint32_t threads,
                                                   int warp_size = kWarpSize) {
  return program_of(ptx, {1, 1, 1}, {threads, 1, 1},
                    {std::vector<std::byte>(std::size_t{threads} * 4)}, {}, warp_size);
}

template <class T = std::int32_t>
std::vector<T> contents(const Machine& machine, std::uint32_t buffer = 0) {
  std::vector<T> values(machine.buffer(buffer).size() / sizeof(T));
  std::memcpy(values.data(), machine.buffer(buffer).data(), values.size() * sizeof(T));
  return values;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace tilestep::simt

// One plan on several GPUs of a host, each measuring a part of it.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/sweep.h"

#include <mutex>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {

using Devices = std::vector<std::unique_ptr<gpu::Device>>;

// "0,1", or "all".
[[nodiscard]] Result<Devices> open_devices(const std::string& list);

class Sweeps {
 public:
  // Everything must outlive this. Points stand beside the file `out` as they come, and in it some
  // seconds later; empty: nowhere.
  Sweeps(const timing::SweepPlan& plan, const problem::Catalog& catalog,
         compile::Compiler& compiler, const std::string& out, const std::atomic<bool>& cancel)
      : plan_(plan),
        catalog_(catalog),
        compiler_(compiler),
        out_(out),
        cancel_(cancel),
        file_(out) {}

  // What all of them measured; `problem` says what kept one from its end.
  [[nodiscard]] timing::DataSet run(const Devices& devices, std::string& problem);
  // What has been measured up to now; for any thread.
  [[nodiscard]] timing::DataSet so_far();

 private:
  [[nodiscard]] timing::SweepPlan part_of_plan(std::size_t part, std::size_t parts) const;
  void sweep(std::size_t part, gpu::Device& device, const timing::SweepPlan& plan);
  void keep(std::size_t part, const timing::DataSet& data);
  void note(const std::string& problem);
  [[nodiscard]] timing::DataSet together();

  const timing::SweepPlan& plan_;
  const problem::Catalog& catalog_;
  compile::Compiler& compiler_;
  const std::string& out_;
  const std::atomic<bool>& cancel_;
  std::mutex mutex_;  // for all below
  std::vector<timing::DataSet> parts_;
  std::string problem_;
  timing::GrowingFile file_;  // out_, where it is not empty
};

}  // namespace tilestep::cli

// tilestep ceilings: the GPU's bandwidths and its peak of multiply-adds, measured.
#include "cli/command.h"
#include "cli/prepare.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "timing/ceilings.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace tilestep::cli {
namespace {

struct CeilingsOptions {
  std::string add_to;
  int device = 0;
};

void print_copies(const timing::Ceilings& ceilings) {
  if (const auto& c = ceilings.copies) {
    say("copies of 64 MiB\n  pageable to device {:8.1f} GB/s\n  pageable to host   {:8.1f} GB/s\n"
        "  locked to device   {:8.1f} GB/s\n  locked to host     {:8.1f} GB/s\n",
        c->pageable_to_device_gb_s, c->pageable_to_host_gb_s, c->locked_to_device_gb_s,
        c->locked_to_host_gb_s);
  }
  fmt::print("cuMemAllocPitch\n");
  for (const timing::Pitch& pitch : ceilings.pitches) {
    say("  rows of {:6} bytes  {:6} apart\n", pitch.row_bytes, pitch.pitch_bytes);
  }
}

int measure(const CeilingsOptions& options, Context& context) {
  const auto source = problem::read_file(context.paths.kernels / "ceilings.cu");
  if (!source) {
    return wrong_use(source.error());
  }
  auto device = gpu::Device::open(gpu::default_libraries(), options.device);
  if (!device) {
    return wrong_use(device.error());
  }
  std::optional<timing::DataSet> data;
  if (!options.add_to.empty()) {
    auto loaded = timing::load_dataset(options.add_to);
    if (!loaded) {
      return wrong_use(loaded.error());
    }
    if (loaded->provenance.gpu != (*device)->info().name) {
      return wrong_use({tr("--add {}: the data set was measured on {}; this GPU is {}.",
                           options.add_to, loaded->provenance.gpu, (*device)->info().name)});
    }
    data = std::move(*loaded);
  }
  try {
    const auto ceilings = timing::measure_ceilings(**device, context.compiler, *source);
    if (!ceilings) {
      return wrong_use(ceilings.error());
    }
    say("{}, {} SMs\n  DRAM               {:8.0f} GB/s\n  L2                 {:8.0f} GB/s\n"
        "  shared memory      {:8.0f} GB/s\n  FFMA               {:8.0f} GFLOP/s\n",
        (*device)->info().name, ceilings->sms, ceilings->dram_gb_s, ceilings->l2_gb_s,
        ceilings->shared_gb_s, ceilings->ffma_gflops);
    print_copies(*ceilings);
    if (data) {
      data->provenance.ceilings = *ceilings;
      if (const auto saved = timing::save_dataset(*data, options.add_to); !saved) {
        return wrong_use(saved.error());
      }
    }
  } catch (const gpu::GpuError& error) {
    return wrong_use({error.what()});
  }
  return 0;
}

}  // namespace

void add_ceilings(CLI::App& app, Context& context) {
  auto options = std::make_shared<CeilingsOptions>();
  auto* command = app.add_subcommand(
      "ceilings", "Measure this GPU's bandwidths and peak multiply-add rate, for the roofline");
  command->add_option("--add", options->add_to, "Add them to this data set of the same GPU");
  command->add_option("--device", options->device, "Index of the GPU")
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "Example:\n"
      "  tilestep ceilings --add mine.json\n"
      "Exit status: 0 success; 2 wrong use, or no GPU.");
  command->callback([options, &context] { context.status = measure(*options, context); });
}

}  // namespace tilestep::cli

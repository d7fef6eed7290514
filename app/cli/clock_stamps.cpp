#include "cli/clock_stamps.h"

#include "cli/output.h"
#include "cli/prepare.h"
#include "clock/stamping.h"
#include "loading/arguments.h"
#include "loading/loader.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/ceilings.h"
#include "timing/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace tilestep::cli {
namespace {

constexpr std::uint32_t kAllSms = 0xffffffffU;
constexpr std::uint32_t kChosenSm = 10;  // in the middle of a part of the chip, not at its edge
constexpr std::uint32_t kSpareRecords = 2;
constexpr double kWarmUpTime = 50.0;  // ms; clocks need some of them to rise
constexpr int kMostWarmUpLaunches = 1000;
constexpr int kTimes = 9;
constexpr int kMostTries = 3;

// A kernel on the device, as machine code of its architecture.
struct OnDevice {
  gpu::LoadedKernel code;
  gpu::LaunchShape shape;
  std::vector<std::byte> arguments;
};

// `addresses`: those of its buffers, and perhaps more.
Result<OnDevice> load(gpu::Device& device, compile::Compiler& compiler,
                      const problem::Launch& launch, std::vector<std::uint64_t> addresses) {
  addresses.resize(launch.buffers.size());
  const auto kernel = loading::load_kernel(compiler, launch, compile::Build::Fast);
  if (!kernel) {
    return tl::unexpected(compile_error(kernel.error()));
  }
  const gpu::DeviceInfo& info = device.info();
  const auto output = compiler.compile(
      compile::make_cubin_request(launch, 10 * info.compute_major + info.compute_minor));
  TILESTEP_RETURN_IF_ERROR(output);
  if (!output->ok()) {
    return fail(tr("{} does not compile for {}: {}", launch.source_name, info.name, output->log));
  }
  auto code = device.load(output->cubin, output->entry);
  TILESTEP_RETURN_IF_ERROR(code);
  auto arguments = loading::pack_arguments(*kernel, launch, addresses, device.tensor_map_maker());
  TILESTEP_RETURN_IF_ERROR(arguments);
  return OnDevice{*std::move(code),
                  {launch.grid, launch.block, launch.dynamic_shared_bytes},
                  *std::move(arguments)};
}

float time(gpu::Device& device, const OnDevice& kernel, const gpu::TimeOptions& options) {
  return device.time(kernel.code, kernel.shape, kernel.arguments, options);
}

void warm_up(gpu::Device& device, const OnDevice& kernel) {
  double spent = 0;
  for (int i = 0; i < kMostWarmUpLaunches && (i == 0 || spent < kWarmUpTime); ++i) {
    spent += time(device, kernel, {.care = gpu::Care::Rough});
  }
}

double median_time(gpu::Device& device, const OnDevice& kernel, gpu::L2 l2) {
  std::vector<float> times;
  for (int i = 0; i < kTimes; ++i) {
    times.push_back(time(device, kernel, {.l2 = l2}));
  }
  std::ranges::sort(times);
  return static_cast<double>(times[times.size() / 2]);
}

std::vector<std::uint32_t> words_in(const gpu::Buffer& buffer) {
  const std::vector<std::byte> bytes = buffer.read();
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

// A timed launch is repeated if its host was too slow. Blocks may then be on other SMs than before,
// and records of the first launch are left: the clocks are farther apart than a launch takes.
bool are_of_two_launches(const std::vector<clock::StampedWarp>& warps, double milliseconds,
                         const gpu::DeviceInfo& info) {
  constexpr double kUnknownMhz = 3000;
  constexpr double kSlack = 1.3;
  const double mhz = info.max_sm_clock_mhz > 0 ? info.max_sm_clock_mhz : kUnknownMhz;
  return std::ranges::any_of(warps, [&](const clock::StampedWarp& warp) {
    return static_cast<double>(warp.stamps.back().clock) > kSlack * 1e3 * mhz * milliseconds;
  });
}

std::size_t kept_blocks(clock::Extent kept, int at_once) {
  return kept == clock::Extent::Block  ? 1
         : kept == clock::Extent::Wave ? static_cast<std::size_t>(at_once)
                                       : 0;
}

// The buffers of a launch with stamps on the device.
struct DeviceBuffers {
  std::vector<gpu::Buffer> all;
  std::vector<std::uint64_t> addresses;
  std::optional<std::size_t> c;

  DeviceBuffers(gpu::Device& device, const problem::Launch& launch) {
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const problem::Buffer& buffer = launch.buffers[i];
      all.push_back(device.make_buffer(problem::byte_count(buffer)));
      addresses.push_back(all.back().address());
      if (buffer.contents.empty()) {
        all.back().fill(std::byte{0});
      } else {
        all.back().write(buffer.contents);
      }
      if (buffer.name == "C") {
        c = i;
      }
    }
  }
};

// A launch with stamps, and what is needed to read them.
struct Recorder {
  const OnDevice& kernel;
  const OnDevice& silent;  // the same without stores: it leaves the matrices in L2
  gpu::Buffer& stamps;
  clock::RecordedShape shape;
  const std::vector<clock::StampSite>& sites;
  bool is_warm = false;
  double milliseconds = 0;  // of the launch
};

void launch_once(gpu::Device& device, const Recorder& recorder) {
  recorder.stamps.fill(std::byte{0});
  if (!recorder.is_warm) {
    static_cast<void>(time(device, recorder.kernel, {}));
    return;
  }
  for (const OnDevice* kernel : {&recorder.silent, &recorder.kernel}) {
    device.launch(kernel->code, kernel->shape, kernel->arguments);
  }
}

// `blocks` as in clock::read_records.
Result<clock::SmStamps> take_stamps(gpu::Device& device, const Recorder& recorder,
                                    std::size_t blocks) {
  std::vector<std::uint32_t> words;
  for (int i = 0; i < kMostTries; ++i) {
    launch_once(device, recorder);
    words = words_in(recorder.stamps);
    const auto all = clock::read_records(words, recorder.shape, recorder.sites, 0);
    TILESTEP_RETURN_IF_ERROR(all);
    if (!are_of_two_launches(all->warps, recorder.milliseconds, device.info())) {
      break;
    }
  }
  return clock::read_records(words, recorder.shape, recorder.sites, blocks);
}

// The launch with stamps in the model of an SM.
struct StampedModel {
  clock::SmTable table;
  clock::TimedLaunch launch;
  int blocks_at_once = 0;  // of the launch without stamps, as many as fit
};

Result<StampedModel> stamped_model(Context& context, const loading::Prepared& plain,
                                   const std::string& gpu, clock::OtherGpu other) {
  auto table = clock::load_sm_table(context.paths.assets / "clock", gpu, other);
  TILESTEP_RETURN_IF_ERROR(table);
  const auto without = clock::TimedLaunch::make(plain, *table);
  TILESTEP_RETURN_IF_ERROR(without);
  const int blocks = without->occupancy().blocks;
  const auto launch = clock::stamped_launch(plain.launch, {.blocks_at_once = blocks});
  TILESTEP_RETURN_IF_ERROR(launch);
  loading::PrepareOptions options;
  options.build = compile::Build::Machine;
  const auto prepared = loading::prepare(context.compiler, launch->launch, options);
  if (!prepared) {
    return tl::unexpected(compile_error(prepared.error()));
  }
  auto timed = clock::TimedLaunch::make(*prepared, *table);
  TILESTEP_RETURN_IF_ERROR(timed);
  return StampedModel{*std::move(table), *std::move(timed), blocks};
}

Result<clock::StampedRun> read_stamps(const StampOptions& options, const Prepared& plain,
                                      const Context& context) {
  const problem::Parameters& parameters = plain.launch.parameters;
  const int block_size = plain.spec.uses_block_size ? parameters.block_size : 0;
  const auto& size = parameters.problem;
  if (options.stamps == kShippedStamps) {
    const std::filesystem::path folder = context.paths.assets / "clock";
    const auto table = clock::load_sm_table(folder, options.gpu);
    TILESTEP_RETURN_IF_ERROR(table);
    auto found = clock::find_stamped_run(folder, table->gpu, plain.launch.id, size, block_size,
                                         options.is_warm);
    if (!found) {
      return fail(
          tr("--stamps {}: no timestamps of this launch are shipped (the file would be {}). Record "
             "them on a GPU with --measure --out FILE, then pass --stamps FILE.",
             kShippedStamps,
             clock::stamped_file_name(plain.launch.id, size, block_size, options.is_warm)));
    }
    return *std::move(found);
  }
  auto run = clock::load_stamped_run(options.stamps);
  TILESTEP_RETURN_IF_ERROR(run);
  if (run->problem != size || run->block_size != block_size) {
    return fail(
        tr("--stamps {}: these timestamps are from {} at {}×{}×{} with BLOCK_SIZE {}. Choose that "
           "launch with --size {},{},{} and --block {}.",
           options.stamps, run->kernel, run->problem.M, run->problem.N, run->problem.K,
           run->block_size, run->problem.M, run->problem.N, run->problem.K, run->block_size));
  }
  return run;
}

// Measures on the GPU here. Writes options.out, if it is a file.
Result<clock::StampedRun> measured_here(const StampOptions& options, const Prepared& plain,
                                        gpu::Device& device, StampedModel& model,
                                        compile::Compiler& compiler,
                                        const std::atomic<bool>& cancel) {
  const auto warps = clock::estimate_stamps(model.launch, model.table, {.is_warm = true}, &cancel);
  TILESTEP_RETURN_IF_ERROR(warps);
  auto run = measure_stamps(device, compiler, plain,
                            {.records = clock::most_records(*warps) + kSpareRecords,
                             .kept = options.kept,
                             .is_warm = options.is_warm,
                             .blocks_at_once = model.blocks_at_once});
  TILESTEP_RETURN_IF_ERROR(run);
  run->block_size = plain.spec.uses_block_size ? run->block_size : 0;
  if (!options.out.empty()) {
    std::filesystem::path file = options.out;
    if (std::error_code none; std::filesystem::is_directory(file, none)) {
      file /= clock::stamped_file_name(run->kernel, run->problem, run->block_size, run->is_warm);
    }
    TILESTEP_RETURN_IF_ERROR(problem::write_file(file, clock::to_json(*run)));
    fmt::print(stderr, "{}\n", tr("Written: {}", file.string()));
  }
  return run;
}

std::vector<std::string> phase_row(const std::string& name, const clock::ComparedPhase& phase) {
  const clock::PhaseTime& m = phase.measured;
  const auto error = phase.error();
  return {name,
          std::to_string(m.count),
          fmt::format("{:.0f}", m.mean),
          fmt::format("{:.0f}–{:.0f}", m.low, m.high),
          phase.estimated ? fmt::format("{:.0f}", phase.estimated->mean) : "–",
          error ? fmt::format("{:+.1f}%", 100.0 * *error) : "–"};
}

// Each warp from its start to its end, as one phase.
std::vector<clock::StampedWarp> whole_lives(std::vector<clock::StampedWarp> warps) {
  for (clock::StampedWarp& warp : warps) {
    warp.stamps = {warp.stamps.front(), warp.stamps.back()};
  }
  return warps;
}

}  // namespace

Result<clock::StampedRun> measure_stamps(gpu::Device& device, compile::Compiler& compiler,
                                         const loading::Prepared& plain,
                                         const StampMeasurement& measurement) {
  const problem::Launch& launch = plain.launch;
  if (!launch.not_on_gpu.empty()) {
    return fail(tr(launch.not_on_gpu.front().c_str()));
  }
  const gpu::DeviceInfo& info = device.info();
  const auto sms = static_cast<std::uint32_t>(info.sm_count);
  const bool is_on_all = launch.grid.count() >= sms;
  const std::uint32_t sm = is_on_all ? std::min(kChosenSm, sms - 1) : kAllSms;
  const auto stamped =
      clock::stamped_launch(launch, {measurement.records, sm, measurement.blocks_at_once});
  TILESTEP_RETURN_IF_ERROR(stamped);
  DeviceBuffers buffers(device, stamped->launch);
  const auto with_stamps = load(device, compiler, stamped->launch, buffers.addresses);
  const auto silent = load(device, compiler, clock::without_room(*stamped), buffers.addresses);
  const auto without = load(device, compiler, launch, buffers.addresses);
  for (const auto* kernel : {&with_stamps, &silent, &without}) {
    TILESTEP_RETURN_IF_ERROR(*kernel);
  }
  const gpu::L2 l2 = measurement.is_warm ? gpu::L2::Warm : gpu::L2::Cold;
  clock::StampedRun run;
  warm_up(device, *without);
  run.plain_ms = median_time(device, *without, l2);
  warm_up(device, *with_stamps);
  run.stamped_ms = median_time(device, *with_stamps, l2);
  const int fit = device.max_active_blocks(with_stamps->code, with_stamps->shape);
  const std::uint64_t even = (launch.grid.count() + sms - 1) / sms;
  run.at_once = static_cast<int>(std::min<std::uint64_t>(even, static_cast<std::uint64_t>(fit)));
  const std::uint32_t of_block = clock::warps_of_block(launch);
  const Recorder recorder{
      *with_stamps,
      *silent,
      buffers.all.back(),
      {of_block, static_cast<std::uint32_t>(launch.grid.count()) * of_block, measurement.records},
      stamped->sites,
      measurement.is_warm,
      run.stamped_ms};
  auto stamps = take_stamps(device, recorder, kept_blocks(measurement.kept, run.at_once));
  TILESTEP_RETURN_IF_ERROR(stamps);
  if (timing::Verifier verifier(launch); verifier.possible() && buffers.c) {
    if (const std::string wrong = verifier.check(buffers.all[*buffers.c].read()); !wrong.empty()) {
      return fail(tr("The kernel with timestamps gives a different result: {}.", wrong));
    }
  }
  run.gpu = info.name;
  run.driver = info.driver_version;
  run.date = timing::utc_now();
  run.kernel = launch.id;
  run.problem = launch.parameters.problem;
  run.block_size = launch.parameters.block_size;
  run.is_warm = measurement.is_warm;
  run.sm = stamps->sm;
  run.warps = std::move(stamps->warps);
  return run;
}

Result<std::string> stamps_text(const clock::StampedRun& measured,
                                const std::vector<clock::StampedWarp>& estimated) {
  Table table({tr("phase"), tr("count"), tr("measured"), tr("10th–90th percentile"),
               tr("estimated"), tr("error")});
  std::vector<clock::ComparedPhase> phases;
  if (estimated.empty()) {
    for (const clock::PhaseTime& time : clock::phase_times(measured.warps)) {
      phases.push_back({time, std::nullopt});
    }
  } else {
    auto compared = clock::compare_phases(measured.warps, estimated);
    TILESTEP_RETURN_IF_ERROR(compared);
    phases = *std::move(compared);
  }
  const bool has_barriers = phases.size() > 1;
  for (const clock::ComparedPhase& phase : phases) {
    table.add(phase_row(clock::phase_name(phase.measured.phase), phase));
  }
  if (has_barriers) {
    const auto lives = clock::phase_times(whole_lives(measured.warps));
    const auto estimated_lives = clock::phase_times(whole_lives(estimated));
    table.add(phase_row(
        tr("a warp from start to end"),
        {lives.front(),
         estimated_lives.empty() ? std::nullopt : std::optional(estimated_lives.front())}));
  }
  std::string text =
      tr("Measured on {}, driver {}, {}: {} on SM {}, {} at once, L2 {}", measured.gpu,
         measured.driver, measured.date, plural(clock::count_blocks(measured.warps), "block"),
         measured.sm, measured.at_once, measured.is_warm ? tr("warm") : tr("cold")) +
      "\n\n" + table.text() + "\n";
  if (measured.plain_ms > 0) {
    text += tr("The launch takes {:.4g} ms with timestamps and {:.4g} ms without: {:+.1f}%.",
               measured.stamped_ms, measured.plain_ms,
               100.0 * (measured.stamped_ms / measured.plain_ms - 1.0)) +
            "\n";
  }
  return text;
}

Result<int> show_stamps(const StampOptions& options, Context& context) {
  const Interrupt interrupt;
  std::unique_ptr<gpu::Device> device;
  if (options.stamps.empty()) {
    auto opened = gpu::Device::open(gpu::default_libraries(), options.device);
    TILESTEP_RETURN_IF_ERROR(opened);
    device = *std::move(opened);
  }
  const auto plain =
      prepare(context, options.launch, compile::Build::Machine, 0, problem::BufferContents::Filled);
  TILESTEP_RETURN_IF_ERROR(plain);
  tell_guess(*plain);
  std::optional<Result<clock::StampedRun>> run;
  if (device == nullptr) {
    run = read_stamps(options, *plain, context);
    TILESTEP_RETURN_IF_ERROR(*run);
  }
  // The number of stamps is that of the H200's machine code, on any GPU.
  const std::string gpu = device != nullptr ? device->info().name : (*run)->gpu;
  auto model = stamped_model(context, *plain, gpu, clock::OtherGpu::Replaced);
  TILESTEP_RETURN_IF_ERROR(model);
  if (device != nullptr) {
    try {
      run =
          measured_here(options, *plain, *device, *model, context.compiler, interrupt.cancelled());
    } catch (const gpu::GpuError& error) {
      return fail(error.what());
    }
    TILESTEP_RETURN_IF_ERROR(*run);
  }
  const clock::StampedRun& measured = **run;
  std::vector<clock::StampedWarp> estimated;
  std::string about = tr("Not estimated: there is no SM parameter table for {}.", gpu);
  if (model->table.gpu == gpu) {
    auto warps = clock::estimate_stamps(model->launch, model->table, clock::extent_of(measured),
                                        &interrupt.cancelled());
    TILESTEP_RETURN_IF_ERROR(warps);
    estimated = *std::move(warps);
    about = clock::estimate_sentence(model->table);
  }
  const auto text = stamps_text(measured, estimated);
  TILESTEP_RETURN_IF_ERROR(text);
  fmt::print("{}", printable(headline(*plain) + "\n" + about + "\n" + *text));
  return 0;
}

}  // namespace tilestep::cli

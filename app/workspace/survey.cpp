#include "workspace/survey.h"

#include "analysis/chart.h"
#include "insight/count/block_sample.h"
#include "insight/count/warp_schedule.h"
#include "problem/describe/best_by_size.h"
#include "problem/launch/expected.h"
#include "problem/tr.h"
#include "ptx/sass/loops.h"
#include "ptx/sass/sass.h"
#include "simt/machine/machine.h"
#include "timing/dataset_points.h"
#include "workspace/pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tilestep::workspace {
namespace {

using state::TimingPage;

class Wishes {
 public:
  explicit Wishes(const SurveyContext& context) : context_(context) {}

  void add(const std::string& kernel, problem::Problem problem, int block_size,
           const std::string& edited_source = "") {
    add_for(context_.architecture, kernel, problem, block_size, edited_source);
  }
  void add_for(int architecture, const std::string& kernel, problem::Problem problem,
               int block_size, const std::string& edited_source = "") {
    if (timing::is_cublas(kernel) || kernel == problem::kBestBySize) {
      return;
    }
    const bool has_block_size = uses_block_size(kernel);
    if (block_size < 1 && has_block_size) {
      return;
    }
    SurveyItem item{
        kernel, {problem, has_block_size ? block_size : 0}, architecture, false, edited_source};
    const std::array key{problem.M, problem.N, problem.K, item.parameters.block_size, architecture};
    if (there_.insert({kernel, edited_source, key}).second) {
      items_.push_back(std::move(item));
    }
  }
  void add_all_block_sizes(const std::string& kernel, problem::Problem problem) {
    for (int block_size = 1; block_size <= problem::kLargestBlockSize; ++block_size) {
      add(kernel, problem, block_size);
    }
  }
  // If the stage has a BLOCK_SIZE slider: the numbers beside it.
  void add_stage(const state::Setup& setup, const problem::Problem& timed,
                 const problem::Parameters& parameters) {
    if (uses_block_size(setup.kernel)) {
      add(setup.kernel, parameters.problem, parameters.block_size, setup.edited_source);
      add(setup.kernel, timed, parameters.block_size, setup.edited_source);
    }
  }
  // Adds a launch and the next rung's.
  void add_question(const std::string& kernel, problem::Problem problem, int block_size) {
    add(kernel, problem, block_size);
    if (const problem::LaunchSpec* next = next_rung(*context_.catalog, kernel)) {
      add(next->id, problem, block_size);
    }
  }
  std::vector<SurveyItem> take() { return std::move(items_); }

 private:
  // A kernel that is not in the catalog is a file, which is read once. An unreadable one is counted
  // without success, which gives the reason.
  bool uses_block_size(const std::string& kernel) {
    if (const problem::LaunchSpec* const spec = context_.catalog->find(kernel)) {
      return spec->uses_block_size;
    }
    const auto [known, is_new] = files_.try_emplace(kernel, true);
    if (is_new) {
      const auto spec = problem::find_spec(*context_.catalog, kernel);
      known->second = !spec || spec->uses_block_size;
    }
    return known->second;
  }

  const SurveyContext& context_;
  std::map<std::string, bool> files_;  // whether they use BLOCK_SIZE
  std::vector<SurveyItem> items_;
  std::set<std::tuple<std::string, std::string, std::array<int, 5>>> there_;
};

void add_measured_kernels(const timing::DataSet& data, const problem::Problem& problem,
                          int block_size, Wishes& wishes) {
  for (const timing::Point& point : data.points) {
    if (point.problem == problem && point.block_size == block_size && !point.samples_ms.empty()) {
      wishes.add(point.kernel, point.problem, point.block_size);
    }
  }
}

// The roofline's points in the order of visibility: the kernel on stage, the ladder, then every
// kernel if all are shown. likely_next() has the others.
void add_roofline(const state::AppState& state, const SurveyContext& context, Wishes& wishes) {
  const state::TimingView& view = state.timing;
  const problem::Problem problem = analysis::shown_problem(context.dataset, view.problem);
  const auto add_measured = [&](auto&& is_wanted) {
    for (const timing::Point& point : context.dataset->points) {
      if (point.problem == problem && point.block_size == state.parameters.block_size &&
          !point.samples_ms.empty() && is_wanted(point.kernel)) {
        wishes.add(point.kernel, point.problem, point.block_size);
      }
    }
  };
  add_measured([&](const std::string& kernel) { return kernel == state.kernel; });
  if (!view.alone) {
    add_measured([&](const std::string& kernel) {
      const problem::LaunchSpec* const spec = context.catalog->find(kernel);
      return view.every_kernel || (spec != nullptr && spec->ladder);
    });
  }
}

std::optional<ptx::CubinKernel> machine_code_of(const problem::Launch& launch,
                                                compile::Compiler& compiler, int architecture) {
  if (architecture == 0) {
    return std::nullopt;
  }
  const auto output = compiler.compile(compile::make_cubin_request(launch, architecture));
  if (!output || !output->ok()) {
    return std::nullopt;
  }
  auto kernel = ptx::read_cubin(output->cubin, output->entry);
  return kernel ? std::optional(std::move(*kernel)) : std::nullopt;
}

// Without loops of machine code: a PTX instruction every four clocks, and a wait per phase, which
// is two barriers.
insight::WarpSchedule schedule_of_ptx(const analysis::LaunchFacts& facts) {
  constexpr double kClocksOfInstruction = 4.0;
  const double warps = static_cast<double>(facts.blocks) * std::ceil(facts.threads / 32.0);
  const double instructions = static_cast<double>(facts.cost.instructions) / warps;
  return {instructions, kClocksOfInstruction * instructions,
          std::max(1.0, static_cast<double>(facts.barriers) / 2.0)};
}

void add_machine_code(const loading::Prepared& prepared, const insight::Profile& profile,
                      compile::Compiler& compiler, analysis::LaunchFacts& facts) {
  const auto code = machine_code_of(prepared.launch, compiler, facts.architecture);
  std::optional<insight::WarpSchedule> schedule;
  const insight::WarpCounts counts = insight::warp_counts(*prepared.program, profile);
  if (code) {
    facts.needs = insight::needs_of(*code, prepared.launch);
    schedule = insight::schedule_of(ptx::read_loops(*code), counts);
  }
  facts.schedule = schedule.value_or(schedule_of_ptx(facts));
  facts.schedule.warpgroup_clocks = counts.warpgroup_clocks;
}

// The input of every count: contents do not matter, and a constant is quick to fill in.
problem::InputSpec constant_input() {
  problem::InputSpec input;
  input.pattern = problem::Pattern::Constant;
  return input;
}

// The ratio of the heaviest block's instructions to the average block's.
double heaviest_block(const simt::Program& program, const insight::Profile& profile) {
  std::vector<std::uint64_t> by_class(profile.classes.size());
  std::uint64_t all = 0;
  std::uint64_t heaviest = 0;
  for (const insight::WarpCost& warp : insight::cost_by_warp(program, profile)) {
    std::uint64_t& of_class = by_class[warp.of_class];
    of_class += warp.cost.instructions;
    all += warp.cost.instructions * warp.blocks;
    heaviest = std::max(heaviest, of_class);
  }
  return all == 0 ? 1.0
                  : static_cast<double>(heaviest) * static_cast<double>(profile.blocks) /
                        static_cast<double>(all);
}

void add_lines(const loading::Prepared& prepared, analysis::LaunchFacts& facts) {
  const insight::LineSample sample = insight::sample_lines(prepared.program);
  const double all_requests =
      static_cast<double>(facts.cost.global_loads.requests + facts.cost.global_stores.requests +
                          facts.cost.global_atomics.requests) /
      static_cast<double>(facts.blocks);
  const double times =
      sample.requests == 0 ? 0.0 : all_requests / static_cast<double>(sample.requests);
  facts.global_passes = static_cast<double>(sample.passes) * times;
  facts.l2_sectors = static_cast<double>(sample.distinct_sectors) * times;
  facts.loads_of_new = sample.loads == 0 ? 0.0
                                         : static_cast<double>(sample.loads_of_new) /
                                               static_cast<double>(sample.loads);
}

// The same without proof and estimate: every block is executed.
insight::Profile count_every_block(const loading::Prepared& prepared,
                                   const std::function<bool()>& fill,
                                   const std::atomic<bool>* cancel) {
  (void)fill();
  return insight::profile(prepared.program, insight::MethodChoice::AlwaysFull, cancel);
}

// `parameters` are the launch's; those of the facts have 0 for a kernel without BLOCK_SIZE.
void count(const problem::LaunchSpec& spec, const problem::Parameters& parameters,
           problem::Launch launch, bool every_block, const CountTools& tools,
           analysis::LaunchFacts& facts) {
  loading::PrepareOptions options;
  options.architecture = facts.architecture;
  auto prepared = loading::prepare(tools.compiler, std::move(launch), options);
  if (!prepared) {
    facts.why_not = prepared.error().error.message;
    return;
  }
  facts.is_machine_code = prepared->is_machine_code;
  const auto fill = [&] {
    auto filled = loading::prepare(tools.compiler, spec, parameters, constant_input(), options);
    if (filled) {
      *prepared = std::move(*filled);
    }
    return filled.has_value();
  };
  const insight::Profile profile = every_block ? count_every_block(*prepared, fill, &tools.cancel)
                                               : count_launch(*prepared, fill, &tools.cancel);
  facts.is_estimate = profile.method == insight::Method::Sample;
  facts.error = profile.error;
  const problem::Launch& counted = prepared->launch;
  const simt::Program& program = *prepared->program;
  facts.cost = insight::total_cost(program, profile);
  facts.accesses = analysis::by_line(insight::cost_by_access(program, profile));
  facts.heaviest_block = heaviest_block(program, profile);
  facts.heaviest_warp = insight::heaviest_warp(program, profile);
  facts.blocks = counted.grid.count();
  facts.barriers = insight::total_barriers(profile) / facts.blocks;
  facts.threads = static_cast<int>(counted.block.count());
  add_machine_code(*prepared, profile, tools.compiler, facts);
  add_lines(*prepared, facts);
  if (tools.kept != nullptr && !tools.cancel) {
    tools.kept->store(counted, facts);
  }
}

// Uses kept facts if they are good enough.
bool is_kept(const problem::Launch& launch, bool every_block, const CountTools& tools,
             analysis::LaunchFacts& facts) {
  auto kept = tools.kept == nullptr ? std::nullopt : tools.kept->find(launch, facts.architecture);
  if (!kept || (every_block && kept->is_estimate)) {
    return false;
  }
  kept->kernel = std::move(facts.kernel);
  kept->parameters = facts.parameters;
  kept->flops = facts.flops;
  kept->edited_source = std::move(facts.edited_source);
  facts = std::move(*kept);
  return true;
}

problem::Parameters launched(problem::Parameters parameters) {
  parameters.block_size = std::max(parameters.block_size, 1);  // 0: the kernel has none
  return parameters;
}

Result<problem::Launch> launch_without_contents(const problem::LaunchSpec& spec,
                                                const problem::Parameters& parameters) {
  return problem::evaluate(spec, parameters, constant_input(), problem::BufferContents::Zero);
}

analysis::LaunchFacts uncounted(const SurveyItem& item) {
  analysis::LaunchFacts facts;
  facts.kernel = item.kernel;
  facts.parameters = item.parameters;
  facts.architecture = item.architecture;
  facts.edited_source = item.edited_source;
  return facts;
}

Result<problem::LaunchSpec> spec_of(const SurveyItem& item, const problem::Catalog& catalog) {
  auto spec = problem::find_spec(catalog, item.kernel);
  if (spec && !item.edited_source.empty()) {
    spec->source = item.edited_source;
  }
  return spec;
}

void answer(const problem::LaunchSpec& spec, bool every_block, const CountTools& tools,
            analysis::LaunchFacts& facts) {
  const problem::Parameters parameters = launched(facts.parameters);
  auto launch = launch_without_contents(spec, parameters);
  if (!launch) {
    facts.why_not = launch.error().message;
  } else if (!launch->not_on_gpu.empty()) {
    facts.why_not = tr(launch->not_on_gpu.front().c_str());
  } else if (facts.flops = problem::needed_flops(spec, *launch);
             !is_kept(*launch, every_block, tools, facts)) {
    count(spec, parameters, std::move(*launch), every_block, tools, facts);
  }
}

}  // namespace

problem::Parameters own_parameters(const problem::LaunchSpec& spec,
                                   problem::Parameters parameters) {
  parameters.block_size = spec.uses_block_size ? parameters.block_size : 0;
  return parameters;
}

const problem::LaunchSpec* next_rung(const problem::Catalog& catalog, const std::string& kernel) {
  const auto is_this = [&](const problem::LaunchSpec& spec) { return spec.id == kernel; };
  const auto here = std::find_if(catalog.kernels.begin(), catalog.kernels.end(), is_this);
  if (here == catalog.kernels.end()) {
    return nullptr;
  }
  const auto next = std::find_if(here + 1, catalog.kernels.end(),
                                 [](const problem::LaunchSpec& spec) { return spec.ladder; });
  return next == catalog.kernels.end() ? nullptr : &*next;
}

std::vector<problem::Parameters> likely_parameters(const problem::Parameters& now,
                                                   bool uses_block_size) {
  std::vector<problem::Parameters> all;
  const auto add = [&](const problem::Parameters& next) {
    if (next != now && std::ranges::find(all, next) == all.end()) {
      all.push_back(next);
    }
  };
  const auto add_blocks = [&](std::initializer_list<int> sizes) {
    for (const int size : sizes) {
      if (uses_block_size && size >= 1 && size <= problem::kLargestBlockSize) {
        add({now.problem, size});
      }
    }
  };
  const auto add_sizes = [&](std::initializer_list<int> sizes) {
    for (const int n : sizes) {
      if (n >= 1 && n <= kLargestSliderSize) {
        add({with_size(now.problem, n), now.block_size});
      }
    }
  };
  const int block = now.block_size;
  const int n = now.problem.N;
  add_blocks({block + 1, block - 1, block + 2, block - 2});
  add_sizes({n + 1, n - 1});
  add_blocks({16, 8, 32});
  add_sizes({2 * n, n / 2});
  return all;
}

std::vector<SurveyItem> wanted(const state::AppState& state, const SurveyContext& context) {
  Wishes wishes(context);
  if (state.tab != state::Tab::Timing) {
    const problem::Problem timed = analysis::shown_problem(context.dataset, state.timing.problem);
    wishes.add_stage(state, timed, state.parameters);
    if (state.comparison.on) {
      const state::Setup& second = state.comparison.second;
      wishes.add_stage(second, timed, second.parameters);
    }
    return wishes.take();
  }
  const state::TimingView& view = state.timing;
  if (!view.selected_kernel.empty()) {
    wishes.add(view.selected_kernel, view.problem, view.selected_block_size);
    if (!view.against.kernel.empty()) {
      wishes.add_for(context.architecture_of_other, view.against.kernel, view.problem,
                     view.against.block_size);
    }
    wishes.add_question(view.selected_kernel, view.problem, view.selected_block_size);
  }
  if (view.page == TimingPage::Roofline && context.dataset != nullptr) {
    add_roofline(state, context, wishes);
  }
  if (view.page == TimingPage::Occupancy || (view.page == TimingPage::BlockSize && view.predict)) {
    wishes.add_all_block_sizes(state.kernel, view.problem);
  }
  if (view.page == TimingPage::Sm && !view.sm.stage) {
    wishes.add(state.kernel, view.problem, state.parameters.block_size);
  }
  if (view.page == TimingPage::Counters && context.counters != nullptr) {
    for (const timing::CountedLaunch& launch : context.counters->launches) {
      if (launch.kernel == state.kernel) {
        wishes.add(launch.kernel, launch.problem, launch.block_size);
      }
    }
  }
  return wishes.take();
}

std::vector<SurveyItem> likely_next(const state::AppState& state, const SurveyContext& context) {
  Wishes wishes(context);
  if (state.tab != state::Tab::Timing) {
    const problem::Problem timed = analysis::shown_problem(context.dataset, state.timing.problem);
    for (const problem::Parameters& next : likely_parameters(state.parameters, true)) {
      wishes.add_stage(state, timed, next);
    }
    return wishes.take();
  }
  if (context.dataset == nullptr) {
    return {};
  }
  const problem::Problem& problem = state.timing.problem;
  wishes.add_all_block_sizes(state.kernel, problem);
  add_measured_kernels(*context.dataset, problem, state.parameters.block_size, wishes);
  if (!state.timing.selected_kernel.empty()) {
    wishes.add_all_block_sizes(state.timing.selected_kernel, problem);
  }
  for (const timing::Point& point : context.dataset->points) {
    if (point.problem == problem && !point.samples_ms.empty()) {
      wishes.add(point.kernel, problem, point.block_size);
    }
  }
  return wishes.take();
}

std::vector<SurveyItem> all_measured(const SurveyContext& context) {
  Wishes wishes(context);
  for (const timing::Point& point : context.dataset->points) {
    if (!point.samples_ms.empty()) {
      wishes.add_question(point.kernel, point.problem, point.block_size);
    }
  }
  return wishes.take();
}

bool is_of(const analysis::LaunchFacts& facts, const SurveyItem& item) {
  return facts.kernel == item.kernel && facts.parameters == item.parameters &&
         facts.architecture == item.architecture && facts.edited_source == item.edited_source;
}

std::optional<analysis::LaunchFacts> recall_launch(const SurveyItem& item,
                                                   const problem::Catalog& catalog,
                                                   const CountTools& tools) {
  analysis::LaunchFacts facts = uncounted(item);
  const auto spec = spec_of(item, catalog);
  const auto launch = spec ? launch_without_contents(*spec, launched(item.parameters))
                           : tl::unexpected(spec.error());
  facts.flops = launch ? problem::needed_flops(*spec, *launch) : 0.0;
  const bool is_known =
      launch && launch->not_on_gpu.empty() && is_kept(*launch, item.every_block, tools, facts);
  return is_known ? std::optional(std::move(facts)) : std::nullopt;
}

std::optional<analysis::LaunchFacts> count_launch(const SurveyItem& item,
                                                  const problem::Catalog& catalog,
                                                  const CountTools& tools) {
  analysis::LaunchFacts facts = uncounted(item);
  const auto spec = spec_of(item, catalog);
  if (spec) {
    answer(*spec, item.every_block, tools, facts);
  } else {
    facts.why_not = spec.error().message;
  }
  return tools.cancel ? std::nullopt : std::optional(std::move(facts));
}

insight::Profile count_launch(const loading::Prepared& prepared, const std::function<bool()>& fill,
                              const std::atomic<bool>* cancel) {
  insight::Profile proved =
      insight::profile(prepared.program, insight::MethodChoice::QuickProof, cancel);
  if (proved.is_counted) {
    return proved;
  }
  // Filling large buffers takes longer than the sample, so the first attempt is without contents.
  insight::Profile other = insight::profile(prepared.program, insight::MethodChoice::ProvedSample,
                                            cancel, proved.partial.get());
  if (other.is_counted) {
    other.why_full = proved.why_full;
    return other;
  }
  const bool filled = loading::can_be_filled(prepared.program->launch()) && fill();
  other = insight::profile(prepared.program, insight::MethodChoice::WithoutProof, cancel,
                           proved.partial.get());
  other.why_full = proved.why_full + (filled ? "" : tr(" (counted with zeros in all buffers)"));
  return other;
}

std::size_t make_answers(std::span<const SurveyItem> items, const problem::Catalog& catalog,
                         const CountTools& tools, const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> looked_at{0};
  std::atomic<std::size_t> without{0};
  const insight::Cores all = cores(0);
  all.run(all.count, [&](std::size_t) {
    for (std::size_t i = next++; i < items.size(); i = next++) {
      const auto facts = count_launch(items[i], catalog, tools);
      without += facts && facts->why_not.empty() ? 0 : 1;
      done(++looked_at);
    }
  });
  return without;
}

}  // namespace tilestep::workspace

#include "workspace/survey.h"

#include "insight/count/line_sample.h"
#include "insight/count/profile.h"
#include "loading/prepare.h"
#include "ptx/sass/cubin.h"
#include "simt/machine/machine.h"
#include "workspace/counting.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {
namespace {

using state::TimingPage;

class Wishes {
 public:
  explicit Wishes(const SurveyContext& context) : context_(context) {}

  void add(const std::string& kernel, problem::Problem problem, int block_size) {
    const problem::LaunchSpec* spec = context_.catalog->find(kernel);
    if (spec != nullptr && (block_size > 0 || !spec->uses_block_size)) {
      items_.push_back({kernel, {problem, block_size}, context_.architecture});
    }
  }
  void add_all_block_sizes(const std::string& kernel, problem::Problem problem) {
    for (int block_size = 1; block_size <= problem::kLargestBlockSize; ++block_size) {
      add(kernel, problem, block_size);
    }
  }
  std::vector<SurveyItem> take() { return std::move(items_); }

 private:
  const SurveyContext& context_;
  std::vector<SurveyItem> items_;
};

void add_measured_kernels(const timing::DataSet& data, const problem::Problem& problem,
                          int block_size, Wishes& wishes) {
  for (const timing::Point& point : data.points) {
    if (point.problem == problem && point.block_size == block_size && !point.samples_ms.empty()) {
      wishes.add(point.kernel, point.problem, point.block_size);
    }
  }
}

std::optional<insight::BlockNeeds> needs_for(const problem::Launch& launch,
                                             compile::Compiler& compiler, int architecture) {
  if (architecture == 0) {
    return std::nullopt;
  }
  const auto output = compiler.compile(compile::make_cubin_request(launch, architecture));
  if (!output || !output->ok()) {
    return std::nullopt;
  }
  const auto kernel = ptx::read_cubin(output->cubin, output->entry);
  return kernel ? std::optional(insight::needs_of(*kernel, launch)) : std::nullopt;
}

void count(const problem::LaunchSpec& spec, compile::Compiler& compiler,
           const std::atomic<bool>& cancel, bool every_block, analysis::LaunchFacts& facts) {
  problem::InputSpec input;
  input.pattern = problem::Pattern::Constant;  // counts do not depend on it, and it is quick
  problem::Parameters parameters = facts.parameters;
  parameters.block_size = std::max(parameters.block_size, 1);  // 0: the kernel has none
  auto launch = problem::evaluate(spec, parameters, input, problem::BufferContents::Zero);
  if (!launch) {
    facts.why_not = launch.error().message;
    return;
  }
  if (!launch->not_on_gpu.empty()) {
    facts.why_not = launch->not_on_gpu.front();
    return;
  }
  loading::PrepareOptions options;
  options.architecture = facts.architecture;
  auto prepared = loading::prepare(compiler, std::move(*launch), options);
  if (!prepared) {
    facts.why_not = prepared.error().error.message;
    return;
  }
  facts.is_machine_code = prepared->is_machine_code;
  const auto fill = [&] {
    auto filled = loading::prepare(compiler, spec, parameters, input, options);
    if (filled) {
      *prepared = std::move(*filled);
    }
    return filled.has_value();
  };
  const insight::Profile profile = every_block ? count_every_block(*prepared, fill, &cancel)
                                               : count_launch(*prepared, fill, &cancel);
  facts.is_estimate = profile.method == insight::Method::Sample;
  facts.error = profile.error;
  const problem::Launch& counted = prepared->launch;
  const simt::Program& program = *prepared->program;
  facts.cost = insight::total_cost(program, profile);
  facts.accesses = insight::cost_by_access(program, profile);
  facts.needs = needs_for(counted, compiler, facts.architecture);
  facts.blocks = counted.grid.count();
  facts.barriers = insight::total_barriers(profile) / facts.blocks;
  const insight::LineSample sample = insight::sample_lines(prepared->program);
  const double all_requests =
      static_cast<double>(facts.cost.global_loads.requests + facts.cost.global_stores.requests +
                          facts.cost.global_atomics.requests) /
      static_cast<double>(facts.blocks);
  const double times = sample.is_whole || sample.requests == 0
                           ? 1.0
                           : all_requests / static_cast<double>(sample.requests);
  facts.lines = static_cast<double>(sample.lines) * times;
  facts.l2_sectors = static_cast<double>(sample.distinct_sectors) * times;
  facts.threads = static_cast<int>(counted.block.count());
}

}  // namespace

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

std::vector<SurveyItem> wanted(const state::AppState& state, const SurveyContext& context) {
  Wishes wishes(context);
  if (state.tab != state::Tab::Timing) {
    return {};
  }
  const state::TimingView& view = state.timing;
  if (!view.selected_kernel.empty()) {
    wishes.add(view.selected_kernel, view.problem, view.selected_block_size);
    if (const problem::LaunchSpec* next = next_rung(*context.catalog, view.selected_kernel)) {
      wishes.add(next->id, view.problem, view.selected_block_size);
    }
  }
  if (view.page == TimingPage::Roofline && context.dataset != nullptr) {
    add_measured_kernels(*context.dataset, view.problem, state.parameters.block_size, wishes);
  }
  if (view.page == TimingPage::Occupancy || (view.page == TimingPage::BlockSize && view.predict)) {
    wishes.add_all_block_sizes(state.kernel, view.problem);
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
  if (state.tab != state::Tab::Timing || context.dataset == nullptr) {
    return {};
  }
  Wishes wishes(context);
  wishes.add_all_block_sizes(state.kernel, state.timing.problem);
  add_measured_kernels(*context.dataset, state.timing.problem, state.parameters.block_size, wishes);
  if (!state.timing.selected_kernel.empty()) {
    wishes.add_all_block_sizes(state.timing.selected_kernel, state.timing.problem);
  }
  return wishes.take();
}

bool is_of(const analysis::LaunchFacts& facts, const SurveyItem& item) {
  return facts.kernel == item.kernel && facts.parameters == item.parameters &&
         facts.architecture == item.architecture;
}

std::optional<analysis::LaunchFacts> count_launch(const SurveyItem& item,
                                                  const problem::Catalog& catalog,
                                                  compile::Compiler& compiler,
                                                  const std::atomic<bool>& cancel) {
  analysis::LaunchFacts facts;
  facts.kernel = item.kernel;
  facts.parameters = item.parameters;
  facts.architecture = item.architecture;
  const auto spec = problem::find_spec(catalog, item.kernel);
  if (spec) {
    count(*spec, compiler, cancel, item.every_block, facts);
  } else {
    facts.why_not = spec.error().message;
  }
  return cancel ? std::nullopt : std::optional(std::move(facts));
}

}  // namespace tilestep::workspace

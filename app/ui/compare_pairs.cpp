#include "ui/compare_pairs.h"

#include "problem/describe/words.h"
#include "problem/source/syntax_check.h"
#include "problem/tr.h"
#include "simt/machine/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr const char* kNaive = "naive";
constexpr int kTeachingWarp = 4;

// "tiled_missing_barrier" was made from "tiled": the longest name of a kernel that it begins with.
const problem::LaunchSpec* made_from(const std::string& kernel, const problem::Catalog& catalog) {
  const problem::LaunchSpec* found = nullptr;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    if (kernel.starts_with(spec.id + "_") &&
        (found == nullptr || spec.id.size() > found->id.size())) {
      found = &spec;
    }
  }
  return found;
}

std::optional<state::Setup> with_kernel(state::Setup setup, const problem::LaunchSpec* spec) {
  if (spec == nullptr || spec->id == setup.kernel) {
    return std::nullopt;
  }
  setup.kernel = spec->id;
  setup.edited_source.clear();
  return setup;
}

// From the focus thread's line on, then from the start.
std::optional<state::Setup> without_barrier(state::Setup setup, const PairRequest& request) {
  int line = problem::next_barrier_line(request.source, std::max(request.line, 1));
  line = line == 0 ? problem::next_barrier_line(request.source, 1) : line;
  const auto text = problem::toggle_barrier(request.source, line);
  if (!text) {
    return std::nullopt;
  }
  setup.edited_source = *text;
  return setup;
}

std::optional<state::Setup> with_other_block_size(state::Setup setup, const PairRequest& request) {
  const problem::LaunchSpec* const spec = request.catalog.find(setup.kernel);
  if (spec == nullptr || !spec->uses_block_size) {
    return std::nullopt;
  }
  int& size = setup.parameters.block_size;
  size = 2 * size <= problem::kLargestBlockSize ? 2 * size : std::max(size / 2, 1);
  return setup;
}

std::optional<state::Setup> with_build(state::Setup setup, problem::Build build) {
  if (setup.build == build) {
    return std::nullopt;
  }
  setup.build = build;
  return setup;
}

}  // namespace

state::Setup with_adversary(state::Setup setup, std::uint32_t threads) {
  setup.schedule = {simt::ScheduleKind::RunAhead, 0};
  if (threads <= static_cast<std::uint32_t>(setup.warp_size)) {
    setup.warp_size = threads > kTeachingWarp ? kTeachingWarp : 1;
  }
  return setup;
}

bool is_adversary(const state::Setup& setup) {
  return setup.schedule.kind == simt::ScheduleKind::RunAhead;
}

std::optional<state::Setup> pair_of(Pair pair, const PairRequest& request) {
  const state::Setup setup = setup_of(request.state);
  switch (pair) {
    case Pair::RightKernel:
      return with_kernel(setup, made_from(setup.kernel, request.catalog));
    case Pair::OwnText: {
      state::Setup own = setup;
      own.edited_source.clear();
      return setup.edited_source.empty() ? std::nullopt : std::optional(own);
    }
    case Pair::WithoutBarrier:
      return without_barrier(setup, request);
    case Pair::Naive:
      return with_kernel(setup, request.catalog.find(kNaive));
    case Pair::BlockSize:
      return with_other_block_size(setup, request);
    case Pair::FastBuild:
      return with_build(setup, problem::Build::Fast);
    case Pair::StepBuild:
      return with_build(setup, problem::Build::Step);
    case Pair::Adversary:
      return is_adversary(setup) ? std::nullopt
                                 : std::optional(with_adversary(setup, request.threads));
  }
  return std::nullopt;
}

std::optional<state::Setup> first_pair(const PairRequest& request) {
  const problem::LaunchSpec* const spec = request.catalog.find(request.state.kernel);
  const bool is_broken = spec != nullptr && spec->family == problem::kBrokenFamily;
  const std::array order{Pair::OwnText, is_broken ? Pair::RightKernel : Pair::WithoutBarrier,
                         Pair::RightKernel, Pair::Naive, Pair::BlockSize};
  for (const Pair pair : order) {
    if (auto setup = pair_of(pair, request)) {
      return setup;
    }
  }
  return std::nullopt;
}

std::string title_of(const state::Setup& setup, const problem::Catalog& catalog) {
  const problem::LaunchSpec* const spec = catalog.find(setup.kernel);
  return spec == nullptr ? setup.kernel.substr(setup.kernel.find_last_of('/') + 1)
                         : tr(spec->title.c_str());
}

std::string first_side_words(const state::Setup& one, const problem::Catalog& catalog) {
  const bool is_fast = one.build == problem::Build::Fast;
  return title_of(one, catalog) +
         (one.edited_source.empty() ? "" : fmt::format(" · {}", tr("edited"))) +
         (is_fast ? fmt::format(" · {}", word_of(one.build).label) : "");
}

std::string difference_words(const state::Setup& one, const state::Setup& two,
                             const problem::Catalog& catalog) {
  std::string words = title_of(two, catalog);
  const auto add = [&words](bool differs, const std::string& text) {
    words += differs ? " · " + text : "";
  };
  add(!two.edited_source.empty(), tr("edited"));
  const problem::Problem& p = two.parameters.problem;
  add(p != one.parameters.problem, fmt::format("{}×{}×{}", p.M, p.N, p.K));
  add(two.parameters.block_size != one.parameters.block_size,
      fmt::format("BLOCK_SIZE {}", two.parameters.block_size));
  add(two.input != one.input, tr("other input"));
  add(two.schedule != one.schedule, word_of(two.schedule.kind).label.text());
  add(two.warp_size != one.warp_size, tr("{} lanes a warp", two.warp_size));
  add(two.build != one.build, word_of(two.build).label.text());
  return words;
}

}  // namespace tilestep::ui

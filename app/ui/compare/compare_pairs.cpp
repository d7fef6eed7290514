#include "problem/describe/words.h"
#include "problem/source/syntax_check.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"
#include "ui/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr const char* kNaive = "naive";
constexpr int kTeachingWarp = 4;

// The kernel from which a broken one is derived ("tiled" for "tiled_missing_barrier"): the longest
// kernel name that its name begins with.
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

// Searches from the focus thread's line, then from the start.
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

// Sizes in lines of text.
constexpr float kCompareGap = 0.4F;
constexpr float kTracks = 4.6F;         // two rows of phases with their marks
constexpr float kTracksButtons = 7.0F;  // … and the buttons below
constexpr float kBelowStages = 9.6F;    // sources and card
constexpr float kRoomForButtons = 32.0F;
constexpr float kLeastBelow = 4.4F;
constexpr float kRoomForStages = 32.0F;  // and the timeline
constexpr float kRoomForBoth = 84.0F;    // wide enough for both sources and the card
constexpr float kShareOfEditor = 0.5F;
constexpr float kShareOfSource = 0.31F;

void stand_below(ComparePlan& plan, const Box& row, float gap, bool is_wide) {
  if (is_wide) {
    const float source = std::round(kShareOfSource * row.w);
    plan.sources[0] = {row.x, row.y, source, row.h};
    plan.sources[1] = {row.right() - source, row.y, source, row.h};
    const float left = plan.sources[0].right() + gap;
    plan.card = {left, row.y, plan.sources[1].x - gap - left, row.h};
    return;
  }
  const float half = std::round(0.5F * (row.w - gap));
  plan.card = {row.x, row.y, half, row.h};
  plan.sources[1] = {row.x + half + gap, row.y, row.w - half - gap, row.h};
}

std::uint32_t threads_of(const Context& context) {
  return context.view.run.scene == nullptr
             ? 0
             : static_cast<std::uint32_t>(context.view.run.scene->launch.block.count());
}

PairRequest request_of(const Context& context) {
  const state::Focus& focus = context.state.focus;
  const int line = context.view.run.state == nullptr
                       ? 0
                       : static_cast<int>(context.view.run.state->line(focus.block, focus.thread));
  return {context.state, *context.view.kernels.catalog, context.view.source.text, line,
          threads_of(context)};
}

Commands open_beside(const Context& context, state::Setup second) {
  return {state::SetTab{state::Tab::Step},
          state::Compare{{true, std::move(second), context.state.comparison.alignment}}};
}

// Commands that set side 1's schedule.
void set_schedule(const state::Setup& setup, Commands& commands) {
  commands.emplace_back(state::SetSchedule{setup.schedule});
  commands.emplace_back(state::SetWarpSize{setup.warp_size});
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
    case Pair::MachineCode:
      return with_build(setup, problem::Build::Machine);
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
  return title_of(one, catalog) +
         (one.edited_source.empty() ? "" : fmt::format(" · {}", tr("edited"))) +
         (one.build != problem::Build::Step ? fmt::format(" · {}", word_of(one.build).label) : "");
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
  add(two.input != one.input, tr("different input"));
  add(two.schedule != one.schedule, word_of(two.schedule.kind).label.text());
  add(two.warp_size != one.warp_size, tr("{} lanes per warp", two.warp_size));
  add(two.build != one.build, word_of(two.build).label.text());
  return words;
}

ComparePlan plan_compare(const Box& room, float font, bool edits, bool is_lecture,
                         float instrument) {
  ComparePlan plan;
  const float gap = std::round(kCompareGap * font);
  const float width = room.w - 2.0F * gap;
  plan.is_short = is_lecture || room.h < kRoomForButtons * font;
  const float tracks = std::round((plan.is_short ? kTracks : kTracksButtons) * font);
  plan.timeline = {room.x + gap, room.bottom() - gap - tracks, width, tracks};
  const float top = room.y + gap;
  float bottom = plan.timeline.y - gap;
  if (instrument > 0.0F) {
    plan.instrument = {plan.timeline.x, bottom - instrument, width, instrument};
    bottom = plan.instrument.y - gap;
  }
  const float free = std::min(kBelowStages, (room.h - instrument) / font - kRoomForStages);
  if ((free >= kLeastBelow && !is_lecture) || edits) {
    const float below = std::round(edits ? kShareOfEditor * (bottom - top) : free * font);
    const Box row{room.x + gap, bottom - below, width, below};
    stand_below(plan, row, gap, room.w >= kRoomForBoth * font);
    if (edits) {  // the edited text is side 1's
      plan.sources[0] = plan.sources[0].w > 0.0F ? plan.sources[0] : plan.sources[1];
      plan.sources[1] = plan.sources[0] == plan.sources[1] ? Box{} : plan.sources[1];
    }
    bottom = row.y - gap;
  }
  if (width >= bottom - top) {
    const float half = std::round(0.5F * (width - gap));
    plan.sides[0] = {room.x + gap, top, half, bottom - top};
    plan.sides[1] = {room.x + gap + half + gap, top, width - half - gap, bottom - top};
  } else {
    const float half = std::round(0.5F * (bottom - top - gap));
    plan.sides[0] = {room.x + gap, top, width, half};
    plan.sides[1] = {room.x + gap, top + half + gap, width, bottom - top - half - gap};
  }
  return plan;
}

Commands compare_with(const Context& context, Pair pair) {
  const PairRequest request = request_of(context);
  auto second = pair_of(pair, request);
  if (!second) {
    return {};
  }
  Commands commands;
  if (pair == Pair::WithoutBarrier && !is_adversary(*second)) {
    set_schedule(with_adversary(setup_of(context.state), request.threads), commands);
    *second = with_adversary(std::move(*second), request.threads);
  }
  for (state::Command& command : open_beside(context, std::move(*second))) {
    commands.push_back(std::move(command));
  }
  return commands;
}

Commands toggle_compare(const Context& context) {
  state::Comparison comparison = context.state.comparison;
  if (comparison.on) {
    comparison.on = false;
    return {state::Compare{std::move(comparison)}};
  }
  const bool was_chosen =
      comparison.second != state::Setup{} && comparison.second != setup_of(context.state);
  auto second = was_chosen ? std::optional(comparison.second) : first_pair(request_of(context));
  return second ? open_beside(context, std::move(*second)) : Commands{};
}

Commands toggle_adversary(const Context& context) {
  const auto changed = [&context](state::Setup setup) {
    if (!is_adversary(setup)) {
      return with_adversary(std::move(setup), threads_of(context));
    }
    setup.schedule = {};
    setup.warp_size = simt::kWarpSize;
    return setup;
  };
  Commands commands;
  const state::Setup first = changed(setup_of(context.state));
  set_schedule(first, commands);
  if (context.state.comparison.on) {
    state::Comparison comparison = context.state.comparison;
    comparison.second.schedule = first.schedule;
    comparison.second.warp_size = first.warp_size;
    commands.emplace_back(state::Compare{std::move(comparison)});
  }
  return commands;
}

}  // namespace tilestep::ui

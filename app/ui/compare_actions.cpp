#include "ui/compare_actions.h"

#include <utility>

namespace tilestep::ui {
namespace {

std::uint32_t threads_of(const Context& context) {
  return context.view.scene == nullptr
             ? 0
             : static_cast<std::uint32_t>(context.view.scene->launch.block.count());
}

PairRequest request_of(const Context& context) {
  const state::Focus& focus = context.state.focus;
  const int line = context.view.state == nullptr
                       ? 0
                       : static_cast<int>(context.view.state->line(focus.block, focus.thread));
  return {context.state, *context.view.catalog, context.view.source, line, threads_of(context)};
}

Commands open_beside(const Context& context, state::Setup second) {
  return {state::SetTab{state::Tab::Step},
          state::Compare{{true, std::move(second), context.state.comparison.alignment}}};
}

// The commands that give side 1 the adversary's schedule, or lockstep.
void set_schedule(const state::Setup& setup, Commands& commands) {
  commands.emplace_back(state::SetSchedule{setup.schedule});
  commands.emplace_back(state::SetWarpSize{setup.warp_size});
}

}  // namespace

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

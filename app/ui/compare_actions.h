// Two runs side by side, as actions.
#pragma once

#include "record/words.h"
#include "ui/actions.h"
#include "ui/compare_pairs.h"
#include "ui/history_actions.h"

#include <array>
#include <utility>

namespace tilestep::ui {

[[nodiscard]] Commands compare_with(const Context& context, Pair pair);
// What was compared last, or else the first pair that is worth looking at; again: side 1 alone.
[[nodiscard]] Commands toggle_compare(const Context& context);
// On both sides, where two are there; again: lockstep.
[[nodiscard]] Commands toggle_adversary(const Context& context);

template <Pair pair>
Commands beside(const Context& context) {
  return compare_with(context, pair);
}
template <int direction>
Commands go_to_difference(const Context&) {
  return {state::GoToDifference{direction}};
}
template <record::Alignment alignment>
Commands align_by(const Context& context) {
  state::Comparison comparison = context.state.comparison;
  comparison.alignment = alignment;
  return {state::Compare{std::move(comparison)}};
}

inline constexpr std::array kCompareActions{
    Action{ActionId::ToggleCompare, ActionGroup::Comparing, "Compare",
           "A second run beside this one; again closes it.", ImGuiKey_Equal, 0, false,
           toggle_compare},
    Action{ActionId::SwapSides, ActionGroup::Comparing, "Swap sides 1 and 2",
           "Side 2 becomes side 1.", ImGuiKey_Tab, 0, false, just<state::SwapSides>},
    Action{ActionId::OpenSecond, ActionGroup::Comparing, "Side 2 alone",
           "Closes side 1; side 2 stays.", ImGuiKey_V, 0, false, just<state::OpenSecond>},
    Action{ActionId::NextDifference, ActionGroup::Comparing, "Next difference",
           "Runs both sides to the next sum that takes another product in one of them.", ImGuiKey_D,
           0, true, go_to_difference<+1>},
    Action{ActionId::LastDifference, ActionGroup::Comparing, "Previous difference",
           "Runs both sides back to the difference before.", ImGuiMod_Shift | ImGuiKey_D, 0, true,
           go_to_difference<-1>},
    Action{ActionId::BesideRight, ActionGroup::Comparing, "Beside the right kernel",
           "Compares a broken kernel with the one it was made from.", 0, 0, false,
           beside<Pair::RightKernel>},
    Action{ActionId::BesideOwnText, ActionGroup::Comparing, "Beside the file's own text",
           "Compares an edited kernel with its text before.", 0, 0, false, beside<Pair::OwnText>},
    Action{ActionId::BesideBarrier, ActionGroup::Comparing, "Beside: without this barrier",
           "Side 2 lacks the next barrier of the source; warp 0 runs ahead on both sides.", 0, 0,
           false, beside<Pair::WithoutBarrier>},
    Action{ActionId::BesideNaive, ActionGroup::Comparing, "Beside naive",
           "Compares with the kernel that reads everything from global memory.", 0, 0, false,
           beside<Pair::Naive>},
    Action{ActionId::BesideBlockSize, ActionGroup::Comparing, "Beside another BLOCK_SIZE",
           "Side 2 has twice the BLOCK_SIZE, or half of it.", 0, 0, false, beside<Pair::BlockSize>},
    Action{ActionId::BesideFastBuild, ActionGroup::Comparing, "Beside the fast build",
           "The same text on side 2, optimised as the hardware runs it.", 0, 0, false,
           beside<Pair::FastBuild>},
    Action{ActionId::BesideStepBuild, ActionGroup::Comparing, "Beside the step build",
           "The same text on side 2, line after line as it is written.", 0, 0, false,
           beside<Pair::StepBuild>},
    Action{ActionId::BesideAdversary, ActionGroup::Comparing, "Beside the adversary",
           "The same kernel on side 2, where warp 0 runs ahead.", 0, 0, false,
           beside<Pair::Adversary>},
    Action{ActionId::AlignByStatement, ActionGroup::Comparing, "Align by statement",
           word_of(record::Alignment::Statement).tooltip, 0, 0, false,
           align_by<record::Alignment::Statement>},
    Action{ActionId::AlignByPhase, ActionGroup::Comparing, "Align by phase",
           word_of(record::Alignment::Phase).tooltip, 0, 0, false,
           align_by<record::Alignment::Phase>},
    Action{ActionId::AlignByProduct, ActionGroup::Comparing, "Align by product",
           word_of(record::Alignment::Product).tooltip, 0, 0, false,
           align_by<record::Alignment::Product>},
    Action{ActionId::Adversary, ActionGroup::Comparing, "Adversary",
           "Warp 0 runs as far as barriers let it: shows what a missing barrier does. Again: "
           "lockstep.",
           ImGuiKey_A, 0, false, toggle_adversary},
};

}  // namespace tilestep::ui

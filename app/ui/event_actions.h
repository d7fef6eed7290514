// Running to what happens next, as actions: one forward and one back for each kind of event.
#pragma once

#include "record/words.h"
#include "ui/actions.h"

#include <array>

namespace tilestep::ui {

template <record::EventKind kind, int direction>
Commands run_to(const Context&) {
  return {state::RunToEvent{kind, direction}};
}
// What was run to last.
template <int direction>
Commands run_again(const Context& context) {
  return {state::RunToEvent{context.state.event, direction}};
}

// One row a kind: the words differ in more than a prefix.
template <record::EventKind kind>
constexpr std::array<Action, 2> event_pair(ActionId next, Message next_label, ActionId last,
                                           Message last_label, Message tooltip,
                                           ImGuiKeyChord key = 0) {
  return {Action{next, ActionGroup::Running, next_label, tooltip, key, 0, false, run_to<kind, +1>},
          Action{last, ActionGroup::Running, last_label, tooltip,
                 key == 0 ? 0 : (ImGuiMod_Shift | key), 0, false, run_to<kind, -1>}};
}

using enum record::EventKind;
inline constexpr std::array kEventPairs{
    event_pair<Finding>(ActionId::NextFinding, Message("Next finding"), ActionId::LastFinding,
                        Message("Previous finding"), Message("Runs to what the check finds wrong."),
                        ImGuiKey_R),
    event_pair<Barrier>(ActionId::NextBarrier, Message("Next barrier"), ActionId::LastBarrier,
                        Message("Previous barrier"),
                        Message("Runs to where a barrier lets threads go on.")),
    event_pair<BankConflict>(
        ActionId::NextBankConflict, Message("Next bank conflict"), ActionId::LastBankConflict,
        Message("Previous bank conflict"),
        Message("Runs to where shared memory needs more passes than it had to.")),
    event_pair<Uncoalesced>(
        ActionId::NextUncoalesced, Message("Next uncoalesced access"), ActionId::LastUncoalesced,
        Message("Previous uncoalesced access"),
        Message("Runs to where a warp touches more sectors than its bytes fill.")),
    event_pair<Divergence>(ActionId::NextDivergence, Message("Next divergence"),
                           ActionId::LastDivergence, Message("Previous divergence"),
                           Message("Runs to where some lanes of a warp branch and others do not.")),
    event_pair<MaskedLane>(ActionId::NextMaskedLane, Message("Next masked lane"),
                           ActionId::LastMaskedLane, Message("Previous masked lane"),
                           Message("Runs to where lanes of a warp sit a line out.")),
    event_pair<Nan>(ActionId::NextNan, Message("Next NaN"), ActionId::LastNan,
                    Message("Previous NaN"), Message("Runs to where a NaN comes out of numbers.")),
    event_pair<Access>(ActionId::NextAccess, Message("Next access of the chosen cell"),
                       ActionId::LastAccess, Message("Previous access of the chosen cell"),
                       Message("Runs to where the chosen cell, or else what is watched, is used."),
                       ImGuiKey_Enter),
    event_pair<Change>(ActionId::NextChange, Message("Next change of what is watched"),
                       ActionId::LastChange, Message("Previous change of what is watched"),
                       Message("Runs to where the watched expression gets another value.")),
};

inline constexpr std::array kEventActions = [] {
  constexpr Action kAgain =
      Action{ActionId::NextEvent,
             ActionGroup::Running,
             "Next event of this kind",
             "Runs to the next of what was chosen last: a finding, a barrier, a conflict, …",
             ImGuiKey_E,
             0,
             true,
             run_again<+1>};
  constexpr Action kAgainBack = Action{ActionId::LastEvent,
                                       ActionGroup::Running,
                                       "Previous event of this kind",
                                       "Runs back to the last of what was chosen last.",
                                       ImGuiMod_Shift | ImGuiKey_E,
                                       0,
                                       true,
                                       run_again<-1>};
  std::array<Action, 2 * kEventPairs.size() + 2> all{kAgain, kAgainBack};
  for (std::size_t i = 0; i < kEventPairs.size(); ++i) {
    all[2 * i + 2] = kEventPairs[i][0];
    all[2 * i + 3] = kEventPairs[i][1];
  }
  return all;
}();

// The action that runs to a kind.
[[nodiscard]] constexpr const Action& event_action(record::EventKind kind, int direction) {
  return kEventPairs[static_cast<std::size_t>(kind)][direction > 0 ? 0 : 1];
}

}  // namespace tilestep::ui

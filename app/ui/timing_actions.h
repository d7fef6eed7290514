// What the Timing tab does beside showing its pages, as actions: two points, a curve that is drawn
// before it is seen, another GPU.
#pragma once

#include "timing/dataset.h"
#include "ui/actions.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tilestep::ui {

// On the Timing tab, with what is on the stage where nothing is selected.
inline Commands compare_with(const Context& c, std::string kernel, int block_size) {
  state::TimingView view = c.state.timing;
  view.against = {std::move(kernel), block_size, ""};
  if (view.selected_kernel.empty()) {
    const problem::LaunchSpec* const spec = c.view.catalog->find(c.state.kernel);
    view.selected_kernel = c.state.kernel;
    view.selected_block_size =
        spec != nullptr && !spec->uses_block_size ? 0 : c.state.parameters.block_size;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

// Again: one further.
template <int by>
Commands compare_neighbour(const Context& c) {
  const state::TimingView& view = c.state.timing;
  const std::string kernel = view.selected_kernel.empty() ? c.state.kernel : view.selected_kernel;
  const int own =
      view.selected_kernel.empty() ? c.state.parameters.block_size : view.selected_block_size;
  if (own == 0) {
    return {};  // a kernel without BLOCK_SIZE has no neighbours
  }
  const int from = view.against.kernel == kernel ? view.against.block_size : own;
  int next = std::clamp(from + by, 1, problem::kLargestBlockSize);
  next = next == own ? std::clamp(own + by, 1, problem::kLargestBlockSize) : next;
  return next == own ? Commands{} : compare_with(c, kernel, next);
}

inline Commands compare_naive(const Context& c) {
  const int size = c.state.timing.selected_block_size;
  return compare_with(c, "naive", size > 0 ? size : c.state.parameters.block_size);
}

inline Commands compare_cublas(const Context& c) {
  return compare_with(c, timing::kCublas, 0);
}

inline Commands end_comparison(const Context& c) {
  state::TimingView view = c.state.timing;
  view.against = {};
  return {state::SetTimingView{view}};
}

// Again: leaves it.
inline Commands guess_curve(const Context& c) {
  state::TimingView view = c.state.timing;
  const bool is_on = !view.guess.kernel.empty();
  view.guess = {};
  if (!is_on) {
    view.guess.kernel = c.state.kernel;
    view.page = state::TimingPage::BlockSize;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

inline Commands reveal_curve(const Context& c) {
  state::TimingView view = c.state.timing;
  if (view.guess.kernel.empty()) {
    return {};
  }
  view.guess.shown = !view.guess.shown;
  return {state::SetTimingView{view}};
}

inline Commands toggle_what_if(const Context& c) {
  state::TimingView view = c.state.timing;
  view.what_if_open = !view.what_if_open;
  if (view.what_if_open) {
    view.page = state::TimingPage::BlockSize;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

inline Commands reset_what_if(const Context& c) {
  state::TimingView view = c.state.timing;
  view.what_if = {};
  return {state::SetTimingView{view}};
}

inline Commands toggle_method(const Context& c) {
  state::TimingView view = c.state.timing;
  view.method_open = !view.method_open;
  return {state::SetTimingView{view}};
}

inline constexpr std::array kTimingActions{
    Action{ActionId::CompareNext, ActionGroup::Looking, "Compare with the next BLOCK_SIZE",
           "Says why one of the two is slower; again: with the one after it.", ImGuiKey_C, 0, true,
           compare_neighbour<+1>},
    Action{ActionId::CompareLast, ActionGroup::Looking, "Compare with the previous BLOCK_SIZE",
           "Says why one of the two is slower; again: with the one before it.",
           ImGuiMod_Shift | ImGuiKey_C, 0, true, compare_neighbour<-1>},
    Action{ActionId::CompareNaive, ActionGroup::Looking, "Compare with naive",
           "Says where the ratio to the naive kernel of this BLOCK_SIZE comes from.", 0, 0, false,
           compare_naive},
    Action{ActionId::CompareCublas, ActionGroup::Looking, "Compare with cuBLAS",
           "Shows the ratio to cuBLAS.", 0, 0, false, compare_cublas},
    Action{ActionId::EndComparison, ActionGroup::Looking, "Compare with nothing",
           "Ends the comparison of two timing points.", 0, 0, false, end_comparison},
    Action{ActionId::GuessCurve, ActionGroup::Working, "Predict before you see",
           "Hides the measured curve of the kernel on the stage, so that you can draw yours; again "
           "leaves it.",
           0, 0, false, guess_curve},
    Action{ActionId::RevealCurve, ActionGroup::Working, "Show or hide the measured curve",
           "Shows what was measured beside what you have drawn.", 0, 0, false, reveal_curve},
    Action{ActionId::ToggleWhatIf, ActionGroup::Working, "What if the GPU were another",
           "Opens sliders for SMs, clock, bandwidths; the predicted curve follows.", 0, 0, false,
           toggle_what_if},
    Action{ActionId::ResetWhatIf, ActionGroup::Working, "Reset the what-if GPU",
           "Predicts for the GPU as it is again.", 0, 0, false, reset_what_if},
    Action{ActionId::ToggleMethod, ActionGroup::Working, "How it was measured",
           "Unfolds GPU, driver, clocks and method of the data set; again folds them.", 0, 0, false,
           toggle_method},
};

}  // namespace tilestep::ui

#include "ui/timing/seen_words.h"

#include "problem/tr.h"
#include "problem/words.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilestep::ui {
namespace {

using analysis::Sight;

constexpr std::uint32_t kLanes = 32;

struct SeenWords {
  Sight sight;
  Message face;  // {0}: the line, {1}: the warp
  Message tooltip;
};
constexpr std::array kWordsOfSights{
    SeenWords{Sight::Memory, Message("Show line {0}"),
              Message("Opens the stage there, with the sectors and banks that its accesses use.")},
    SeenWords{Sight::Warp, Message("Show warp {1}"),
              Message("Opens the stage with this warp, lane by lane.")},
    SeenWords{Sight::MaskedLanes, Message("Show masked lanes"),
              Message("Opens the stage where lanes of a warp sit a statement out.")},
    SeenWords{Sight::Barrier, Message("Show the barrier"),
              Message("Opens the stage at the first barrier.")},
    SeenWords{Sight::Ptx, Message("Show its PTX"),
              Message("Opens the stage there, with the instructions.")},
    SeenWords{Sight::Occupancy, Message("Show occupancy"),
              Message("Shows how many warps an SM holds, and what limits them.")},
    SeenWords{Sight::BySize, Message("Show all sizes"), Message("Shows the plot over N.")},
    SeenWords{Sight::Roofline, Message("Show the roofline"),
              Message("Shows the plot with the GPU's ceilings.")},
};

const SeenWords& words_of_sight(Sight sight) {
  return *std::ranges::find(kWordsOfSights, sight, &SeenWords::sight);
}

// Pages of the Timing tab are about the kernel on the stage.
Commands go_to_page(const Context& context, state::TimingPage page,
                    const state::TimedPoint& point) {
  state::TimingView view = context.state.timing;
  view.page = page;
  return {state::SelectKernel{point.kernel}, state::SetTimingView{view}};
}

}  // namespace

std::string kernel_title(const Context& context, const std::string& id) {
  const problem::LaunchSpec* spec = context.view.catalog->find(id);
  const timing::CublasSeries* const cublas = timing::find_cublas(id);
  return spec != nullptr ? tr(spec->title.c_str()) : cublas != nullptr ? cublas->title.text() : id;
}

std::string seen_face(const analysis::SeenAt& seen) {
  return fmt::format(fmt::runtime(words_of_sight(seen.sight).face.text()), seen.line,
                     seen.thread / kLanes);
}

std::string seen_tooltip(const analysis::SeenAt& seen, const std::string& name) {
  return fmt::format("{}\n{}", name, words_of_sight(seen.sight).tooltip);
}

Commands go_to_seen(const Context& context, const analysis::SeenAt& seen,
                    const state::TimedPoint& point) {
  state::OpenOnStage open{point.kernel, point.block_size, static_cast<int>(seen.line)};
  switch (seen.sight) {
    case Sight::Memory:
      open.thread = 0;
      open.beside = state::Beside::Memory;
      break;
    case Sight::Warp:
      open.thread = seen.thread;
      open.beside = state::Beside::Warp;
      break;
    case Sight::MaskedLanes:
      open.event = record::EventKind::MaskedLane;
      open.beside = state::Beside::Warp;
      break;
    case Sight::Barrier:
      open.event = record::EventKind::Barrier;
      break;
    case Sight::Ptx:
      open.beside = state::Beside::Ptx;
      break;
    case Sight::Occupancy:
      return go_to_page(context, state::TimingPage::Occupancy, point);
    case Sight::BySize:
      return go_to_page(context, state::TimingPage::Size, point);
    case Sight::Roofline:
      return go_to_page(context, state::TimingPage::Roofline, point);
  }
  return {open};
}

}  // namespace tilestep::ui

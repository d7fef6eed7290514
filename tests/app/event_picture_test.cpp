// Every event of a statement is visible: a picture without it has other pixels.
#include "app/harness.h"
#include "insight/check/race_effect.h"
#include "lesson/lesson.h"
#include "ui/draw.h"
#include "ui/stage/run_marks.h"
#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::test {
namespace {

struct Shown {
  std::string kernel = "tiled";
  problem::Parameters parameters{{8, 8, 8}, 4};
  simt::Schedule schedule{};
  int warp_size = simt::kWarpSize;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool show_memory = false;
};

// The window at the end of a statement, and the same with one thing removed.
class EventPicture {
 public:
  explicit EventPicture(const Shown& shown)
      : compiler_(workspace::cache_options(build_tree_paths())),
        workspace_(build_tree_paths(), compiler_),
        window_(off_screen(1600, 900)) {
    state::AppState state;
    state.kernel = shown.kernel;
    state.parameters = shown.parameters;
    state.schedule = shown.schedule;
    state.warp_size = shown.warp_size;
    state.focus.block = shown.block;
    state.focus.thread = shown.thread;
    state.show_memory = shown.show_memory;
    state.animate = false;
    workspace_.set_state(state);
    workspace_.settle();
    if (workspace_.view().run.scene == nullptr) {
      throw std::runtime_error(workspace_.view().messages.error);
    }
  }

  [[nodiscard]] const record::Recording& recording() const {
    return *workspace_.view().run.scene->recording;
  }
  [[nodiscard]] const workspace::FrameView& view() const { return workspace_.view(); }

  void go_to(std::uint64_t step) {
    state::AppState state = workspace_.state();
    state.step = step;
    workspace_.set_state(state);
    workspace_.settle();
  }
  // The end of the first statement for which a condition holds.
  void go_to_first(const std::function<bool(const record::Activity&)>& is_so) {
    const auto starts = recording().statement_starts();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      if (is_so(recording().activity(starts[i], starts[i + 1]))) {
        go_to(starts[i + 1]);
        return;
      }
    }
    throw std::runtime_error("no such statement");
  }

  using Retouch = std::function<void(workspace::FrameView&, record::Activity&)>;
  // The number of pixels that differ after `without` has removed something.
  [[nodiscard]] std::size_t pixels_of(const Retouch& without) {
    const platform::Image whole = draw([](workspace::FrameView&, record::Activity&) {});
    const platform::Image less = draw(without);
    return different_pixels(whole, less);
  }

 private:
  platform::Image draw(const Retouch& retouch) {
    workspace::FrameView view = workspace_.view();
    const auto statement = std::make_shared<record::Activity>(*view.run.statement);
    view.run.statement = statement;
    retouch(view, *statement);
    ui::Memory memory;
    for (int i = 0; i < 6; ++i) {
      window_.frame(0.0, [&] {
        static_cast<void>(ui::draw({workspace_.state(), view, ui::theme(workspace_.state().theme),
                                    window_.fonts(), &window_.cells(), memory, 0.0}));
      });
    }
    return window_.read_pixels();
  }

  compile::Compiler compiler_;
  workspace::Workspace workspace_;
  platform::Window window_;
};

bool any_access(const record::Activity& statement, ptx::Space space, simt::AccessKind kind) {
  return std::any_of(
      statement.accesses.begin(), statement.accesses.end(),
      [&](const record::Access& a) { return a.event.space == space && a.event.kind == kind; });
}

// Changes the warp's accesses as if every lane had the next word.
void coalesce(record::Activity& statement) {
  for (record::Access& access : statement.accesses) {
    const std::uint64_t first = access.event.addresses[0];
    for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
      access.event.addresses.set(lane, first + std::uint64_t{lane} * access.event.bytes);
    }
  }
}

TEST(EventPicture, UncoalescedLoadsFillTheFreeCorner) {
  EventPicture picture({.kernel = "naive_uncoalesced", .parameters = {{16, 16, 16}, 8}});
  picture.go_to_first([](const record::Activity& s) {
    return any_access(s, ptx::Space::Global, simt::AccessKind::Load);
  });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) { coalesce(statement); }), 2000U);
}

TEST(EventPicture, BankConflictsFillTheFreeCorner) {
  EventPicture picture({.kernel = "tiled_transposed", .parameters = {{16, 16, 16}, 16}});
  picture.go_to_first([](const record::Activity& s) {
    return any_access(s, ptx::Space::Shared, simt::AccessKind::Store);
  });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) { coalesce(statement); }), 2000U);
}

TEST(EventPicture, KeyMLaysBothOverTheStage) {
  EventPicture picture(
      {.kernel = "tiled_transposed", .parameters = {{16, 16, 16}, 16}, .show_memory = true});
  picture.go_to_first([](const record::Activity& s) {
    return any_access(s, ptx::Space::Shared, simt::AccessKind::Store);
  });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) { coalesce(statement); }), 20000U);
}

// Removes the check.
void forget_findings(workspace::FrameView& view, record::Activity&) {
  view.run.check = nullptr;
}

const simt::Schedule kRunAhead{simt::ScheduleKind::RunAhead};

TEST(EventPicture, AStrikeOfARaceIsSeenWhereTheLostValueIsRead) {
  EventPicture picture(
      {.kernel = "tiled_missing_barrier", .schedule = kRunAhead, .warp_size = 4, .thread = 4});
  const auto effects = insight::find_race_effects(picture.recording(), 0);
  ASSERT_FALSE(effects.empty());
  const auto starts = picture.recording().statement_starts();
  picture.go_to(*std::upper_bound(starts.begin(), starts.end(), effects.front().reader.step));
  EXPECT_GT(picture.pixels_of(forget_findings), 20000U);
}

TEST(EventPicture, AStrikeOfARaceIsSeenWhereAValueIsReadTooEarly) {
  EventPicture picture(
      {.kernel = "tiled_missing_first_barrier", .schedule = kRunAhead, .warp_size = 4});
  const auto effects = insight::find_race_effects(picture.recording(), 0);
  ASSERT_FALSE(effects.empty());
  const auto starts = picture.recording().statement_starts();
  picture.go_to(*std::upper_bound(starts.begin(), starts.end(), effects.front().reader.step));
  EXPECT_GT(picture.pixels_of(forget_findings), 20000U);
}

TEST(EventPicture, ABarrierThatEverybodyHasReachedClosesAroundTheThreads) {
  EventPicture picture({});
  picture.go_to_first([](const record::Activity& s) { return !s.barriers.empty(); });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) { statement.barriers.clear(); }), 1000U);
}

TEST(EventPicture, LanesThatAreOffAreDashedAndFaint) {
  EventPicture picture({.parameters = {{7, 5, 6}, 4}, .block = 3});
  const auto is_partial = [](const record::Activity::Executed& e) {
    return e.warp.block == 3 && e.mask != e.live && e.mask != 0;
  };
  picture.go_to_first([&](const record::Activity& s) {
    return std::any_of(s.executed.begin(), s.executed.end(), is_partial);
  });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) {
    for (record::Activity::Executed& e : statement.executed) {
      e.mask = e.live;
    }
  }),
            1000U);
}

TEST(EventPicture, AnAccessOutOfRangeIsAGhostBesideItsArray) {
  EventPicture picture({.kernel = "tiled_no_guard", .parameters = {{7, 5, 6}, 4}});
  picture.go_to_first([](const record::Activity& s) {
    return std::any_of(s.faults.begin(), s.faults.end(),
                       [](const auto& f) { return f.warp.block == 0; });
  });
  EXPECT_GT(picture.pixels_of([](auto&, auto& statement) { statement.faults.clear(); }), 500U);
}

// A copy in flight is drawn from the whole run, so this compares with the step after its arrival,
// when its cells have another border and other digits.
TEST(EventPicture, CopiesOnTheirWayAreDashed) {
  EventPicture picture({.kernel = "double_buffered"});
  picture.go_to_first([](const record::Activity& s) {
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [](const record::Access& a) { return a.event.is_issue; });
  });
  const record::Recording& whole = picture.recording();
  ui::RunMarks marks;
  ASSERT_FALSE(marks.advance(whole, workspace::Generation::next(), 0, whole.step_count()));
  ASSERT_FALSE(marks.copies().empty());
  const std::uint64_t step = picture.view().run.state->step();
  EXPECT_TRUE(std::any_of(marks.copies().begin(), marks.copies().end(),
                          [step](const ui::CopyFlight& c) { return c.is_under_way(step); }));
  EXPECT_TRUE(std::all_of(marks.copies().begin(), marks.copies().end(),
                          [&](const ui::CopyFlight& c) { return c.arrived < whole.step_count(); }));
}

}  // namespace
}  // namespace tilestep::test

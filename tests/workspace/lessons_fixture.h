// A workspace with the shipped lessons, and a user's folders of its own.
#pragma once

#include "build_tree_paths.h"
#include "kept_outputs.h"
#include "temporary_folder.h"
#include "workspace/workspace.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tilestep::test {

class LessonsFixture : public testing::Test {
 protected:
  LessonsFixture() {
    paths_.user_state = folder_.path() / "state";
    paths_.user_data = folder_.path() / "data";
    start();
  }
  // As after a kill: what was not written is lost.
  void start() {
    workspace_.reset();
    workspace_ = std::make_unique<workspace::Workspace>(paths_, compiler_);
    workspace_->settle();
  }
  void carry_out(const state::Command& command) {
    workspace_->update({command}, 0.0);
    workspace_->settle();
  }
  [[nodiscard]] const workspace::FrameView& view() const { return workspace_->view(); }
  [[nodiscard]] const state::AppState& state() const { return workspace_->state(); }
  [[nodiscard]] const workspace::ShownLesson* lesson() const { return view().lesson.get(); }

  TemporaryFolder folder_;
  workspace::Paths paths_ = build_tree_paths();
  compile::Compiler compiler_{test::kept_outputs()};
  std::unique_ptr<workspace::Workspace> workspace_;
};

}  // namespace tilestep::test

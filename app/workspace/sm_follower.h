// What the warps of one SM do in every clock, for the Timing tab: estimated in the background, and
// the steps of the stage in it. The newest question replaces earlier ones.
#pragma once

#include "clock/places.h"
#include "compile/compiler.h"
#include "record/recording.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/shown_sm.h"

#include <memory>
#include <optional>
#include <string>

namespace tilestep::workspace {

struct SmQuestion {
  SceneKey key;             // a Build::Machine
  int at_once = 0;          // blocks; 0: as many as fit
  std::string gpu;          // its name
  bool is_whole = false;    // the SM executes all blocks of the launch; else one wave of its share
  bool is_summary = false;  // only ShownSm::summary, within about a second

  friend bool operator==(const SmQuestion&, const SmQuestion&) = default;
};

class SmFollower {
 public:
  // All of them must outlive this object; the pool's threads must end before it.
  SmFollower(const Paths& paths, Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog)
      : paths_(paths), pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // Null until it is ready.
  [[nodiscard]] const std::shared_ptr<const ShownSm>& follow(const SmQuestion& question);
  // The steps of `recording`, of the launch that the latest answer shows, in its clocks. Null until
  // they are ready, or if the recording is too long.
  [[nodiscard]] const std::shared_ptr<const clock::Places>& follow_places(
      const std::shared_ptr<const record::Recording>& recording);
  void cancel();

 private:
  void request();

  const Paths& paths_;
  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  std::optional<SmQuestion> question_;
  std::shared_ptr<const ShownSm> shown_;
  bool is_answered_ = false;  // shown_ is for question_
  std::shared_ptr<JobControl> control_;
  std::shared_ptr<const ShownSm> placed_;             // of places_, or of its running job
  std::weak_ptr<const record::Recording> recording_;  // the same
  std::shared_ptr<const clock::Places> places_;
  std::shared_ptr<JobControl> places_control_;
};

}  // namespace tilestep::workspace

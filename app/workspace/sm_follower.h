// What the warps of one SM do in every clock, for the Timing tab: estimated in the background. The
// newest question replaces earlier ones.
#pragma once

#include "compile/compiler.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/shown_sm.h"

#include <memory>
#include <optional>
#include <string>

namespace tilestep::workspace {

struct SmQuestion {
  SceneKey key;     // a Build::Machine
  int at_once = 0;  // blocks; 0: as many as fit
  std::string gpu;  // its name

  friend bool operator==(const SmQuestion&, const SmQuestion&) = default;
};

class SmFollower {
 public:
  // All of them must outlive this object; the pool's threads must end before it.
  SmFollower(const Paths& paths, Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog)
      : paths_(paths), pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // Null until it is ready.
  [[nodiscard]] const std::shared_ptr<const ShownSm>& follow(const SmQuestion& question);
  void cancel();

 private:
  void request();

  const Paths& paths_;
  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  std::optional<SmQuestion> question_;
  std::shared_ptr<const ShownSm> shown_;
  std::shared_ptr<JobControl> control_;
};

}  // namespace tilestep::workspace

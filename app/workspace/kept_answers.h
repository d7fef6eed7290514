// What was counted of a launch, kept on disk: a click on a point that was counted before, in any
// run of the program, is answered at once.
//
// One file for each compiled code and architecture, with the launches of it that were counted last.
// Its name is a hash of the source text and its options, and of the code that counts
// (counting_version.h), so nothing that was counted by another program is ever found. A file that
// is broken is none, as in the compile cache, and is made again.
#pragma once

#include "analysis/launch_facts.h"
#include "compile/entry_folder.h"
#include "problem/launch/launch.h"

#include <mutex>

#include <optional>

namespace tilestep::workspace {

// Thread-safe.
class KeptAnswers {
 public:
  explicit KeptAnswers(compile::CacheOptions options);

  // Without kernel and parameters.
  [[nodiscard]] std::optional<analysis::LaunchFacts> find(const problem::Launch& launch,
                                                          int architecture) const;
  // Instead of what was kept of the same launch. What lacks its machine code (no NVRTC) is not
  // kept: it may be there next time.
  void store(const problem::Launch& launch, const analysis::LaunchFacts& facts);

 private:
  compile::EntryFolder folder_;
  std::mutex mutex_;  // a file is read and written anew
};

}  // namespace tilestep::workspace

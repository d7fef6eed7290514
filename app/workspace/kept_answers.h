// What was counted of a launch, kept on disk: a click on a point that was counted before, in any
// run of the program, is answered at once.
//
// One file for each compiled code and architecture, with the launches of it that were counted last.
// Its name is a hash of the source text and its options, and of the code that counts
// (counting_version()), so nothing that was counted by another program is ever found. A file that
// is broken is none, as in the compile cache, and is made again.
#pragma once

#include "analysis/launch_facts.h"
#include "compile/cache.h"
#include "problem/launch/launch.h"

#include <mutex>

#include <optional>
#include <string>
#include <vector>

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

// Kept answers (kept_answers.h) as the text of their file: a first line with the format's version,
// a checksum, then JSON that is read by nobody but this program.
struct KeptAnswer {
  std::string launch;  // digest of what is launched
  analysis::LaunchFacts facts;
};

// The kernel, its parameters and `why_not` are not written.
[[nodiscard]] std::string to_answer_text(const std::vector<KeptAnswer>& answers);
// Nothing for a text that is damaged or of another version.
[[nodiscard]] std::optional<std::vector<KeptAnswer>> from_answer_text(const std::string& text);

// A hash of everything that has a say in what is counted; changes with any of it.

// 64 hex digits: of the rooms that count, as they are compiled, and of what others add to it
// (CMakeLists.txt has the list, and writes it down while building).
[[nodiscard]] const char* counting_version();

}  // namespace tilestep::workspace

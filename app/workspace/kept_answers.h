// Counts of launches, kept on disk: a click on a point that any run of the program has counted
// before is answered at once.
//
// One file per compiled code and architecture, with its latest counted launches. Its name is a hash
// of the source text, its options, and the code that counts (counting_version()), so counts of
// another program version are never used. A broken file is ignored and made again, as in the
// compile cache.
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
  // Replaces the kept answer for the same launch. Does not keep facts without machine code (no
  // NVRTC), because it may be available next time.
  void store(const problem::Launch& launch, const analysis::LaunchFacts& facts);

 private:
  compile::EntryFolder folder_;
  std::mutex mutex_;  // a file is read and written as a whole
};

// The text of a file of kept answers (kept_answers.h): a first line with the format's version, a
// checksum, then JSON that only this program reads.
struct KeptAnswer {
  std::string launch;  // digest of the launch
  analysis::LaunchFacts facts;
};

// The kernel, its parameters and `why_not` are not written.
[[nodiscard]] std::string to_answer_text(const std::vector<KeptAnswer>& answers);
// Nullopt if the text is damaged or of another version.
[[nodiscard]] std::optional<std::vector<KeptAnswer>> from_answer_text(const std::string& text);

// A hash of everything that affects counts.

// 64 hex digits: over the sources of the counting rooms and whatever else affects counts
// (CMakeLists.txt has the list and computes it at build time).
[[nodiscard]] const char* counting_version();

}  // namespace tilestep::workspace

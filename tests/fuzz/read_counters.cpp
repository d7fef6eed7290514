// Recorded counters (JSON): a set or a sentence that names the file.
#include "require.h"
#include "targets.h"
#include "timing/counter_set.h"

namespace tilestep::fuzz {

void read_counters(Bytes bytes) {
  const auto set = timing::parse_counter_set(text_of(bytes), "fuzz.json");
  if (!set) {
    require(set.error().message.starts_with("fuzz.json"), "an error names the file");
    return;
  }
  for (const timing::CountedLaunch& launch : set->launches) {
    require(set->find(launch.kernel, launch.problem, launch.block_size) != nullptr,
            "a launch of the set is found");
    require(!set->problems(launch.kernel).empty(), "a kernel of the set has a size");
  }
}

}  // namespace tilestep::fuzz

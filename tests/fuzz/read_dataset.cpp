// Timing data sets (JSON), and single points of them: read, or a sentence that names the file; they
// read the same after writing.
#include "require.h"
#include "targets.h"
#include "timing/dataset.h"

namespace tilestep::fuzz {

void read_dataset(Bytes bytes) {
  const std::string text = text_of(bytes);
  const auto set = timing::parse_dataset(text, "fuzz");
  if (set) {
    const std::string written = timing::to_json(*set);
    const auto again = timing::parse_dataset(written, "fuzz");
    require(again && *again == *set, "what is written is read again\n" + written);
    (void)set->kernels();
  } else {
    require(set.error().message.starts_with("fuzz"), "an error names the file");
  }
  if (const auto point = timing::parse_point(text)) {
    const auto again = timing::parse_point(timing::to_json(*point));
    require(again && *again == *point, "what is written is read again");
  }
}

}  // namespace tilestep::fuzz

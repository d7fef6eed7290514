#include "ui/stage/mbarrier_cells.h"

#include "simt/exec/executors.h"

#include <cstring>

namespace tilestep::ui {

double still_to_come(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  const simt::MbarrierObject object(word);
  return object.pending > 0 ? static_cast<double>(object.pending)
                            : static_cast<double>(object.bytes);
}

}  // namespace tilestep::ui

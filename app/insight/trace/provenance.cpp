#include "insight/trace/provenance.h"

#include "insight/trace/accumulators.h"
#include "insight/trace/block_flow.h"
#include "insight/trace/sum_reader.h"

namespace tilestep::insight {

std::optional<Accumulation> accumulation(const record::Recording& recording, std::uint64_t step,
                                         std::uint32_t block, std::uint32_t thread,
                                         const std::string& variable) {
  const BlockFlow flow(recording, block, step, Settle::OneMore);
  std::optional<Accumulation> sum =
      read_sum(flow.program(), flow.graph(), flow.held(step, thread, variable));
  if (sum) {
    sum->variable = variable;
  }
  return sum;
}

std::string accumulator_name(const record::Recording& recording) {
  return BlockSums(recording, recording.part().first).common_name();
}

}  // namespace tilestep::insight

#include "insight/check/sentences.h"
#include "insight/names.h"
#include "problem/tr.h"

namespace tilestep::insight {

std::string hidden_from_unit(const simt::Program& program, const Finding& finding,
                             const RaceShape& shape) {
  const Party& writer = finding.parties[0];
  const Party& reader = finding.parties[1];
  const std::string unit = shape.agents[1] == simt::AccessAgent::TensorCore
                               ? tr("a tensor core (wgmma)")
                               : tr("the TMA unit (cp.async.bulk)");
  return tr(
      "At line {}, {} reads {} for {}, but may not see what {} stored at line {}: these units see "
      "threads' stores only after a proxy fence. Put fence.proxy.async between the store and the "
      "barrier after it.",
      reader.line, unit, finding.element, thread_name(reader.thread, program.launch()),
      thread_name(writer.thread, program.launch()), writer.line);
}

std::string unfinished_bulk_copy(const simt::Program& program, const Finding& finding) {
  const Party& copier = finding.parties[0];
  const Party& now = finding.parties[1];
  return tr(
      "At line {}, {} {} {} while the bulk copy (cp.async.bulk) that {} started at line {} may "
      "still be in flight: no thread has waited for its mbarrier. Wait with mbarrier.try_wait "
      "before the access.",
      now.line, thread_of_block(now.thread, now.block, program.launch()), verb(now.access),
      finding.element, thread_name(copier.thread, program.launch()), copier.line);
}

}  // namespace tilestep::insight

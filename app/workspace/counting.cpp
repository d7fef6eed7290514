#include "workspace/counting.h"

#include "problem/tr.h"

namespace tilestep::workspace {
insight::Profile count_launch(const loading::Prepared& prepared, const std::function<bool()>& fill,
                              const std::atomic<bool>* cancel) {
  insight::Profile proved =
      insight::profile(prepared.program, insight::MethodChoice::QuickProof, cancel);
  if (proved.is_counted) {
    return proved;
  }
  // Contents of large buffers take longer than the sample: first without them.
  insight::Profile other = insight::profile(prepared.program, insight::MethodChoice::ProvedSample,
                                            cancel, proved.partial.get());
  if (other.is_counted) {
    other.why_full = proved.why_full;
    return other;
  }
  const bool filled = loading::can_be_filled(prepared.program->launch()) && fill();
  other = insight::profile(prepared.program, insight::MethodChoice::WithoutProof, cancel,
                           proved.partial.get());
  other.why_full = proved.why_full + (filled ? "" : tr(" (counted with zeros in all buffers)"));
  return other;
}

insight::Profile count_every_block(const loading::Prepared& prepared,
                                   const std::function<bool()>& fill,
                                   const std::atomic<bool>* cancel) {
  (void)fill();
  return insight::profile(prepared.program, insight::MethodChoice::AlwaysFull, cancel);
}

}  // namespace tilestep::workspace

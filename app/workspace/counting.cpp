#include "workspace/counting.h"

namespace tilestep::workspace {
namespace {

// Contents are held several times: of the launch, and of the machine that runs a block.
constexpr std::uint64_t kMostContents = 96 << 20;  // bytes

bool is_small(const problem::Launch& launch) {
  std::uint64_t bytes = 0;
  for (const problem::Buffer& buffer : launch.buffers) {
    bytes += problem::byte_count(buffer);
  }
  return bytes <= kMostContents;
}

}  // namespace

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
  const bool filled = is_small(prepared.program->launch()) && fill();
  other = insight::profile(prepared.program, insight::MethodChoice::WithoutProof, cancel,
                           proved.partial.get());
  other.why_full = proved.why_full + (filled ? "" : " (counted with zeros in all buffers)");
  return other;
}

insight::Profile count_every_block(const loading::Prepared& prepared,
                                   const std::function<bool()>& fill,
                                   const std::atomic<bool>* cancel) {
  (void)fill();
  return insight::profile(prepared.program, insight::MethodChoice::AlwaysFull, cancel);
}

}  // namespace tilestep::workspace

#include "workspace/answer_maker.h"

#include "workspace/cores.h"

#include <atomic>

namespace tilestep::workspace {

std::size_t make_answers(std::span<const SurveyItem> items, const problem::Catalog& catalog,
                         const CountTools& tools, const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> looked_at{0};
  std::atomic<std::size_t> without{0};
  const insight::Cores all = cores(0);
  all.run(all.count, [&](std::size_t) {
    for (std::size_t i = next++; i < items.size(); i = next++) {
      const auto facts = count_launch(items[i], catalog, tools);
      without += facts && facts->why_not.empty() ? 0 : 1;
      done(++looked_at);
    }
  });
  return without;
}

}  // namespace tilestep::workspace

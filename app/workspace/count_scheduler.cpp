#include "workspace/count_scheduler.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tilestep::workspace {
namespace {

constexpr std::size_t kCountedAtOnce = 2;
// Limit of warp instructions for an exact count instead of an estimate: some twenty seconds.
constexpr std::uint64_t kQuickEnough = 2'000'000'000;
// Limit of launches counted ahead; older ones are dropped. Larger than any wish list, because
// dropped launches would be counted again and again.
constexpr std::size_t kMostAhead = 2000;

using AllFacts = std::vector<analysis::LaunchFacts>;

using LaunchId = std::tuple<std::string_view, std::string_view, int, int, int, int, int>;

LaunchId launch_id(const auto& of) {  // an item, or facts
  const problem::Problem& problem = of.parameters.problem;
  return {of.kernel, of.edited_source,         problem.M,      problem.N,
          problem.K, of.parameters.block_size, of.architecture};
}

AllFacts::iterator facts_of(AllFacts& all, const SurveyItem& item) {
  return std::ranges::find_if(
      all, [&](const analysis::LaunchFacts& facts) { return is_of(facts, item); });
}

}  // namespace

bool CountScheduler::pursue(const std::vector<SurveyItem>& wanted,
                            const std::vector<SurveyItem>& ahead) {
  is_due_ = false;
  const bool moved = take_from_ahead(wanted);
  recall(wanted);
  const std::vector<SurveyItem> items = next(wanted, ahead);
  for (const Running& running : running_) {
    if (std::ranges::count(items, running.item) == 0) {
      running.control->cancel = true;
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const SurveyItem& item = items[i];
    const bool is_running = std::ranges::any_of(running_, [&](const Running& running) {
      return running.item == item && !running.control->cancel;
    });
    // A cancelled job runs until it notices, and a compiler never notices: refining and counting
    // ahead leave a thread of the pool free for the next question.
    const bool has_place = i < uncounted_ || running_.size() < kCountedAtOnce;
    if (!is_running && has_place) {
      start(item);
    }
  }
  return std::exchange(is_new_, false) || moved;
}

void CountScheduler::cancel() {
  for (const Running& running : running_) {
    running.control->cancel = true;
  }
}

void CountScheduler::retranslate() {
  for (AllFacts* const all : {&facts_, &ahead_}) {
    std::erase_if(*all, [](const analysis::LaunchFacts& facts) { return !facts.why_not.empty(); });
  }
}

bool CountScheduler::take_from_ahead(const std::vector<SurveyItem>& wanted) {
  bool taken = false;
  for (const SurveyItem& item : wanted) {
    if (const auto found = facts_of(ahead_, item); found != ahead_.end()) {
      facts_.push_back(std::move(*found));
      ahead_.erase(found);
      taken = true;
    }
  }
  if (taken) {
    forget_oldest(wanted);
  }
  return taken;
}

void CountScheduler::forget_oldest(const std::vector<SurveyItem>& wanted) {
  while (facts_.size() > most_kept_) {
    const auto oldest = std::ranges::find_if(facts_, [&](const analysis::LaunchFacts& facts) {
      return std::ranges::none_of(wanted,
                                  [&](const SurveyItem& item) { return is_of(facts, item); });
    });
    if (oldest == facts_.end()) {
      return;
    }
    facts_.erase(oldest);
  }
}

std::vector<SurveyItem> CountScheduler::next(const std::vector<SurveyItem>& wanted,
                                             const std::vector<SurveyItem>& ahead) {
  std::vector<SurveyItem> left;
  std::vector<SurveyItem> estimates;
  for (const SurveyItem& item : wanted) {
    const auto facts = facts_of(facts_, item);
    if (facts == facts_.end()) {
      left.push_back(item);
    } else if (facts->is_estimate && facts->cost.instructions <= kQuickEnough) {
      estimates.push_back(item);
      estimates.back().every_block = true;
    }
  }
  uncounted_ = left.size();
  left.insert(left.end(), estimates.begin(), estimates.end());
  if (left.size() < kCountedAtOnce) {
    add_uncounted(ahead, left);
  }
  left.resize(std::min(left.size(), kCountedAtOnce));
  return left;
}

// Stops when there are enough: a thousand may be counted already, and this runs between two frames.
void CountScheduler::add_uncounted(const std::vector<SurveyItem>& ahead,
                                   std::vector<SurveyItem>& left) const {
  std::set<LaunchId> counted;
  for (const std::vector<analysis::LaunchFacts>* const all : {&facts_, &ahead_}) {
    for (const analysis::LaunchFacts& facts : *all) {
      counted.insert(launch_id(facts));
    }
  }
  for (const SurveyItem& item : ahead) {
    if (left.size() >= kCountedAtOnce) {
      return;
    }
    if (!counted.contains(launch_id(item)) && std::ranges::count(left, item) == 0) {
      left.push_back(item);
    }
  }
}

// Looks up kept answers in one job before the counting, which starts with the unknown ones.
void CountScheduler::recall(const std::vector<SurveyItem>& wanted) {
  std::vector<SurveyItem> asked;
  for (const SurveyItem& item : wanted) {
    if (facts_of(facts_, item) == facts_.end() && std::ranges::count(recalled_, item) == 0) {
      asked.push_back(item);
    }
  }
  if (kept_ == nullptr || asked.size() < 2) {  // a single one is looked up when it is counted
    return;
  }
  recalled_ = wanted;
  pool_.submit(
      [this, asked = std::move(asked), catalog = catalog_]() -> Completion {
        const std::atomic<bool> never = false;
        auto known = std::make_shared<AllFacts>();
        for (const SurveyItem& item : asked) {
          if (auto facts = recall_launch(item, *catalog, {compiler_, never, kept_})) {
            known->push_back(std::move(*facts));
          }
        }
        return [this, known] {
          for (analysis::LaunchFacts& facts : *known) {
            const SurveyItem item{facts.kernel, facts.parameters, facts.architecture, false,
                                  facts.edited_source};
            if (facts_of(facts_, item) == facts_.end() && facts_of(ahead_, item) == ahead_.end()) {
              take(item, std::move(facts));
            }
          }
        };
      },
      Urgency::Later);
}

std::vector<SurveyItem> CountScheduler::counting() const {
  std::vector<SurveyItem> items;
  for (const Running& running : running_) {
    if (!running.control->cancel && items.size() < uncounted_) {
      items.push_back(running.item);
    }
  }
  return items;
}

void CountScheduler::start(const SurveyItem& item) {
  const auto control = std::make_shared<JobControl>();
  running_.push_back({item, control});
  pool_.submit(
      [this, item, catalog = catalog_, control]() -> Completion {
        auto counted = std::make_shared<std::optional<analysis::LaunchFacts>>();
        if (!control->cancel) {
          *counted = count_launch(item, *catalog, {compiler_, control->cancel, kept_});
        }
        return [this, counted, item, control] { end(item, control.get(), std::move(*counted)); };
      },
      Urgency::Later);
}

void CountScheduler::end(const SurveyItem& item, const JobControl* control,
                         std::optional<analysis::LaunchFacts> counted) {
  is_due_ = true;
  std::erase_if(running_, [&](const Running& running) { return running.control.get() == control; });
  if (counted) {
    take(item, std::move(*counted));
  }
}

void CountScheduler::take(const SurveyItem& item, analysis::LaunchFacts counted) {
  is_due_ = true;
  if (const auto known = facts_of(facts_, item); known != facts_.end()) {
    *known = std::move(counted);
    is_new_ = true;
    return;
  }
  ahead_.push_back(std::move(counted));
  if (ahead_.size() > kMostAhead) {
    ahead_.erase(ahead_.begin());
  }
}

}  // namespace tilestep::workspace

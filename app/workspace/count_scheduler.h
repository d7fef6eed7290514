// Counts in the background what the Timing tab wants, and keeps the results.
//
// Answers that an earlier run of the program kept are used first. Then the first wishes have
// priority: a click puts a new one at the front, and the running count gives way. When nothing is
// left to count, estimates are made exact, then likely next launches are counted.
#pragma once

#include "analysis/launch_facts.h"
#include "compile/compiler.h"
#include "problem/describe/catalog.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"
#include "workspace/survey.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tilestep::workspace {

// Limit of launches; the least recently requested ones are dropped, except wanted ones.
inline constexpr std::size_t kMostKept = 1000;

class CountScheduler {
 public:
  // All of them must outlive this object; the pool's threads must end before it. `kept` may be
  // null: then every launch is counted.
  CountScheduler(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog,
                 KeptAnswers* kept = nullptr, std::size_t most_kept = kMostKept)
      : pool_(pool), compiler_(compiler), catalog_(catalog), kept_(kept), most_kept_(most_kept) {}

  // The launches wanted now and those likely next, the most urgent first. Starts and cancels jobs.
  // Returns true if facts() changed.
  bool pursue(const std::vector<SurveyItem>& wanted, const std::vector<SurveyItem>& ahead);
  void cancel();
  // Call after a change of language: recomputes why launches cannot be counted. facts() has
  // changed.
  void retranslate();
  // True if a count was finished: call pursue().
  [[nodiscard]] bool is_due() const { return is_due_; }

  [[nodiscard]] const std::vector<analysis::LaunchFacts>& facts() const { return facts_; }
  // The number of wanted launches that are not counted yet.
  [[nodiscard]] std::size_t uncounted() const { return uncounted_; }
  // The wanted launches that are being counted.
  [[nodiscard]] std::vector<SurveyItem> counting() const;

 private:
  struct Running {
    SurveyItem item;
    std::shared_ptr<JobControl> control;
  };

  bool take_from_ahead(const std::vector<SurveyItem>& wanted);
  void forget_oldest(const std::vector<SurveyItem>& wanted);
  [[nodiscard]] std::vector<SurveyItem> next(const std::vector<SurveyItem>& wanted,
                                             const std::vector<SurveyItem>& ahead);
  void add_uncounted(const std::vector<SurveyItem>& ahead, std::vector<SurveyItem>& left) const;
  void recall(const std::vector<SurveyItem>& wanted);
  void start(const SurveyItem& item);
  void end(const SurveyItem& item, const JobControl* control,
           std::optional<analysis::LaunchFacts> counted);
  void take(const SurveyItem& item, analysis::LaunchFacts counted);

  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  KeptAnswers* kept_;
  std::size_t most_kept_;
  std::vector<analysis::LaunchFacts> facts_;  // requested so far, the oldest first
  std::vector<analysis::LaunchFacts> ahead_;  // not requested yet
  std::vector<Running> running_;
  std::vector<SurveyItem> recalled_;  // the latest wishes that were looked up in the kept answers
  std::size_t uncounted_ = 0;
  bool is_due_ = false;  // a job has ended
  bool is_new_ = false;  // facts_ changed
};

}  // namespace tilestep::workspace

// Counts what the Timing tab wants, in the background, and keeps what was counted.
//
// What was counted by another start is there at once, before anything is counted. Then the first
// wishes come first: a click asks for something new at their head, and what is being
// counted then makes room. With nothing left to count, estimates are made exact, and then launches
// are counted that are likely to be asked for next.
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

// Beyond this many launches, what was asked for longest ago is forgotten, unless it is wanted.
inline constexpr std::size_t kMostKept = 1000;

class CountScheduler {
 public:
  // All of them have to outlive this, but for the pool, whose threads have to end before. `kept`
  // may be null: then every launch is counted.
  CountScheduler(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog,
                 KeptAnswers* kept = nullptr, std::size_t most_kept = kMostKept)
      : pool_(pool), compiler_(compiler), catalog_(catalog), kept_(kept), most_kept_(most_kept) {}

  // What is wanted now and what may be wanted next, the most urgent first. Starts and cancels jobs.
  // True: facts() has changed.
  bool pursue(const std::vector<SurveyItem>& wanted, const std::vector<SurveyItem>& ahead);
  void cancel();
  // Another language is spoken now: launches that cannot be counted are asked again why. facts()
  // has changed.
  void retranslate();
  // Something was counted since: pursue() has to be called.
  [[nodiscard]] bool is_due() const { return is_due_; }

  [[nodiscard]] const std::vector<analysis::LaunchFacts>& facts() const { return facts_; }
  // Of the wanted ones.
  [[nodiscard]] std::size_t uncounted() const { return uncounted_; }
  // The wanted ones that are being counted now.
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
  std::vector<analysis::LaunchFacts> facts_;  // of what was wanted, the oldest first
  std::vector<analysis::LaunchFacts> ahead_;  // of what was not yet
  std::vector<Running> running_;
  std::vector<SurveyItem> recalled_;  // the latest wishes that the kept answers were asked for
  std::size_t uncounted_ = 0;
  bool is_due_ = false;  // a job has ended
  bool is_new_ = false;  // facts_ have changed
};

}  // namespace tilestep::workspace

#include "analysis/launch_facts.h"

#include <algorithm>

namespace tilestep::analysis {

const LaunchFacts* find_facts(std::span<const LaunchFacts> facts, const std::string& kernel,
                              const problem::Parameters& parameters) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const LaunchFacts& f) {
    return f.kernel == kernel && f.parameters == parameters;
  });
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace tilestep::analysis

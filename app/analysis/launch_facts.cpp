#include "analysis/launch_facts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilestep::analysis {

std::vector<LineAccesses> by_line(std::span<const insight::AccessCost> accesses) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, simt::AccessKind>, LineAccesses> lines;
  for (const insight::AccessCost& access : accesses) {
    LineAccesses& sum = lines[{access.line, access.target, access.kind}];
    sum.line = access.line;
    sum.target = access.target;
    sum.kind = access.kind;
    sum.sectors += access.traffic.sectors;
    sum.wavefronts += access.traffic.wavefronts;
    sum.elements += access.traffic.elements;
  }
  std::vector<LineAccesses> all;
  for (const auto& [key, sum] : lines) {
    all.push_back(sum);
  }
  return all;
}

bool are_for(const LaunchFacts& facts, int architecture) {
  return architecture == 0 || facts.architecture == architecture;
}

const LaunchFacts* find_facts(std::span<const LaunchFacts> facts, const std::string& kernel,
                              const problem::Parameters& parameters, int architecture,
                              const std::string& edited_source) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const LaunchFacts& f) {
    return f.kernel == kernel && f.parameters == parameters && are_for(f, architecture) &&
           f.edited_source == edited_source;
  });
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace tilestep::analysis

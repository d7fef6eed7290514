#include "record/joint_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilestep::record {
namespace {

// A pair of statements, one of each run, by index.
struct Match {
  std::size_t first = 0;
  std::size_t second = 0;
};

// The longest subsequence that increases on both sides; `matches` increase in `first`.
std::vector<Match> longest_rising(const std::vector<Match>& matches) {
  std::vector<std::size_t> ends;                    // by length - 1: the match that ends it
  std::vector<std::size_t> before(matches.size());  // predecessor of a match, plus 1
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, matches[i].second, {},
                                             [&](std::size_t end) { return matches[end].second; });
    before[i] = at == ends.begin() ? 0 : *(at - 1) + 1;
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Match> rising(ends.size());
  std::size_t next = ends.empty() ? 0 : ends.back() + 1;
  for (auto match = rising.rbegin(); match != rising.rend(); ++match) {
    *match = matches[next - 1];
    next = before[next - 1];
  }
  return rising;
}

// Statements [from, to) of each run whose keys are equal; repeated keys are matched by their number
// of occurrences so far.
struct Gap {
  Match from;
  Match to;
};
std::vector<Match> matches_in(const SideOfTimeline& one, const SideOfTimeline& two, const Gap& gap,
                              std::uint64_t StatementKey::*key) {
  using Occurrence = std::pair<std::uint64_t, std::size_t>;
  std::map<std::uint64_t, std::size_t> times;
  std::map<Occurrence, std::size_t> places;
  for (std::size_t i = gap.from.second; i < gap.to.second; ++i) {
    if (const std::uint64_t k = two.keys[i].*key; k != 0) {
      places.emplace(Occurrence{k, times[k]++}, i);
    }
  }
  times.clear();
  std::vector<Match> matches;
  for (std::size_t i = gap.from.first; i < gap.to.first; ++i) {
    if (const std::uint64_t k = one.keys[i].*key; k != 0) {
      if (const auto place = places.find({k, times[k]++}); place != places.end()) {
        matches.push_back({i, place->second});
      }
    }
  }
  return longest_rising(matches);
}

}  // namespace

JointTimeline::JointTimeline(const SideOfTimeline& one, const SideOfTimeline& two) {
  const Match end{one.keys.size(), two.keys.size()};
  std::vector<Match> strong = matches_in(one, two, {{}, end}, &StatementKey::strong);
  strong.push_back(end);
  Match now;
  const auto stop = [&] { stops_.push_back({one.starts[now.first], two.starts[now.second]}); };
  stop();
  const auto go_to = [&](const Match& to) {
    while (now.first < to.first || now.second < to.second) {
      now = {std::min(now.first + 1, to.first), std::min(now.second + 1, to.second)};
      stop();
    }
  };
  for (const Match& anchor : strong) {
    for (const Match& match : matches_in(one, two, {now, anchor}, &StatementKey::weak)) {
      go_to(match);
      go_to({match.first + 1, match.second + 1});
    }
    go_to(anchor);
    if (anchor.first < end.first && anchor.second < end.second) {
      go_to({anchor.first + 1, anchor.second + 1});
    }
  }
}

JointTimeline::Stretch JointTimeline::of(std::uint64_t Stop::*run, std::uint64_t step) const {
  const auto after = std::ranges::upper_bound(stops_, step, {}, run);
  const auto last = after == stops_.begin() ? after : after - 1;
  const auto from = std::ranges::lower_bound(stops_, (*last).*run, {}, run);
  return {static_cast<std::size_t>(from - stops_.begin()),
          static_cast<std::size_t>(last - stops_.begin())};
}

std::size_t JointTimeline::at(const Stop& steps) const {
  const Stretch stretch = of_first(steps.first);
  for (std::size_t i = stretch.to; i > stretch.from; --i) {
    if (stops_[i].second <= steps.second) {
      return i;
    }
  }
  return stretch.from;
}

}  // namespace tilestep::record

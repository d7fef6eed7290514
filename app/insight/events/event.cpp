#include "insight/events/event.h"

#include "insight/count/counters.h"
#include "insight/events/event_search.h"
#include "insight/events/thread_expression.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tilestep::insight {
namespace {

using record::EventKind;
namespace english = events_english;

std::uint32_t first_lane(const EventHit& hit) {
  return hit.lanes == 0 ? 0U : static_cast<std::uint32_t>(std::countr_zero(hit.lanes));
}

std::string warp_text(simt::WarpId id) {
  return tr("warp {}", id.warp);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

// The party that an event concerns.
struct Who {
  std::uint32_t thread = 0;
  std::string name;  // "thread (2,1) of block (1,0)"
};

Who who_of(const record::Recording& recording, const EventHit& hit, const EventQuestion& q) {
  const simt::Program& program = recording.program();
  const auto size = program.warp_size();
  const bool has_focus = hit.warp.block == q.block && hit.warp.warp == q.thread / size &&
                         (hit.lanes >> (q.thread % size) & 1U) != 0;
  const std::uint32_t thread = has_focus ? q.thread : hit.warp.warp * size + first_lane(hit);
  return {thread, thread_of_block(program.thread_index(thread), program.block_index(hit.warp.block),
                                  program.launch())};
}

// The relevant access of the event's only instruction.
const record::Access* access_of(const record::Activity& activity, EventKind kind) {
  const auto is_meant = [&](const record::Access& a) {
    return kind == EventKind::Access ||
           (a.event.space == ptx::Space::Shared) == (kind == EventKind::BankConflict);
  };
  const auto found = std::ranges::find_if(activity.accesses, is_meant);
  return found == activity.accesses.end() ? nullptr : &*found;
}

std::string array_of(const simt::Program& program, const record::Access& access) {
  const std::string name = record::place_name(
      program, program.locate(first_address(access.event), access.event.bytes), access.event.bytes);
  return name.substr(0, name.find_first_of("[+"));
}

std::string cost_sentence(const record::Recording& recording, const EventHit& hit,
                          const record::Access& access, const std::string& block) {
  const AccessPattern pattern = make_pattern(access.event);
  const bool shared = pattern.shared;
  const char* const row = shared ? english::kConflict : english::kSectors;
  return fmt::format(
      fmt::runtime(row), fmt::arg("line", hit.line), fmt::arg("warp", warp_text(hit.warp)),
      fmt::arg("block", block), fmt::arg("verb", verb(access.event.kind)),
      fmt::arg("array", array_of(recording.program(), access)),
      fmt::arg("passes", pattern.wavefronts),
      fmt::arg("sectors", pattern.sectors[first_address(access.event) % kSectorBytes]),
      fmt::arg("least", shared ? pattern.passes : pattern.ideal_sectors));
}

std::string others_text(const char* row, const EventHit& hit) {
  const int others = std::popcount(hit.lanes) - 1;
  return others > 0 ? fmt::format(fmt::runtime(row), fmt::arg("count", others)) : "";
}

// For all kinds that executing the recording again finds.
std::string sentence_of(const record::Recording& recording, const EventHit& hit,
                        const EventQuestion& q) {
  const simt::Program& program = recording.program();
  const std::string block = block_name(program.block_index(hit.warp.block), program.launch());
  const record::Activity activity = recording.activity(hit.step, hit.step + 1);
  const record::Access* const access = access_of(activity, q.kind);
  const std::string name = who_of(recording, hit, q).name;
  const std::uint32_t live = activity.executed.empty() ? 0 : activity.executed.front().live;
  const std::uint32_t active = activity.executed.empty() ? 0 : activity.executed.front().mask;
  switch (q.kind) {
    case EventKind::Barrier:
      return fmt::format(fmt::runtime(english::kBarrier.text()), fmt::arg("line", hit.line),
                         fmt::arg("block", block), fmt::arg("warp", warp_text(hit.warp)));
    case EventKind::BankConflict:
    case EventKind::Uncoalesced:
      return access == nullptr ? "" : cost_sentence(recording, hit, *access, block);
    case EventKind::Divergence:
      return capital(fmt::format(
          fmt::runtime(english::kDivergence.text()), fmt::arg("line", hit.line),
          fmt::arg("warp", warp_text(hit.warp)), fmt::arg("block", block),
          fmt::arg("lanes", std::popcount(hit.lanes)), fmt::arg("active", std::popcount(active)),
          fmt::arg("others", std::popcount(active & ~hit.lanes))));
    case EventKind::MaskedLane:
      return fmt::format(fmt::runtime(english::kMasked.text()), fmt::arg("line", hit.line),
                         fmt::arg("warp", warp_text(hit.warp)), fmt::arg("block", block),
                         fmt::arg("lanes", std::popcount(hit.lanes)),
                         fmt::arg("active", std::popcount(live)));
    case EventKind::Nan:
      return fmt::format(fmt::runtime(english::kNan.text()), fmt::arg("line", hit.line),
                         fmt::arg("thread", name),
                         fmt::arg("others", others_text(english::kNanOthers, hit)));
    case EventKind::Access:
      return fmt::format(
          fmt::runtime((access == nullptr ? english::kAssigned : english::kAccess).text()),
          fmt::arg("line", hit.line), fmt::arg("thread", name),
          fmt::arg("verb", access == nullptr ? "" : verb(access->event.kind)),
          fmt::arg("what", q.what), fmt::arg("others", others_text(english::kAccessOthers, hit)));
    case EventKind::Finding:
    case EventKind::Change:
      break;
  }
  return {};
}

// Findings that are reported once for several blocks are searched in the focused block only.
bool is_of_one_block(const record::Recording& recording, const EventQuestion& q) {
  return q.kind == EventKind::Finding && recording.program().block_count() > 1 &&
         std::ranges::any_of(q.findings,
                             [](const Finding& finding) { return finding.occurrences > 1; });
}

std::string none(const record::Recording& recording, const EventQuestion& q) {
  const std::string kind = word_of(q.kind).label.text();
  if (is_of_one_block(recording, q)) {
    const simt::Program& program = recording.program();
    return fmt::format(
        fmt::runtime((q.direction > 0 ? english::kNoneOfAfter : english::kNoneOfBefore).text()),
        fmt::arg("kind", kind),
        fmt::arg("what", block_name(program.block_index(q.block), program.launch())));
  }
  if (q.kind == EventKind::Access || q.kind == EventKind::Change) {
    const Message row = q.direction > 0 ? english::kNoneOfAfter : english::kNoneOfBefore;
    return fmt::format(fmt::runtime(row.text()), fmt::arg("kind", kind), fmt::arg("what", q.what));
  }
  return fmt::format(
      fmt::runtime((q.direction > 0 ? english::kNoneAfter : english::kNoneBefore).text()),
      fmt::arg("kind", kind));
}

// The hit of a statement to report: the focused thread's, its block's, or the first.
const EventHit& most_telling(const std::vector<EventHit>& hits, const EventQuestion& q,
                             std::uint32_t warp_size) {
  const EventHit* best = &hits.front();
  int rank = 0;
  for (const EventHit& hit : hits) {
    const bool same_block = hit.warp.block == q.block;
    const bool same_thread = same_block && hit.warp.warp == q.thread / warp_size &&
                             (hit.lanes >> (q.thread % warp_size) & 1U) != 0;
    const int now = same_thread ? 2 : same_block ? 1 : 0;
    if (now > rank) {
      rank = now;
      best = &hit;
    }
  }
  return *best;
}

// Evaluates a watched expression, statement by statement.
class ChangeFinder {
 public:
  ChangeFinder(const record::Recording& recording, const EventQuestion& q,
               ThreadExpression expression)
      : recording_(recording), q_(q), expression_(std::move(expression)) {}

  // Notes the change that is nearest to `from` in statements that end in (first, last].
  bool look(std::uint64_t first, std::uint64_t last) {
    const auto starts = recording_.statement_starts();
    auto at = std::upper_bound(starts.begin(), starts.end(), first);
    record::State state = recording_.state_at(at == starts.begin() ? 0 : *(at - 1));
    std::optional<double> before = value(state);
    bool found = false;
    for (; at != starts.end() && *at <= last && !mistake_; ++at) {
      state = recording_.state_at(*at, std::move(state));
      const std::optional<double> now = value(state);
      const bool fits = q_.direction > 0 ? *at > q_.from : *at < q_.from;
      const bool both_nan = now && before && std::isnan(*now) && std::isnan(*before);
      if (now != before && !both_nan && fits) {
        stop_ = *at;
        before_ = before;
        after_ = now;
        found = true;
        if (q_.direction > 0) {
          return true;
        }
      }
      before = now;
    }
    return found || mistake_;
  }

  [[nodiscard]] EventAnswer answer(bool found) const {
    if (mistake_) {
      return {.sentence = mistake_->message};
    }
    if (!found) {
      return {.sentence = none(recording_, q_)};
    }
    const simt::Program& program = recording_.program();
    return {
        .found = true,
        .stop = stop_,
        .block = q_.block,
        .thread = q_.thread,
        .sentence = fmt::format(
            fmt::runtime(english::kChange.text()), fmt::arg("what", q_.what),
            fmt::arg("before", expression_value(before_)),
            fmt::arg("after", expression_value(after_)),
            fmt::arg("thread", thread_of_block(program.thread_index(q_.thread),
                                               program.block_index(q_.block), program.launch())))};
  }

 private:
  std::optional<double> value(const record::State& state) {
    auto found = expression_.evaluate(recording_, state, q_.block, q_.thread);
    if (!found) {
      mistake_ = found.error();
      return std::nullopt;
    }
    return *found;
  }

  const record::Recording& recording_;
  const EventQuestion& q_;
  ThreadExpression expression_;
  std::uint64_t stop_ = 0;
  std::optional<double> before_;
  std::optional<double> after_;
  std::optional<Error> mistake_;
};

EventAnswer next_change(const record::Recording& recording, const EventQuestion& q,
                        const std::atomic<bool>* cancel) {
  if (q.what.empty()) {
    return {.sentence = english::kNothingWatched.text()};
  }
  auto expression = ThreadExpression::parse(q.what);
  if (!expression) {
    return {.sentence = expression.error().message};
  }
  if (const auto mistake = expression->mistake(recording.program())) {
    return {.sentence = mistake->message};
  }
  ChangeFinder finder(recording, q, std::move(*expression));
  const bool found = search_windows(
      recording, q.from, q.direction, cancel,
      [&](std::uint64_t first, std::uint64_t last) { return finder.look(first, last); });
  return finder.answer(found);
}

}  // namespace

std::uint64_t end_of_statement(const record::Recording& recording, std::uint64_t step) {
  const auto starts = recording.statement_starts();
  const auto after = std::upper_bound(starts.begin(), starts.end(), step);
  return after == starts.end() ? recording.step_count() : *after;
}

std::uint64_t step_of(const Finding& finding) {
  return finding.parties.empty() ? 0 : finding.parties.back().step;
}

Result<std::vector<EventHit>> events_between(const record::Recording& recording,
                                             const EventQuestion& q, std::uint64_t first,
                                             std::uint64_t last) {
  std::vector<EventHit> hits;
  EventWatch::Options options{.kind = q.kind,
                              .block = q.block,
                              .thread = q.thread,
                              .target = {},
                              .first = first,
                              .starts = recording.statement_starts(),
                              .hits = &hits};
  if (q.kind == EventKind::Access) {
    Result<AccessTarget> target = access_target(recording.program(), q.what);
    if (!target) {
      return tl::unexpected(target.error());
    }
    options.target = std::move(*target);
  }
  recording.replay(first, last, [&](const simt::Machine& machine) {
    return std::make_unique<EventWatch>(machine, options);
  });
  std::ranges::stable_sort(hits,
                           [](const EventHit& a, const EventHit& b) { return a.step < b.step; });
  return hits;
}

EventAnswer find_event(const record::Recording& recording, const EventQuestion& q,
                       const std::atomic<bool>* cancel) {
  if (q.kind == EventKind::Finding) {
    EventAnswer answer = nearest_finding(recording, q);
    if (!answer.found && answer.sentence.empty()) {
      answer.sentence = none(recording, q);
    }
    return answer;
  }
  if (q.kind == EventKind::Change) {
    return next_change(recording, q, cancel);
  }
  if (q.kind == EventKind::Access && q.what.empty()) {
    return {.sentence = english::kNothingChosen.text()};
  }
  std::vector<EventHit> hits;
  std::optional<Error> mistake;
  const auto stop_of = [&](const EventHit& hit) { return end_of_statement(recording, hit.step); };
  const bool found = search_windows(recording, q.from, q.direction, cancel,
                                    [&](std::uint64_t first, std::uint64_t last) {
                                      auto all = events_between(recording, q, first, last);
                                      if (!all) {
                                        mistake = all.error();
                                        return true;
                                      }
                                      hits = nearest_hits(*all, q.from, q.direction, stop_of);
                                      return !hits.empty();
                                    });
  if (mistake) {
    return {.sentence = mistake->message};
  }
  if (!found) {
    return {.sentence = none(recording, q)};
  }
  const auto warp_size = recording.program().warp_size();
  const EventHit& hit = most_telling(hits, q, warp_size);
  const Who who = who_of(recording, hit, q);
  return {.found = true,
          .stop = stop_of(hit),
          .block = hit.warp.block,
          .thread = who.thread,
          .sentence = sentence_of(recording, hit, q)};
}

}  // namespace tilestep::insight

#include "insight/events/finding_stops.h"

#include "insight/check/sentences.h"
#include "insight/check/strike.h"
#include "insight/events/english.h"
#include "insight/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

namespace english = events_english;

// Keeps the nearest stop; of several at one stop the first that is the focus thread's, else the
// first.
class Nearest {
 public:
  Nearest(const record::Recording& recording, const EventQuestion& q)
      : recording_(recording), q_(q) {}

  // True: `tell` has to say what it is.
  bool takes(std::uint64_t step, std::uint32_t block, std::uint32_t thread) {
    const std::uint64_t stop = end_of_statement(recording_, step);
    const bool forward = q_.direction > 0;
    if (forward ? stop <= q_.from : stop >= q_.from) {
      return false;
    }
    const bool nearer = !answer_.found || (forward ? stop < answer_.stop : stop > answer_.stop);
    const bool is_focus = block == q_.block && thread == q_.thread;
    const bool had_focus = answer_.block == q_.block && answer_.thread == q_.thread;
    if (!nearer && (stop != answer_.stop || !is_focus || had_focus)) {
      return false;
    }
    answer_ = {.found = true, .stop = stop, .block = block, .thread = thread, .sentence = {}};
    return true;
  }
  void tell(std::string sentence) { answer_.sentence = std::move(sentence); }
  [[nodiscard]] EventAnswer answer() && { return std::move(answer_); }

 private:
  const record::Recording& recording_;
  const EventQuestion& q_;
  EventAnswer answer_;
};

void look_at_findings(const record::Recording& recording, const EventQuestion& q,
                      Nearest& nearest) {
  const problem::Launch& launch = recording.program().launch();
  for (const Finding& finding : q.findings) {
    const Party party = finding.parties.empty() ? Party{} : finding.parties.back();
    if (nearest.takes(party.step, static_cast<std::uint32_t>(launch.grid.linear(party.block)),
                      static_cast<std::uint32_t>(launch.block.linear(party.thread)))) {
      nearest.tell(finding.sentence);
    }
  }
}

void look_at_strikes(const record::Recording& recording, const EventQuestion& q, Nearest& nearest) {
  const simt::Program& program = recording.program();
  for (const Strike& strike : find_strikes(recording, q.block)) {
    const std::uint32_t last = strike.is_lost() ? strike.reader.thread : strike.writer.thread;
    if (nearest.takes(strike.last_step(), q.block, last)) {
      nearest.tell(race_sentence(program, finding_of(program, strike),
                                 {.read_comes_first = strike.is_lost()}));
    }
  }
}

void look_at_faults(const record::Recording& recording, const EventQuestion& q, Nearest& nearest) {
  const simt::Program& program = recording.program();
  for (const record::Activity::Fault& fault : recording.faults()) {
    const auto lane =
        static_cast<std::uint32_t>(fault.event.mask == 0 ? 0 : std::countr_zero(fault.event.mask));
    const std::uint32_t thread =
        fault.warp.warp * static_cast<std::uint32_t>(program.warp_size()) + lane;
    if (!nearest.takes(fault.step, fault.warp.block, thread)) {
      continue;
    }
    const auto first = std::find_if(q.findings.begin(), q.findings.end(), [&](const Finding& f) {
      return f.kind == finding_kind(fault.event.kind) && !f.parties.empty() &&
             f.parties.back().line == fault.line;
    });
    if (first != q.findings.end()) {
      nearest.tell(fmt::format(
          fmt::runtime(english::kAgain.text()), fmt::arg("line", fault.line),
          fmt::arg("thread",
                   thread_of_block(program.thread_index(thread),
                                   program.block_index(fault.warp.block), program.launch())),
          fmt::arg("first", first->sentence)));
    }
  }
}

bool has_shared_race(const EventQuestion& q) {
  return std::any_of(q.findings.begin(), q.findings.end(),
                     [](const Finding& f) { return f.kind == FindingKind::SharedRace; });
}

}  // namespace

EventAnswer nearest_finding(const record::Recording& recording, const EventQuestion& q) {
  Nearest nearest(recording, q);
  if (recording.is_whole()) {  // else their steps are another run's
    look_at_findings(recording, q, nearest);
  }
  if (!q.first_only) {
    if (has_shared_race(q)) {
      look_at_strikes(recording, q, nearest);
    }
    look_at_faults(recording, q, nearest);
  }
  EventAnswer answer = std::move(nearest).answer();
  if (!answer.found && !recording.is_whole()) {
    answer.sentence = fmt::format(fmt::runtime(english::kPartOnly.text()),
                                  fmt::arg("first", recording.part().first),
                                  fmt::arg("last", recording.part().last - 1));
  }
  return answer;
}

}  // namespace tilestep::insight

#include "ui/warp_lanes.h"

#include "narration/templates.h"
#include "ui/names.h"
#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

namespace tilestep::ui {
namespace {

using narration::part;
using narration::plain;

constexpr int kLaneNumber = 4;  // characters of a value

// A number as short as a lane is wide; other values (structures, pointers) have no room.
std::string lane_text(const simt::Program& program, const record::Value& value) {
  if (value.status != record::Value::Status::Ok &&
      value.status != record::Value::Status::ThreadExited) {
    return "";
  }
  const std::string text = record::format_value(program, value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') {
    return text.size() <= kLaneNumber ? text : "";
  }
  return with_minus(short_number(number, kLaneNumber));
}

class Lanes {
 public:
  explicit Lanes(const WarpQuestion& question)
      : q_(question),
        program_(question.recording.program()),
        size_(program_.warp_size()),
        id_{question.block, question.thread / size_} {}

  WarpLanes find() {
    WarpLanes found;
    found.title = thread_name(program_, q_.block, q_.thread);
    found.first = id_.warp * size_;
    found.focus = q_.thread % size_;
    found.place = place(found.focus);
    const bool is_sum = adds_to_sum();
    found.variable = is_sum ? q_.sums->name(*q_.sum, q_.state.step()) : variable();
    found.role = is_sum                                          ? insight::ValueRole::Sum
                 : q_.sums != nullptr && !found.variable.empty() ? q_.sums->role_of(found.variable)
                                                                 : insight::ValueRole::None;
    found.lanes.resize(size_);
    record::VariableOfThreads values(q_.state, found.variable);
    for (std::uint32_t lane = 0; lane < size_; ++lane) {
      const std::uint32_t thread = found.first + lane;
      if (thread >= program_.threads_per_block()) {
        continue;
      }
      found.lanes[lane].state = state_of(lane);
      if (is_sum) {
        found.lanes[lane].value = sum_of(thread);
      } else if (!found.variable.empty()) {
        const auto& value = values.read(q_.block, thread);
        found.lanes[lane].value = value ? lane_text(program_, *value) : "";
      }
    }
    found.note = note(found);
    return found;
  }

 private:
  [[nodiscard]] std::string place(std::uint32_t lane) const {
    return narration::plain_text(
        part("lanes_place", {{"warp", plain(fmt::format("{}", id_.warp))},
                             {"warps", plain(fmt::format("{}", program_.warps_per_block()))},
                             {"lane", plain(fmt::format("{}", lane))}}));
  }

  // Nothing where the statement was another warp's.
  [[nodiscard]] const record::Activity::Executed* executed() const {
    const auto& all = q_.statement.executed;
    const auto own = std::find_if(all.rbegin(), all.rend(),
                                  [&](const auto& executed) { return executed.warp == id_; });
    return own == all.rend() ? nullptr : &*own;
  }

  [[nodiscard]] LaneState state_of(std::uint32_t lane) const {
    const bool runs = q_.state.machine().block_status(q_.block) == simt::BlockStatus::Running;
    const record::Activity::Executed* const own = executed();
    if (own != nullptr && (own->mask >> lane & 1U) != 0) {
      return LaneState::Executing;
    }
    if (!runs || (q_.state.machine().warp(id_).live >> lane & 1U) == 0) {
      return LaneState::Ended;
    }
    return own != nullptr ? LaneState::Off : LaneState::Idle;
  }

  [[nodiscard]] bool is_readable(const std::string& name) const {
    const auto value = q_.state.variable(q_.block, q_.thread, name);
    return value && !lane_text(program_, *value).empty();
  }

  // The statement gave the sum that is told of its newest value.
  [[nodiscard]] bool adds_to_sum() const {
    if (q_.sums == nullptr || !q_.sum) {
      return false;
    }
    const insight::SumNow now = q_.sums->now(*q_.sum, q_.state.step());
    return now.assigned && now.values > 0 && now.step >= q_.statement.first_step;
  }
  // The sum of another thread that has the same number.
  [[nodiscard]] std::string sum_of(std::uint32_t thread) const {
    const std::size_t number = *q_.sum - q_.sums->of_thread(q_.thread).first;
    const insight::BlockSums::Range own = q_.sums->of_thread(thread);
    if (number >= own.size()) {
      return "";
    }
    const insight::SumNow now = q_.sums->now(own.first + number, q_.state.step());
    return now.assigned ? with_minus(short_number(static_cast<double>(now.value), kLaneNumber))
                        : "";
  }

  // What the statement assigned, in a loop's head its counter; else the sum.
  [[nodiscard]] std::string variable() const {
    const record::Activity::Executed* const own = executed();
    if (own != nullptr) {
      for (const int i : q_.source.at(own->line)) {
        const narration::SourceStatement& statement = q_.source[i];
        for (const auto* list : {&statement.assignments, &statement.steps}) {
          for (const narration::Assignment& assignment : *list) {
            const narration::Expression& target = assignment.target;
            if (target.is(narration::Form::Name) && is_readable(target.text)) {
              return target.text;
            }
          }
        }
      }
    }
    return !q_.accumulator.empty() && is_readable(q_.accumulator) ? q_.accumulator : "";
  }

  [[nodiscard]] narration::Pieces note(const WarpLanes& found) const {
    const auto count = [&found](LaneState state) {
      return static_cast<std::size_t>(
          std::ranges::count(found.lanes, state, &WarpLanes::Lane::state));
    };
    const std::size_t threads = found.lanes.size() - count(LaneState::Absent);
    const narration::Hue hue = found.role == insight::ValueRole::A     ? narration::Hue::FromA
                               : found.role == insight::ValueRole::B   ? narration::Hue::FromB
                               : found.role == insight::ValueRole::Sum ? narration::Hue::Sum
                                                                       : narration::Hue::None;
    const narration::Pieces name = narration::strong(found.variable, hue);
    const narration::Pieces all = plain(fmt::format("{}", found.lanes.size()));
    const bool named = !found.variable.empty();
    if (const std::size_t off = count(LaneState::Off); off > 0) {
      const narration::Places places{{"variable", name},
                                     {"off", plain(fmt::format("{}", off))},
                                     {"all", plain(fmt::format("{}", threads))}};
      return named ? part("lanes_off_variable", places) : part("lanes_off", places);
    }
    if (threads < found.lanes.size()) {
      const narration::Places places{{"variable", name},
                                     {"first", plain(fmt::format("{}", threads))},
                                     {"last", plain(fmt::format("{}", found.lanes.size() - 1))}};
      return named ? part("lanes_absent_variable", places) : part("lanes_absent", places);
    }
    return named ? part("lanes_all_variable", {{"variable", name}, {"all", all}})
                 : part("lanes_all", {{"all", all}});
  }

  const WarpQuestion& q_;
  const simt::Program& program_;
  std::uint32_t size_;
  simt::WarpId id_;
};

}  // namespace

WarpLanes warp_lanes(const WarpQuestion& question) {
  return Lanes(question).find();
}

}  // namespace tilestep::ui

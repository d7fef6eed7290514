#include "analysis/chart.h"
#include "analysis/launch_facts.h"
#include "analysis/words.h"
#include "problem/tr.h"
#include "ui/film.h"
#include "ui/instrument.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "workspace/chart_request.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

using analysis::Better;
using analysis::LaunchNumber;
using analysis::LaunchQuantity;

constexpr double kRollSeconds = 0.25;
constexpr float kNumberRow = 1.15F;   // lines
constexpr float kNumberName = 0.86F;  // of a line
constexpr float kNumberRoom = 6.4F;   // lines, for "1.25 → 2.14" and its arrow
constexpr float kIdleRoom = 7.6F;     // … "2.63 → 11.6%"
constexpr float kSpeedRoom = 9.0F;    // … "12,345 → 12,345"
constexpr float kNumberGap = 0.9F;
constexpr float kOneLineOfCause = 50.0F;  // wide enough for the cause in one line

// Abbreviations for narrow rooms.
struct ShortName {
  LaunchQuantity quantity;
  Message name;
};
constexpr std::array kShortNames{ShortName{LaunchQuantity::Blocks, Message("blocks")},
                                 ShortName{LaunchQuantity::Loads, Message("loads of {}")},
                                 ShortName{LaunchQuantity::Sectors, Message("sectors")},
                                 ShortName{LaunchQuantity::Passes, Message("passes")},
                                 ShortName{LaunchQuantity::IdleLanes, Message("idle")},
                                 ShortName{LaunchQuantity::Waves, Message("waves")},
                                 ShortName{LaunchQuantity::Speed, Message("GFLOP/s")}};
// By priority: without room for all, the last ones are left out.
constexpr std::array kWanted{LaunchQuantity::Speed,     LaunchQuantity::Loads,
                             LaunchQuantity::Passes,    LaunchQuantity::Sectors,
                             LaunchQuantity::IdleLanes, LaunchQuantity::Blocks,
                             LaunchQuantity::Waves};
// In a lecture: few and large enough for the last row.
constexpr std::size_t kWantedInLecture = 3;
constexpr float kLectureNumber = 1.3F;  // lines

using Numbers = std::vector<LaunchNumber>;

// Everything that a run's numbers depend on.
struct NumbersKey {
  workspace::Generation generation;
  std::uint64_t timing_data = 0;
  state::TimingView timing;
  bool hides_counts = false;
  bool hides_speed = false;
  friend bool operator==(const NumbersKey&, const NumbersKey&) = default;
};

// A run and its numbers.
struct NumberedRun {
  std::string kernel, edited_source;
  problem::Parameters parameters;
  Numbers numbers;

  [[nodiscard]] bool is_same_code(const NumberedRun& other) const {
    return kernel == other.kernel && edited_source == other.edited_source;
  }
};

struct NumbersMemory {
  std::array<std::optional<NumbersKey>, 2> keys;  // of both sides
  NumberedRun was, is, second;
  NumberedRun before_hand;  // the run before the slider was dragged
  bool was_held = false;
  bool was_shown_by_film = false;  // not chosen by the user
  bool are_sides = false;          // `cause` is for two runs side by side
  std::string cause;
  double changed_at = -1.0;
};

// One of two runs side by side, or the only one.
struct Side {
  const state::Setup& setup;
  const workspace::FrameView& view;
};

// The numbers of the run on stage if they changed since the last frame; nullopt until they are
// counted.
std::optional<NumberedRun> new_numbers(const Context& context, const Side& side,
                                       std::optional<NumbersKey>& known) {
  const auto& scene = side.view.run.scene;
  if (scene == nullptr || side.view.jobs.busy || side.view.run.is_old) {
    return std::nullopt;
  }
  const state::TimingView& timing = context.state.timing;
  const NumbersKey key{scene->generation, context.view.timing.version, timing,
                       hides(context, course::Topic::Counts),
                       hides_speed(context, scene->kernel_id)};
  if (known == key) {
    return std::nullopt;
  }
  known = key;
  const timing::DataSet* const data = context.view.timing.dataset.get();
  const std::string& edited = side.setup.edited_source;
  const problem::Parameters& on_stage = scene->launch.parameters;
  analysis::NumberedLaunch of;
  of.launch = &scene->launch;
  of.gpu = workspace::shown_gpu(context.state, data);
  of.measured = analysis::shown_problem(data, timing.problem);
  if (!key.hides_counts) {
    const auto facts_at = [&](const problem::Problem& size) {
      const problem::Parameters own =
          workspace::own_parameters(scene->spec, {size, on_stage.block_size});
      return analysis::find_facts(*context.view.timing.facts, scene->kernel_id, own,
                                  of.gpu.architecture, edited);
    };
    of.facts = facts_at(on_stage.problem);
    of.timed = facts_at(of.measured);
    if (of.facts == nullptr) {
      return std::nullopt;
    }
  }
  if (data != nullptr && !key.hides_speed) {
    const timing::Point* const point =
        edited.empty() ? data->find(scene->kernel_id, of.measured, on_stage.block_size) : nullptr;
    of.gflops = point == nullptr ? 0.0 : timing::gflops(*point, point->median_ms());
  }
  return NumberedRun{scene->kernel_id, edited, on_stage, analysis::numbers_of(of)};
}

const LaunchNumber* find_number(const Numbers& numbers, const LaunchNumber& like) {
  const auto found = std::ranges::find_if(numbers, [&](const LaunchNumber& number) {
    return number.quantity == like.quantity && number.name == like.name;
  });
  return found == numbers.end() ? nullptr : &*found;
}

// Returns whether they changed.
bool take_numbers(const Context& context, bool is_held, NumbersMemory& memory) {
  if (is_held && !memory.was_held) {
    memory.before_hand = memory.is;
  }
  memory.was_held = is_held;
  auto now = new_numbers(context, {context.state, context.view}, memory.keys[0]);
  if (!now) {
    return false;
  }
  const bool is_same_code = now->is_same_code(memory.is);
  if (!is_same_code || now->parameters != memory.is.parameters) {
    const bool is_compared =
        !memory.is.kernel.empty() && (is_same_code || !memory.was_shown_by_film);
    memory.changed_at = is_compared && context.state.animate ? context.now : -1.0;
    memory.was = !is_compared ? NumberedRun{} : is_held ? memory.before_hand : std::move(memory.is);
  }
  memory.is = std::move(*now);
  memory.was_shown_by_film = plays_film(context);
  return true;
}

std::string short_name(const LaunchNumber& number) {
  const auto found = std::ranges::find(kShortNames, number.quantity, &ShortName::quantity);
  return fmt::format(fmt::runtime(found->name.text()), number.of);
}

struct PlacedNumber {
  const LaunchNumber* number = nullptr;
  std::string name;
  float x = 0.0F;
  int row = 0;
};

struct NumberRows {
  Box box;
  float font = 0.0F;
  int rows = 1;

  [[nodiscard]] float row() const { return kNumberRow * font; }
};

float room_of(const LaunchNumber& number, float font) {
  return (number.quantity == LaunchQuantity::Speed       ? kSpeedRoom
          : number.quantity == LaunchQuantity::IdleLanes ? kIdleRoom
                                                         : kNumberRoom) *
         font;
}

// Rows of numbers from left to right; nullopt if there is no room.
std::optional<std::vector<PlacedNumber>> flow_numbers(
    const Context& context, const std::vector<const LaunchNumber*>& numbers, const NumberRows& room,
    bool is_short) {
  std::vector<PlacedNumber> cells;
  float x = room.box.x;
  int row = 0;
  for (const LaunchNumber* const number : numbers) {
    const std::string name = is_short ? short_name(*number) : number->name;
    const float width =
        text_width(context.fonts.text, kNumberName * room.font, name) + room_of(*number, room.font);
    if (x > room.box.x && x + width > room.box.right()) {
      x = room.box.x;
      ++row;
    }
    if (row >= room.rows || x + width > room.box.right()) {
      return std::nullopt;
    }
    cells.push_back({number, name, x, row});
    x += width + kNumberGap * room.font;
  }
  return cells;
}

// Tries whole names, then short ones, then fewer numbers.
std::vector<PlacedNumber> place_numbers(const Context& context, const Numbers& numbers,
                                        const NumberRows& room) {
  const bool is_lecture = context.state.lecture;
  const std::size_t most = is_lecture ? kWantedInLecture : kWanted.size();
  for (std::size_t count = most; count > 0; --count) {
    std::vector<const LaunchNumber*> chosen;
    for (const LaunchNumber& number : numbers) {
      const auto rank = std::ranges::find(kWanted, number.quantity) - kWanted.begin();
      if (static_cast<std::size_t>(rank) < count) {
        chosen.push_back(&number);
      }
    }
    for (const bool is_short : {false, true}) {
      const bool is_tried = is_short || (count == kWanted.size() && !is_lecture);
      if (const auto cells =
              is_tried ? flow_numbers(context, chosen, room, is_short) : std::nullopt) {
        return *cells;
      }
    }
  }
  return {};
}

// An interpolated value during the transition.
std::string rolling_text(const LaunchNumber& is, const LaunchNumber* was, double progress) {
  if (was == nullptr || progress >= 1.0 || !was->is_known() || !is.is_known()) {
    return is.text();
  }
  LaunchNumber now = is;
  const double eased = 1.0 - (1.0 - progress) * (1.0 - progress);
  now.value = was->value + eased * (is.value - was->value);
  const bool are_whole = is.value == std::floor(is.value) && was->value == std::floor(was->value);
  now.value = are_whole ? std::round(now.value) : now.value;
  return now.text();
}

ImU32 colour_of_change(const Context& context, const LaunchNumber& is, double was) {
  const bool more = is.value > was;
  return is.better == Better::Neither          ? context.theme.text_dim
         : (is.better == Better::More) == more ? context.theme.good
                                               : context.theme.bad;
}

struct NumberPen {
  ImDrawList& list;
  float x, y;

  void write(ImFont* font, float size, ImU32 colour, const std::string& text, float line) {
    list.AddText(font, size, {x, std::round(y + 0.5F * (line - size))}, colour, text.c_str());
    x += text_width(font, size, text);
  }
};

// `was` and the number are joined by an arrow; of two runs side by side, by a line.
void paint_number(const Context& context, const PlacedNumber& cell, const NumberRows& room,
                  const LaunchNumber* was, bool are_sides, double progress) {
  const Theme& t = context.theme;
  const float font = room.font;
  const float line = room.row();
  NumberPen pen{*ImGui::GetWindowDrawList(), cell.x,
                room.box.y + static_cast<float>(cell.row) * line};
  const float from = pen.x;
  const LaunchNumber& is = *cell.number;
  pen.write(context.fonts.text, kNumberName * font, t.text_dim, cell.name + "  ", line);
  const bool changed = was != nullptr && was->text() != is.text();
  if (changed || (are_sides && was != nullptr)) {
    pen.write(context.fonts.text, font, are_sides ? t.text : t.text_dim,
              was->text() + (are_sides ? " | " : " → "), line);
  }
  pen.write(context.fonts.bold, font, t.text, rolling_text(is, was, are_sides ? 1.0 : progress),
            line);
  if (changed && !are_sides && was->is_known() && is.is_known()) {
    pen.write(context.fonts.text, font, colour_of_change(context, is, was->value),
              std::string(" ") + (is.value > was->value ? icon::kUp : icon::kDown), line);
  }
  ImGui::SetCursorScreenPos({from, pen.y});
  ImGui::Dummy({pen.x - from, line});
  tooltip(is.name + "\n" + is.cause);
}

// The cost of a number, on a scale that makes changes of different numbers comparable.
double weight_of(const LaunchNumber& number) {
  constexpr double kPercent = 100.0;
  return number.quantity == LaunchQuantity::IdleLanes
             ? -std::log(std::max(1.0 - number.value / kPercent, 1e-3))
             : std::log(std::max(number.value, 1e-3));
}

// The number that changed most; if none did, the limiting resource.
std::string cause_by_numbers(const Numbers& is, const Numbers& was) {
  const LaunchNumber* most = nullptr;
  double most_change = 0.0;
  for (const LaunchNumber& number : is) {
    const LaunchNumber* const before = find_number(was, number);
    if (before == nullptr || number.cause.empty() || number.better != Better::Less) {
      continue;
    }
    const double change = std::fabs(weight_of(number) - weight_of(*before));
    if (change > most_change && number.text() != before->text()) {
      most = &number;
      most_change = change;
    }
  }
  if (most == nullptr && !is.empty() && is.back().quantity == LaunchQuantity::Speed) {
    most = &is.back();
  }
  return most == nullptr || most->cause.empty() ? ""
                                                : fmt::format("{}: {}", most->name, most->cause);
}

// The reason why one run is slower than the other, if both are timed: the largest of the Timing
// tab's factors. Empty if there is no answer.
std::string cause_by_time(const Context& context, const NumberedRun& was, const NumberedRun& is) {
  const bool is_one_point =
      was.kernel == is.kernel && was.parameters.block_size == is.parameters.block_size;
  if (was.kernel.empty() || is_one_point || !was.edited_source.empty() ||
      !is.edited_source.empty()) {
    return "";
  }
  state::AppState state = context.state;
  state.timing.selected_kernel = is.kernel;
  state.timing.selected_block_size = is.parameters.block_size;
  state.timing.against = {was.kernel, was.parameters.block_size, ""};
  const workspace::ChartData data{context.view.kernels.catalog.get(), *context.view.timing.datasets,
                                  *context.view.timing.facts};
  const auto pair = workspace::show_pair(state.timing, data, workspace::chart_request(state, data));
  if (!pair || !pair->comparison) {
    return pair ? pair->claim : "";
  }
  const analysis::Comparison& comparison = *pair->comparison;
  const auto named = std::span(comparison.factors).first(comparison.named);
  const auto first = std::ranges::find_if(
      named, [](const analysis::Factor& factor) { return factor.ratio > 1.0; });
  if (first == named.end()) {
    return comparison.claim;
  }
  const std::string text = fmt::format("{}: {} ({})", comparison.claim, first->claim(),
                                       first->reason.empty() ? first->counted : first->reason);
  return comparison.doubt.empty() ? text : fmt::format("{}. {}", text, comparison.doubt);
}

std::string cause_of(const Context& context, const NumberedRun& was, const NumberedRun& is,
                     const NumbersKey& key) {
  const std::string cause =
      key.hides_counts || key.hides_speed ? "" : cause_by_time(context, was, is);
  return cause.empty() ? cause_by_numbers(is.numbers, was.numbers) : cause;
}

// Updates numbers and cause.
void refresh_numbers(const Context& context, bool is_held, NumbersMemory& memory) {
  bool changed = take_numbers(context, is_held, memory);
  const bool are_sides = context.state.comparison.on && context.view.beside != nullptr;
  if (are_sides) {
    const workspace::Beside& beside = *context.view.beside;
    if (auto now = new_numbers(context, {beside.state, beside.view}, memory.keys[1])) {
      memory.second = std::move(*now);
      changed = true;
    }
  }
  if (memory.keys[0] && (changed || memory.are_sides != are_sides)) {
    memory.are_sides = are_sides;
    memory.cause = are_sides ? cause_of(context, memory.is, memory.second, *memory.keys[0])
                             : cause_of(context, memory.was, memory.is, *memory.keys[0]);
  }
}

// Uses as many lines as needed and available.
void paint_cause(const Context& context, const std::string& cause, const Box& box) {
  const float font = ImGui::GetFontSize();
  const int lines = static_cast<int>(box.h / font);
  if (lines == 0 || cause.empty()) {
    return;
  }
  const float ends = 4.0F * font * static_cast<float>(lines - 1);  // empty room at the lines' ends
  const std::string cut = cut_to(cause, static_cast<float>(lines) * box.w - ends);
  const std::string text = lines == 1 ? cut : with_line_breaks(cut, box.w);
  ImGui::GetWindowDrawList()->AddText(context.fonts.text, font, {box.x, std::round(box.y)},
                                      context.theme.text, text.c_str(), nullptr,
                                      lines == 1 ? 0.0F : box.w);
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::Dummy({box.w, box.h});
  tooltip(cause);
}

}  // namespace

void draw_instrument_numbers(const Context& context, const Box& box, bool is_held) {
  auto& memory = context.memory.of<NumbersMemory>();
  refresh_numbers(context, is_held, memory);
  const float font = ImGui::GetFontSize();
  if (memory.is.numbers.empty() || box.w < 8.0F * font) {
    return;
  }
  const bool are_sides = memory.are_sides;
  const Numbers& was = are_sides ? memory.is.numbers : memory.was.numbers;
  const Numbers& is = are_sides ? memory.second.numbers : memory.is.numbers;
  NumberRows room{box, context.state.lecture ? kLectureNumber * font : font};
  const float cause = (box.w < kOneLineOfCause * font ? 2.0F : 1.0F) * font;
  room.rows = std::max(1, static_cast<int>((box.h - cause) / room.row()));
  const double progress = (context.now - memory.changed_at) / kRollSeconds;
  if (progress < 1.0) {
    context.memory.animate_until(memory.changed_at + kRollSeconds);
  }
  float bottom = box.y;
  for (const PlacedNumber& cell : place_numbers(context, is, room)) {
    paint_number(context, cell, room, find_number(was, *cell.number), are_sides,
                 std::clamp(progress, 0.0, 1.0));
    bottom = box.y + static_cast<float>(cell.row + 1) * room.row();
  }
  paint_cause(context, memory.cause, {box.x, bottom, box.w, box.bottom() - bottom});
}

}  // namespace tilestep::ui

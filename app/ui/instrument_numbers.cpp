#include "ui/instrument_numbers.h"

#include "analysis/chart.h"
#include "analysis/launch_numbers.h"
#include "problem/describe/spec_parts.h"
#include "problem/tr.h"
#include "ui/icons.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"
#include "workspace/chart_request.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

using analysis::Better;
using analysis::LaunchNumber;
using analysis::LaunchQuantity;

constexpr double kRollSeconds = 0.25;
constexpr float kNumberRow = 1.22F;   // lines
constexpr float kNumberName = 0.86F;  // of a line
constexpr float kNumberRoom = 6.4F;   // lines, for "1.25 → 2.14" and its arrow
constexpr float kSpeedRoom = 9.0F;    // … "12,345 → 12,345"
constexpr float kNumberGap = 0.9F;

// Where there is no room for whole names.
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
// … and for all numbers: these go first.
constexpr std::array kLeastWanted{LaunchQuantity::Waves, LaunchQuantity::Blocks,
                                  LaunchQuantity::IdleLanes, LaunchQuantity::Passes,
                                  LaunchQuantity::Loads};

using Numbers = std::vector<LaunchNumber>;

struct NumbersMemory {
  Numbers was, is;
  Numbers before_hand;  // what they were when the hand took the slider
  bool was_held = false;
  problem::Parameters parameters;
  std::string kernel;
  double changed_at = -1.0;
};

// Of the run on stage; nothing while it is not counted.
std::optional<Numbers> numbers_of(const Context& context, const Context& side) {
  const workspace::Scene* const scene = side.view.scene;
  if (scene == nullptr || side.view.busy) {
    return std::nullopt;
  }
  const timing::DataSet* const data = context.view.dataset;
  const bool is_edited = !side.state.edited_source.empty();
  const bool hides_counts = hides(context, course::Topic::Counts);
  const problem::Parameters& on_stage = scene->launch.parameters;
  analysis::NumberedLaunch of;
  of.launch = &scene->launch;
  of.gpu = workspace::shown_gpu(context.state, data);
  of.measured = analysis::shown_problem(data, context.state.timing.problem);
  if (!is_edited && !hides_counts) {
    const auto facts_at = [&](const problem::Problem& size) {
      const problem::Parameters own =
          workspace::own_parameters(scene->spec, {size, on_stage.block_size});
      return analysis::find_facts(context.view.facts, scene->kernel_id, own, of.gpu.architecture);
    };
    of.facts = facts_at(on_stage.problem);
    of.timed = facts_at(of.measured);
    if (of.facts == nullptr) {
      return std::nullopt;
    }
  }
  const bool hides_speed =
      hides(context, course::Topic::Timings) || context.state.timing.guess.hides(scene->kernel_id);
  if (data != nullptr && !is_edited && !hides_speed) {
    of.measured_ms = data->median_ms(scene->kernel_id, of.measured, on_stage.block_size);
  }
  return analysis::numbers_of(of);
}

const LaunchNumber* find_number(const Numbers& numbers, const LaunchNumber& like) {
  const auto found = std::ranges::find_if(numbers, [&](const LaunchNumber& number) {
    return number.quantity == like.quantity && number.name == like.name;
  });
  return found == numbers.end() ? nullptr : &*found;
}

void take_numbers(const Context& context, bool is_held, NumbersMemory& memory) {
  if (is_held && !memory.was_held) {
    memory.before_hand = memory.is;
  }
  memory.was_held = is_held;
  auto now = numbers_of(context, context);
  if (!now || *now == memory.is) {
    return;
  }
  const workspace::Scene& scene = *context.view.scene;
  const bool is_new =
      memory.kernel != scene.kernel_id || memory.parameters != scene.launch.parameters;
  if (is_new) {
    memory.was = is_held ? memory.before_hand : std::move(memory.is);
    memory.changed_at = memory.kernel.empty() ? -1.0 : context.now;
  }
  memory.kernel = scene.kernel_id;
  memory.parameters = scene.launch.parameters;
  memory.is = std::move(*now);
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

float room_of(const LaunchNumber& number, float font) {
  return (number.quantity == LaunchQuantity::Speed ? kSpeedRoom : kNumberRoom) * font;
}

// Rows of numbers from left to right; nothing where they have no room.
std::optional<std::vector<PlacedNumber>> flow_numbers(const Context& context,
                                                      const Numbers& numbers, const Box& box,
                                                      int rows, bool is_short) {
  const float font = ImGui::GetFontSize();
  std::vector<PlacedNumber> cells;
  float x = box.x;
  int row = 0;
  for (const LaunchNumber& number : numbers) {
    const std::string name = is_short ? short_name(number) : number.name;
    const float width =
        text_width(context.fonts.text, kNumberName * font, name) + room_of(number, font);
    if (x > box.x && x + width > box.right()) {
      x = box.x;
      ++row;
    }
    if (row >= rows || x + width > box.right()) {
      return std::nullopt;
    }
    cells.push_back({&number, name, x, row});
    x += width + kNumberGap * font;
  }
  return cells;
}

// Whole names, then short ones, then fewer numbers.
std::vector<PlacedNumber> place_numbers(const Context& context, Numbers& numbers, const Box& box,
                                        int rows) {
  for (const bool is_short : {false, true}) {
    if (const auto cells = flow_numbers(context, numbers, box, rows, is_short)) {
      return *cells;
    }
  }
  for (const LaunchQuantity quantity : kLeastWanted) {
    const auto last = std::find_if(numbers.rbegin(), numbers.rend(),
                                   [&](const LaunchNumber& n) { return n.quantity == quantity; });
    if (last == numbers.rend()) {
      continue;
    }
    numbers.erase(std::next(last).base());
    if (const auto cells = flow_numbers(context, numbers, box, rows, true)) {
      return *cells;
    }
  }
  return {};
}

// Between two values while it rolls from one to the other.
std::string rolling_text(const LaunchNumber& is, const LaunchNumber* was, double progress) {
  if (was == nullptr || progress >= 1.0) {
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

// `was` and its number are joined by an arrow; of two runs beside each other by a line.
void paint_number(const Context& context, const PlacedNumber& cell, const Box& box,
                  const LaunchNumber* was, bool are_sides, double progress) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  const float line = kNumberRow * font;
  NumberPen pen{*ImGui::GetWindowDrawList(), cell.x, box.y + static_cast<float>(cell.row) * line};
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
  if (changed && !are_sides) {
    pen.write(context.fonts.text, font, colour_of_change(context, is, was->value),
              std::string(" ") + (is.value > was->value ? icon::kUp : icon::kDown), line);
  }
  ImGui::SetCursorScreenPos({from, pen.y});
  ImGui::Dummy({pen.x - from, line});
  tooltip(is.name + "\n" + is.cause);
}

// How much a number may cost, on a scale on which changes of different ones can be compared.
double weight_of(const LaunchNumber& number) {
  constexpr double kPercent = 100.0;
  return number.quantity == LaunchQuantity::IdleLanes
             ? -std::log(std::max(1.0 - number.value / kPercent, 1e-3))
             : std::log(std::max(number.value, 1e-3));
}

// The one that changed most; where none did, what binds.
std::string cause_of(const Numbers& is, const Numbers& was) {
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

}  // namespace

void draw_instrument_numbers(const Context& context, const Box& box, bool is_held) {
  auto& memory = context.memory.of<NumbersMemory>();
  take_numbers(context, is_held, memory);
  const float font = ImGui::GetFontSize();
  if (memory.is.empty() || box.w < 8.0F * font) {
    return;
  }
  const bool are_sides = context.state.comparison.on && context.view.beside != nullptr;
  Numbers was = memory.was;
  Numbers is = memory.is;
  if (are_sides) {
    const Context second{*context.view.beside->state,
                         *context.view.beside->view,
                         context.theme,
                         context.fonts,
                         context.cells,
                         context.memory,
                         context.now};
    was = std::exchange(is, numbers_of(context, second).value_or(Numbers{}));
  }
  const int all_rows = std::max(1, static_cast<int>(box.h / (kNumberRow * font)));
  const int rows = all_rows > 1 ? all_rows - 1 : 1;
  const double progress = (context.now - memory.changed_at) / kRollSeconds;
  if (progress < 1.0) {
    context.memory.animate_until(memory.changed_at + kRollSeconds);
  }
  const std::string cause = cause_of(is, was);
  for (const PlacedNumber& cell : place_numbers(context, is, box, rows)) {
    paint_number(context, cell, box, find_number(was, *cell.number), are_sides,
                 std::clamp(progress, 0.0, 1.0));
  }
  if (all_rows > 1 && !cause.empty()) {
    NumberPen pen{*ImGui::GetWindowDrawList(), box.x,
                  box.y + static_cast<float>(rows) * kNumberRow * font};
    pen.write(context.fonts.text, font, context.theme.text, cut_to(cause, box.w),
              kNumberRow * font);
  }
}

}  // namespace tilestep::ui

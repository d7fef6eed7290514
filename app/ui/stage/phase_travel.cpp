#include "ui/stage/phase.h"
#include "ui/sum_text.h"

#include <algorithm>
#include <iterator>

namespace tilestep::ui {
namespace {

constexpr double kSeconds = 0.55;
constexpr double kPhaseSeconds = 1.5;
constexpr std::size_t kMostNumbers = 1024;

Box between(const Box& a, const Box& b, float t) {
  const auto mix = [t](float p, float q) { return p + (q - p) * t; };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
}

bool any_key() {
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Travel::notice(const workspace::Generation& generation, std::uint64_t step, double now,
                    bool animate) {
  if (generation == generation_ && step > step_ && animate) {
    since_ = now;
  } else if (generation != generation_ || step != step_ || !animate) {
    since_ = -1e9;
  }
  generation_ = generation;
  step_ = step;
}

float Travel::progress(double now) const {
  return static_cast<float>(std::clamp((now - since_) / kSeconds, 0.0, 1.0));
}

void PhaseClock::notice(const Showing& now_shown, double now, bool animate) {
  const bool goes_on = now_shown.shows_phase && now_shown.generation == shown_.generation &&
                       now_shown.block == shown_.block && now_shown.step > shown_.step;
  if (goes_on && animate) {
    since_ = now;
  } else if (now_shown != shown_ || !animate) {
    finish();
  }
  shown_ = now_shown;
}

float PhaseClock::progress(double now) const {
  return static_cast<float>(std::clamp((now - since_) / kPhaseSeconds, 0.0, 1.0));
}

double PhaseClock::ends_at() const {
  return since_ + kPhaseSeconds;
}

double Travel::ends_at() const {
  return since_ + kSeconds;
}

void paint_travel(const StagePicture& p, float progress, std::vector<CellInstance>& instances) {
  instances.clear();
  if (progress >= 1.0F) {
    return;
  }
  const float t = progress * progress * (3.0F - 2.0F * progress);
  const Theme& theme = p.context.theme;
  std::vector<Transfer> moving;  // only visible cells
  std::ranges::copy_if(p.content.moving, std::back_inserter(moving), [&p](const Transfer& move) {
    const auto is_shown = [&p](const SheetPlace& place) {
      return p.arrangement.sheets[size(place.sheet)].shown.has(place.row, place.col);
    };
    return is_shown(move.from) && is_shown(move.to);
  });
  for (const Transfer& move : moving) {
    const Box to = p.window_box(move.to.sheet, move.to.row, move.to.col);
    instances.push_back(instance({to.x + 1.0F, to.y + 1.0F, to.w - 1.0F, to.h - 1.0F},
                                 {theme.cell_empty, theme.cell_border, 1.0F}, 0.12F * to.w));
  }
  p.draw(instances);
  std::vector<Flight> flights;
  for (const Transfer& move : moving) {
    flights.push_back({move.from, move.to, cell_at(p.content, p.shape, move.to).value, t});
  }
  paint_flights(p, flights, instances);
}

void paint_flights(const StagePicture& p, std::span<const Flight> flights,
                   std::vector<CellInstance>& instances) {
  instances.clear();
  std::vector<Box> boxes;
  std::vector<Flight> shown;
  std::ranges::copy_if(flights, std::back_inserter(shown), [&p](const Flight& flight) {
    const auto is_shown = [&p](const SheetPlace& place) {
      return p.arrangement.sheets[size(place.sheet)].shown.has(place.row, place.col);
    };
    return is_shown(flight.from) && is_shown(flight.to);
  });
  for (const Flight& flight : shown) {
    const auto place = [&p](const SheetPlace& at) {
      return p.window_box(at.sheet, at.row, at.col);
    };
    const Box box = between(place(flight.from), place(flight.to), flight.progress);
    const Fill fill =
        role_colours(p.context.theme, p.shape.sheets[size(flight.to.sheet)].role).solid;
    boxes.push_back(box);
    instances.push_back(instance({box.x + 1.0F, box.y + 1.0F, box.w - 1.0F, box.h - 1.0F},
                                 {fill, fill.text, 1.0F}, 0.12F * box.w));
  }
  p.draw(instances);
  for (std::size_t i = 0; i < boxes.size() && boxes.size() <= kMostNumbers; ++i) {
    const double value = shown[i].value;
    const ValueText text = value_text({boxes[i].w, boxes[i].h}, number_room(value).longest,
                                      smallest_value_text(p.font));
    if (text.chars == 0) {
      continue;
    }
    const std::string number = cell_text(value, text.chars);
    const float width = kDigitWidth * text.size * static_cast<float>(sum_columns(number));
    const insight::ValueRole role = p.shape.sheets[size(shown[i].to.sheet)].role;
    p.write(
        p.context.fonts.mono, text.size,
        {boxes[i].x + 0.5F * (boxes[i].w - width), boxes[i].y + 0.5F * (boxes[i].h - text.size)},
        role_colours(p.context.theme, role).solid.text, number);
  }
}

// The played share of the phase, 0…1. A key ends it at once.
float PhaseStage::progress(const Context& context, const workspace::Generation& generation) {
  const state::Focus& focus = context.state.focus;
  clock_.notice({generation, context.view.run.state->step(), focus.block, focus.thread,
                 context.view.narration.shows_phase},
                context.now, context.state.animate);
  if (!context.view.narration.shows_phase) {
    return 1.0F;
  }
  if (context.motion) {
    return *context.motion;
  }
  const float progress = clock_.progress(context.now);
  if (progress < 1.0F && any_key()) {
    clock_.finish();
    return 1.0F;
  }
  return progress;
}

const StageContent* PhaseStage::now(const Context& context, const ContentInputs& in,
                                    const StageContent& whole,
                                    const workspace::Generation& generation) {
  const float t = progress(context, generation);
  flights_.clear();
  if (t >= 1.0F) {
    return nullptr;
  }
  if (!play_) {
    play_.emplace(in, whole);
  }
  if (play_->is_empty()) {
    clock_.finish();
    return nullptr;
  }
  context.memory.animate_until(clock_.ends_at());
  playing_ = play_->at(t, in);
  flights_ = play_->flights(t);
  return &playing_;
}

}  // namespace tilestep::ui

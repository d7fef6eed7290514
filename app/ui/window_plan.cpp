#include "ui/window_plan.h"

#include "problem/tr.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

// Sizes in lines of text.
constexpr float kGap = 0.4F;  // between panels and at the window's edge
constexpr float kPad = 0.6F;  // inside the stage
constexpr float kSourceWidth = 30.0F;
constexpr float kNarrowSource = 24.0F;
constexpr float kTimeline = 6.4F;
constexpr float kOneBlock = 5.6F;
constexpr float kShortTimeline = 2.9F;
constexpr float kNarration = 4.6F;
constexpr float kShortNarration = 1.9F;
constexpr float kQuestionRows = 6.2F;
constexpr float kShortQuestion = 3.6F;
constexpr float kLectureQuestion = 5.6F;
constexpr float kSum = 5.0F;
constexpr float kSumBesideSource = 6.4F;
constexpr float kShortSum = 4.1F;
constexpr float kOneLine = 2.1F;
constexpr float kLessonSource = 17.6F;       // a header and eleven lines
constexpr float kLeastLessonSource = 15.3F;  // a header and nine lines
constexpr float kLeastLesson = 15.0F;        // a title and the text, fourteen lines in all
constexpr float kLeastLabColumn = 20.0F;     // for its task and its source
constexpr float kLessonShare = 0.42F;        // of a column whose source is being edited
constexpr float kMostOfLesson = 0.3F;        // of the window, for a lesson without source
constexpr float kLeastCells = 4.0F;
constexpr float kDrawerWidth = 22.0F;
constexpr float kLeastBesideDrawer = 26.0F;
constexpr float kLectureNarration = 3.2F;
constexpr float kLessonNarration = 5.0F;
constexpr float kLectureDots = 1.6F;
constexpr float kLectureLines = 7.2F;  // five of source
constexpr float kLectureLine = 1.9F;

constexpr float kMostOfWidth = 0.34F;  // of the window, for the source column
// Share of the window, if the column stays in every window: for the row of buttons.
constexpr float kMostOfKept = 0.46F;
constexpr float kEditedSource = 42.0F;
constexpr float kMostOfEdited = 0.45F;
constexpr float kWideSource = 58.0F;
constexpr float kMostOfWide = 0.54F;  // of the window, with another text beside the source
constexpr float kStripShare = 0.42F;  // of the stage, for the source lines beside the sum

// Numbers of this size are readable from the last row if a line of text is.
struct Wanted {
  float matrices = 0.0F;
  float block = 0.0F;
};
constexpr Wanted kEnough{1.0F, 1.3F};
// If no plan reaches that: larger numbers than these, with the block's numbers near their largest
// size, are not worth hiding more of the words and the source.
constexpr Wanted kTolerable{0.5F, 1.0F};
constexpr float kShareOfMost = 0.85F;
constexpr float kLegible = 0.45F;
constexpr float kWorthOfWords = 0.92F;  // panels stay if the numbers keep this share of their size
constexpr float kLeastText = 14.0F;     // pixels, for names among the cells
constexpr float kLinesOfCells = 13.0F;  // least height of the cells
constexpr float kScarce = 10.0F;        // height of the cells

// Narration, cells and sum from top to bottom.
void divide_stage(WindowPlan& plan, float font) {
  const float pad = std::round(kPad * font);
  const bool is_short = plan.has(Yield::ShortWords);
  const bool strip = plan.has_strip();
  const Box& stage = plan.stage;
  const float left = stage.x + pad;
  const float width = std::max(stage.w - 2.0F * pad, 4.0F * font);
  const float words = plan.asks ? (is_short ? kShortQuestion : kQuestionRows)
                                : (is_short ? kShortNarration : kNarration);
  plan.narration = {left, stage.y + 0.5F * pad, width, std::round(words * font)};
  const float sum = std::round((plan.has(Yield::OneLine) ? kOneLine
                                : is_short               ? kShortSum
                                : strip                  ? kSumBesideSource
                                                         : kSum) *
                               font);
  plan.sum = {left, stage.bottom() - pad - sum, width, sum};
  if (plan.drops_sum) {
    plan.sum = {left, stage.bottom(), width, 0.0F};
  }
  if (strip && !plan.drops_sum) {
    plan.source = {left, plan.sum.y, std::round(kStripShare * width), sum};
    plan.sum.x = plan.source.right() + pad;
    plan.sum.w = left + width - plan.sum.x;
  }
  const float top = plan.narration.bottom() + 0.3F * pad;
  plan.cells = {left, top, width, std::max(plan.sum.y - 0.5F * pad - top, font)};
}

// The lesson's panel in the source column, below the source or alone.
void take_lesson(WindowPlan& plan, const Box& column, float font) {
  const float gap = std::round(kGap * font);
  if (plan.has_strip()) {
    plan.lesson = column;
    return;
  }
  const float source = plan.keeps_source
                           ? (1.0F - kLessonShare) * column.h
                           : std::clamp(column.h - gap - kLeastLesson * font,
                                        kLeastLessonSource * font, kLessonSource * font);
  plan.source = {column.x, column.y, column.w, std::round(source)};
  const float top = plan.source.bottom() + gap;
  plan.lesson = {column.x, top, column.w, column.bottom() - top};
}

WindowPlan plan_with(const PlanRequest& request, Yield yield) {
  const float font = request.font;
  const float gap = std::round(kGap * font);
  const Box& room = request.room;
  WindowPlan plan;
  plan.yielded = yield;
  plan.asks = request.asks;
  plan.drops_sum = request.is_embedded;
  const float timeline = std::round((plan.has(Yield::ShortTimeline) ? kShortTimeline
                                     : plan.has(Yield::OtherBlocks) ? kOneBlock
                                                                    : kTimeline) *
                                    font);
  plan.timeline = {room.x + gap, room.bottom() - gap - timeline, room.w - 2.0F * gap, timeline};
  const float top = room.y + gap;
  plan.instrument = {plan.timeline.x, plan.timeline.y - gap - request.instrument, plan.timeline.w,
                     request.instrument};
  const float below = request.instrument > 0.0F ? plan.instrument.y : plan.timeline.y;
  const float height = std::max(below - gap - top, 4.0F * font);
  float left = room.x + gap;
  plan.lends_column =
      request.has_lesson && height < (kLeastLessonSource + kLeastLesson) * font + gap;
  plan.keeps_source = request.keeps_source || (request.has_lab && height >= kLeastLabColumn * font);
  if (!plan.has_strip() || request.has_lesson) {
    const bool narrow = plan.has(Yield::SourceNarrow) && !plan.keeps_source;
    const float width = request.is_wide ? kWideSource
                        : request.edits ? kEditedSource
                        : narrow        ? kNarrowSource
                                        : kSourceWidth;
    const float most = (request.is_wide                        ? kMostOfWide
                        : request.edits                        ? kMostOfEdited
                        : plan.keeps_source || request.has_lab ? kMostOfKept
                        : plan.has_strip()                     ? kMostOfLesson
                                                               : kMostOfWidth) *
                       room.w;
    plan.source = {left, top, std::round(std::min(width * font, most)), height};
    left += plan.source.w + gap;
  }
  plan.stage = {left, top, room.right() - gap - left, height};
  const Box column = plan.source;
  divide_stage(plan, font);
  if (request.has_lesson) {
    take_lesson(plan, column, font);
  }
  const float drawer = std::min(kDrawerWidth * font, 0.5F * room.w);
  const float sentence = plan.narration.bottom();  // it stays
  plan.drawer = {room.right() - gap - drawer, sentence, drawer, plan.stage.bottom() - sentence};
  const float end = plan.drawer.x - gap;
  if (request.shows_drawer && plan.has_strip()) {
    plan.source.w = std::min(plan.source.w, end - plan.source.x);
  }
  if (request.shows_drawer && end - plan.cells.x >= kLeastBesideDrawer * font) {
    plan.cells.w = std::min(plan.cells.w, end - plan.cells.x);
    plan.sum.w = std::min(plan.sum.w, end - plan.sum.x);
  }
  return plan;
}

bool has(NumberSizes numbers, Wanted wanted, float font) {
  const auto enough = [font](float number, float least) {
    return number <= 0.0F || number >= least * font;
  };
  return enough(numbers.matrices, wanted.matrices) && enough(numbers.block, wanted.block);
}

struct Tried {
  WindowPlan plan;
  NumberSizes numbers;
};

std::vector<Tried> try_all(const PlanRequest& request) {
  std::vector<Tried> tried;
  const Yield least = request.is_embedded ? Yield::ShortTimeline : Yield::Nothing;
  for (int i = static_cast<int>(least); i < kYields; ++i) {
    const WindowPlan plan = plan_with(request, static_cast<Yield>(i));
    if (plan.cells.h < kLeastCells * request.font) {
      continue;
    }
    tried.push_back({plan, request.numbers ? request.numbers(plan) : NumberSizes{}});
    if (has(tried.back().numbers, kEnough, request.font)) {
      break;
    }
  }
  return tried;
}

const Tried* first_tolerable(const std::vector<Tried>& all, float font) {
  float most = 0.0F;
  for (const Tried& tried : all) {
    most = std::max(most, tried.numbers.block);
  }
  const auto first = std::ranges::find_if(all, [&](const Tried& tried) {
    return has(tried.numbers, kTolerable, font) && tried.numbers.block >= kShareOfMost * most;
  });
  return first == all.end() ? nullptr : &*first;
}

// If no plan is sufficient, the most effective one. Unreadable numbers do not count, unless all are
// unreadable or the matrices themselves have no room.
const Tried& best_of(const std::vector<Tried>& all, float font) {
  const bool none_is_legible = std::ranges::all_of(all, [font](const Tried& tried) {
    return std::max(tried.numbers.matrices, tried.numbers.block) < kLegible * font;
  });
  const Tried* best = nullptr;
  float best_number = -1.0F;
  for (const Tried& tried : all) {
    const float hope = none_is_legible ? 1.0F : tried.plan.cells.h < kScarce * font ? 0.01F : 0.0F;
    const auto worth = [font, hope](float number) {
      return number < kLegible * font ? hope * number : number;
    };
    const float number = worth(tried.numbers.matrices) + worth(tried.numbers.block);
    if (number > 1.03F * best_number) {
      best_number = number;
      best = &tried;
    }
  }
  return *best;
}

// Lines above the stage of a lecture.
float top_lines(const LectureRequest& request) {
  return request.words > 0.0F ? request.words
         : request.asks       ? kLectureQuestion
         : request.has_lesson ? kLessonNarration
                              : kLectureNarration;
}

float foot_lines(Foot foot) {
  return foot == Foot::LinesAndSum ? kLectureLines : foot == Foot::OneLine ? kLectureLine : 0.0F;
}

// A faster answer has no notice, which would only flicker.
constexpr double kUnnoticed = 0.1;  // seconds
constexpr double kUnsaid = 0.3;
constexpr float kOldBrightness = 0.8F;      // of a stage whose new run is being recorded
constexpr float kRefusedBrightness = 0.4F;  // of a stage whose new run failed

constexpr double kMillion = 1e6;

// A notice at the top of the stage, with the progress of the new run.
void say_it_is_old(const Context& context, ImDrawList& list, ImVec2 from, ImVec2 size) {
  const std::uint64_t done = context.view.jobs.recorded_steps;
  const double steps = static_cast<double>(done) / kMillion;
  const std::string words =
      done == 0 ? tr("updating …") : tr("updating: {:.1f} million steps …", steps);
  const ImVec2 text = ImGui::CalcTextSize(words.c_str());
  const float pad = 0.6F * ImGui::GetFontSize();
  const ImVec2 at(std::floor(from.x + 0.5F * (size.x - text.x)), std::floor(from.y + pad));
  list.AddRectFilled({at.x - pad, at.y - pad}, {at.x + text.x + pad, at.y + text.y + pad},
                     context.theme.raised, pad);
  list.AddText(at, context.theme.text, words.c_str());
}

// Outdated content is dimmed and says so, except the sentence with the reason.
void dim_what_is_old(const Context& context, const PanelWindow& panel) {
  const workspace::JobsView& jobs = context.view.jobs;
  const bool is_due = jobs.busy || context.view.run.is_old;
  if (!is_due || context.view.run.scene == nullptr) {
    return;
  }
  const double waited = context.now - jobs.busy_since;
  if (jobs.busy && waited < kUnsaid) {
    context.memory.animate_until(jobs.busy_since + (waited < kUnnoticed ? kUnnoticed : kUnsaid));
  }
  if (jobs.busy && waited < kUnnoticed) {
    return;
  }
  const ImVec2 from = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float top = jobs.busy ? from.y : std::max(from.y, panel.said_above);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled(
      {from.x, top}, {from.x + size.x, from.y + size.y},
      with_alpha(context.theme.panel, 1.0F - (jobs.busy ? kOldBrightness : kRefusedBrightness)));
  if (panel.is_ground && jobs.busy && waited >= kUnsaid) {
    say_it_is_old(context, list, from, size);
  }
  list.PopClipRect();
}

// The source shows the compiler's message already.
bool is_said_at_the_source(const Context& context) {
  return context.state.tab == state::Tab::Step && !context.state.lecture &&
         context.state.source_page == state::SourcePage::Source &&
         !context.view.source.diagnostics.empty();
}

bool is_key_or_click() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) || g.LastKeyboardKeyPressTime >= g.Time;
}

}  // namespace

float cell_font(const Box& cells, float font) {
  return std::min(font, std::max(kLeastText, cells.h / kLinesOfCells));
}

namespace {

// If numbers are limited by the window's width, they do not need all of its height: no panel gives
// way for a negligible gain.
WindowPlan with_what_is_free(const PlanRequest& request, const WindowPlan& plan) {
  const NumberSizes numbers = request.numbers(plan);
  const auto keeps = [&request](float with, float without) {
    const float least = std::min(without, kLegible * request.font);
    return with >= std::max(least, kWorthOfWords * without);
  };
  for (int i = 0; i < static_cast<int>(plan.yielded); ++i) {
    const WindowPlan fuller = plan_with(request, static_cast<Yield>(i));
    if (fuller.cells.h < kLeastCells * request.font) {
      continue;
    }
    const NumberSizes shown = request.numbers(fuller);
    if (keeps(shown.block, numbers.block) && keeps(shown.matrices, numbers.matrices)) {
      return fuller;
    }
  }
  return plan;
}

}  // namespace

WindowPlan plan_window(const PlanRequest& request) {
  const std::vector<Tried> all = try_all(request);
  if (all.empty()) {
    return plan_with(request, static_cast<Yield>(kYields - 1));
  }
  if (has(all.back().numbers, kEnough, request.font)) {
    return all.back().plan;
  }
  const Tried* const tolerable = first_tolerable(all, request.font);
  return with_what_is_free(
      request, tolerable != nullptr ? tolerable->plan : best_of(all, request.font).plan);
}

WindowPlan plan_side(const Box& stage, float font,
                     const std::function<NumberSizes(const WindowPlan&)>& numbers) {
  const auto side = [&](Yield yield, bool hides) {
    WindowPlan plan;
    plan.yielded = yield;
    plan.keeps_source = true;
    plan.hides_matrices = hides;
    plan.stage = stage;
    divide_stage(plan, font);
    return plan;
  };
  constexpr std::array kShorter{Yield::ShortTimeline, Yield::ShortWords, Yield::FewLabels,
                                Yield::OneLine};
  for (const bool hides : {false, true}) {
    for (const Yield yield : kShorter) {
      const WindowPlan plan = side(yield, hides);
      if (plan.cells.h >= kLeastCells * font && has(numbers(plan), kTolerable, font)) {
        return plan;
      }
    }
  }
  WindowPlan last = side(Yield::OneLine, true);
  last.drops_sum = true;
  divide_stage(last, font);
  return last;
}

WindowPlan plan_band(const Box& stage, float font) {
  WindowPlan plan;
  plan.yielded = Yield::FewLabels;
  plan.is_lecture = plan.leaves_words = plan.hides_matrices = plan.drops_sum = true;
  const float pad = std::round(kGap * font);
  plan.stage = stage;
  plan.cells = {stage.x + pad, stage.y + pad, stage.w - 2.0F * pad, stage.h - 2.0F * pad};
  plan.narration = {plan.cells.x, stage.y, plan.cells.w, 0.0F};
  plan.sum = {plan.cells.x, stage.bottom(), plan.cells.w, 0.0F};
  return plan;
}

LecturePlan plan_lecture(const LectureRequest& request) {
  const Box& window = request.window;
  LecturePlan lecture;
  const float font = std::floor(std::max(10.0F, std::min(window.h / 40.0F, window.w / 68.0F)));
  lecture.font = font;
  WindowPlan& plan = lecture.plan;
  plan.is_lecture = true;
  plan.asks = request.asks;
  plan.stage = window;
  const float margin = std::round(0.9F * font);
  const float left = window.x + margin;
  const float width = window.w - 2.0F * margin;
  plan.narration = {left, window.y + std::round(0.7F * font), width,
                    std::round(top_lines(request) * font)};
  const float dots = std::round(kLectureDots * font);
  plan.dots = {left, window.bottom() - dots, width, dots};
  plan.instrument = {left, plan.dots.y - request.instrument, width, request.instrument};
  plan.drops_sum = request.foot != Foot::LinesAndSum;
  const float lines = std::round(foot_lines(request.foot) * font);
  const float wide = plan.drops_sum ? width : std::round(0.6F * width);
  plan.source = {left, plan.instrument.y - lines, wide, lines};
  const float gap = std::round(kGap * font);
  plan.sum = {plan.source.right() + gap, plan.source.y,
              plan.drops_sum ? 0.0F : width - plan.source.w - gap, lines};
  const float top = plan.narration.bottom();
  plan.cells = {window.x + gap, top, window.w - 2.0F * gap, plan.source.y - gap - top};
  return lecture;
}

void draw_panel(const Context& context, const PanelWindow& panel,
                const std::function<void()>& draw) {
  ImGui::SetNextWindowPos({panel.box.x, panel.box.y});
  ImGui::SetNextWindowSize({panel.box.w, panel.box.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  const ImGuiWindowFlags flags = kFixedWindow | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::Begin(panel.window, nullptr, flags)) {
    if (panel.is_ground) {
      ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    }
    draw();
    if (panel.shows_recording) {
      dim_what_is_old(context, panel);
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

Commands draw_said(const Context& context, const Box& room) {
  const workspace::MessagesView& said = context.view.messages;
  const auto& flow = context.view.run.flow;
  const std::string& looking_for = context.view.jobs.looking_for;
  const std::string& wrong = !said.refusal.empty()             ? said.refusal
                             : !is_said_at_the_source(context) ? said.error
                                                               : said.refusal;
  std::string text;
  const auto add = [&text, &context](const char* sign, const std::string& sentence) {
    if (!sentence.empty()) {
      say_aloud(context, sentence);
      text += fmt::format("{}{}  {}", text.empty() ? "" : "\n", sign, sentence);
    }
  };
  add(icon::kWarning, wrong);
  add(icon::kArrowRight, flow != nullptr ? flow->sentence : "");
  add(icon::kDiamond, looking_for.empty() ? said.event : "");
  add(icon::kSpinner, looking_for);
  add(icon::kCheck, said.notice);
  if (text.empty()) {
    return {};
  }
  const Fill colours = wrong.empty() ? context.theme.selected : context.theme.fault;
  const float padding = ImGui::GetStyle().WindowPadding.x;
  ImGui::SetNextWindowPos({room.right(), room.bottom()}, ImGuiCond_Always, {1.0F, 1.0F});
  ImGui::SetNextWindowSizeConstraints({0.0F, 0.0F}, {room.w, room.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colours.fill);
  ImGui::PushStyleColor(ImGuiCol_Text, colours.text);
  ImGui::Begin("###said", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoInputs);
  ImGui::PushTextWrapPos(room.w - padding);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::End();
  ImGui::PopStyleColor(2);
  return !said.notice.empty() && is_key_or_click() ? Commands{state::Say{}} : Commands{};
}

}  // namespace tilestep::ui

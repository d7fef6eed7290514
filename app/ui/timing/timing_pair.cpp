#include "analysis/why.h"
#include "analysis/words.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

using analysis::Comparison;
using analysis::Factor;
using workspace::PairEnd;
using workspace::ShownPair;

constexpr float kRatioWidth = 5.0F;      // of the column of ratios, in font sizes
constexpr float kLarge = 1.3F;           // text of a ratio and of the answer
constexpr float kHighForCauses = 34.0F;  // height of the window for the whole answer
constexpr float kRoomForLabel = 19.0F;
constexpr float kGap = 3.0F;      // between buttons, in pixels
constexpr double kLevel = 0.005;  // a ratio within this distance of 1 has no color
constexpr double kFullBar = 2.0;  // the ratio with a full bar

ImU32 ratio_colour(const Context& context, double ratio) {
  return ratio > 1.0 + kLevel   ? context.theme.bad
         : ratio < 1.0 - kLevel ? context.theme.good
                                : context.theme.text_dim;
}

void bold_text(const Context& context, ImU32 colour, const std::string& text, float size = 1.0F) {
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * size);
  coloured_text(colour, text.c_str());
  ImGui::PopFont();
}

// The ratio and, below, its distance from 1 on a logarithmic scale.
void draw_pair_ratio(const Context& context, double ratio) {
  const float em = ImGui::GetFontSize();
  const ImU32 colour = ratio_colour(context, ratio);
  ImGui::BeginGroup();
  bold_text(context, colour, fmt::format("{:.2f}×", ratio), kLarge);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float whole = (kRatioWidth - 1.0F) * em;
  const auto share =
      static_cast<float>(std::clamp(std::fabs(std::log(ratio)) / std::log(kFullBar), 0.0, 1.0));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + whole, at.y + em * 0.4F}, context.theme.field, em * 0.1F);
  list.AddRectFilled(at, {at.x + std::max(share * whole, 1.0F), at.y + em * 0.4F}, colour,
                     em * 0.1F);
  ImGui::Dummy({whole, em * 0.4F});
  ImGui::EndGroup();
}

// Right of the last item if there is room, else below it.
Commands show_button(const Context& context, const Factor& factor, const ShownPair& pair) {
  // A cause that makes the slower one faster is a loss of the other.
  const PairEnd& end = factor.ratio >= 1.0 ? pair.slower() : pair.faster();
  const analysis::SeenAt seen = analysis::seen_at(factor.cause, *end.facts);
  const float pad = 2.0F * ImGui::GetStyle().FramePadding.x;
  const std::string face = cut_to(fmt::format("{}  {}", seen_face(seen), icon::kForward),
                                  ImGui::GetContentRegionAvail().x - pad);
  const float width = ImGui::CalcTextSize(face.c_str()).x + pad;
  const float left = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x - width;
  if (ImGui::GetItemRectMax().x < left) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({left, ImGui::GetCursorScreenPos().y});
  }
  Commands commands;
  if (ImGui::SmallButton(face.c_str())) {
    commands = go_to_seen(context, seen, end.point);
  }
  tooltip(seen_tooltip(seen, end.name));
  return commands;
}

// A row: the factor, its cause with both counts, the button to its place.
Commands draw_factor(const Context& context, const Factor& factor, const ShownPair& pair) {
  const auto& word = word_of(factor.cause);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_pair_ratio(context, factor.ratio);
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  text_in_lines(word.label.text());
  ImGui::PopFont();
  Commands commands = show_button(context, factor, pair);
  text_in_lines(factor.counted);
  if (!factor.reason.empty()) {
    wrapped_text(context.theme.text_dim, factor.reason);
  }
  return commands;
}

Commands draw_factors(const Context& context, const Comparison& c, const ShownPair& pair) {
  Commands commands;
  if (c.named == 0 ||
      !ImGui::BeginTable("factors", 2, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_RowBg)) {
    return commands;
  }
  ImGui::TableSetupColumn("ratio", ImGuiTableColumnFlags_WidthFixed,
                          kRatioWidth * ImGui::GetFontSize());
  ImGui::TableSetupColumn("cause", ImGuiTableColumnFlags_WidthStretch);
  for (std::size_t i = 0; i < c.named; ++i) {
    append(commands, draw_factor(context, c.factors[i], pair));
  }
  ImGui::EndTable();
  return commands;
}

// A ratio with its label, on one line; `names` on hover.
void draw_line(const Context& context, double ratio, const char* what, const std::string& names) {
  ImGui::BeginGroup();
  bold_text(context, ratio_colour(context, ratio), fmt::format("{:.2f}×", ratio));
  ImGui::SameLine(kRatioWidth * ImGui::GetFontSize());
  ImGui::TextUnformatted(what);
  ImGui::EndGroup();
  tooltip(names);
}

void draw_others(const Context& context, const Comparison& c) {
  if (c.named == c.factors.size()) {
    return;
  }
  std::string names;
  for (std::size_t i = c.named; i < c.factors.size(); ++i) {
    names += fmt::format("{}{:.3f}× {}: {}", i == c.named ? "" : "\n", c.factors[i].ratio,
                         word_of(c.factors[i].cause).label, c.factors[i].counted);
  }
  draw_line(context, c.others, tr("minor causes"), names);
}

void draw_rest(const Context& context, const Comparison& c) {
  if (c.measured <= 0.0) {
    wrapped_text(context.theme.text_dim,
                 tr("Predicted: at least one of the two points is not measured."));
    return;
  }
  draw_line(context, c.rest, tr("the rest"),
            tr("The part of the measured ratio that the model does not explain."));
  if (!c.explained) {
    wrapped_text(context.theme.warning, c.doubt);
  }
}

// "1.21 × 1.11 × 1.02 × 1.02 = 1.40"
void draw_product(const Context& context, const Comparison& c) {
  std::string product;
  const auto add = [&product](double ratio) {
    product += fmt::format("{}{:.2f}", product.empty() ? "" : " × ", ratio);
  };
  for (std::size_t i = 0; i < c.named; ++i) {
    add(c.factors[i].ratio);
  }
  if (c.named < c.factors.size()) {
    add(c.others);
  }
  if (c.measured > 0.0) {
    add(c.rest);
  }
  const double whole = c.measured > 0.0 ? c.measured : c.predicted;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextWrapped("%s", (c.measured > 0.0 ? tr("{} = {:.2f}, measured", product, whole)
                                             : tr("{} = {:.2f}, predicted", product, whole))
                               .c_str());
  ImGui::PopFont();
}

// A bar as long as the time, filled up to the least time of the limiting resource.
void draw_time(const Context& context, const PairEnd& end, double longest) {
  const bool is_counted = end.facts != nullptr && end.facts->why_not.empty() && end.gpu.is_known();
  if (end.ms <= 0.0) {
    return;
  }
  const float em = ImGui::GetFontSize();
  const float whole = ImGui::GetContentRegionAvail().x - em * 6.0F;
  const auto length_of = [&](double ms) { return static_cast<float>(ms / longest) * whole; };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  text_in_lines(end.name);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 low{at.x + length_of(end.ms), at.y + em * 0.9F};
  list.AddRectFilled(at, low, context.theme.field, em * 0.1F);
  std::string bound;
  if (is_counted) {
    const analysis::Bound first = analysis::predict(*end.facts, end.gpu).bounds.front();
    list.AddRectFilled(at, {at.x + length_of(std::min(first.ms, end.ms)), low.y},
                       context.theme.roles[1].line, em * 0.1F);
    const Message limit = word_of(first.resource).label;
    bound = first.ms <= end.ms ? tr("at least {:.3g} ms: {}", first.ms, limit)
                               : tr("predicted {:.3g} ms: {}", first.ms, limit);
  }
  list.AddRect(at, low, context.theme.border, em * 0.1F);
  list.AddText({low.x + em * 0.4F, at.y}, context.theme.text,
               fmt::format("{:.4g} ms", end.ms).c_str());
  ImGui::Dummy({whole, em * 1.0F});
  if (!bound.empty()) {
    wrapped_text(context.theme.text_dim, bound);
  }
}

void draw_times(const Context& context, const ShownPair& pair) {
  const double longest = std::max(pair.ends[0].ms, pair.ends[1].ms);
  if (longest <= 0.0) {
    return;
  }
  heading(context, tr("Time"));
  for (const PairEnd& end : pair.ends) {
    draw_time(context, end, longest);
  }
}

std::string heading_of(const Context& context, const ShownPair& pair) {
  const auto& [a, b] = pair.ends;
  const std::string both = tr("{} and {}", a.name, b.name);
  return a.point.kernel == b.point.kernel
             ? fmt::format("{}, {}", kernel_title(context, a.point.kernel), both)
             : both;
}

// A low window keeps its height for the plot: the column beside it has the causes, too.
void draw_lines(const Context& context, const std::string& question, const std::string& claim,
                const std::string& causes, const std::string& doubt) {
  const bool is_low = ImGui::GetContentRegionAvail().y < kHighForCauses * ImGui::GetFontSize();
  ImGui::BeginChild("answer", {0.0F, 0.0F},
                    ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding);
  if (!is_low) {
    coloured_text(context.theme.text_dim, question.c_str());
  }
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * (is_low ? 1.0F : kLarge));
  text_in_lines(claim);
  ImGui::PopFont();
  if (!causes.empty() && !is_low) {
    text_in_lines(causes);
  }
  if (!doubt.empty()) {
    wrapped_text(context.theme.warning, doubt);
  }
  ImGui::EndChild();
}

// "17 is 1.40× slower than 16: 1.21× from passes through shared memory."
std::string headline_of(const ShownPair& pair) {
  if (!pair.comparison || pair.comparison->named == 0) {
    return tr("{}.", pair.claim);
  }
  return tr("{}: {}.", pair.claim, pair.comparison->factors.front().claim());
}

std::string counts_of_first(const Comparison& c) {
  if (c.named == 0) {
    return "";
  }
  const Factor& first = c.factors.front();
  return tr("{}.",
            first.reason.empty() ? first.counted : tr("{}; {}", first.counted, first.reason));
}

void answer_pair(const Context& context, const ShownPair& pair) {
  const std::string question =
      tr("Why is {} slower than {}?", pair.slower().name, pair.faster().name);
  const auto& c = pair.comparison;
  if (pair.claim.empty()) {
    draw_lines(context, tr("Why is one of the two slower?"), pair.why_not, "", "");
  } else {
    draw_lines(context, question, headline_of(pair), c ? counts_of_first(*c) : pair.why_not,
               c ? c->doubt : "");
  }
}

// `share`: of the speed of cuBLAS.
std::string question_of(const std::string& kernel, int block_size, double share) {
  const double percent = 100.0 * share;
  if (block_size > 0) {
    return share > 1.0 ? tr("Why does {} at BLOCK_SIZE {} reach {:.1f}% of cuBLAS?", kernel,
                            block_size, percent)
                       : tr("Why does {} at BLOCK_SIZE {} reach only {:.1f}% of cuBLAS?", kernel,
                            block_size, percent);
  }
  return share > 1.0 ? tr("Why does {} reach {:.1f}% of cuBLAS?", kernel, percent)
                     : tr("Why does {} reach only {:.1f}% of cuBLAS?", kernel, percent);
}

// "Why is Tiled at 16 only 15.9% of cuBLAS?"
void answer_point(const Context& context, const analysis::ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  const problem::Parameters parameters{request.view.problem, view.selected_block_size};
  const analysis::LaunchFacts* const facts = analysis::find_facts(
      request.facts, view.selected_kernel, parameters, request.gpu.architecture);
  if (request.datasets.empty() || facts == nullptr || !facts->why_not.empty()) {
    return;
  }
  const timing::DataSet& data = *request.datasets.front();
  const auto ms_of = [&](const std::string& kernel, int block_size) {
    const timing::Point* const point = data.find(kernel, parameters.problem, block_size);
    return point == nullptr ? 0.0 : point->median_ms();
  };
  const double own = ms_of(view.selected_kernel, view.selected_block_size);
  const double cublas = ms_of(timing::kCublas, 0);
  const std::string reason = analysis::leading_reason(
      {kernel_title(context, view.selected_kernel), facts, own}, request.gpu);
  if (own <= 0.0 || cublas <= 0.0 || reason.empty()) {
    return;
  }
  draw_lines(context,
             question_of(kernel_title(context, view.selected_kernel), view.selected_block_size,
                         cublas / own),
             reason, "", "");
}

}  // namespace

void draw_answer(const Context& context, const analysis::ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  if (context.view.timing.shown->pair) {
    answer_pair(context, *context.view.timing.shown->pair);
  } else if (view.selected_kernel.empty()) {
    draw_lines(
        context, tr("What limits a kernel's speed?"),
        tr("Click a point to see what limits it. Shift+click another to see why one is slower."),
        "", "");
  } else if (!view.guess.hides(view.selected_kernel)) {
    answer_point(context, request);
  }
}

Commands draw_compare_buttons(const Context& context) {
  const state::TimingView& view = context.state.timing;
  const bool nothing = view.selected_kernel.empty();
  const int own = nothing ? context.state.parameters.block_size : view.selected_block_size;
  Commands commands;
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.2F});
  if (ImGui::GetContentRegionAvail().x > kRoomForLabel * ImGui::GetFontSize()) {
    field_label(context, tr("Compare with"));
  }
  bool is_first = true;
  const auto add = [&](ActionId id, const char* face) {
    if (!std::exchange(is_first, false)) {
      flow(ImGui::CalcTextSize(face).x + 2.0F * ImGui::GetStyle().FramePadding.x, kGap);
    }
    append(commands, action_button(context, id, face));
  };
  if (own > 1) {
    add(ActionId::CompareLast, std::to_string(own - 1).c_str());
  }
  if (own > 0 && own < problem::kLargestBlockSize) {
    add(ActionId::CompareNext, std::to_string(own + 1).c_str());
  }
  add(ActionId::CompareNaive, "naive");
  add(ActionId::CompareCublas, "cuBLAS");
  if (context.view.timing.shown->pair) {
    add(ActionId::EndComparison, icon::kStop);
  }
  return commands;
}

Commands draw_pair_card(const Context& context) {
  Commands commands;
  const ShownPair& pair = *context.view.timing.shown->pair;
  heading(context, heading_of(context, pair).c_str());
  if (!pair.comparison) {
    wrapped_text(context.theme.text_dim, pair.why_not);
  } else {
    const Comparison& c = *pair.comparison;
    wrapped_text(context.theme.text_dim, tr("{:.2f}× is the product of these factors", pair.ratio));
    append(commands, draw_factors(context, c, pair));
    draw_others(context, c);
    draw_rest(context, c);
    draw_product(context, c);
  }
  draw_times(context, pair);
  return commands;
}

}  // namespace tilestep::ui

#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ui/compare/compare.h"
#include "ui/number_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "workspace/shown_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tilestep::ui {
namespace {

struct CardRow {
  std::string what;
  std::array<std::string, 2> sides;
  std::string note;
  bool differs = false;
};

std::string compared_product(const std::optional<insight::Term>& term) {
  if (!term) {
    return tr("none");
  }
  const double product = static_cast<double>(term->a.value * term->b.value);
  return fmt::format("{}·{} = {}", factor_number(static_cast<double>(term->a.value)),
                     factor_number(static_cast<double>(term->b.value)), full_number(product));
}

std::string thread_text(const Context& side, std::uint32_t thread) {
  const simt::Program& program = side.view.run.scene->recording->program();
  return insight::thread_name(program.thread_index(thread), program.launch());
}

// The factor in which the two products differ, if it was loaded from one place in both.
void add_factor(const insight::SumDifference& d, std::vector<CardRow>& rows) {
  const auto& one = d.sides[0].term;
  const auto& two = d.sides[1].term;
  if (!one || !two) {
    return;
  }
  for (const auto factor : {&insight::Term::a, &insight::Term::b}) {
    const insight::Term::Factor& first = (*one).*factor;
    const insight::Term::Factor& second = (*two).*factor;
    if (first.value != second.value && !first.via.empty() && first.via == second.via) {
      rows.push_back({tr("{} when read", first.via),
                      {full_number(static_cast<double>(first.value)),
                       full_number(static_cast<double>(second.value))},
                      "",
                      true});
    }
  }
}

void add_difference(const Context& context, const insight::SumDifference& d,
                    std::vector<CardRow>& rows) {
  add_factor(d, rows);
  rows.push_back({tr("product {} of {}", d.sides[0].product + 1, d.element),
                  {compared_product(d.sides[0].term), compared_product(d.sides[1].term)},
                  thread_text(context, d.sides[0].thread),
                  true});
  const double end = static_cast<double>(d.sides[1].end) - static_cast<double>(d.sides[0].end);
  rows.push_back({tr("final {}", d.element),
                  {full_number(static_cast<double>(d.sides[0].end)),
                   full_number(static_cast<double>(d.sides[1].end))},
                  end == 0.0 ? tr("the same") : with_minus(fmt::format("{:+g}", end)),
                  end != 0.0});
}

// The focus thread's difference, or else the first one.
const insight::SumDifference* difference_at_focus(const Context& context) {
  const auto& sums = context.view.beside->sums;
  if (sums == nullptr || sums->differences.empty()) {
    return nullptr;
  }
  const auto own =
      std::ranges::find_if(sums->differences, [&context](const insight::SumDifference& d) {
        return d.sides[0].thread == context.state.focus.thread;
      });
  return own != sums->differences.end() ? &*own : sums->differences.data();
}

std::string ratio(double one, double two) {
  return one > 0.0 ? fmt::format("{:.2f}×", two / one) : "";
}

void add_count(const char* what, std::uint64_t one, std::uint64_t two, std::vector<CardRow>& rows) {
  if (one > 0 || two > 0) {
    rows.push_back({what,
                    {grouped(one), grouped(two)},
                    ratio(static_cast<double>(one), static_cast<double>(two)),
                    one != two});
  }
}

void add_counters(const insight::Counters& one, const insight::Counters& two,
                  std::vector<CardRow>& rows) {
  add_count(tr("warp instructions"), one.warp_instructions, two.warp_instructions, rows);
  add_count(tr("global sectors"), one.global_loads.sectors + one.global_stores.sectors,
            two.global_loads.sectors + two.global_stores.sectors, rows);
  add_count(tr("shared passes"), one.shared_loads.wavefronts + one.shared_stores.wavefronts,
            two.shared_loads.wavefronts + two.shared_stores.wavefronts, rows);
}

// The measured time of the kernel; an edited text has none.
double measured_ms(const Context& context, const state::Setup& setup) {
  const auto& data = context.view.timing.dataset;
  const problem::LaunchSpec* const spec = context.view.kernels.catalog->find(setup.kernel);
  if (data == nullptr || spec == nullptr || !setup.edited_source.empty()) {
    return 0.0;
  }
  return data->median_ms(setup.kernel, context.state.timing.problem,
                         spec->uses_block_size ? setup.parameters.block_size : 0);
}

bool has_two_builds(const Context& context) {
  return context.state.build != context.state.comparison.second.build;
}

// The counters of the fast build, which hardware executes; when two builds are compared, those of
// each build.
const insight::Counters* counted(const Context& context, const Context& side) {
  if (!has_two_builds(context)) {
    return side.view.run.counters.get();
  }
  return side.view.run.check == nullptr ? nullptr : &side.view.run.check->counters;
}

// Only fast builds are measured.
void add_times(const Context& context, std::vector<CardRow>& rows) {
  if (has_two_builds(context)) {
    return;
  }
  const double one = measured_ms(context, setup_of(context.state));
  const double two = measured_ms(context, context.state.comparison.second);
  if (one > 0.0 && two > 0.0) {
    rows.push_back({tr("N = {} on {}", context.state.timing.problem.N,
                       context.view.timing.dataset->provenance.gpu),
                    {fmt::format("{:.3g} ms", one), fmt::format("{:.3g} ms", two)},
                    ratio(one, two),
                    true});
  }
}

void draw_rows(const Context& context, const std::vector<CardRow>& rows) {
  const Theme& t = context.theme;
  if (!ImGui::BeginTable("differences", 4,
                         ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 2.4F);
  ImGui::TableSetupColumn("1", ImGuiTableColumnFlags_WidthStretch, 1.4F);
  ImGui::TableSetupColumn("2", ImGuiTableColumnFlags_WidthStretch, 1.4F);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 1.2F);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  for (const CardRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string face = cut_to(row.what, ImGui::GetContentRegionAvail().x);
    coloured_text(t.text_dim, face.c_str());
    if (face != row.what) {
      tooltip(row.what);
    }
    ImGui::PushFont(context.fonts.mono, 0.0F);
    ImGui::TableNextColumn();
    coloured_text(t.text, row.sides[0].c_str());
    ImGui::TableNextColumn();
    coloured_text(row.differs ? t.accent_text : t.text, row.sides[1].c_str());
    ImGui::PopFont();
    ImGui::TableNextColumn();
    coloured_text(t.text_dim, row.note.c_str());
  }
  ImGui::EndTable();
}

// A summary of the sums.
std::string headline(const Context& context) {
  const auto& sums = context.view.beside->sums;
  if (sums == nullptr) {
    return tr("Comparing the two runs …");
  }
  if (sums->elements == 0) {
    return tr("No sums of products to compare: only counts and times.");
  }
  if (sums->differences.empty()) {
    return tr("Both sides add the same {} products to {} elements.", grouped(sums->products),
              grouped(sums->elements));
  }
  return tr("{} of {} sums of the block differ.", grouped(sums->differences.size()),
            grouped(sums->elements));
}

bool has_findings(const Context& side) {
  return side.view.run.check != nullptr && !side.view.run.check->findings.empty();
}

struct SecondMemory {
  Memory memory;
  workspace::FrameView view;
};

// A scene's points are shown on both sides, a question only once.
bool is_scene(const std::shared_ptr<const workspace::ShownLesson>& lesson) {
  return lesson != nullptr && lesson->question == nullptr && lesson->lab == nullptr;
}

}  // namespace

Commands draw_compare_card(const Context& context) {
  Commands commands;
  const Context second = second_context(context);
  text_in(context.fonts.bold, headline(context));
  const insight::SumDifference* const difference = difference_at_focus(context);
  // The schedule hides a race.
  const bool hides = context.view.beside->sums != nullptr && difference == nullptr &&
                     !is_adversary(setup_of(context.state)) &&
                     (has_findings(context) || has_findings(second));
  const ActionId id = hides ? ActionId::Adversary : ActionId::NextDifference;
  if (difference != nullptr || hides) {
    const auto width_of = [](const std::string& face) {
      return ImGui::CalcTextSize(face.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x;
    };
    std::string face = fmt::format("{}  {}", key_name(action(id).key),
                                   tr(hides ? "Let warp 0 run ahead" : "Next difference"));
    ImGui::SameLine();
    const float room = ImGui::GetContentRegionAvail().x;
    face = room > width_of(face) ? face : key_name(action(id).key);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room - width_of(face)));
    append(commands, action_button(context, id, face.c_str()));
  }
  if (difference == nullptr && has_two_builds(context)) {
    coloured_text(context.theme.text_dim,
                  cut_to(kFastBuildLine.text(), ImGui::GetContentRegionAvail().x).c_str());
    tooltip(kFastBuildSentence.text());
  }
  std::vector<CardRow> rows;
  if (difference != nullptr && context.view.run.scene != nullptr) {
    add_difference(context, *difference, rows);
  }
  const insight::Counters* const one = counted(context, context);
  const insight::Counters* const two = counted(context, second);
  if (one != nullptr && two != nullptr) {
    add_counters(*one, *two, rows);
  }
  add_times(context, rows);
  draw_rows(context, rows);
  return commands;
}

Context second_context(const Context& context) {
  const workspace::Beside& beside = *context.view.beside;
  auto& second = context.memory.of<SecondMemory>();
  Memory& memory = second.memory;
  memory.note_frame(context.now);
  second.view = beside.view;
  second.view.lesson = is_scene(context.view.lesson) ? context.view.lesson : nullptr;
  return {beside.state,  second.view, context.theme, context.fonts,
          context.cells, memory,      context.now,   context.motion};
}

}  // namespace tilestep::ui

#include "ui/stage_panel.h"

#include "compile/diagnostics.h"
#include "insight/names.h"
#include "narration/templates.h"
#include "problem/describe/words.h"
#include "problem/launch/launch.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/inspector/cards.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/paint/painters.h"
#include "ui/stage/content.h"
#include "ui/stage/race_effects.h"
#include "ui/stage/stage_plan.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::ui {
namespace {

// Names of copied texts.
constexpr Message kCopiedSentence = "the sentence";

constexpr float kTurnOfPixel = 0.008F;     // radians per pixel, for the volume
constexpr std::size_t kMostArranged = 32;  // limit for the plans of a window that is being resized
constexpr float kScarceCorner = 14.0F;     // lines
constexpr float kLeastOfLecture = 0.8F;    // the block's numbers, in lines of text: 24 px at 1080p

// If only a part of the grid or the run is recorded: which part, and how to record the rest.
std::string part_note(const Context& context, const record::Recording& recording) {
  if (recording.is_whole()) {
    return recording.is_complete() ? "" : tr("the start of the run · recording the rest · ");
  }
  const simt::BlockPart part = recording.part();
  const std::uint32_t all = recording.program().block_count();
  return context.view.jobs.completing
             ? tr("blocks {} to {} of {} · recording the others · ", part.first, part.last - 1, all)
             : tr("blocks {} to {} of {} · press , or . for others · ", part.first, part.last - 1,
                  all);
}

// "2×2 blocks of 4×4 threads · 1 warp a block (16 of 32 lanes)".
std::string launch_note(const simt::Program& program) {
  const problem::Launch& launch = program.launch();
  const std::uint32_t warps = program.warps_per_block();
  const std::uint32_t lanes = warps * program.warp_size();
  const std::string each = plural(warps, "warp");
  const std::string blocks = problem::extent_text(launch.grid);
  const std::string threads = problem::extent_text(launch.block);
  std::string note = launch.grid.count() == 1
                         ? tr("{} block of {} threads · {} per block", blocks, threads, each)
                         : tr("{} blocks of {} threads · {} per block", blocks, threads, each);
  if (program.threads_per_block() != lanes) {
    note += tr(" ({} of {} lanes)", program.threads_per_block(), lanes);
  }
  if (program.warp_size() != simt::kLanes) {
    note +=
        tr_n(" · teaching warp of {} lane", " · teaching warp of {} lanes", program.warp_size());
  }
  const problem::Build build = build_of(program);
  if (build != problem::Build::Step) {
    note += fmt::format(" · {}", word_of(build).label);
  }
  return note;
}

Labels labels_of(const WindowPlan& plan) {
  return plan.is_lecture || plan.has(Yield::FewLabels) ? Labels::Few : Labels::All;
}

// The stage without the focus thread's registers, which are at its right edge if there is room.
struct Division {
  Box cells;
  std::optional<Box> registers;
};
Division divide(const StageMemory& memory, const Box& cells) {
  const float font = ImGui::GetFontSize();
  const float width =
      memory.registers ? register_width(*memory.registers, {cells.w, cells.h}, font) : 0.0F;
  if (width <= 0.0F) {
    return {cells, std::nullopt};
  }
  const float gap = 0.5F * font;
  const Box rest{cells.x, cells.y, cells.w - width - gap, cells.h};
  return {rest, Box{rest.right() + gap, cells.y, width, cells.h - 0.3F * font}};
}

StageRequest request_of(const Context& context, const StageMemory& memory, const WindowPlan& plan,
                        const Division& division) {
  const float font = ImGui::GetFontSize();
  // A third L needs the room.
  const Matrices matrices = is_about_matrices(context, memory.shape) ? Matrices::First
                            : plan.hides_matrices                    ? Matrices::None
                            : division.registers                     ? Matrices::Map
                                                                     : Matrices::Numbers;
  return {.width = division.cells.w,
          .height = division.cells.h,
          .font = cell_font(division.cells, font),
          .least = plan.is_lecture ? kLeastOfLecture * font : std::max(font, kLeastNumber),
          .labels = labels_of(plan),
          .matrices = matrices};
}

// Valid until the next frame's: most frames try the previous frame's plans.
template <class Kept, class Make>
auto keep(std::vector<Kept>& all, const StageRequest& request, Make&& make) {
  const auto known = std::ranges::find(all, request, &Kept::first);
  if (known != all.end()) {
    return known->second;
  }
  if (all.size() > kMostArranged) {
    all.clear();
  }
  all.emplace_back(request, make());
  return all.back().second;
}

// The plan depends only on sizes, not on steps.
Arrangement arrange_cells(const Context& context, StageMemory& memory, const WindowPlan& plan,
                          const Division& division) {
  const StageRequest request = request_of(context, memory, plan, division);
  const ContentInputs in = inputs_of(context, memory);
  const bool is_whole = context.state.whole_map;
  const ShownOf shown = [&](const CellCounts& counts, Matrices matrices) {
    return is_whole ? find_crop_of_map(in)
                    : find_crop(in, memory.content, counts, matrices == Matrices::First);
  };
  return keep(is_whole ? memory.arranged_whole : memory.arranged, request, [&] {
    const StagePlan stage =
        is_whole ? StagePlan{request.matrices, {}, kLeastMap} : keep(memory.planned, request, [&] {
          return plan_stage(memory.shape, request, shown);
        });
    return arrange_plan(memory.shape, request, stage, shown);
  });
}

VolumeScene volume_scene(const state::VolumeView& view, const ContentInputs& in,
                         const Volume& volume, StageMemory& memory) {
  auto& shown = memory.volume_shown;
  if (!shown || shown->view != view) {
    const VolumeTime time = volume_time(in);
    shown = StageMemory::VolumeShown{view, count_products(volume, time),
                                     project(volume, time, view, in.thread)};
  }
  return {volume, shown->picture, shown->count, in.block};
}

// The products are in the corner if the statement makes some and memory has no problem, and if
// there is nothing else.
bool draw_volume(const StagePicture& picture, const ContentInputs& in, StageMemory& memory,
                 const Box& room) {
  const Volume* const volume = volume_of(picture.context, memory);
  if (volume == nullptr) {
    return false;
  }
  const VolumeScene scene = volume_scene(picture.context.state.volume, in, *volume, memory);
  const bool hides_memory = !picture.context.state.show_costs;
  const auto& accesses = memory.strip.accesses;
  const bool is_bad = std::any_of(accesses.begin(), accesses.end(),
                                  [](const StripAccess& access) { return access.is_bad(); });
  const bool adds = scene.count.running > 0;
  return (hides_memory || accesses.empty() || (adds && !is_bad)) &&
         paint_volume_corner(picture, scene, room);
}

// The free corner: products or memory, and below it the legend.
void draw_corner(const StagePicture& picture, const ContentInputs& in, StageMemory& memory) {
  memory.strips = {};
  if (picture.context.state.camera.zoom <= 0.0F && picture.arrangement.corner) {
    const Box corner = picture.view.to_window(*picture.arrangement.corner);
    const bool is_scarce =
        picture.arrangement.labels == Labels::Few && corner.h < kScarceCorner * picture.font;
    if (is_scarce && shown_race_effect(picture.context) == nullptr &&
        draw_volume(picture, in, memory, corner)) {
      return;  // no room for the legend
    }
    if (shown_race_effect(picture.context) != nullptr && corner.h < kScarceCorner * picture.font) {
      return;  // no room beside the race's card
    }
    const float legend =
        paint_legend(picture, {corner.x, corner.y}, {corner.w, corner.h}, memory.instances);
    if (shown_race_effect(picture.context) != nullptr) {
      return;  // the race's card is there
    }
    const Box room{corner.x, corner.y, corner.w, corner.h - legend};
    if (!draw_volume(picture, in, memory, room) && picture.context.state.show_costs) {
      const Box left = paint_memory_corner(picture, memory.strip, room, memory.instances);
      memory.strips = {room.x, left.bottom(), room.w, room.bottom() - left.bottom()};
    }
  }
}

// Draws over the whole stage. Dragging turns it; a click goes to the phase of the clicked product.
Commands draw_large_volume(const StagePicture& picture, const ContentInputs& in,
                           StageMemory& memory, const Box& room) {
  const Volume* const volume = volume_of(picture.context, memory);
  if (volume == nullptr) {
    paint_no_volume(picture, room);
    return {};
  }
  const auto step =
      paint_volume(picture, volume_scene(picture.context.state.volume, in, *volume, memory), room);
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    state::VolumeView view = picture.context.state.volume;
    view.yaw -= kTurnOfPixel * io.MouseDelta.x;
    view.pitch += kTurnOfPixel * io.MouseDelta.y;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    return {state::SetVolume{view}};
  }
  if (!step || !ImGui::IsItemHovered()) {
    return {};
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const record::Phase* const phase =
      was_clicked() ? in.recording.phase_at(in.block, *step) : nullptr;
  return phase == nullptr ? Commands{}
                          : Commands{state::Play{false}, state::SeekStep{phase->first_step},
                                     state::Step{state::Unit::Phase, +1}};
}

std::string focus_name(const ContentInputs& in) {
  const simt::Program& program = in.recording.program();
  return insight::thread_name(program.thread_index(in.thread), program.launch());
}

// Everything with a place among the cells; `progress`: of moving cells.
void paint_stage(const StagePicture& picture, const ContentInputs& in, StageMemory& memory,
                 float progress) {
  ImDrawList& list = picture.list;
  list.PushClipRect({picture.clip.x, picture.clip.y}, {picture.clip.z, picture.clip.w}, true);
  paint_block_card(picture);
  if (in.phase) {
    paint_ribbons(picture);
  }
  const bool has_card = !in.phase &&
                        shown_race_effect(picture.context) == nullptr &&  // the race needs the room
                        paint_thread_card(picture, focus_name(in), memory.sums);
  paint_block_name(picture, !has_card || picture.arrangement.labels == Labels::All);
  if (!has_card && &picture.content == &memory.content) {
    if (!paint_brought(picture) && !in.phase) {
      paint_warps(picture, in.state, memory.mbarriers);
    }
  }
  paint_map(picture, memory.instances);
  paint_cells(picture, memory.instances);
  paint_sums_before(picture);
  paint_frames(picture, memory.instances);
  paint_differing(picture, memory.differing, memory.instances);
  if (picture.context.view.run.flow != nullptr) {
    paint_flow(picture, *picture.context.view.run.flow, memory.instances);
  }
  paint_answer_marks(picture, in);
  paint_labels(picture);
  paint_travel(picture, progress, memory.instances);
  paint_flights(picture, memory.phase.flights(), memory.instances);
  paint_fault_line(picture);
  draw_corner(picture, in, memory);
  paint_race(picture, memory.instances);
  paint_waiting(picture, in.state, in.statement);
  paint_points(picture, memory.instances);
  if (picture.context.state.show_memory && !hides(picture.context, course::Topic::Counts)) {
    const Box room{picture.clip.x, picture.clip.y, picture.clip.z - picture.clip.x,
                   picture.clip.w - picture.clip.y};
    if (memory.contrast.sides.empty()) {
      paint_memory(picture, memory.strip, room, memory.instances);
    } else {
      paint_contrast(picture, memory.contrast, room, memory.instances);
    }
  }
  list.PopClipRect();
}

// Draws the current activity, or the error, before the first recording.
void draw_waiting(const Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::string text = !context.view.messages.error.empty() ? context.view.messages.error
                           : context.view.jobs.busy             ? tr("Compiling and recording …")
                                                                : tr("No kernel is open.");
  const float wrap = 0.7F * room.x;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  ImGui::SetCursorPos({ImGui::GetCursorPosX() + 0.5F * (room.x - size.x),
                       ImGui::GetCursorPosY() + 0.5F * (room.y - size.y)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + wrap);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

// The text cannot be executed, and the run on stage is of another kernel.
bool has_other_kernel(const Context& context) {
  return context.view.run.is_old && !context.view.jobs.busy &&
         context.view.run.scene->kernel_id != context.state.kernel;
}

// The text on screen differs from the run on stage; this is shown before anything else.
std::optional<narration::Sentence> stale_text(const Context& context) {
  if (context.view.messages.error.empty()) {
    return std::nullopt;
  }
  const auto& all = context.view.source.diagnostics;
  const auto error =
      std::ranges::find(all, compile::Severity::Error, &compile::Diagnostic::severity);
  if (error == all.end()) {
    return std::nullopt;
  }
  const auto kind = narration::Kind::Result;
  const bool is_other = has_other_kernel(context);
  if (error->line == 0) {
    return is_other ? narration::say(kind, "refused_text_somewhere", {})
                    : narration::say(kind, "stale_text_somewhere", {});
  }
  const auto line = narration::strong(fmt::format("{}", error->line), narration::Hue::Fault);
  return is_other ? narration::say(kind, "refused_text", {{"line", line}})
                  : narration::say(kind, "stale_text", {{"line", line}});
}

std::string words_of(const Headline& headline) {
  std::string text = headline.sentence.empty()
                         ? narration::plain_text(headline.narrated.sentence.long_form)
                         : headline.sentence;
  for (const narration::Sentence& note : headline.narrated.notes) {
    text += " " + narration::plain_text(note.long_form);
  }
  return headline.where.empty() ? text : text + " (" + headline.where + ")";
}

void draw_narration(const Context& context, const Headline& headline, const WindowPlan& plan,
                    const std::string& note) {
  const auto stale = stale_text(context);
  if (plan.leaves_words) {
    return;
  }
  say_aloud(context, stale ? narration::plain_text(stale->long_form) : words_of(headline));
  if (!stale) {
    paint_narration(context, headline, note, plan.narration, plan.has(Yield::ShortWords));
    return;
  }
  Headline shown = has_other_kernel(context) ? Headline{} : headline;
  shown.narrated.sentence = *stale;
  shown.narrated.notes.clear();
  paint_narration(context, shown, note, plan.narration, plan.has(Yield::ShortWords));
}

// "C[5][6]: acc = 6·2 + 4·5 = 32", all products in numbers.
void offer_sum(const Context& context, const SumStory& story, const Box& box) {
  const auto& sum = context.view.run.accumulation;
  if (!story.sum || sum == nullptr) {
    return;
  }
  offer_copy(context, {box.x, box.y}, {box.right(), box.bottom()},
             {.what = fmt::format(fmt::runtime(kCopiedSum.text()), story.element),
              .text = [&story, sum] { return story.element + ": " + sum_line(*sum); }});
}

// The statement's effect, its memory accesses, and its place.
void offer_sentence(const Context& context, const Headline& headline, const Box& box) {
  offer_copy(context, {box.x, box.y}, {box.right(), box.bottom()},
             {.what = kCopiedSentence.text(),
              .text = [&headline] { return words_of(headline); },
              .is_main = true});
}

}  // namespace

NumberSizes stage_numbers(const Context& context, const WindowPlan& plan) {
  constexpr float kContent = 1.6F;
  if (context.view.run.scene == nullptr || context.view.run.state == nullptr) {
    return {};
  }
  auto& memory = context.memory.of<StageMemory>();
  refresh(context, memory);
  const Division division = divide(memory, plan.cells);
  const StageRequest request = request_of(context, memory, plan, division);
  return keep(memory.numbers, request, [&]() -> NumberSizes {
    const StageShape shape = reference_shape(memory.shape);
    const Arrangement arrangement = arrange(shape, {request.width, request.height}, request.font,
                                            request.labels, {}, request.matrices);
    const auto number = [&arrangement](int sheet) {
      // Too small for the room is not the same as absent.
      return sheet == kNoSheet
                 ? 0.0F
                 : std::max(0.01F, arrangement.sheets[size(sheet)].number * arrangement.unit);
    };
    const bool has_block = shape.threads != kNoSheet;
    if (request.matrices == Matrices::First && has_block) {
      // Other panels need not give way, unless it is hardly readable.
      return {kContent * number(shape.c), 0.0F};
    }
    const bool no_matrices = division.registers || (plan.hides_matrices && has_block);
    return {no_matrices ? 0.0F : number(shape.c), number(shape.threads)};
  });
}

Commands draw_stage(const Context& context, const WindowPlan& plan) {
  if (context.view.run.scene == nullptr || context.view.run.state == nullptr) {
    draw_waiting(context);
    return {};
  }
  auto& memory = context.memory.of<StageMemory>();
  refresh(context, memory);
  const ContentInputs in = inputs_of(context, memory);
  const simt::Program& program = in.recording.program();
  memory.cells = plan.cells;
  const Division division = divide(memory, plan.cells);
  const Box& cells = division.cells;
  const float font = cell_font(cells, ImGui::GetFontSize());
  const StageArea area{{cells.x, cells.y}, {cells.w, cells.h}, font};
  const Arrangement arrangement = arrange_cells(context, memory, plan, division);
  const StageView view = view_of(context.state.camera, arrangement, area);
  memory.seen = {arrangement, view, area};
  memory.travel.notice(memory.generation, in.state.step(), context.now, context.state.animate);
  const float progress =
      memory.content.moving.empty() || in.phase ? 1.0F : memory.travel.progress(context.now);
  if (progress < 1.0F) {
    context.memory.animate_until(memory.travel.ends_at());
  }

  const StageContent* const playing =
      context.mask != nullptr ? nullptr
                              : memory.phase.now(context, in, memory.content, memory.generation);
  const StageContent& content = playing != nullptr ? *playing : memory.content;
  const std::string note = plan.is_lecture || has_other_kernel(context)
                               ? ""
                               : part_note(context, in.recording) + launch_note(program);
  Commands answered;
  if (has_question(context)) {
    if (context.state.tab == state::Tab::Step) {  // else it is above the page
      answered = draw_question(context, plan.narration, memory.shape);
    }
  } else if (playing != nullptr) {
    draw_narration(context, while_playing(in), plan, note);
  } else {
    draw_narration(context, memory.headline, plan, note);
  }
  if (has_other_kernel(context)) {
    return answered;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = area.from;
  const ImVec2 to(from.x + area.size.x, from.y + area.size.y);
  const StagePicture picture{context, memory.shape, arrangement, content,
                             program, view,         list,        {from.x, from.y, to.x, to.y},
                             font};
  paint_stage(picture, in, memory, progress);

  if (const auto overview = overview_box(arrangement, view, area);
      overview && !context.state.show_memory && !context.state.volume.large) {
    paint_overview(picture, *overview, memory.instances);
  }
  if (division.registers && !context.state.show_memory && !context.state.volume.large) {
    paint_registers(context, *memory.registers, focus_name(in), *division.registers,
                    memory.instances);
  }
  ImGui::SetCursorScreenPos(from);
  hit_area("stage", area.size,
           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
               ImGuiButtonFlags_MouseButtonRight);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  Commands commands = std::move(answered);
  if (context.state.volume.large) {
    list.PushClipRect(from, to, true);
    append(commands,
           draw_large_volume(picture, in, memory, {from.x, from.y, area.size.x, area.size.y}));
    list.PopClipRect();
  } else if (!context.state.show_memory) {  // which hides the cells
    append(commands, handle_mouse(context, memory, in, arrangement, area, view));
  }
  offer_sum(context, memory.sums, plan.sum);
  if (!has_question(context)) {
    offer_sentence(context, memory.headline, plan.narration);
  }
  if (plan.drops_sum) {
    return commands;
  }
  if (plan.is_lecture) {
    draw_large_sum(context, memory.sums, plan.sum);
  } else {
    draw_sum_strip(context, thread_name(program, in.block, in.thread), memory.sums,
                   {plan.sum.x, plan.sum.y}, {plan.sum.w, plan.sum.h}, plan.has(Yield::ShortWords));
  }
  return commands;
}

}  // namespace tilestep::ui

#include "ui/stage/stage_memory.h"

#include "problem/language.h"
#include "record/activity.h"
#include "ui/stage/race_effects.h"
#include "ui/stage/thread_tile.h"
#include "ui/timeline/timeline.h"

namespace tilestep::ui {
namespace {

void find_findings(const Context& context, StageMemory& memory) {
  memory.findings.clear();
  if (const ShownRaceEffect* effect = shown_race_effect(context)) {
    memory.findings.push_back(effect->finding);
  }
  if (context.view.run.check != nullptr) {
    const auto& all = context.view.run.check->findings;
    memory.findings.insert(memory.findings.end(), all.begin(), all.end());
  }
}

// Adds the race that made the focus thread's element wrong.
void tell_spoilt(const Context& context, const ContentInputs& in, StageMemory& memory) {
  const auto& result = memory.content.focus_result;
  if (!result) {
    return;
  }
  if (!cell_at(memory.content, memory.shape, *result).is_wrong) {
    return;
  }
  if (const auto effect = spoiling_race_effect(context, in.block, in.thread, in.state.step())) {
    auto& notes = memory.headline.narrated.notes;
    notes.insert(notes.begin(),
                 spoilt_sentence(context, *effect,
                                 cell_name(in, {result->sheet, result->row, result->col})));
  }
}

FragmentNames fragments_of(const ContentInputs& in, StageMemory& memory) {
  const std::pair key(in.block, in.thread);
  if (in.sums == nullptr) {
    return {};
  }
  if (!memory.fragments || memory.fragments_for != key) {
    memory.fragments = find_fragments(in, memory.content);
    memory.fragments_for = key;
  }
  return *memory.fragments;
}

// The accesses in the free corner: the statement's, or those of the whole phase.
const record::Activity* asked_of(const ContentInputs& in) {
  return in.phase ? &in.log.phase(*in.phase).requests : in.statement;
}

// Empty while it is unknown which of them have arrived.
std::span<const CopyFlight> copies_until(const Context& context, std::uint64_t step) {
  const RunMarks& marks = focus_marks(context);
  return marks.known_to() >= step ? marks.copies() : std::span<const CopyFlight>();
}

// The index of the focus thread's sum that is written out.
int chosen_number(const Context& context) {
  const auto& sums = context.view.run.sums;
  return sums == nullptr || !context.view.run.sum
             ? 0
             : static_cast<int>(*context.view.run.sum -
                                sums->of_thread(context.state.focus.thread).first);
}

// While a question is open.
void mask_all(const course::AnswerMask& mask, const ContentInputs& in, StageMemory& memory) {
  mask_content(mask, in, memory.content);
  mask_headline(mask, memory.headline);
  mask_sum(mask, in.state.step(), memory.sums);
  if (mask.hides(course::Topic::Values)) {
    memory.registers.reset();  // the thread's own sums are restored
  }
  if (mask.hides(course::Topic::Counts)) {
    memory.strip = {};
    memory.contrast = {};
  }
}

}  // namespace

ContentInputs inputs_of(const Context& context, StageMemory& memory) {
  const workspace::Scene& scene = *context.view.run.scene;
  return {.recording = *scene.recording,
          .shape = memory.shape,
          .owners = memory.owners,
          .log = memory.log,
          .state = *context.view.run.state,
          .before = context.view.run.before.get(),
          .statement = context.view.run.statement.get(),
          .accumulator = scene.accumulator,
          .sums = context.view.run.sums.get(),
          .landings = memory.landings,
          .sum = chosen_number(context),
          .expected = scene.expected,
          .ends = memory.ends,
          .block = context.state.focus.block,
          .thread = context.state.focus.thread,
          .narrator = context.view.narration.narrator.get(),
          .findings = memory.findings,
          .copies = copies_until(context, context.view.run.state->step()),
          .phase =
              context.view.narration.shows_phase ? context.view.narration.phase_over : std::nullopt,
          .summary = context.view.narration.summary.get(),
          .form = context.state.number_form};
}

const Volume* volume_of(const Context& context, StageMemory& memory) {
  const auto& sums = context.view.run.sums;
  if (sums == nullptr) {
    return nullptr;
  }
  const std::pair key(memory.generation, sums->block());
  if (memory.volume_of != key) {
    memory.volume_of = key;
    memory.volume = make_volume(memory.shape, *sums);
  }
  return memory.volume ? &*memory.volume : nullptr;
}

VolumeTime volume_time(const ContentInputs& in) {
  const std::uint64_t now = in.state.step();
  if (in.phase) {
    return {in.recording.phases_of(in.block)[*in.phase].first_step, now};
  }
  return {in.before != nullptr ? in.before->step() : now, now};
}

void refresh(const Context& context, StageMemory& memory) {
  const workspace::Scene& scene = *context.view.run.scene;
  const record::Recording& recording = *scene.recording;
  if (memory.generation != scene.generation) {
    memory.generation = scene.generation;
    memory.shape = make_shape(recording.program(), scene.accumulator);
    const record::State end = recording.state_at(recording.step_count());
    find_digits(end, memory.shape);
    find_roles(scene.first_sums.get(), recording.program(), memory.shape);
    memory.owners = find_owners(recording, end, memory.shape);
    memory.ends = ends_of(end, memory.shape);
    memory.mbarriers = record::mbarrier_lines(recording.program().module());
    memory.fragments.reset();
    if (scene.first_sums) {
      lay_out_threads(memory.shape, memory.owners, *scene.first_sums);
    }
    memory.landings = scene.first_sums
                          ? find_landings(memory.shape, memory.owners, *scene.first_sums)
                          : decltype(memory.landings){};
    memory.key = {};
    memory.planned.clear();
    memory.numbers.clear();
  }
  const state::Focus& focus = context.state.focus;
  const RunMarks& marks = focus_marks(context);
  const StageMemory::Key key{scene.generation,
                             context.view.run.state->step(),
                             focus.block,
                             focus.thread,
                             chosen_number(context),
                             context.view.run.statement != nullptr,
                             context.view.run.check != nullptr,
                             context.view.run.sums != nullptr,
                             marks.copies().empty() ? 0 : marks.known_to(),
                             context.view.narration.shows_phase,
                             context.view.narration.narrator.get(),
                             context.view.narration.summary.get(),
                             context.view.run.contrast.get(),
                             context.mask == nullptr ? "" : context.mask->key(),
                             spoken_language()};
  if (key == memory.key) {
    return;
  }
  memory.key = key;
  memory.phase.forget();
  memory.resting_pointer = ImGui::GetIO().MousePos;
  memory.log.use(recording, memory.shape, scene.generation, focus.block, focus.thread,
                 context.view.run.sums.get());
  find_findings(context, memory);
  const ContentInputs inputs = inputs_of(context, memory);
  memory.content = make_content(inputs);
  memory.registers = find_register_tile(inputs, memory.content, fragments_of(inputs, memory));
  memory.arranged.clear();
  memory.arranged_whole.clear();
  memory.volume_shown.reset();
  memory.headline = make_headline(inputs, memory.content);
  add_guides(inputs, memory.headline.narrated.guides, memory.content);
  add_factor_lines(inputs, memory.content);
  tell_spoilt(context, inputs, memory);
  memory.strip = make_memory_strip({.program = recording.program(),
                                    .shape = memory.shape,
                                    .statement = asked_of(inputs),
                                    .block = focus.block,
                                    .thread = focus.thread,
                                    .sums = context.view.run.sums.get()});
  memory.contrast =
      memory.contrasts.find(context.view.run.contrast, memory.strip, focus.block, focus.thread);
  SumQuestion question{.recording = recording,
                       .sums = context.view.run.sums.get(),
                       .chosen = context.view.run.sum,
                       .thread = focus.thread,
                       .step = context.view.run.state->step(),
                       .products = {},
                       .state = context.view.run.state.get()};
  if (question.chosen) {
    const StageMemory::CountedSum counted{scene.generation, focus.block, *question.chosen};
    if (!memory.counted || memory.counted->first != counted) {
      memory.counted = {counted, count_products(question)};
    }
    question.products = memory.counted->second;
  }
  memory.sums = sum_story(question);
  if (context.mask != nullptr) {
    mask_all(*context.mask, inputs, memory);
  }
}

}  // namespace tilestep::ui

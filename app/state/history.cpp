#include "state/history.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace tilestep::state {
namespace {

// Both fail to compile when their struct gets a field that is missing here.
template <class Of>
auto fields_of_setup(Of& setup) {
  auto& [kernel, edited_source, parameters, input, schedule, warp_size, build] = setup;
  return std::tie(kernel, edited_source, parameters, input, schedule, warp_size, build);
}
template <class Of>
auto fields_of_view(Of& view) {
  auto& [sizes_locked, comparison, step, second_step, phase, playing, pace, focus, breakpoints,
         conditions, event, watch, tab, theme, typeface, language, scale, camera, inspector,
         inspector_open, show_memory, show_contrast, show_costs, volume, source_page, header_open,
         lecture, whole_map, editing, animate, number_form, blank, show_keys, show_palette,
         show_go_to, show_export, controls_by_key, asked, show_find, show_save_as, condition_line,
         timing, exporting, course] = view;
  return std::tie(sizes_locked, comparison, step, second_step, phase, playing, pace, focus,
                  breakpoints, conditions, event, watch, tab, theme, typeface, language, scale,
                  camera, inspector, inspector_open, show_memory, show_contrast, show_costs, volume,
                  source_page, header_open, lecture, whole_map, editing, animate, number_form,
                  blank, show_keys, show_palette, show_go_to, show_export, controls_by_key, asked,
                  show_find, show_save_as, condition_line, timing, exporting, course);
}

auto fields_of(AppState& state) {
  return std::tuple_cat(fields_of_setup(static_cast<Setup&>(state)),
                        fields_of_view(static_cast<View&>(state)));
}
auto fields_of(const AppState& state) {
  return std::tuple_cat(fields_of_setup(static_cast<const Setup&>(state)),
                        fields_of_view(static_cast<const View&>(state)));
}

// The user's name of each field, in the order of fields_of. Empty: the field follows from others or
// is no change of its own.
constexpr Message kNone{};
constexpr Message kFieldNames[] = {Message("kernel"),
                                   Message("kernel text"),
                                   Message("sizes"),
                                   Message("input"),
                                   Message("schedule"),
                                   Message("lanes per warp"),
                                   Message("build"),
                                   Message("size lock"),
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   Message("pace"),
                                   kNone,
                                   Message("breakpoints"),
                                   Message("breakpoint conditions"),
                                   Message("event kind"),
                                   Message("watch"),
                                   kNone,
                                   Message("colors"),
                                   Message("font"),
                                   Message("language"),
                                   Message("text size"),
                                   kNone,
                                   Message("inspector page"),
                                   Message("inspector"),
                                   Message("banks and sectors"),
                                   Message("memory in other kernels"),
                                   kNone,
                                   Message("product cubes"),
                                   Message("source page"),
                                   Message("source header"),
                                   Message("lecture"),
                                   Message("matrix map"),
                                   kNone,
                                   Message("animation"),
                                   Message("number format"),
                                   Message("black screen"),
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   kNone,
                                   Message("Timing tab settings"),
                                   kNone,
                                   kNone};
static_assert(std::size(kFieldNames) ==
              std::tuple_size_v<decltype(fields_of(std::declval<AppState&>()))>);

std::string comparison_change(const Comparison& from, const Comparison& to, bool is_undone) {
  return tr(from.on == to.on     ? "comparison"
            : is_undone && to.on ? "closing the second run (press = to close it again)"
            : is_undone || to.on ? "opening the second run"
                                 : "closing the second run");
}

// A field's value in words; empty: the field's name is enough.
template <class Field>
std::string value_words(std::size_t, const Field&) {
  return {};
}
std::string value_words(std::size_t, const problem::Parameters& p) {
  return fmt::format("{},{},{}/{}", p.problem.M, p.problem.N, p.problem.K, p.block_size);
}
std::string value_words(std::size_t field, const std::string& text) {
  return field == 0 ? text.substr(text.find_last_of('/') + 1) : "";  // the kernel
}

// What undo or redo changes between two states: "kernel naive → tiled, input".
std::string changed_fields(const AppState& from, const AppState& to, bool is_undone) {
  std::string names;
  const auto add = [&names](const std::string& name) {
    names += name.empty() || names.empty() ? name : ", " + name;
  };
  if (from.comparison != to.comparison) {
    add(comparison_change(from.comparison, to.comparison, is_undone));
  }
  const auto note = [&]<std::size_t... i>(std::index_sequence<i...>) {
    const auto a = fields_of(from);
    const auto b = fields_of(to);
    const auto named = [](std::size_t field, const auto& was, const auto& is) {
      const std::string now = value_words(field, is);
      return now.empty() ? std::string(kFieldNames[field].text())
                         : fmt::format("{} {} → {}", kFieldNames[field].text(),
                                       value_words(field, was), now);
    };
    (add(std::get<i>(a) == std::get<i>(b) || kFieldNames[i].empty()
             ? std::string()
             : named(i, std::get<i>(a), std::get<i>(b))),
     ...);
  };
  note(std::make_index_sequence<std::size(kFieldNames)>());
  return names;
}

// `state` with the values of `to` in every field where `to` and `from` differ.
AppState patched(AppState state, const AppState& from, const AppState& to) {
  const auto patch = [&]<std::size_t... i>(std::index_sequence<i...>) {
    auto into = fields_of(state);
    const auto a = fields_of(from);
    const auto b = fields_of(to);
    const auto field = [](auto& value, const auto& old, const auto& wanted) {
      if (!(old == wanted)) {
        value = wanted;
      }
    };
    (field(std::get<i>(into), std::get<i>(a), std::get<i>(b)), ...);
  };
  patch(std::make_index_sequence<std::tuple_size_v<decltype(fields_of(state))>>());
  return state;
}

// True if `a` and `b` have different runs, so that places of one mean nothing in the other.
bool is_other_run(const AppState& a, const AppState& b) {
  return setup_of(a) != setup_of(b) || a.comparison != b.comparison;
}

template <class Command, class... Commands>
constexpr bool is_one_of = (std::is_same_v<Command, Commands> || ...);

template <class Command>
constexpr Remembered remembered_as() {
  if constexpr (is_one_of<Command, Step, SeekStep, SeekStart, SeekEnd, RunToBreakpoint, RunToLine,
                          RunToEvent, GoToDifference, FocusThread, FocusCell, FocusSum, SetCamera,
                          SetVolume, SetTab, SetInspector, ShowInspector, ShowMemory, SetSourcePage,
                          ShowHeader, ShowLecture, ShowWhole>) {
    return Remembered::Place;
  } else if constexpr (is_one_of<Command, Play, TogglePlay, StartEditing, EditCondition, ShowGoTo,
                                 Ask, SaveScene, CompletePath, OpenSession, OpenFile, PointAt,
                                 ShowKeys, ShowPalette, MoveAmongControls, StartBench, CancelBench,
                                 ShowExport, SetExport, Export, CancelExport, Copied, CopyScene,
                                 ShowFind, ShowSaveAs, SaveSource, AnswerDisk, SavePicture,
                                 CancelRecording, ShowLessons, ShowNotes, ShowRing, Vote,
                                 OpenLesson, CloseLesson, GoToBeat, ReturnToBeat, FollowLink,
                                 ChooseAnswer, GiveAnswer, ShowAnswer, AskAgain, ShowHint, GradeLab,
                                 Quit, Undo, Redo, GoBack, GoForward>) {
    return Remembered::Nothing;
  } else {
    return Remembered::Change;
  }
}

}  // namespace

Remembered remembered(const Command& command) {
  Remembered as = Remembered::Nothing;
  visit([&as](const auto& c) { as = remembered_as<std::remove_cvref_t<decltype(c)>>(); }, command);
  return as;
}

void History::note(const AppState& before, const AppState& after, const Command& command,
                   double now) {
  const Remembered as = remembered(command);
  if (as == Remembered::Nothing || before == after) {
    return;
  }
  if (is_other_run(before, after)) {
    places_ = {};
  }
  add(as == Remembered::Change ? changes_ : places_, {before, after}, command.type(), now);
}

void History::add(Track& track, Entry entry, std::type_index kind, double now) {
  track.undone.clear();
  const bool goes_on = track.is_one_stroke && track.kind == kind && !track.done.empty() &&
                       now - track.latest < kOneStroke && track.done.back().after == entry.before;
  if (goes_on) {
    track.done.back().after = std::move(entry.after);
    if (track.done.back().before == track.done.back().after) {
      track.done.pop_back();  // there and back again: undoing it would show nothing
    }
  } else {
    track.done.push_back(std::move(entry));
  }
  if (track.done.size() > kMost) {
    track.done.erase(track.done.begin());
  }
  track.kind = kind;
  track.latest = now;
  track.is_one_stroke = true;
}

// The opposite entry differs from this one if the state has changed since, so it is made of the
// states themselves.
std::optional<AppState> History::take(std::vector<Entry>& from, std::vector<Entry>& to,
                                      const AppState& current) {
  if (from.empty()) {
    return std::nullopt;
  }
  const Entry entry = std::move(from.back());
  from.pop_back();
  AppState state = patched(current, entry.after, entry.before);
  if (entry.after.kernel != entry.before.kernel) {  // a place belongs to its kernel's run
    state.step = entry.before.step;
    state.phase = entry.before.phase;
  }
  to.push_back({current, state});
  return state;
}

std::optional<AppState> History::change(std::vector<Entry>& from, std::vector<Entry>& to,
                                        const AppState& current) {
  changes_.is_one_stroke = false;
  auto state = take(from, to, current);
  if (state && is_other_run(*state, current)) {
    places_ = {};
  }
  return state;
}

std::optional<AppState> History::undo(const AppState& current) {
  return change(changes_.done, changes_.undone, current);
}

std::optional<AppState> History::redo(const AppState& current) {
  return change(changes_.undone, changes_.done, current);
}

std::optional<AppState> History::back(const AppState& current) {
  places_.is_one_stroke = false;
  return take(places_.done, places_.undone, current);
}

std::optional<AppState> History::forward(const AppState& current) {
  places_.is_one_stroke = false;
  return take(places_.undone, places_.done, current);
}

std::optional<History::Step> History::go(const Command& command, const AppState& current) {
  const bool is_undone = command.is<Undo>();
  const auto step = [&](std::optional<AppState> state, Message nothing, Message done = {}) {
    const std::string names = state ? changed_fields(current, *state, is_undone) : "";
    std::string sentence = !state ? nothing.text()
                           : done.empty() || names.empty()
                               ? ""
                               : fmt::format(fmt::runtime(done.text()), names);
    return Step{std::move(state), std::move(sentence)};
  };
  if (is_undone) {
    return step(undo(current), Message("Nothing to undo."), Message("Undone: {}."));
  }
  if (command.is<Redo>()) {
    return step(redo(current), Message("Nothing to redo."), Message("Redone: {}."));
  }
  if (command.is<GoBack>()) {
    return step(back(current), Message("No earlier place."));
  }
  if (command.is<GoForward>()) {
    return step(forward(current), Message("No later place."));
  }
  return std::nullopt;
}

}  // namespace tilestep::state

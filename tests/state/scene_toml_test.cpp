#include "state/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

namespace tilestep::state {
namespace {

using testing::HasSubstr;

// Every field differs from its default.
void take_setup_of_second(tilestep::state::Setup& second) {
  second.kernel = "naive";
  second.edited_source = "other text";
  second.parameters = {{2, 3, 4}, 5};
  second.input = problem::input_of(problem::Pattern::Unit);
  second.schedule = {simt::ScheduleKind::Random, 2, 5};
  second.warp_size = 8;
  second.build = problem::Build::Fast;
}

AppState changed_state() {
  AppState state;
  state.kernel = "submatrix";
  state.edited_source = "__global__ void k() {\r\n\tchar c = '\\\"'; // \xc3\xa9 \x01\n}\n";
  state.parameters = {{5, 6, 7}, 3};
  state.input = {problem::Pattern::Csv, 9, 2.5, "1,2\n3,4", "a.csv", -0.1, 7.25};
  state.schedule = {simt::ScheduleKind::RunAhead, 3, 11};
  state.warp_size = 4;
  state.course = {"03-two-barriers", 4,         true, true, true, Answering::Given,
                  "A[1][2]",         "A[0][2]", true, true, true, {3, 0}};
  state.build = problem::Build::Fast;
  state.comparison.on = true;
  state.comparison.alignment = record::Alignment::Phase;
  take_setup_of_second(state.comparison.second);
  state.step = 123456789012ULL;
  state.second_step = 99;
  state.phase = {true, 77};
  state.playing = true;
  state.pace = 7.7F;
  state.focus = {2, 5, "As", 1, 3, "As[1][3]", 7};
  state.breakpoints = {12, 31};
  state.conditions = {{31, "tx == 3 && t == 1"}};
  state.event = record::EventKind::BankConflict;
  state.watch = "acc > \"0\"";
  state.show_go_to = true;
  state.show_find = true;
  state.show_save_as = true;
  state.condition_line = 31;
  state.tab = Tab::Timing;
  state.theme = Theme::Light;
  state.typeface = Typeface::OpenDyslexic;
  state.language = "zh";
  state.scale = 1.1F;
  state.camera = {2.0F, -3.0F, 4.5F};
  state.inspector = InspectorPage::Findings;
  state.inspector_open = true;
  state.show_memory = true;
  state.show_contrast = true;
  state.show_costs = false;
  state.volume = {true, 1.25F, -0.5F};
  state.source_page = SourcePage::Ptx;
  state.header_open = true;
  state.lecture = true;
  state.whole_map = true;
  state.editing = true;
  state.animate = false;
  state.sizes_locked = true;
  state.number_form = NumberForm::Hex;
  state.asked = Asked::Open;
  state.blank = true;
  state.show_keys = true;
  state.show_palette = true;
  state.show_export = true;
  state.controls_by_key = true;
  state.timing.page = TimingPage::Roofline;
  state.timing.roofline = RooflinePart::Memory;
  state.timing.unit = SpeedUnit::OfPeak;
  state.timing.dataset = "h200";
  state.timing.overlays = {"live-1", "colleague"};
  state.timing.problem = {2048, 512, 64};
  state.timing.log_scale = false;
  state.timing.every_kernel = true;
  state.timing.alone = true;
  state.timing.predict = false;
  state.timing.measure_all_kernels = false;
  state.timing.measure_all_sizes = true;
  state.timing.gpu = "NVIDIA B200";
  state.timing.selected_kernel = "tiled";
  state.timing.selected_block_size = 24;
  state.exporting = {
      ExportOf::Film, ExportFormat::Gif, 3, "phase:1", "step:9", Unit::Statement, 4.0F, 1080, false,
      false};
  state.timing.against = {"naive", 17, "live-1"};
  state.timing.guess = {"tiled", {{1, 24.5F}, {16, 8000.0F}}, 17, true};
  state.timing.what_if = {66, 1000, 2400, 4000, 100, 32};
  state.timing.what_if_open = true;
  state.timing.method_open = true;
  state.timing.sm = {true, true, 3, 1000, 500, true, 12};
  return state;
}

// Fails for the fields that are equal in both.
template <class... Fields>
void expect_all_different(const std::tuple<Fields&...>& a, const std::tuple<Fields&...>& b) {
  const auto equal = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::vector<bool>{(std::get<i>(a) == std::get<i>(b))...};
  }
  (std::index_sequence_for<Fields...>());
  EXPECT_THAT(equal, testing::Each(false)) << "these fields have their defaults";
}

// The bindings fail to compile when a struct gets a field that is not tested here.
void expect_every_field_changed(const AppState& state) {
  const auto fields = [](const View& s) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v, w, x, y, z, aa, ab,
                 ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v, w, x, y, z, aa,
                    ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as);
  };
  const auto timing = [](const TimingView& s) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v);
  };
  const auto guess = [](const GuessView& s) {
    const auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  };
  const auto what_if = [](const WhatIf& s) {
    const auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  };
  const auto exporting = [](const ExportView& s) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  };
  const auto course = [](const LessonView& s) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  };
  const auto input = [](const problem::InputSpec& s) {
    const auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  };
  const auto focus = [](const Focus& s) {
    const auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  };
  const auto schedule = [](const simt::Schedule& s) {  // its clocks follow from the launch
    return std::tie(s.kind, s.run_ahead_warp, s.seed);
  };
  const auto three = [](const auto& s) {  // a problem, a camera
    const auto& [a, b, c] = s;
    return std::tie(a, b, c);
  };
  const AppState fresh;
  expect_all_different(fields(state), fields(fresh));
  expect_all_different(timing(state.timing), timing(fresh.timing));
  expect_all_different(exporting(state.exporting), exporting(fresh.exporting));
  expect_all_different(three(state.timing.problem), three(fresh.timing.problem));
  expect_all_different(three(state.timing.against), three(fresh.timing.against));
  expect_all_different(guess(state.timing.guess), guess(fresh.timing.guess));
  expect_all_different(what_if(state.timing.what_if), what_if(fresh.timing.what_if));
  expect_all_different(course(state.course), course(fresh.course));
  expect_all_different(input(state.input), input(fresh.input));
  expect_all_different(focus(state.focus), focus(fresh.focus));
  expect_all_different(three(state.camera), three(fresh.camera));
  expect_all_different(three(state.volume), three(fresh.volume));
  expect_all_different(schedule(state.schedule), schedule(fresh.schedule));
  expect_all_different(three(state.comparison), three(fresh.comparison));
  const auto setup = [](const Setup& s) {
    const auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  };
  expect_all_different(setup(state), setup(fresh));
  expect_all_different(setup(state.comparison.second), setup(fresh.comparison.second));
  const auto& [size, block_size] = state.parameters;
  expect_all_different(three(size), three(fresh.parameters.problem));
  EXPECT_NE(block_size, fresh.parameters.block_size);
}

TEST(AppState, EveryFieldSurvivesItsToml) {
  const AppState state = changed_state();
  expect_every_field_changed(state);
  const auto read = from_toml(to_toml(state), "s.toml");
  ASSERT_TRUE(read) << read.error().message << '\n' << to_toml(state);
  EXPECT_EQ(*read, state) << to_toml(state);
}

TEST(AppState, AFreshOneSurvivesItsToml) {
  const auto read = from_toml(to_toml({}), "s.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, AppState{});
}

TEST(AppState, MissingKeysKeepTheirDefaults) {
  const auto read = from_toml("kernel = \"naive\"", "s.toml");
  ASSERT_TRUE(read) << read.error().message;
  AppState expected;
  expected.kernel = "naive";
  EXPECT_EQ(*read, expected);
}

std::string message_of(const std::string& toml) {
  const auto read = from_toml(toml, "s.toml");
  return read ? "no error" : read.error().message;
}

TEST(AppState, AWrongFieldIsNamedWithItsLine) {
  EXPECT_EQ(message_of("\nM = \"eight\""), "s.toml:2: M must be an integer.");
  EXPECT_EQ(message_of("kernle = \"naive\""),
            "s.toml:1: unknown key 'kernle'. Did you mean 'kernel'?");
  EXPECT_EQ(message_of("step = -1"), "s.toml:1: step must be between 0 and 9223372036854775807.");
  EXPECT_EQ(message_of("timing = { overlays = [3] }"),
            "s.toml:1: an element of overlays must be a string in quotes.");
  EXPECT_EQ(message_of("timing = { size = [8, 0, 8] }"),
            "s.toml:1: size must be one size, or [M, N, K], each at least 1.");
  EXPECT_EQ(message_of("timing = { size = [8, 8] }"),
            "s.toml:1: size must be one size, or [M, N, K], each at least 1.");
  EXPECT_EQ(message_of("timing = { block_size = 33 }"),
            "s.toml:1: block_size must be between 0 and 32.");
  EXPECT_EQ(message_of("editing = 1"), "s.toml:1: editing must be true or false.");
}

TEST(AppState, SideTwoIsAsSideOneButForWhatIsSaidOfIt) {
  const auto read = from_toml("kernel = \"naive\"\nN = 12\ncompare = { block_size = 2 }", "s.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->comparison.on);
  auto second = setup_of(*read);
  EXPECT_EQ(second.parameters.problem.N, 12);
  second.parameters.block_size = 2;
  EXPECT_EQ(read->comparison.second, second);
  EXPECT_EQ(message_of("compare = { kernle = \"naive\" }"),
            "s.toml:1: unknown key 'kernle'. Did you mean 'kernel'?");
}

TEST(AppState, ASizeOfThePlotIsOneNumberOrThree) {
  const auto one = from_toml("timing = { size = 512 }", "s.toml");
  const auto three = from_toml("timing = { size = [512, 256, 128] }", "s.toml");
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->timing.problem, (problem::Problem{512, 512, 512}));
  EXPECT_EQ(three->timing.problem, (problem::Problem{512, 256, 128}));
}

TEST(AppState, TextThatIsNotTomlIsASentence) {
  EXPECT_THAT(message_of("{"), HasSubstr("s.toml:1:1: "));
}

TEST(StateToml, ANumberThatIsNoneIsRefused) {
  for (const char* const value : {"nan", "inf", "-inf"}) {
    EXPECT_EQ(message_of(std::string("\nscale = ") + value),
              "s.toml:2: scale must be a finite number.");
  }
}

TEST(StateToml, AKeyOfManyPartsIsRefused_ButDotsOfTextsAndCommentsAreNot) {
  std::string parts = "a";
  for (int i = 0; i < 100'000; ++i) {
    parts += ".a";
  }
  for (const std::string& text : {parts + " = 1", "[" + parts + "]", "x = { " + parts + " = 1 }"}) {
    EXPECT_THAT(message_of("\n" + text), HasSubstr("s.toml:2: a key has more than 32 parts"));
  }
  const std::string dots(1000, '.');
  EXPECT_TRUE(from_toml("kernel = \"\\\"" + dots + "\" # " + dots + "\n# " + dots, "s.toml"));
  EXPECT_TRUE(from_toml(
      "kernel = '" + dots + "'\nedited_source = \"\"\"\"" + dots + "\n\"\"\"\ntheme = \"dark\"",
      "s.toml"));
}

}  // namespace
}  // namespace tilestep::state

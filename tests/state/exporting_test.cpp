// What can be exported in which format, and the file's name.
#include "state/exporting.h"

#include "simulated.h"
#include "state/apply.h"
#include "state/command.h"
#include "state/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace tilestep::state {
namespace {

class ExportName : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = record::Recording::make(kernels.program("tiled", {8, 8, 8}, 4), {});
    ASSERT_TRUE(made) << made.error().message;
    run = *made;
  }
  void go(const Command& command) { state = apply(state, command, {run.get(), nullptr}); }
  [[nodiscard]] std::string name() const { return export_name(state, run.get()); }

  test::Simulated kernels;
  std::shared_ptr<const record::Recording> run;
  AppState state;
};

TEST_F(ExportName, SaysKernelAndPlaceAsTheWindowCountsThem) {
  EXPECT_EQ(name(), "tilestep-tiled-start.png");
  go(Step{Unit::Phase, +1});
  go(Step{Unit::Phase, +1});
  EXPECT_EQ(name(), "tilestep-tiled-phase-2.png");
  go(Step{Unit::Statement, +1});
  EXPECT_EQ(name(), "tilestep-tiled-statement-" +
                        std::to_string(run->statement_of(state.step - 1) + 1) + ".png");
  go(SeekEnd{});
  EXPECT_EQ(name(), "tilestep-tiled-end.png");
  EXPECT_EQ(export_name(state, nullptr), "tilestep-tiled-start.png") << "nothing is recorded";
}

TEST_F(ExportName, SaysWhatIsInTheFile) {
  state.exporting.of = ExportOf::Variables;
  state.exporting.format = ExportFormat::Json;
  state.focus.thread = 5;
  EXPECT_EQ(name(), "tilestep-tiled-variables-block-0-thread-5.json");
  state.exporting.of = ExportOf::Film;
  state.exporting.film_from = "phase:1";
  EXPECT_EQ(name(), "tilestep-tiled-phase-1-to-end.mp4") << "a film is no JSON: the usual format";
  state.exporting.of = ExportOf::Plot;
  state.exporting.format = ExportFormat::Csv;
  EXPECT_EQ(name(), "tilestep-timing-block_size-4096.csv");
}

TEST_F(ExportName, OfAPathIsItsFileInPlainCharacters) {
  state.kernel = "/home/me/my kernels/mat mul (2).cu";
  EXPECT_EQ(name(), "tilestep-mat-mul-2--start.png");
}

TEST(ExportFormats, AreWhatTheKindHas) {
  for (const Word<ExportOf>& of : words_of<ExportOf>()) {
    ASSERT_FALSE(export_formats(of.value).empty());
    for (const Word<ExportFormat>& format : words_of<ExportFormat>()) {
      ExportView view;
      view.of = of.value;
      view.format = format.value;
      const auto formats = export_formats(of.value);
      const bool has_it = std::find(formats.begin(), formats.end(), format.value) != formats.end();
      EXPECT_EQ(export_format(view), has_it ? format.value : formats.front());
    }
  }
}

TEST(ExportView, OpensOnWhatTheTabShows) {
  AppState state;
  state.tab = Tab::Timing;
  state = apply(state, ShowExport{}, {});
  EXPECT_EQ(state.exporting.of, ExportOf::Plot);
  state.tab = Tab::Step;
  EXPECT_EQ(apply(state, ShowExport{}, {}).exporting.of, ExportOf::Stage);
  state.exporting.of = ExportOf::Film;
  EXPECT_EQ(apply(state, ShowExport{}, {}).exporting.of, ExportOf::Film) << "as it was left";
}

TEST(ExportView, StaysWithinItsLimits) {
  ExportView view;
  view.scale = 400;
  view.film_pace = std::nanf("");
  view.film_height = 1081;
  const ExportView kept = apply({}, SetExport{view}, {}).exporting;
  EXPECT_EQ(kept.scale, kLargestExportScale);
  EXPECT_EQ(kept.film_pace, kLeastFilmPace);
  EXPECT_EQ(kept.film_height, 1080);
  EXPECT_EQ(film_width(480), 854);
  EXPECT_EQ(film_width(1080), 1920);
}

}  // namespace
}  // namespace tilestep::state

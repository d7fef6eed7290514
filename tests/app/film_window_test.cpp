// Films from the export panel, by clicks: ffprobe reads them; also the cleanup of a stopped film,
// and the message without ffmpeg.
#include "app/harness.h"
#include "folders.h"
#include "program/exporter.h"
#include "temporary_folder.h"
#include "ui/actions.h"
#include "workspace/child.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kRate = 25;  // pictures per second of a film
constexpr std::chrono::seconds kFilmPatience{200};

// The output of a program that succeeds; else empty.
std::string output_of(const std::vector<std::string>& words) {
  auto child = workspace::Child::start(words, "");
  return child && child->wait() == 0 ? child->output() : "";
}

bool has_ffmpeg() {
  return !output_of({"ffmpeg", "-version"}).empty() && !output_of({"ffprobe", "-version"}).empty();
}

class FilmsOfTheWindow : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_PICTURES_DIR", folder.path().c_str(), 1);
    harness.workspace().update({state::SetParameters{{{4, 4, 4}, 2}}}, 0.0);
    exporter = std::make_unique<program::Exporter>(harness.workspace(), harness.window(),
                                                   harness.memory(), folder.path() / "state");
    harness.after_frame = [this](const ui::Commands& commands, double now) {
      exporter->carry_out(commands, now);
    };
  }
  void TearDown() override { setenv("PATH", path.c_str(), 1); }

  // Sets the panel as a user does. `to`: for example "phase:1".
  void choose_film(const char* format, const std::string& to, float pace) {
    state::ExportView view = harness.state().exporting;
    view.film_pace = pace;
    harness.workspace().update({state::SetExport{view}}, 0.0);
    EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E);
      ctx.Yield(4);
      ctx.SetRef("###export");
      ctx.ItemClick("Film");
      ctx.Yield(2);
      ctx.ItemClick(format);
      ctx.ComboClick("##size/854 × 480");
      ctx.ItemInputValue("From/##place", "start");
      ctx.ItemInputValue("To/##place", to.c_str());
      ctx.Yield(2);
    }));
    EXPECT_EQ(harness.state().exporting.of, state::ExportOf::Film);
    EXPECT_EQ(harness.state().exporting.film_height, 480);
    EXPECT_EQ(harness.state().exporting.film_to, to);
  }
  void click(const char* label) {
    EXPECT_TRUE(harness.run([label](ImGuiTestContext& ctx) {
      ctx.ItemClick(fmt::format("//###export/**/{}", label).c_str());
      ctx.Yield(2);
    }));
  }
  // Draws frames at the window's pace until `holds`.
  bool until(const std::function<bool()>& holds) {
    const auto start = std::chrono::steady_clock::now();
    while (!holds()) {
      if (std::chrono::steady_clock::now() - start > kFilmPatience) {
        return false;
      }
      harness.frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  [[nodiscard]] bool is_running() const { return harness.view().exporting.running; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  std::string path = std::getenv("PATH");
  TemporaryFolder folder;
  Harness harness;
  std::unique_ptr<program::Exporter> exporter;
};

TEST_F(FilmsOfTheWindow, AGifAndAnMp4HaveThePicturesOfTheirPlaces) {
  if (!has_ffmpeg()) {
    GTEST_SKIP() << "skipped: ffmpeg or ffprobe is not installed";
  }
  for (const auto& [format, codec] : {std::pair("GIF", "gif"), std::pair("MP4", "h264")}) {
    choose_film(format, "phase:0", static_cast<float>(kRate) / 2.0F);
    const fs::path file = harness.view().exporting.path;
    EXPECT_EQ(file.parent_path(), folder.path());
    click("Export");
    EXPECT_TRUE(is_running()) << harness.view().exporting.mistake;
    ASSERT_TRUE(until([this] { return !is_running(); }));
    EXPECT_EQ(harness.view().exporting.mistake, "");
    EXPECT_EQ(harness.view().messages.notice, "Saved as " + file.string());
    EXPECT_FALSE(harness.state().show_export) << "it is done";
    const auto said = nlohmann::json::parse(
        output_of({"ffprobe", "-v", "error", "-count_frames", "-show_entries",
                   "stream=codec_name,width,height,nb_read_frames", "-of", "json", file.string()}));
    const auto& stream = said["streams"][0];
    EXPECT_EQ(stream["codec_name"], codec);
    EXPECT_EQ(stream["width"], 854);
    EXPECT_EQ(stream["height"], 480);
    const int frames = std::stoi(stream["nb_read_frames"].get<std::string>());
    EXPECT_GE(frames, 2) << "the start and a phase";
    EXPECT_LE(frames, 2 * 2) << "two pictures each at this pace";
  }
  EXPECT_EQ(files().size(), 2U) << "nothing in between is left";
}

TEST_F(FilmsOfTheWindow, OneThatIsStoppedLeavesNothing) {
  if (!has_ffmpeg()) {
    GTEST_SKIP() << "skipped: ffmpeg or ffprobe is not installed";
  }
  choose_film("MP4", "end", 0.1F);  // minutes
  click("Export");
  ASSERT_TRUE(until([this] { return !is_running() || harness.view().exporting.fraction > 0.0; }));
  ASSERT_TRUE(is_running()) << harness.view().exporting.mistake;
  click(ui::action(ui::ActionId::CancelExport).label);
  ASSERT_TRUE(until([this] { return !is_running(); }));
  EXPECT_EQ(harness.view().exporting.mistake, "The film was stopped and discarded.");
  EXPECT_TRUE(files().empty()) << files().front();
  EXPECT_TRUE(harness.state().show_export) << "to begin again";
}

TEST_F(FilmsOfTheWindow, WithoutFfmpegItSaysWhatToInstall) {
  choose_film("MP4", "phase:0", 25.0F);
  setenv("PATH", folder.path().c_str(), 1);
  click("Export");
  ASSERT_TRUE(until([this] { return !is_running(); }));
  EXPECT_THAT(harness.view().exporting.mistake, HasSubstr("sudo apt install ffmpeg"));
  EXPECT_TRUE(harness.state().show_export);
  EXPECT_TRUE(files().empty()) << files().front();
}

}  // namespace
}  // namespace tilestep::test

// The program itself makes a film in a child process, `tilestep film`; this test program does so,
// too.
int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "film") {
    const auto program =
        tilestep::test::share_folder().parent_path().parent_path() / "bin" / "tilestep";
    execv(program.c_str(), argv);
    return EXIT_FAILURE;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

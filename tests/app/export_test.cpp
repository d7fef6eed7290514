// Exports and the clipboard, from the keyboard: file contents, destinations, and error messages.
#include "app/harness.h"
#include "problem/file.h"
#include "program/exporter.h"
#include "temporary_folder.h"
#include "workspace/open_file.h"
#include "workspace/shown_lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Exports : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_PICTURES_DIR", pictures().c_str(), 1);
    setenv("XDG_DOCUMENTS_DIR", documents().c_str(), 1);
    exporter = std::make_unique<program::Exporter>(harness.workspace(), harness.window(),
                                                   harness.memory(), folder.path() / "state");
    harness.after_frame = [this](const ui::Commands& commands, double now) {
      exporter->carry_out(commands, now);
    };
  }
  [[nodiscard]] fs::path pictures() const { return folder.path() / "Pictures"; }
  [[nodiscard]] fs::path documents() const { return folder.path() / "Documents"; }

  void press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) {
      ctx.KeyPress(chord);
      ctx.Yield(4);
    }));
  }
  // Opens the panel on a kind of export.
  void open(state::ExportOf of, state::ExportFormat format) {
    state::ExportView view = harness.state().exporting;
    view.of = of;
    view.format = format;
    view.scale = 2;
    harness.workspace().update({state::SetExport{view}}, 0.0);
    press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E);
    EXPECT_TRUE(harness.state().show_export);
  }
  // Presses Enter in the panel; returns the file that it writes.
  std::string export_it() {
    const fs::path file = harness.view().exporting.path;
    EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
      ctx.SetRef("###export");
      ctx.ItemClick("Export");
      ctx.Yield(4);
    }));
    for (int i = 0; i < 10 && harness.view().exporting.running; ++i) {
      harness.frame();
    }
    EXPECT_EQ(harness.view().exporting.mistake, "");
    EXPECT_FALSE(harness.state().show_export) << "it is done";
    EXPECT_EQ(harness.view().messages.notice, "Saved as " + file.string());
    const auto text = problem::read_file(file);
    EXPECT_TRUE(text) << text.error().message;
    return text.value_or("");
  }
  void type_path(const std::string& path) {
    EXPECT_TRUE(harness.run([&path](ImGuiTestContext& ctx) {
      ctx.SetRef("###export");
      ctx.ItemInputValue("##path", path.c_str());
      ctx.Yield(4);
    }));
  }

  TemporaryFolder folder;
  Harness harness;
  std::unique_ptr<program::Exporter> exporter;
};

int width_of(const std::string& png) {
  return png.size() < 24
             ? 0
             : (static_cast<unsigned char>(png[18]) << 8) + static_cast<unsigned char>(png[19]);
}

TEST_F(Exports, F12SavesAPictureAtOnceInThePicturesFolder) {
  press(ImGuiKey_F10);
  press(ImGuiKey_F10);
  press(ImGuiKey_F12);
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  const fs::path file = pictures() / "tilestep-tiled-phase-2-window.png";
  EXPECT_EQ(harness.view().messages.notice, "Saved as " + file.string());
  EXPECT_EQ(width_of(problem::read_file(file).value_or("")), 2 * 1600);
  press(ImGuiKey_F12);
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  EXPECT_TRUE(fs::exists(pictures() / "tilestep-tiled-phase-2-window-2.png"));
  EXPECT_EQ(std::distance(fs::directory_iterator(pictures()), {}), 2) << "nothing unfinished";
}

TEST_F(Exports, TheStageAloneIsAPictureAndAnSvg) {
  open(state::ExportOf::Stage, state::ExportFormat::Png);
  EXPECT_EQ(harness.view().exporting.path, (pictures() / "tilestep-tiled-start.png").string());
  const int width = width_of(export_it());
  EXPECT_GT(width, 1000);
  EXPECT_LT(width, 2 * 1600) << "the source is not in it";
  open(state::ExportOf::Stage, state::ExportFormat::Svg);
  const std::string svg = export_it();
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr(">As</"));
  EXPECT_THAT(svg, Not(HasSubstr("Export"))) << "the panel is not in it";
  EXPECT_THAT(svg, Not(HasSubstr("tiled.cu"))) << "nor is the source";
}

TEST_F(Exports, ProgressIsHandedInUnderAName) {
  ASSERT_TRUE(workspace::Progress(folder.path() / "state")
                  .note_answer("02-shared", "v", "owner", "9", true));
  open(state::ExportOf::Progress, state::ExportFormat::Json);
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.SetRef("###export");
    ctx.ItemClick("Export");
    ctx.Yield(4);
  }));
  EXPECT_THAT(harness.view().exporting.mistake, HasSubstr("Enter your name"));
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.SetRef("###export");
    ctx.ItemInputValue("##student", "Ann Example");
    ctx.Yield(4);
  }));
  const auto progress = workspace::read_handed_in(export_it(), "x.json");
  ASSERT_TRUE(progress) << progress.error().message;
  EXPECT_EQ(progress->student, "Ann Example");
  EXPECT_EQ(progress->lessons.at("02-shared").answers.at("owner").given, "9");
  EXPECT_TRUE(fs::exists(documents() / "tilestep-progress.json"));
}

TEST_F(Exports, TheRunsNumbersGoToTheDocuments) {
  press(ImGuiKey_End);
  open(state::ExportOf::Trace, state::ExportFormat::Csv);
  EXPECT_THAT(export_it(), StartsWith("statement,step,warp,line,event,"));
  open(state::ExportOf::Variables, state::ExportFormat::Json);
  const auto variables = nlohmann::json::parse(export_it());
  EXPECT_EQ(variables["statements"].back()["values"]["row"], 0);
  EXPECT_TRUE(variables["statements"].back()["values"]["acc"].is_number());
  open(state::ExportOf::Counters, state::ExportFormat::Json);
  EXPECT_EQ(nlohmann::json::parse(export_it())["schema"], "tilestep-counters");
  open(state::ExportOf::Findings, state::ExportFormat::Json);
  EXPECT_EQ(nlohmann::json::parse(export_it())["clean"], true);
  EXPECT_TRUE(fs::exists(documents() / "tilestep-tiled-findings.json"));
}

TEST_F(Exports, AnExistingFileIsOnlyReplacedWhereThatIsWanted) {
  fs::create_directories(documents());
  const fs::path file = documents() / "mine.csv";
  ASSERT_TRUE(problem::write_file(file, "mine"));
  open(state::ExportOf::Trace, state::ExportFormat::Csv);
  type_path(file.string());
  EXPECT_TRUE(harness.state().show_export) << "to be mended";
  EXPECT_THAT(harness.view().exporting.mistake, HasSubstr("already exists"));
  EXPECT_EQ(problem::read_file(file).value_or(""), "mine");
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.SetRef("###export");
    ctx.ItemClick("Replace");
    ctx.Yield(6);
  }));
  EXPECT_THAT(problem::read_file(file).value_or(""), StartsWith("statement,"));
  EXPECT_FALSE(harness.state().show_export);
}

TEST_F(Exports, WhatCannotBeWrittenIsASentenceAndThePanelStays) {
  ASSERT_TRUE(problem::write_file(folder.path() / "file", "x"));
  open(state::ExportOf::Stage, state::ExportFormat::Png);
  type_path((folder.path() / "file/x.png").string());
  EXPECT_TRUE(harness.state().show_export);
  EXPECT_THAT(harness.view().exporting.mistake, HasSubstr("cannot be created"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_export);
}

TEST_F(Exports, ThePlotIsOfferedWhereThereIsOne) {
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  open(state::ExportOf::Plot, state::ExportFormat::Csv);
  EXPECT_THAT(export_it(), StartsWith("curve,kind,data_set,kernel,"));
  open(state::ExportOf::Plot, state::ExportFormat::Svg);
  EXPECT_THAT(export_it(), HasSubstr("<svg"));
  open(state::ExportOf::Plot, state::ExportFormat::Png);
  EXPECT_GT(width_of(export_it()), 1000);
}

TEST_F(Exports, EnterInThePathExports_AndEscapeClosesThePanel) {
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E);
    ctx.Yield(4);
    ctx.KeyPress(ImGuiKey_Enter);
    ctx.Yield(6);
  }));
  EXPECT_TRUE(fs::exists(pictures() / "tilestep-tiled-start.png"));
  EXPECT_FALSE(harness.state().show_export);
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E);
  EXPECT_EQ(harness.view().exporting.path, (pictures() / "tilestep-tiled-start-2.png").string());
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_export);
}

TEST_F(Exports, ThePanelStaysInTheWindowWhateverTheSizeOfItsLetters) {
  for (const float scale : {1.0F, 2.0F, 3.0F}) {
    harness.workspace().update({state::SetScale{scale}}, 0.0);
    open(state::ExportOf::Film, state::ExportFormat::Mp4);
    for (int i = 0; i < 6; ++i) {
      harness.frame();
    }
    const ImGuiWindow* const panel = ImGui::FindWindowByName("###export");
    ASSERT_NE(panel, nullptr);
    EXPECT_GE(panel->Pos.y, 0.0F) << scale;
    EXPECT_LE(panel->Pos.y + panel->Size.y, 900.0F) << scale;
    EXPECT_LE(panel->Pos.x + panel->Size.x, 1600.0F) << scale;
    press(ImGuiKey_Escape);
  }
}

// The result of Ctrl+C with the mouse at that position.
std::string copied(Harness& harness, float x, float y) {
  std::string text;
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText("nothing");
    ctx.MouseMoveToPos({x, y});
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    ctx.Yield(2);
    text = ImGui::GetClipboardText();
  }));
  return text;
}

TEST_F(Exports, CtrlCCopiesTheSentenceWhereTheMouseIsOverNothing) {
  press(ImGuiKey_F10);
  EXPECT_THAT(copied(harness, 800.0F, 5.0F), HasSubstr("(Phase 1 of 5"));
  EXPECT_EQ(harness.view().messages.notice, "Copied: the sentence.");
}

TEST_F(Exports, CtrlCCopiesTheSumUnderTheMouseWithAllItsProducts) {
  press(ImGuiKey_End);
  std::string text;
  for (float y = 895.0F; y > 500.0F && text.find(" = ") == std::string::npos; y -= 10.0F) {
    text = copied(harness, 800.0F, y);
  }
  EXPECT_THAT(text, StartsWith("C[0][0]: acc = "));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  std::size_t products = 0;
  for (std::size_t at = 0; (at = text.find("·", at)) != std::string::npos; ++at) {
    ++products;
  }
  EXPECT_EQ(products, 8U) << text;
  EXPECT_EQ(harness.view().messages.notice, "Copied: the sum of C[0][0].");
}

TEST_F(Exports, CtrlCInATextFieldIsTheFieldsOwn) {
  std::string text;
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText("nothing");
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E);
    ctx.Yield(4);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    ctx.Yield(2);
    text = ImGui::GetClipboardText();
  }));
  EXPECT_EQ(text, harness.view().exporting.path);
}

TEST_F(Exports, CtrlCCopiesThePlotAsCsv) {
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  EXPECT_THAT(copied(harness, 600.0F, 600.0F), StartsWith("curve,kind,data_set,kernel,"));
}

TEST_F(Exports, CtrlCCopiesAFindingWithItsPlaces) {
  harness.workspace().update(
      {state::SelectKernel{"tiled_missing_barrier"}, state::SetParameters{{{8, 8, 8}, 4}},
       state::SetInspector{state::InspectorPage::Findings}},
      0.0);
  for (int i = 0; i < 10; ++i) {
    harness.frame();
  }
  ASSERT_NE(harness.view().run.check, nullptr);
  std::string text;
  for (float y = 100.0F; y < 800.0F && text.find("tiled_missing_barrier.cu:") == std::string::npos;
       y += 20.0F) {
    text = copied(harness, 1500.0F, y);
  }
  EXPECT_THAT(text, HasSubstr("tiled_missing_barrier.cu:"));
  EXPECT_THAT(text, HasSubstr("thread ("));
  EXPECT_EQ(harness.view().messages.notice, "Copied: the finding, with its places.");
}

TEST_F(Exports, CtrlCCopiesTheVariablesAsATable) {
  press(ImGuiKey_End);
  press(ImGuiKey_1);
  std::string text;
  for (float y = 120.0F; y < 500.0F && text.find('\t') == std::string::npos; y += 15.0F) {
    text = copied(harness, 1450.0F, y);
  }
  EXPECT_THAT(text, HasSubstr("acc\t"));
  EXPECT_EQ(harness.view().messages.notice, "Copied: the thread's variables.");
}

}  // namespace
}  // namespace tilestep::test

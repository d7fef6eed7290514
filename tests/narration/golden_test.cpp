// The narration of the whole catalog: the sentences of one thread's run as text files, to be read
// aloud. --update writes the current text.
#include "catalog_runs.h"
#include "narrated.h"
#include "problem/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilestep {
namespace {

bool& updating() {
  static bool update = false;
  return update;
}

// Loops repeat themselves: only the first sentences of a line are kept.
std::string narrated_text(const test::Narrated& narrated, std::uint32_t thread) {
  const std::uint32_t block = test::narrated_block(narrated.recording());
  thread = test::narrated_thread(narrated.recording(), thread);
  std::string text;
  std::map<std::uint32_t, int> often;
  for (const test::Narrated::Line& line : narrated.all(block, thread, true)) {
    if (++often[line.line] > 12) {
      continue;
    }
    const narration::Eyebrow& eyebrow = line.narrated.eyebrow;
    std::string place = eyebrow.pass;
    place += (place.empty() || eyebrow.lanes.empty() ? "" : ", ") + eyebrow.lanes;
    text += fmt::format("{:>3}  {}{}\n", line.line, line.text(),
                        place.empty() ? "" : "  [" + place + "]");
    for (const narration::Sentence& note : line.narrated.notes) {
      text += "     + " + narration::plain_text(note.long_form) + "\n";
    }
  }
  text += '\n';
  const narration::Narrator narrator(narrated.recording(), block);
  const insight::BlockSums sums(narrated.recording(), block);
  const auto phases = narrated.recording().phases_of(block);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const narration::PhaseSummary summary = narrator.summarise(i, thread, &sums);
    text +=
        fmt::format("{}: {}\n", *phases[i].name, narration::plain_text(summary.sentence.long_form));
    for (const narration::Pieces& more : {summary.thread, summary.moved}) {
      text += more.empty() ? "" : "    " + narration::plain_text(more) + "\n";
    }
    for (const narration::PhaseLine& line : summary.lines) {
      text += fmt::format("    {:>3}  {}  [{}]\n", line.line, narration::plain_text(line.what),
                          narration::plain_text(line.cost));
    }
  }
  return text;
}

TEST(Golden, TheWholeCatalogIsTold) {
  const std::filesystem::path folder = test::source_folder() / "tests" / "narration" / "golden";
  std::size_t kernels = 0;
  for (const test::CatalogRun& run : test::catalog_runs()) {
    SCOPED_TRACE(run.name);
    const std::string text = narrated_text(test::Narrated(run.launch), run.thread);
    const std::filesystem::path file = folder / (run.name + ".txt");
    ++kernels;
    if (updating()) {
      std::filesystem::create_directories(folder);
      ASSERT_TRUE(problem::write_file(file, text));
      continue;
    }
    const auto wanted = problem::read_file(file);
    ASSERT_TRUE(wanted) << "no such file: run with --update and read what it says";
    EXPECT_EQ(text, *wanted);
  }
  const auto& all = test::repository_catalog().kernels;
  EXPECT_GE(kernels, 2 * std::count_if(all.begin(), all.end(), test::is_narrated));
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilestep::updating() = argc > 1 && std::string(argv[1]) == "--update";
  return RUN_ALL_TESTS();
}

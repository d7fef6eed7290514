// The window under random events from a seed: keys, clicks, drags, the wheel, words, sizes, dropped
// files, launches. Background work continues meanwhile, so results arrive late. The sanitized build
// looks for accesses out of bounds, every build for failed assertions.
//
//   TILESTEP_EVENTS=50000 TILESTEP_SEED=7 build/asan/tests/app/test_app --gtest_filter=*RandomWin*
//
// TILESTEP_EVENTS: per seed; TILESTEP_SEED: the first one. Every event is printed. A failed run can
// be repeated if the results of its jobs arrive at the same time.
#include "app/harness.h"
#include "temporary_folder.h"
#include "ui/actions.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;

constexpr int kStretch = 50;  // events per test of the engine, which ends tests that take too long

int number_from(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoi(text);
}

// The keys of every action except quitting, and of fields, lists and questions.
std::vector<ImGuiKeyChord> keys_to_press() {
  std::vector<ImGuiKeyChord> keys;
  for (const ui::Action& action : ui::actions()) {
    if (action.key != 0 && action.id != ui::ActionId::Quit) {
      keys.push_back(action.key);
    }
  }
  for (const ImGuiKey key :
       {ImGuiKey_Escape, ImGuiKey_Enter, ImGuiKey_Tab, ImGuiKey_Backspace, ImGuiKey_Delete,
        ImGuiKey_Space, ImGuiKey_Home, ImGuiKey_End, ImGuiKey_PageUp, ImGuiKey_PageDown,
        ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_1,
        ImGuiKey_2, ImGuiKey_3, ImGuiKey_4}) {
    keys.insert(keys.end(), 3, key);
  }
  for (const ImGuiKey key : {ImGuiKey_A, ImGuiKey_Z, ImGuiKey_V, ImGuiKey_X, ImGuiKey_C}) {
    keys.push_back(ImGuiMod_Ctrl | key);
  }
  return keys;
}

constexpr std::array kWords{"foo",    "{",       "12",
                            "0",      "64",      "tiled",
                            "As",     "/",       "__syncthreads();",
                            "lesson", "compare", "16 × 16",
                            "-1",     "1e9",     "float x = 1 / 0;",
                            "瓦片"};
constexpr std::array<std::pair<int, int>, 7> kSizes{
    {{640, 400}, {1280, 720}, {1920, 1080}, {2560, 1440}, {900, 1400}, {320, 200}, {1600, 900}}};

class RandomEvents {
 public:
  RandomEvents(unsigned seed, int count) : random_(seed), count_(count) {
    write("kernel.cu",
          "__global__ void scale(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + "
          "threadIdx.x;\n  if (i < n) { x[i] *= 2; }\n}\n");
    write("wrong.cu", "__global__ void f(float* x { x[0] = ; }\n");
    write("garbage.cu", std::string("\x7f"
                                    "ELF\0\xff\xfe\x80",
                                    8));
    write("empty.toml", "");
    write("data.json", "{\"points\": [1, 2");
    fs::create_directory(folder_.path() / "folder");
    paths_ = build_tree_paths();
    paths_.user_state = folder_.path() / "state";
    // Exported and saved files go there as well.
    setenv("HOME", folder_.path().c_str(), 1);
    fs::current_path(folder_.path());
  }

  void play() {
    Harness harness(paths_, Settle::Not);
    harness_ = &harness;
    for (int done = 0; done < count_; done += kStretch) {
      EXPECT_TRUE(harness.run([this, done](ImGuiTestContext& ctx) {
        for (int i = done; i < std::min(done + kStretch, count_); ++i) {
          next(ctx, i);
          ctx.Yield(1 + static_cast<int>(below(3)));
        }
      }));
    }
    harness.workspace().settle();
    fs::current_path("/");
  }

 private:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    files_.push_back(name);
  }
  std::size_t below(std::size_t end) { return random_() % end; }
  template <class List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }
  [[nodiscard]] ImVec2 any_place() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return {static_cast<float>(below(static_cast<std::size_t>(size.x))),
            static_cast<float>(below(static_cast<std::size_t>(size.y)))};
  }
  void tell(int number, const std::string& event) { fmt::print(stderr, "{} {}\n", number, event); }

  void next(ImGuiTestContext& ctx, int number) {
    const std::size_t kind = below(100);
    if (kind < 62) {
      const ImGuiKeyChord key = any(keys_);
      tell(number, fmt::format("key {}", ImGui::GetKeyChordName(key)));
      ctx.KeyPress(key);
    } else if (kind < 76) {
      const ImVec2 place = any_place();
      const int button = below(4) == 0 ? 1 : 0;
      tell(number, fmt::format("click {} {} {}", button, place.x, place.y));
      ctx.MouseMoveToPos(place);
      ctx.MouseClick(button);
    } else if (kind < 83) {
      drag(ctx, number);
    } else if (kind < 87) {
      const ImVec2 place = any_place();
      tell(number, fmt::format("wheel {} {}", place.x, place.y));
      ctx.MouseMoveToPos(place);
      ctx.MouseWheelY(below(2) == 0 ? 1.0F : -1.0F);
    } else if (kind < 92) {
      const char* const word = any(kWords);
      tell(number, fmt::format("word {}", word));
      ctx.KeyChars(word);
    } else if (kind < 94) {
      const auto& [width, height] = any(kSizes);
      tell(number, fmt::format("size {} {}", width, height));
      glfwSetWindowSize(static_cast<GLFWwindow*>(ImGui::GetMainViewport()->PlatformHandle), width,
                        height);
    } else if (kind < 96) {
      const std::string file = below(8) == 0 ? "folder" : any(files_);
      tell(number, "drop " + file);
      harness_->workspace().update({state::OpenFile{(folder_.path() / file).string()}}, 0.0);
    } else {
      choose_launch(number);
    }
  }

  // Half of them along a row, as for a slider.
  void drag(ImGuiTestContext& ctx, int number) {
    const ImVec2 from = any_place();
    ImVec2 to = any_place();
    if (below(2) == 0) {
      to = {from.x + static_cast<float>(below(160)) - 80.0F, from.y};
    }
    tell(number, fmt::format("drag {} {} {} {}", from.x, from.y, to.x, to.y));
    ctx.MouseMoveToPos(from);
    ctx.MouseDown(0);
    ctx.MouseMoveToPos(to);
    ctx.MouseUp(0);
  }

  void choose_launch(int number) {
    problem::Parameters parameters = harness_->state().parameters;
    const int size = 1 + static_cast<int>(below(20));
    parameters.problem = {size, below(3) == 0 ? 1 + static_cast<int>(below(20)) : size, size};
    parameters.block_size = 1 + static_cast<int>(below(8));
    const std::string kernel = any(harness_->view().kernels.catalog->kernels).id;
    tell(number, fmt::format("launch {} {} {}", kernel, size, parameters.block_size));
    harness_->workspace().update({state::SelectKernel{kernel}, state::SetParameters{parameters}},
                                 0.0);
  }

  std::mt19937 random_;
  int count_ = 0;
  TemporaryFolder folder_;
  workspace::Paths paths_;
  std::vector<std::string> files_;
  std::vector<ImGuiKeyChord> keys_ = keys_to_press();
  Harness* harness_ = nullptr;
};

class RandomWindow : public ::testing::TestWithParam<int> {};

TEST_P(RandomWindow, OutlivesItsEvents) {
  const int seed = number_from("TILESTEP_SEED", 1) + GetParam();
  RandomEvents(static_cast<unsigned>(seed), number_from("TILESTEP_EVENTS", 500)).play();
}

// The editor lays its rows out after it has looked for the line at the top.
TEST(RandomWindowFound, TheWholeTextIsDeletedWhileItsEndIsInView) {
  for (const ImGuiKey deletes : {ImGuiKey_Delete, ImGuiKey_Backspace, ImGuiKey_X}) {
    Harness harness(build_tree_paths(), Settle::EveryFrame, {1280, 720});
    harness.workspace().update({state::SelectKernel{"register_tile_8x8_teaching"}}, 0.0);
    EXPECT_TRUE(harness.run([deletes](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
      ctx.Yield(2);
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_End);
      ctx.Yield(3);
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
      ctx.Yield(1);
      ctx.KeyPress(deletes == ImGuiKey_X ? ImGuiMod_Ctrl | deletes : deletes);
      ctx.Yield(3);
    }));
    EXPECT_EQ(harness.state().edited_source, "\n") << ImGui::GetKeyName(deletes);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWindow, ::testing::Range(0, 4));

}  // namespace
}  // namespace tilestep::test

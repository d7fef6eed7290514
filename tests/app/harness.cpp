#include "app/harness.h"

#include "ui/draw.h"
#include "ui/theme.h"

#include <imgui_te_internal.h>

#include <algorithm>
#include <string_view>

namespace tilestep::test {
namespace {

constexpr double kFrameSeconds = 1.0 / 60.0;

// Removes everything between < and >.
std::string without_tags(std::string_view text) {
  std::string plain;
  bool is_tag = false;
  for (const char c : text) {
    is_tag = c == '<' || (is_tag && c != '>');
    if (!is_tag && c != '>') {
      plain += c;
    }
  }
  return plain;
}

}  // namespace

platform::WindowOptions off_screen(int width, int height) {
  const workspace::Paths paths = build_tree_paths();
  return platform::off_screen(width, height, paths.assets / "fonts", paths.shaders);
}

std::size_t different_pixels(const platform::Image& a, const platform::Image& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 3 < a.rgba.size() && i + 3 < b.rgba.size(); i += 4) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    count += std::equal(a.rgba.begin() + at, a.rgba.begin() + at + 3, b.rgba.begin() + at) ? 0 : 1;
  }
  return count;
}

Harness::Harness(const workspace::Paths& paths, Settle settle, WindowSize size)
    : compiler_(workspace::cache_options(paths)),
      workspace_(paths, compiler_),
      window_(off_screen(size.width, size.height)),
      memory_(std::make_unique<ui::Memory>()),
      engine_(ImGuiTestEngine_CreateContext()),
      settle_(settle) {
  // Every frame settles, and counting 32 launches of 4096³ for a prediction takes a minute.
  state::AppState state = workspace_.state();
  state.timing.problem = kTimedProblem;
  state.timing.predict = false;
  workspace_.set_state(state);
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Warning;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigLogToTTY = true;
  io.ConfigNoThrottle = true;
  io.ConfigCaptureEnabled = false;
  io.ConfigSavedSettings = false;
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
  workspace_.settle();
  for (int i = 0; i < 4; ++i) {
    frame();
  }
}

Harness::~Harness() {
  ImGuiTestEngine_Stop(engine_);
  ImGuiTestEngine_UnbindImGuiContext(engine_, ImGui::GetCurrentContext());
  memory_.reset();
  ImGuiTestEngine_DestroyContext(engine_);
}

ui::Context Harness::context() {
  if (change_view) {
    changed_view_ = workspace_.view();
    change_view(changed_view_);
  }
  return {workspace_.state(),
          change_view ? changed_view_ : workspace_.view(),
          ui::theme(workspace_.state().theme),
          window_.fonts(),
          &window_.cells(),
          *memory_,
          now_};
}

double Harness::rest_seconds() {
  return ui::rest_seconds(context(), changed_);
}

void Harness::frame() {
  ui::Commands commands;
  now_ += kFrameSeconds;
  window_.set_scale(workspace_.state().scale);
  window_.frame(0.0, [&] { commands = ui::draw(context()); });
  for (const state::Command& command : commands) {
    asked_to_quit_ = asked_to_quit_ || command.is<state::Quit>();
  }
  changed_ = workspace_.update(commands, now_);
  window_.hold_keys(field_.is_awaited(workspace_.state(), window_.has_text_field()));
  if (after_frame) {
    after_frame(commands, now_);
  }
  if (settle_ == Settle::EveryFrame) {
    workspace_.settle();
  }
  ImGuiTestEngine_PostSwap(engine_);
}

bool Harness::run(const std::function<void(ImGuiTestContext&)>& steps) {
  ImGuiTestEngine_UnregisterAllTests(engine_);
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(engine_, "tilestep", "steps");
  test->TestFunc = [&steps](ImGuiTestContext* context) { steps(*context); };
  ImGuiTestEngine_QueueTest(engine_, test);
  do {
    frame();
  } while (!ImGuiTestEngine_IsTestQueueEmpty(engine_));
  return test->Output.Status == ImGuiTestStatus_Success;
}

// Without std::regex, whose recursion overflows the stack on a text of this length.
std::vector<std::string> Harness::drawn_texts() {
  constexpr std::string_view kOpens = "<text";
  constexpr std::string_view kCloses = "</text>";
  std::vector<std::string> texts;
  const std::string svg = window_.svg();
  for (std::size_t from = svg.find(kOpens); from != std::string::npos;
       from = svg.find(kOpens, from)) {
    const std::size_t to = std::min(svg.find(kCloses, from), svg.size());
    texts.push_back(without_tags(std::string_view(svg).substr(from, to - from)));
    from = to;
  }
  return texts;
}

std::string Harness::drawn() {
  std::string all;
  for (const std::string& text : drawn_texts()) {
    all += text + ' ';
  }
  return all;
}

}  // namespace tilestep::test

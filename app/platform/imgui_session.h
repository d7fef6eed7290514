// Dear ImGui's context of one window, with its back ends.
#pragma once

#include "platform/gl.h"
#include "platform/window.h"
#include "problem/tr.h"
#include "ui/panel.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::platform {

#define GLFW_INCLUDE_NONE

class ImGuiSession {
 public:
  explicit ImGuiSession(const WindowOptions& options) {
    IMGUI_CHECKVERSION();
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // plan_window() determines the panels' positions
    io.LogFilename = nullptr;
    io.ConfigInputTrickleEventQueue = !options.off_screen;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
  }
  ~ImGuiSession() { ImGui::DestroyContext(context_); }
  [[nodiscard]] ImGuiContext* get() const { return context_; }
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;
  ImGuiSession(ImGuiSession&&) = delete;
  ImGuiSession& operator=(ImGuiSession&&) = delete;

 private:
  ImGuiContext* context_ = nullptr;
};

// Restores the previous context at the end, for a second window.
class Restored {
 public:
  explicit Restored(bool on)
      : on_(on),
        window_(on ? glfwGetCurrentContext() : nullptr),
        imgui_(on ? ImGui::GetCurrentContext() : nullptr) {}
  ~Restored() {
    if (on_) {
      glfwMakeContextCurrent(window_);
      ImGui::SetCurrentContext(imgui_);
    }
  }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  Restored(Restored&&) = delete;
  Restored& operator=(Restored&&) = delete;

 private:
  bool on_;
  GLFWwindow* window_;
  ImGuiContext* imgui_;
};

// In a browser: joins the window to the page's canvas, clipboard and size. Elsewhere it does
// nothing.
void attach_page(GLFWwindow* window);

class ImGuiBackEnds {
 public:
  ImGuiBackEnds(GLFWwindow* window, bool has_opengl) : has_opengl_(has_opengl) {
    if (!has_opengl) {
      ImGui_ImplGlfw_InitForOther(window, true);
      ImGui::GetIO().BackendFlags |=
          ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
      ImGui::GetPlatformIO().DrawCallback_ResetRenderState = [](const ImDrawList* /*list*/,
                                                                const ImDrawCmd* /*command*/) {};
      return;
    }
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    if (!ImGui_ImplOpenGL3_Init(kShaderVersion)) {
      ImGui_ImplGlfw_Shutdown();
      throw PlatformError(
          tr("OpenGL 3.3 does not accept Dear ImGui's shaders. Update the graphics driver."));
    }
    attach_page(window);
  }
  ~ImGuiBackEnds() {
    if (has_opengl_) {
      ImGui_ImplOpenGL3_Shutdown();
    }
    ImGui_ImplGlfw_Shutdown();
  }
  ImGuiBackEnds(const ImGuiBackEnds&) = delete;
  ImGuiBackEnds& operator=(const ImGuiBackEnds&) = delete;
  ImGuiBackEnds(ImGuiBackEnds&&) = delete;
  ImGuiBackEnds& operator=(ImGuiBackEnds&&) = delete;

  void begin_frame() const;
  // Does what Dear ImGui requires of its back end in every frame, painted or not.
  void update_textures() const;

 private:
  bool has_opengl_;
};

// Real fonts from files, rasterized at the size that is drawn (Dear ImGui's dynamic atlas).

struct LoadedFonts {
  ui::Fonts fonts;  // in use: one of the next two
  ui::Fonts roboto;
  ui::Fonts open_dyslexic;  // null until it is first used
  std::vector<std::string> warnings;
  std::filesystem::path folder;
  std::vector<ImFont*> without_chinese;  // … so far
};

// A missing font is replaced by another one, in the last resort by ImGui's own.
[[nodiscard]] LoadedFonts load_fonts(const std::filesystem::path& folder);
// Uses a typeface for all text but code, from the next frame on. Without its files: Roboto.
void use_typeface(LoadedFonts& loaded, state::Typeface typeface);
// Adds Chinese to all of them if it is missing. In a browser, where the font is fetched, that takes
// until it is here, and nothing is fetched before the program speaks Chinese.
void load_chinese(LoadedFonts& loaded);

}  // namespace tilestep::platform

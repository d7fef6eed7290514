// Carries out what the export panel, F12 and their like ask for: pictures of the window, numbers of
// the run, films. The window goes on meanwhile: files are written by the workers, films are made by
// this program itself, started once more without a window.
#pragma once

#include "platform/window.h"
#include "program/picture.h"
#include "ui/panel.h"
#include "workspace/child.h"
#include "workspace/open_file.h"
#include "workspace/workspace.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::program {

class Exporter {
 public:
  // All of them have to outlive it. `memory`: of the window's panels.
  Exporter(workspace::Workspace& workspace, platform::Window& window, ui::Memory& memory);
  // A film that is being made is stopped.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  Exporter(Exporter&&) = delete;
  Exporter& operator=(Exporter&&) = delete;

  // After the workspace has carried out a frame's commands. `now`: as for the workspace. True: what
  // the next frame shows may differ.
  bool carry_out(const ui::Commands& commands, double now);

 private:
  // What a worker hands back, also to an exporter that is gone.
  struct Inbox {
    std::atomic<bool> cancelled = false;
    std::optional<Result<void>> outcome;
  };
  // Bytes of a file, made by a worker; nothing where it was cancelled.
  using Make = std::function<Result<std::string>(const std::atomic<bool>& cancelled,
                                                 compile::Compiler& compiler)>;

  void begin(const std::string& typed, workspace::Existing existing, double now);
  void save_picture(double now);
  [[nodiscard]] Result<Make> content(const state::ExportView& view, double now);
  [[nodiscard]] Make picture(const state::ExportView& view, double now);
  [[nodiscard]] Result<Make> plot(const state::ExportView& view, double now);
  [[nodiscard]] Result<Make> data(const state::ExportView& view) const;
  void write(Make make, std::filesystem::path file);
  [[nodiscard]] Result<void> start_film(const std::filesystem::path& file);
  bool follow_film();
  bool take_outcome(double now);
  void tell(const Result<void>& outcome, double now);
  void propose();

  workspace::Workspace& workspace_;
  platform::Window& window_;
  ui::Memory& memory_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::optional<workspace::Child> film_;
  std::filesystem::path file_;  // that is being made
  workspace::ExportStatus status_;
  std::string proposed_for_;  // the name
};

}  // namespace tilestep::program

// Carries out exports: pictures of the window, numbers of the run, films. The window continues
// meanwhile: workers write files, and films are made by another process of this program without a
// window.
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
  // All of them must outlive it. `memory`: of the window's panels. `user_state`: the folder of the
  // user's progress.
  Exporter(workspace::Workspace& workspace, platform::Window& window, ui::Memory& memory,
           std::filesystem::path user_state);
  // Stops a running film.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  Exporter(Exporter&&) = delete;
  Exporter& operator=(Exporter&&) = delete;

  // Call after the workspace has carried out a frame's commands. `now`: as for the workspace.
  // Returns true if the next frame may differ.
  bool carry_out(const ui::Commands& commands, double now);

 private:
  // Results of a worker, also for a destroyed exporter.
  struct Inbox {
    std::atomic<bool> cancelled = false;
    std::optional<Result<void>> outcome;
  };
  // A function for a worker that makes the bytes of a file; nothing is written if it was cancelled.
  using Make = std::function<Result<std::string>(const std::atomic<bool>& cancelled,
                                                 compile::Compiler& compiler)>;

  void begin(const state::Export& wanted, double now);
  void save_picture(double now);
  [[nodiscard]] Result<Make> content(const state::ExportView& view, double now);
  [[nodiscard]] Make picture(const state::ExportView& view, double now);
  [[nodiscard]] Result<Make> plot(const state::ExportView& view, double now);
  [[nodiscard]] Result<Make> data(const state::ExportView& view) const;
  [[nodiscard]] Result<Make> progress() const;
  void write(Make make, std::filesystem::path file);
  [[nodiscard]] Result<void> start_film(const std::filesystem::path& file);
  bool follow_film();
  bool take_outcome(double now);
  void tell(const Result<void>& outcome, double now);
  void propose();

  workspace::Workspace& workspace_;
  platform::Window& window_;
  ui::Memory& memory_;
  std::filesystem::path user_state_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::optional<workspace::Child> film_;
  std::filesystem::path file_;  // the file that is being made
  workspace::ExportStatus status_;
  std::string proposed_for_;  // the name
};

}  // namespace tilestep::program

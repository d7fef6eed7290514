// The window's file operations: opens files, saves scenes, completes paths, and keeps the list of
// recent files.
#pragma once

#include "state/app_state.h"
#include "state/command.h"
#include "workspace/open_file.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/session.h"
#include "workspace/workspace.h"

#include <functional>
#include <string>
#include <utility>

namespace tilestep::workspace {

class FileController {
 public:
  // Belongs to the workspace; all of it must outlive this object, and the pool's threads must end
  // before it.
  struct Shared {
    const Paths& paths;
    const state::AppState& state;
    FrameView& view;
    std::function<void(OpenedFile opened)> take;
  };
  FileController(Pool& pool, Shared shared);

  void infer_with(Infer infer) { infer_ = std::move(infer); }
  // Returns true if the command is carried out here, now or later.
  bool carry_out(const state::Command& command);

 private:
  void open(const std::string& path);
  void note_recent(const std::string& path);
  void end(const std::string& path, Result<OpenedFile> opened);
  void refuse(const std::string& path, const std::string& why);
  void save(const std::string& path);
  void complete(const std::string& begin);
  void ask(state::Asked what);
  void tell_of_link(const state::CopyScene& copied);
  void list_sessions();

  Pool& pool_;
  Shared shared_;
  Infer infer_;
  RecentFiles recent_;
};

}  // namespace tilestep::workspace

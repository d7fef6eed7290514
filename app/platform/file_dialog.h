// The desktop's own dialog for opening a file: a program of the desktop (zenity, kdialog and their
// kin) that runs beside the window, which goes on drawing meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tilestep::platform {

class FileDialog {
 public:
  FileDialog();
  // Closes one that is still open.
  ~FileDialog();
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;
  FileDialog(FileDialog&&) = delete;
  FileDialog& operator=(FileDialog&&) = delete;

  // Whether this desktop has such a program. Looked for once.
  [[nodiscard]] static bool is_available();

  // `begin`: the folder or file that it opens on. Nothing happens while one is open.
  void open(const std::string& title, const std::string& begin);
  [[nodiscard]] bool is_open() const { return impl_ != nullptr; }
  // The chosen file, once; nothing while it is open, and where it was cancelled.
  [[nodiscard]] std::optional<std::string> take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::platform

// The desktop's own dialog for opening a file: a program of the desktop (zenity, kdialog and
// similar ones) that runs beside the window, which continues to draw.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::platform {

class FileDialog {
 public:
  FileDialog();
  // Closes an open dialog.
  ~FileDialog();
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;
  FileDialog(FileDialog&&) = delete;
  FileDialog& operator=(FileDialog&&) = delete;

  // Whether this desktop has such a program. Searched only once.
  [[nodiscard]] static bool is_available();

  // `begin`: the initial folder or file. Has no effect while a dialog is open.
  void open(const std::string& title, const std::string& begin);
  [[nodiscard]] bool is_open() const { return impl_ != nullptr; }
  // The chosen file, once; nullopt while it is open, or if it was cancelled.
  [[nodiscard]] std::optional<std::string> take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Hands a file that the program wrote to its user: a browser downloads it. Elsewhere the file is
// where the user wanted it.
void deliver(const std::filesystem::path& file);

}  // namespace tilestep::platform

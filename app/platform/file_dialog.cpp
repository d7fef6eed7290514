#include "platform/file_dialog.h"

#include "problem/tr.h"

#include <portable_file_dialogs.h>

namespace tilestep::platform {

struct FileDialog::Impl {
  pfd::open_file dialog;
};

FileDialog::FileDialog() = default;

FileDialog::~FileDialog() {
  if (impl_) {
    impl_->dialog.kill();
  }
}

bool FileDialog::is_available() {
  return pfd::settings::available();
}

void FileDialog::open(const std::string& title, const std::string& begin) {
  if (impl_) {
    return;
  }
  impl_ = std::make_unique<Impl>(
      Impl{pfd::open_file(title, begin,
                          {tr("Kernels, scenes, lessons and data"), "*.cu *.toml *.md *.json *.csv",
                           tr("All files"), "*"})});
}

std::optional<std::string> FileDialog::take() {
  if (!impl_ || !impl_->dialog.ready(0)) {
    return std::nullopt;
  }
  const std::vector<std::string> chosen = impl_->dialog.result();
  impl_.reset();
  return chosen.empty() ? std::nullopt : std::optional(chosen.front());
}

void deliver(const std::filesystem::path& /*file*/) {}

}  // namespace tilestep::platform

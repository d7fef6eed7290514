// The browser's own picker opens files, and exports are downloads.
#include "platform/file_dialog.h"
#include "platform/page.h"

#include <emscripten.h>

namespace tilestep::platform {
namespace {

// clang-format off
EM_JS(void, page_pick, (), { Module.tilestep.pick(); })
EM_JS(char*, page_picked, (), {
  const path = Module.tilestep.picked;
  Module.tilestep.picked = null;
  return path === null ? 0 : stringToNewUTF8(path);
})
EM_JS(int, page_is_picking, (), { return Module.tilestep.picking ? 1 : 0; })
EM_JS(void, page_download, (const char* path), { Module.tilestep.download(UTF8ToString(path)); })
// clang-format on

}  // namespace

struct FileDialog::Impl {};

FileDialog::FileDialog() = default;

FileDialog::~FileDialog() = default;

bool FileDialog::is_available() {
  return true;
}

void FileDialog::open(const std::string& /*title*/, const std::string& /*begin*/) {
  impl_ = std::make_unique<Impl>();
  page_pick();
}

std::optional<std::string> FileDialog::take() {
  if (impl_ == nullptr || page_is_picking() != 0) {
    return std::nullopt;
  }
  impl_.reset();
  return taken(page_picked());
}

void deliver(const std::filesystem::path& file) {
  page_download(file.c_str());
}

}  // namespace tilestep::platform

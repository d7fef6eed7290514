#include "insight/names.h"

#include "problem/tr.h"

#include <fmt/format.h>

namespace tilestep::insight {

std::string coordinates(const problem::Dim3& index, const problem::Launch& launch) {
  if (launch.block.z > 1 || launch.grid.z > 1) {
    return fmt::format("({},{},{})", index.x, index.y, index.z);
  }
  return launch.block.y > 1 || launch.grid.y > 1 ? fmt::format("({},{})", index.x, index.y)
                                                 : fmt::format("{}", index.x);
}

std::string block_name(const problem::Dim3& block, const problem::Launch& launch) {
  return tr("block {}", coordinates(block, launch));
}

std::string thread_name(const problem::Dim3& thread, const problem::Launch& launch) {
  return tr("thread {}", coordinates(thread, launch));
}

std::string thread_of_block(const problem::Dim3& thread, const problem::Dim3& block,
                            const problem::Launch& launch) {
  return tr("thread {} of block {}", coordinates(thread, launch), coordinates(block, launch));
}

const char* verb_of_several(simt::AccessKind kind) {
  switch (kind) {
    case simt::AccessKind::Load:
      return tr("read");
    case simt::AccessKind::Store:
      return tr("store");
    case simt::AccessKind::Atomic:
      return tr("atomically update");
  }
  return "";
}

std::string verb(std::optional<simt::AccessKind> kind) {
  if (!kind) {
    return tr("uses");
  }
  switch (*kind) {
    case simt::AccessKind::Load:
      return tr("reads");
    case simt::AccessKind::Store:
      return tr("stores");
    case simt::AccessKind::Atomic:
      return tr("atomically updates");
  }
  return "";
}

std::string with_verb(const std::string& who, std::optional<simt::AccessKind> kind) {
  return kind ? who + " " + verb(kind) : who;
}

}  // namespace tilestep::insight

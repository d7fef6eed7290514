#include "ui/names.h"

#include <fmt/format.h>

namespace tilestep::ui {

std::string index_name(problem::Dim3 index, problem::Dim3 extent) {
  return extent.z > 1 ? fmt::format("({},{},{})", index.x, index.y, index.z)
                      : fmt::format("({},{})", index.x, index.y);
}

std::string block_name(const simt::Program& program, std::uint32_t block) {
  return "block " + index_name(program.block_index(block), program.launch().grid);
}

std::string thread_name(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  return fmt::format("thread {} of {}",
                     index_name(program.thread_index(thread), program.launch().block),
                     block_name(program, block));
}

}  // namespace tilestep::ui

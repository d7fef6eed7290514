#include "ui/names.h"

#include "insight/names.h"

namespace tilestep::ui {

std::string block_name(const simt::Program& program, std::uint32_t block) {
  return insight::block_name(program.block_index(block), program.launch());
}

std::string thread_name(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  return insight::thread_of_block(program.thread_index(thread), program.block_index(block),
                                  program.launch());
}

}  // namespace tilestep::ui

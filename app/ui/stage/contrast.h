// The same access of the focus thread's warp in several kernels (Catalog::contrasts): what memory
// makes of each. Pure; painted by memory_paint.h.
#pragma once

#include "ui/stage/memory_strip.h"
#include "workspace/workspace.h"

#include <memory>
#include <string>
#include <vector>

namespace tilestep::ui {

// Whose access a strip's is.
struct ContrastSide {
  std::string title;
  std::string code;  // the line of its source
  bool is_on_stage = false;
  const StageShape* shape = nullptr;
  const simt::Program* program = nullptr;
  std::vector<bool> is_padding;  // by cell of the array: the block never stores to it
};
struct Contrast {
  MemoryStrip strip;                // an access of each kernel
  std::vector<ContrastSide> sides;  // of each access
};

// A line of a source, counted from 1, without blanks around it and the comment at its end.
[[nodiscard]] std::string code_of_line(const std::string& source, std::uint32_t line);

// All accesses of every run, laid out once.
class ContrastMemory {
 public:
  using Runs = std::shared_ptr<const std::vector<workspace::ContrastRun>>;
  // The access of `strip` whose cost differs most among the runs, in each of them; empty where they
  // do not have it.
  [[nodiscard]] Contrast find(const Runs& runs, const MemoryStrip& strip, std::uint32_t block,
                              std::uint32_t thread);

 private:
  struct Laid {
    StageShape shape;
    std::vector<std::vector<bool>> is_padding;  // by sheet and cell
    MemoryStrip strip;
  };
  void lay_out(const Runs& runs, std::uint32_t block, std::uint32_t thread);
  [[nodiscard]] std::vector<const StripAccess*> same_in_each(const StripAccess& access) const;

  Runs runs_;
  std::vector<Laid> laid_;  // of each run
};

}  // namespace tilestep::ui

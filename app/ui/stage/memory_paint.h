// Paints what the focus warp asks of memory: sectors of 8 words, and words stacked over 32 banks.
#pragma once

#include "ui/stage/contrast.h"
#include "ui/stage/memory_strip.h"
#include "ui/stage/paint.h"

#include <vector>

namespace tilestep::ui {

// In the free corner: returns what is left of `room` above; empty strips and small rooms: all of
// it.
[[nodiscard]] Box paint_memory_corner(const StagePicture& picture, const MemoryStrip& strip,
                                      const Box& room, std::vector<CellInstance>& instances);

// Over the whole stage, with names and the reason in words.
void paint_memory(const StagePicture& picture, const MemoryStrip& strip, const Box& room,
                  std::vector<CellInstance>& instances);

// The same of one access in several kernels, below each other.
void paint_contrast(const StagePicture& picture, const Contrast& contrast, const Box& room,
                    std::vector<CellInstance>& instances);

}  // namespace tilestep::ui

// Painters of the stage. `instances` is scratch memory kept across frames.
#pragma once

#include "insight/events/cell_flow.h"
#include "ui/panel.h"
#include "ui/stage/content.h"
#include "ui/stage/geometry.h"
#include "ui/stage/memory_strip.h"
#include "ui/stage/paint.h"
#include "ui/stage/registers.h"
#include "ui/stage/volume.h"
#include "ui/sum_text.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tilestep::ui {

// The sources and destinations of the pointed or chosen cell's value: frames around the cells,
// arrows.
void paint_flow(const StagePicture& picture, const insight::CellFlow& flow,
                std::vector<CellInstance>& instances);

// A lesson scene's points over the stage: boxes with labels around cells, and an arrow if a label
// is beside its cells. They follow zoom and crop.

// Painted while the stage is as in the scene.
void paint_points(const StagePicture& picture, std::vector<CellInstance>& instances);

// Labels beside the cells: names, row and column numbers.

inline constexpr float kLeastChip = 8.0F;  // pixels: the least text size in a name's chip

// Name, size and a note beside every sheet; row and column numbers (with few labels only those of
// the followed sum); the numbers of buffers.
void paint_labels(const StagePicture& picture);

// The legend of the signs that are visible at this step.

struct LegendItem {
  CellStyle style;
  std::string text;  // "read", "stored"
};

// As many rows of items as fit at the foot of the rectangle. Returns their height.
float paint_legend(const StagePicture& picture, ImVec2 from, ImVec2 size,
                   std::vector<CellInstance>& instances);

// Matrices without numbers: every cell in its hue, equal neighbors as one rectangle, and lines
// between tiles.

// Whether a sheet is a map in this picture.
[[nodiscard]] bool is_map(const StagePicture& picture, int sheet);
void add_map(const StagePicture& picture, int sheet, std::vector<CellInstance>& out);
// The whole matrices beside the parts with numbers, and the positions of these parts.
void paint_map(const StagePicture& picture, std::vector<CellInstance>& instances);

// Overlays of the cells: frames, and the names of blocks.

// The card below the focus block's memory.
void paint_block_card(const StagePicture& picture);
// The focus block's name, in the free corner.
void paint_block_name(const StagePicture& picture, bool with_memory);

// Frames: each block's stored cells, the focus block's tiles, the focus thread's reads and cells.
void paint_frames(const StagePicture& picture, std::vector<CellInstance>& instances);

// Paints the focus warp's memory accesses: sectors of 8 words, and words stacked over 32 banks.

// Paints in the free corner; returns the rest of `room` above; all of it for empty strips and small
// rooms.
[[nodiscard]] Box paint_memory_corner(const StagePicture& picture, const MemoryStrip& strip,
                                      const Box& room, std::vector<CellInstance>& instances);

// Paints over the whole stage, with names and an explanation.
void paint_memory(const StagePicture& picture, const MemoryStrip& strip, const Box& room,
                  std::vector<CellInstance>& instances);

// The same for one access in several kernels, stacked.
void paint_contrast(const StagePicture& picture, const Contrast& contrast, const Box& room,
                    std::vector<CellInstance>& instances);

// The words above the matrices: position, effect of the statement, and its memory accesses.

// The layout below does not depend on the text. `note`: about the launch, at the right end of the
// first line. Short: one line, with the sentence's short form at its right end.
void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     const Box& box, bool is_short);

// The color of a piece; `plain` if it has no role.

// Warps that wait at a barrier: a white double bar at the rows of each; once all have arrived, the
// bar closes around the block's threads.

// `state`: the state on stage; `statement`: the latest statement, or null.
void paint_waiting(const StagePicture& picture, const record::State& state,
                   const record::Activity* statement);

// Shows in the block's corner, if warps have roles, the line of each warp, and which ones wait for
// an mbarrier. `mbarriers`: lines of record::mbarrier_lines(); empty: no roles.
void paint_warps(const StagePicture& p, const record::State& state,
                 const std::set<std::uint32_t>& mbarriers);

// Paints what a whole phase has beside its cells: ribbons, the focus thread's loads, sums before
// it, and the line between two activities without a barrier between them.

// Drawn behind the cells.
void paint_ribbons(const StagePicture& picture);
// Paints the values of sums at the phase's beginning in their cells.
void paint_sums_before(const StagePicture& picture);
// Paints in the free corner of the block's arrays, below its name. Returns false if the thread
// loaded nothing.
bool paint_brought(const StagePicture& picture);
void paint_fault_line(const StagePicture& picture);

// The note beside a sheet's name.

// "8×8", "16 of 64 stored" for an output; "← A[0..3][4..7]", "1 column of padding", "rows 4–11" for
// a cropped shared array. The first part is the most important; the last ones may be left out.
[[nodiscard]] std::vector<std::string> sheet_note(const StagePicture& picture, int sheet);

// A race with an effect: the cell, the value that was needed, the two threads and their connection.

// If one is on stage: arcs over the cells, a double frame around the cell, the lost or late value;
// and both sides in words with a dashed line between them, in the free corner or else at the
// stage's upper left.
void paint_race(const StagePicture& picture, std::vector<CellInstance>& instances);

// A curved arrow from the edge of one box to the edge of another.
void paint_arc(const StagePicture& picture, const Box& from, const Box& to, ImU32 colour);

// Paints the focus thread's L of registers.

// The preferred width in pixels on a stage of this size; 0 if its numbers would be smaller than a
// line of text.
[[nodiscard]] float register_width(const RegisterTile& tile, ImVec2 room, float font);

void paint_registers(const Context& context, const RegisterTile& tile, const std::string& thread,
                     const Box& box, std::vector<CellInstance>& instances);

// The focus thread's accumulation as a sum: "acc = 6·2 + 4·5 + … + As[1][2]·Bs[2][2] = 78 + -1·5 =
// 73".

// `note`: "thread (1,2) of block (1,0)". Short: only the sum.
void draw_sum_strip(const Context& context, const std::string& note, const SumStory& story,
                    ImVec2 from, ImVec2 size, bool is_short);

// The sum for lectures: the element, its terms in numbers, and the value large.
void draw_large_sum(const Context& context, const SumStory& story, const Box& box);

// Paints the volume of products: in the stage's free corner, or over the whole stage.

// The state of the volume at the place on stage.
struct VolumeScene {
  const Volume& volume;
  const VolumePicture& picture;
  VolumeCount count;
  std::uint32_t block = 0;  // focus
};

// Paints in the free corner; returns false if `room` is too small.
bool paint_volume_corner(const StagePicture& picture, const VolumeScene& scene, const Box& room);

// Paints over the whole stage, with an explanation. Returns the step of a product in the face under
// the pointer.
std::optional<std::uint32_t> paint_volume(const StagePicture& picture, const VolumeScene& scene,
                                          const Box& room);
// Paints a notice for a block without a volume that can be drawn.
void paint_no_volume(const StagePicture& picture, const Box& room);

}  // namespace tilestep::ui

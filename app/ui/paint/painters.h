// Painters of the stage. `instances` is scratch that is kept from frame to frame.
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

// Where the pointed or chosen cell's value came from and went: frames around the cells, arrows.
void paint_flow(const StagePicture& picture, const insight::CellFlow& flow,
                std::vector<CellInstance>& instances);

// What a scene of a lesson points at, over the stage: boxes with labels around cells, and an arrow
// where a label has to be beside. They follow zoom and crop.

// While the stage is as the scene has it.
void paint_points(const StagePicture& picture, std::vector<CellInstance>& instances);

// What is beside the cells: names, row and column numbers.

inline constexpr float kLeastChip = 8.0F;  // pixels, of text in a name's chip

// Name, size and a word about what is shown, beside every sheet; row and column numbers, with few
// labels those of the followed sum alone; the numbers of buffers.
void paint_labels(const StagePicture& picture);

// What the signs on the stage mean: only those that can be seen at this step.

struct LegendItem {
  CellStyle style;
  std::string text;  // "read", "stored"
};

// As many rows of items as fit into the rectangle, at its foot. Returns their height.
float paint_legend(const StagePicture& picture, ImVec2 from, ImVec2 size,
                   std::vector<CellInstance>& instances);

// Matrices without numbers: every cell in its hue, equal neighbours as one rectangle, and the lines
// between tiles.

// Whether a sheet is a map in this picture.
[[nodiscard]] bool is_map(const StagePicture& picture, int sheet);
void add_map(const StagePicture& picture, int sheet, std::vector<CellInstance>& out);
// All of the matrices beside the parts that have numbers, and where these are.
void paint_map(const StagePicture& picture, std::vector<CellInstance>& instances);

// What lies over the cells: frames, and the names of blocks.

// The card under the focus block's own memory.
void paint_block_card(const StagePicture& picture);
// Its name, in the free corner.
void paint_block_name(const StagePicture& picture, bool with_memory);

// Blocks' frames on what they store, the focus block's tiles, the focus thread's reads and cells.
void paint_frames(const StagePicture& picture, std::vector<CellInstance>& instances);

// Paints what the focus warp asks of memory: sectors of 8 words, and words stacked over 32 banks.

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

// The words above the matrices: where we are, what the statement did, what memory made of it.

// Whatever it says, nothing below it moves. `note`: about the launch, at the right end of the first
// line. Short: one line, with the sentence's short form at its right end.
void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     const Box& box, bool is_short);

// The colour of a piece; `plain` where it is nobody's number.

// Warps that wait at a barrier: a white double bar at the rows of each; where everybody has come,
// the bar closes around the block's threads.

// `state`: on stage; `statement`: just executed, or null.
void paint_waiting(const StagePicture& picture, const record::State& state,
                   const record::Activity* statement);

// In the block's corner, where warps have roles: who is at which line, and who waits for an
// mbarrier. `mbarriers`: lines of record::mbarrier_lines(); none: there are no roles.
void paint_warps(const StagePicture& p, const record::State& state,
                 const std::set<std::uint32_t>& mbarriers);

// Paints what a whole phase has beside its cells: ribbons, what the focus thread brought, sums
// before it, and the line between two activities that no barrier separates.

// Behind the cells.
void paint_ribbons(const StagePicture& picture);
// In the cells that show a sum: what it was when the phase began.
void paint_sums_before(const StagePicture& picture);
// In the free corner of the block's arrays, below its name. False: the thread brought nothing.
bool paint_brought(const StagePicture& picture);
void paint_fault_line(const StagePicture& picture);

// What is beside a sheet's name.

// "8×8", "16 of 64 stored": of an output; "← A[0..3][4..7]", "1 column of padding", "rows 4–11": of
// a shared array that is cropped. The first tells most; those at the end may be left out.
[[nodiscard]] std::vector<std::string> sheet_note(const StagePicture& picture, int sheet);

// A race that strikes: the cell, the value that was needed, the two threads and what joins them.

// Where one is on stage: arcs over the cells, the cell in a double frame, the value that is lost or
// late; and both sides in words with a dashed line between, in the free corner, or else at the
// stage's upper left.
void paint_race(const StagePicture& picture, std::vector<CellInstance>& instances);

// A bow with an arrowhead, from the edge of one box to the edge of another.
void paint_arc(const StagePicture& picture, const Box& from, const Box& to, ImU32 colour);

// Paints the focus thread's L of registers.

// Pixels that it wants of so wide a stage; 0 where its numbers would be smaller than a line of
// text.
[[nodiscard]] float register_width(const RegisterTile& tile, ImVec2 room, float font);

void paint_registers(const Context& context, const RegisterTile& tile, const std::string& thread,
                     const Box& box, std::vector<CellInstance>& instances);

// The focus thread's accumulation as a sum: "acc = 6·2 + 4·5 + … + As[1][2]·Bs[2][2] = 78 + -1·5 =
// 73".

// `note`: "thread (1,2) of block (1,0)". Short: the sum alone.
void draw_sum_strip(const Context& context, const std::string& note, const SumStory& story,
                    ImVec2 from, ImVec2 size, bool is_short);

// For a hall: the element, its terms in numbers, and the value large.
void draw_large_sum(const Context& context, const SumStory& story, const Box& box);

// Paints the volume of products: in the stage's free corner, or over the whole stage.

// What the volume shows at the place that is on stage.
struct VolumeScene {
  const Volume& volume;
  const VolumePicture& picture;
  VolumeCount count;
  std::uint32_t block = 0;  // focus
};

// In the free corner; false: `room` is too small.
bool paint_volume_corner(const StagePicture& picture, const VolumeScene& scene, const Box& room);

// Over the whole stage, with what the cubes are in words. Returns the step of a product in the face
// under the pointer.
std::optional<std::uint32_t> paint_volume(const StagePicture& picture, const VolumeScene& scene,
                                          const Box& room);
// Where the block has none that can be drawn.
void paint_no_volume(const StagePicture& picture, const Box& room);

}  // namespace tilestep::ui

// Data of the stage across frames; all of it can be recomputed.
#pragma once

#include "ui/panel.h"
#include "ui/stage/camera.h"
#include "ui/stage/content.h"
#include "ui/stage/geometry.h"
#include "ui/stage/memory_strip.h"
#include "ui/stage/phase.h"
#include "ui/stage/registers.h"
#include "ui/stage/stage_plan.h"
#include "ui/stage/volume.h"
#include "ui/sum_text.h"
#include "ui/window_plan.h"
#include "workspace/generation.h"

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {

// How the stage was drawn last: what the camera's keys and the pointer move.
struct SeenStage {
  Arrangement arrangement;
  StageView view;
  StageArea area;
};

struct StageMemory {
  struct Key {
    workspace::Generation generation;
    std::uint64_t step = 0;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    int sum = 0;
    bool has_statement = false;
    bool has_findings = false;
    bool has_sums = false;
    std::uint64_t copies_known = 0;
    bool shows_phase = false;
    const void* narrator = nullptr;  // by address: a sentence that arrives later is shown
    const void* summary = nullptr;
    const void* contrast = nullptr;  // its runs
    std::string mask;                // AnswerMask::key()
    std::string language;
    friend bool operator==(const Key&, const Key&) = default;
  };
  workspace::Generation generation;
  StageShape shape;
  Ownership owners;
  std::vector<std::vector<double>> ends;  // ContentInputs::ends
  std::vector<Landing> landings;
  std::set<std::uint32_t> mbarriers;  // source lines; empty: warps have no roles
  BlockLog log;
  Key key;
  StageContent content;
  std::optional<SeenStage> seen;
  MemoryStrip strip;
  ContrastMemory contrasts;
  Contrast contrast;  // of the strip; empty: not shown, or not ready
  Box strips;         // position in the free corner, window pixels; empty: not shown
  Box cells;          // room of the latest frame's cells, window pixels
  // Reported findings: the race effect on stage, then the check's.
  std::vector<insight::Finding> findings;
  // For this run: plans by room, and the size of numbers beside panels.
  std::vector<std::pair<StageRequest, StagePlan>> planned;
  std::vector<std::pair<StageRequest, NumberSizes>> numbers;
  // For this content: arrangements; whole: without cropping.
  std::vector<std::pair<StageRequest, Arrangement>> arranged;
  std::vector<std::pair<StageRequest, Arrangement>> arranged_whole;
  std::optional<FragmentNames> fragments;                 // of `fragments_of`
  std::pair<std::uint32_t, std::uint32_t> fragments_for;  // block and thread
  std::optional<RegisterTile> registers;  // of the focus thread, if it has several sums
  std::optional<Volume> volume;           // of the focus block
  std::optional<std::pair<workspace::Generation, std::uint32_t>> volume_of;  // generation and block
  struct VolumeShown {
    state::VolumeView view;
    VolumeCount count;
    VolumePicture picture;
  };
  std::optional<VolumeShown> volume_shown;  // at the place on stage
  struct CountedSum {
    workspace::Generation generation;
    std::uint32_t block = 0;
    std::size_t sum = 0;
    friend bool operator==(const CountedSum&, const CountedSum&) = default;
  };
  // Number of products of the sum in the strip.
  std::optional<std::pair<CountedSum, std::size_t>> counted;
  Headline headline;
  SumStory sums;
  Travel travel;
  PhaseStage phase;
  std::vector<CellInstance> instances;
  // The pointer's position at the last change of the stage. Until it moves, it hides nothing: a
  // user who steps with keys has left it there.
  ImVec2 resting_pointer{-1.0F, -1.0F};
  std::string pointed;                // the cell whose flow is shown
  std::vector<SheetPlace> differing;  // two stages side by side: cells with different numbers
};

// The inputs of this frame's content; `memory` must outlive them.
[[nodiscard]] ContentInputs inputs_of(const Context& context, StageMemory& memory);

// The products of the block once its sums are known; null: none can be drawn.
[[nodiscard]] const Volume* volume_of(const Context& context, StageMemory& memory);
// The phase that is shown as a whole, or the statement on stage.
[[nodiscard]] VolumeTime volume_time(const ContentInputs& inputs);

// Recomputes what depends on changed data.
void refresh(const Context& context, StageMemory& memory);

}  // namespace tilestep::ui

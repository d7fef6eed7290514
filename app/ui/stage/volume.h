// The products of a block as cubes: one per row i, column j and k of A[i][k]·B[k][j]. Pure:
// executed products in, faces out.
#pragma once

#include "insight/trace/accumulators.h"
#include "state/app_state.h"
#include "ui/stage/geometry.h"

#include <imgui.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::ui {

// The largest number of cubes along a side; longer sides have several products per cube.
inline constexpr int kMostCubes = 40;

// The products of a block and the step of each.
struct Volume {
  int m = 0, n = 0, k = 0;  // of the whole product
  // The part of C that the block computes.
  int row = 0, col = 0, rows = 0, cols = 0;
  // The step that added each product, by row, column and k within the part; kNever: none did.
  static constexpr std::uint32_t kNever = 0xffffffffU;
  std::vector<std::uint32_t> steps;
  std::vector<std::uint32_t>
      threads;  // by row and column: the thread that computes the element; kNever: none

  [[nodiscard]] std::uint32_t step(int i, int j, int at) const {
    return steps[(static_cast<std::size_t>(i) * static_cast<std::size_t>(cols) +
                  static_cast<std::size_t>(j)) *
                     static_cast<std::size_t>(k) +
                 static_cast<std::size_t>(at)];
  }
};
// Nullopt if the block computes no products of elements of A and B, or too many to draw.
[[nodiscard]] std::optional<Volume> make_volume(const StageShape& shape,
                                                const insight::BlockSums& sums);

// Steps [from, to) are running; earlier ones are done.
struct VolumeTime {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
// The number of products at a point in time.
struct VolumeCount {
  std::size_t all = 0;
  std::size_t done = 0;  // including the running ones
  std::size_t running = 0;
  int first_k = 0;  // of the running ones
  int last_k = 0;
};
[[nodiscard]] VolumeCount count_products(const Volume& volume, const VolumeTime& time);

enum class VolumeSide : std::uint8_t { A, B, C };  // looks along j, i, k
// A visible face of a cube or of the frame.
struct VolumeFace {
  std::array<ImVec2, 4> corners;
  VolumeSide side = VolumeSide::C;
  bool is_running = false;
  bool by_focus_thread = false;
  std::uint32_t step = 0;  // of one of its products
};
struct VolumeLine {
  ImVec2 from, to;
  bool is_behind = false;
};
// In units of the whole product's diagonal, around (0, 0); y points down.
struct VolumePicture {
  std::vector<VolumeFace> faces;  // from back to front
  std::vector<VolumeLine> frame;  // of the whole product
  std::vector<VolumeLine> block;  // of the block's part
  ImVec2 i_label, j_label, k_label;
};
[[nodiscard]] VolumePicture project(const Volume& volume, const VolumeTime& time,
                                    const state::VolumeView& view, std::uint32_t focus_thread);

}  // namespace tilestep::ui

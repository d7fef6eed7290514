#include "ui/stage/volume.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

using Product = insight::BlockSums::Product;

constexpr std::size_t kMostProducts = 1U << 18;

// The k of A[i][k]·B[k][j], independent of the storage and order of A and B (a kernel that computes
// C^T multiplies B by A); nullopt for another product. `a_buffer`: A's.
std::optional<int> inner_index(const Product& product, const insight::ElementRef& at,
                               std::uint32_t a_buffer) {
  const bool is_turned = product.a.launch_buffer != a_buffer && product.b.launch_buffer == a_buffer;
  const insight::ElementRef& a = is_turned ? product.b : product.a;
  const insight::ElementRef& b = is_turned ? product.a : product.b;
  for (const auto& [i, k] : {std::pair(a.row, a.col), std::pair(a.col, a.row)}) {
    for (const auto& [inner, j] : {std::pair(b.row, b.col), std::pair(b.col, b.row)}) {
      if (i == at.row && j == at.col && k == inner) {
        return k;
      }
    }
  }
  return std::nullopt;
}

struct VolumeExtent {
  int first = 0;
  int last = -1;
  void add(int value) {
    first = last < first ? value : std::min(first, value);
    last = std::max(last, value);
  }
  [[nodiscard]] int count() const { return last - first + 1; }
};

// Axes in the order of Volume::step: i, j, k.
struct Grid {
  std::array<int, 3> cubes{};
  std::array<int, 3> size{};    // products along each
  std::array<int, 3> origin{};  // position of the block's part in the whole
  int bin = 1;
};

struct Cube {
  bool there = false;
  bool running = false;
  bool focus = false;
  std::uint32_t step = 0;
};

class Projector {
 public:
  Projector(const Volume& volume, const state::VolumeView& view)
      : whole_{static_cast<float>(volume.m), static_cast<float>(volume.n),
               static_cast<float>(volume.k)},
        diagonal_(std::hypot(whole_[0], whole_[1], whole_[2])) {
    const float cy = std::cos(view.yaw);
    const float sy = std::sin(view.yaw);
    const float cp = std::cos(view.pitch);
    const float sp = std::sin(view.pitch);
    // Right and down on the screen, and toward the viewer, per step along i, j, k.
    right_ = {0.0F, -sy, cy};
    down_ = {cp, cy * sp, sy * sp};
    nearer_ = {-sp, cy * cp, sy * cp};
  }

  [[nodiscard]] ImVec2 at(const std::array<float, 3>& point) const {
    float x = 0.0F;
    float y = 0.0F;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float along = (point[axis] - 0.5F * whole_[axis]) / diagonal_;
      x += right_[axis] * along;
      y += down_[axis] * along;
    }
    return {x, y};
  }
  // True if the end of the axis is nearer than its start.
  [[nodiscard]] bool shows_end(std::size_t axis) const { return nearer_[axis] > 0.0F; }
  [[nodiscard]] float depth(const std::array<float, 3>& point) const {
    return nearer_[0] * point[0] + nearer_[1] * point[1] + nearer_[2] * point[2];
  }

 private:
  std::array<float, 3> whole_;
  float diagonal_;
  std::array<float, 3> right_{};
  std::array<float, 3> down_{};
  std::array<float, 3> nearer_{};
};

Grid grid_of(const Volume& volume) {
  Grid grid;
  grid.size = {volume.rows, volume.cols, volume.k};
  grid.origin = {volume.row, volume.col, 0};
  const int longest = std::max({volume.rows, volume.cols, volume.k});
  grid.bin = (longest + kMostCubes - 1) / kMostCubes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.cubes[axis] = (grid.size[axis] + grid.bin - 1) / grid.bin;
  }
  return grid;
}

std::size_t cube_index(const Grid& grid, const std::array<int, 3>& at) {
  return static_cast<std::size_t>((at[0] * grid.cubes[1] + at[1]) * grid.cubes[2] + at[2]);
}

std::vector<Cube> cubes_of(const Volume& volume, const Grid& grid, const VolumeTime& time,
                           std::uint32_t focus_thread) {
  std::vector<Cube> cubes(static_cast<std::size_t>(grid.cubes[0] * grid.cubes[1] * grid.cubes[2]));
  for (int i = 0; i < volume.rows; ++i) {
    for (int j = 0; j < volume.cols; ++j) {
      const auto column = static_cast<std::size_t>(i) * static_cast<std::size_t>(volume.cols) +
                          static_cast<std::size_t>(j);
      for (int k = 0; k < volume.k; ++k) {
        const std::uint32_t step = volume.step(i, j, k);
        if (step == Volume::kNever || step >= time.to) {
          continue;
        }
        Cube& cube = cubes[cube_index(grid, {i / grid.bin, j / grid.bin, k / grid.bin})];
        cube.there = true;
        cube.running = cube.running || step >= time.from;
        cube.focus = cube.focus || volume.threads[column] == focus_thread;
        cube.step = std::max(cube.step, step);
      }
    }
  }
  return cubes;
}

// The corners of a box's face across `axis`.
std::array<std::array<float, 3>, 4> face_of(const std::array<float, 3>& low,
                                            const std::array<float, 3>& high, std::size_t axis,
                                            bool at_end) {
  const std::size_t u = (axis + 1) % 3;
  const std::size_t v = (axis + 2) % 3;
  std::array<std::array<float, 3>, 4> corners{low, low, low, low};
  for (std::array<float, 3>& corner : corners) {
    corner[axis] = at_end ? high[axis] : low[axis];
  }
  corners[1][u] = high[u];
  corners[2][u] = high[u];
  corners[2][v] = high[v];
  corners[3][v] = high[v];
  return corners;
}

constexpr std::array<VolumeSide, 3> kSides{VolumeSide::B, VolumeSide::A, VolumeSide::C};

class FaceMaker {
 public:
  FaceMaker(const Grid& grid, const std::vector<Cube>& cubes, const Projector& projector)
      : grid_(grid), cubes_(cubes), projector_(projector) {}

  std::vector<VolumeFace> make() {
    std::array<int, 3> at{};
    visit(0, at);
    return std::move(faces_);
  }

 private:
  // Visits along every axis from the far end to the near one.
  void visit(std::size_t axis, std::array<int, 3>& at) {
    if (axis == 3) {
      add(at);
      return;
    }
    for (int n = 0; n < grid_.cubes[axis]; ++n) {
      at[axis] = projector_.shows_end(axis) ? n : grid_.cubes[axis] - 1 - n;
      visit(axis + 1, at);
    }
  }

  void add(const std::array<int, 3>& at) {
    const Cube& cube = cubes_[cube_index(grid_, at)];
    if (!cube.there) {
      return;
    }
    std::array<float, 3> low{};
    std::array<float, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = static_cast<float>(grid_.origin[axis] + at[axis] * grid_.bin);
      high[axis] = static_cast<float>(grid_.origin[axis] +
                                      std::min((at[axis] + 1) * grid_.bin, grid_.size[axis]));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool at_end = projector_.shows_end(axis);
      std::array<int, 3> next = at;
      next[axis] += at_end ? 1 : -1;
      const bool is_inside = next[axis] >= 0 && next[axis] < grid_.cubes[axis];
      if (is_inside && cubes_[cube_index(grid_, next)].there) {
        continue;
      }
      VolumeFace face;
      const auto corners = face_of(low, high, axis, at_end);
      std::ranges::transform(corners, face.corners.begin(),
                             [this](const auto& corner) { return projector_.at(corner); });
      face.side = kSides[axis];
      face.is_running = cube.running;
      face.by_focus_thread = cube.focus;
      face.step = cube.step;
      faces_.push_back(face);
    }
  }

  const Grid& grid_;
  const std::vector<Cube>& cubes_;
  const Projector& projector_;
  std::vector<VolumeFace> faces_;
};

// The twelve edges; those at the farthest corner are behind.
std::vector<VolumeLine> edges(const std::array<float, 3>& low, const std::array<float, 3>& high,
                              const Projector& projector) {
  const auto corner = [&](unsigned bits) {
    std::array<float, 3> point = low;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      point[axis] = (bits >> axis & 1U) != 0 ? high[axis] : low[axis];
    }
    return point;
  };
  unsigned farthest = 0;
  for (unsigned bits = 1; bits < 8; ++bits) {
    farthest = projector.depth(corner(bits)) < projector.depth(corner(farthest)) ? bits : farthest;
  }
  std::vector<VolumeLine> lines;
  for (unsigned bits = 0; bits < 8; ++bits) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const unsigned other = bits | 1U << axis;
      if (other != bits) {
        lines.push_back({projector.at(corner(bits)), projector.at(corner(other)),
                         bits == farthest || other == farthest});
      }
    }
  }
  return lines;
}

}  // namespace

std::optional<Volume> make_volume(const StageShape& shape, const insight::BlockSums& sums) {
  if (!shape.has_matrix_l() || sums.is_too_large()) {
    return std::nullopt;
  }
  const Sheet& c = shape.sheets[size(shape.c)];
  Volume volume;
  volume.m = c.rows;
  volume.n = c.cols;
  volume.k = shape.sheets[size(shape.a)].cols;
  VolumeExtent rows;
  VolumeExtent cols;
  for (const insight::OwnedSum& sum : sums.sums()) {
    if (sum.at.launch_buffer == c.index && sum.kind == insight::SumKind::Products) {
      rows.add(sum.at.row);
      cols.add(sum.at.col);
    }
  }
  const auto columns = static_cast<std::size_t>(std::max(rows.count(), 0)) *
                       static_cast<std::size_t>(std::max(cols.count(), 0));
  if (columns == 0 || columns * static_cast<std::size_t>(volume.k) > kMostProducts) {
    return std::nullopt;
  }
  volume.row = rows.first;
  volume.col = cols.first;
  volume.rows = rows.count();
  volume.cols = cols.count();
  volume.steps.assign(columns * static_cast<std::size_t>(volume.k), Volume::kNever);
  volume.threads.assign(columns, Volume::kNever);
  bool any = false;
  for (std::size_t s = 0; s < sums.sums().size(); ++s) {
    const insight::OwnedSum& sum = sums.sums()[s];
    if (sum.at.launch_buffer != c.index || sum.kind != insight::SumKind::Products) {
      continue;
    }
    const std::size_t column =
        static_cast<std::size_t>(sum.at.row - volume.row) * static_cast<std::size_t>(volume.cols) +
        static_cast<std::size_t>(sum.at.col - volume.col);
    volume.threads[column] = sum.thread;
    for (const Product& product : sums.products(s)) {
      const std::optional<int> k = inner_index(product, sum.at, shape.sheets[size(shape.a)].index);
      if (!k) {
        return std::nullopt;  // not A[i][k]·B[k][j]: cubes would show another product
      }
      if (*k < volume.k) {
        volume.steps[column * static_cast<std::size_t>(volume.k) + static_cast<std::size_t>(*k)] =
            product.step;
        any = true;
      }
    }
  }
  return any ? std::optional(std::move(volume)) : std::nullopt;
}

VolumeCount count_products(const Volume& volume, const VolumeTime& time) {
  VolumeCount count;
  VolumeExtent ks;
  for (std::size_t at = 0; at < volume.steps.size(); ++at) {
    const std::uint32_t step = volume.steps[at];
    if (step == Volume::kNever) {
      continue;
    }
    ++count.all;
    count.done += step < time.to ? 1 : 0;
    if (step >= time.from && step < time.to) {
      ++count.running;
      ks.add(static_cast<int>(at % static_cast<std::size_t>(volume.k)));
    }
  }
  count.first_k = ks.first;
  count.last_k = ks.last;
  return count;
}

VolumePicture project(const Volume& volume, const VolumeTime& time, const state::VolumeView& view,
                      std::uint32_t focus_thread) {
  const Projector projector(volume, view);
  const Grid grid = grid_of(volume);
  VolumePicture picture;
  picture.faces = FaceMaker(grid, cubes_of(volume, grid, time, focus_thread), projector).make();
  const std::array<float, 3> whole{static_cast<float>(volume.m), static_cast<float>(volume.n),
                                   static_cast<float>(volume.k)};
  picture.frame = edges({}, whole, projector);
  picture.block = edges({static_cast<float>(volume.row), static_cast<float>(volume.col), 0.0F},
                        {static_cast<float>(volume.row + volume.rows),
                         static_cast<float>(volume.col + volume.cols), whole[2]},
                        projector);
  // Beside the middle of an edge of the nearer faces.
  const float j_end = projector.shows_end(1) ? whole[1] : 0.0F;
  const float k_end = projector.shows_end(2) ? whole[2] : 0.0F;
  picture.i_label = projector.at({0.5F * whole[0], j_end, whole[2] - k_end});
  picture.j_label = projector.at({0.0F, 0.5F * whole[1], whole[2] - k_end});
  picture.k_label = projector.at({0.0F, whole[1] - j_end, 0.5F * whole[2]});
  return picture;
}

}  // namespace tilestep::ui

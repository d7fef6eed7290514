#include "ui/stage/shape.h"

#include "ptx/model/module.h"
#include "ui/number_text.h"

#include <algorithm>

namespace tilestep::ui {
namespace {

using problem::ElementType;

// A one-dimensional array gets as many rows as it needs.
void wrap(Sheet& sheet, int columns) {
  const auto count = static_cast<int>(sheet.count);
  sheet.wrapped = true;
  sheet.rows = (count + columns - 1) / columns;
  sheet.cols = columns;
  sheet.pitch = static_cast<std::size_t>(columns);
}
void wrap_long(Sheet& sheet) {
  if (sheet.rows == 1 && sheet.cols > 2 * kWrapAt) {
    wrap(sheet, kWrapAt);
  }
}

// If no matrices form an L: about as many rows as columns, so that numbers are readable.
int columns_of_flat(std::size_t count) {
  return count <= 64 ? 8 : count <= 256 ? 16 : kWrapAt;
}
void wrap_to_square(Sheet& sheet) {
  const int columns = columns_of_flat(sheet.count);
  if ((sheet.rows == 1 || sheet.wrapped) && sheet.count > static_cast<std::size_t>(columns)) {
    wrap(sheet, columns);
  }
}

Sheet buffer_sheet(const problem::Buffer& buffer, std::uint32_t index) {
  Sheet sheet;
  sheet.kind = SheetKind::Buffer;
  sheet.name = buffer.name;
  sheet.rows = buffer.rows;
  sheet.cols = buffer.cols;
  sheet.count = static_cast<std::size_t>(buffer.rows) * static_cast<std::size_t>(buffer.cols);
  sheet.index = index;
  sheet.pitch = static_cast<std::size_t>(buffer.pitch);
  sheet.element = buffer.type;
  sheet.element_bytes = problem::byte_size(buffer.type);
  sheet.is_output = buffer.role != problem::BufferRole::Input;
  wrap_long(sheet);
  return sheet;
}

// The bytes of a block's shared memory that form one array.
struct SharedPart {
  std::uint32_t allocation = 0;
  std::string name;
  std::uint64_t offset = 0;  // from the allocation's start
  std::uint64_t bytes = 0;
  ptx::TypeId type = ptx::kNoType;
  bool is_element = false;  // `type` is the element's type
};

// Rows and columns from the declared type: the last dimension gives the columns, the others the
// rows. An array whose size the launch gives (extern) is as long as its memory.
Sheet shared_sheet(const ptx::Module& module, const SharedPart& part) {
  Sheet sheet;
  sheet.kind = SheetKind::Shared;
  sheet.name = part.name;
  sheet.index = part.allocation;
  sheet.offset = static_cast<std::size_t>(part.offset);
  std::vector<std::uint32_t> dims;
  if (part.is_element) {
    dims.push_back(0);  // as many as fit
  }
  const ptx::TypeId type = ptx::innermost_element(module, part.type, &dims);
  if (type != ptx::kNoType && module.types[type].bytes > 0) {
    sheet.element_bytes = module.types[type].bytes;
    sheet.element = element_type(module.types[type]);
  }
  sheet.count = static_cast<std::size_t>(part.bytes) / sheet.element_bytes;
  const std::size_t last = dims.size() > 1 ? dims.back() : sheet.count;
  sheet.cols = static_cast<int>(std::max<std::size_t>(last, 1));
  sheet.rows = static_cast<int>((sheet.count + std::max<std::size_t>(last, 1) - 1) /
                                std::max<std::size_t>(last, 1));
  sheet.pitch = last;
  if (dims.size() > 2 && dims[dims.size() - 2] > 0) {
    sheet.parts = std::max(sheet.rows / static_cast<int>(dims[dims.size() - 2]), 1);
    sheet.inner_parts.assign(dims.begin() + 1, dims.end() - 2);
  }
  wrap_long(sheet);
  return sheet;
}

// The arrays of an allocation: itself, or the arrays that the kernel makes of it, and the rest.
std::vector<SharedPart> shared_parts(const simt::Program& program, std::uint32_t allocation) {
  const simt::Array& whole = program.arrays()[allocation];
  const ptx::TypeId type = program.declared_type(whole);
  // A smaller rest is only padding for the next one's alignment.
  constexpr std::uint64_t kLeastRest = 128;
  std::vector<SharedPart> parts;
  std::uint64_t end = 0;
  const auto add_rest = [&](std::uint64_t to) {
    if (to >= end + (parts.empty() ? 1 : kLeastRest)) {
      parts.push_back({allocation, whole.name, end, to - end, type, false});
    }
  };
  for (const simt::Array& view : program.arrays()) {
    if (view.is_view() && view.allocation == allocation) {
      const std::uint64_t offset = view.base - whole.base;
      if (offset > end) {
        add_rest(offset);
      }
      parts.push_back({allocation, view.name, offset, view.bytes, view.element, true});
      end = offset + view.bytes;
    }
  }
  add_rest(whole.bytes);
  return parts;
}

// Threads per row of a one-dimensional block: a warp; for a single warp without an array of that
// length beside it a quarter, so that its numbers are larger.
int flat_columns(const simt::Program& program, const std::vector<Sheet>& sheets) {
  constexpr int kQuarter = 8;
  const auto total = static_cast<int>(program.threads_per_block());
  const bool has_array = std::ranges::any_of(sheets, [total](const Sheet& sheet) {
    return sheet.kind == SheetKind::Shared && sheet.cols >= total;
  });
  const auto lanes = static_cast<int>(program.warp_size());
  return total <= lanes && !has_array ? std::min(total, kQuarter) : std::min(total, lanes);
}

Sheet thread_sheet(const simt::Program& program, const std::string& accumulator,
                   const StageShape& shape) {
  Sheet sheet;
  sheet.kind = SheetKind::Threads;
  sheet.name = accumulator;
  sheet.count = program.threads_per_block();
  sheet.element = ElementType::F32;
  const problem::Dim3 block = program.launch().block;
  const auto total = static_cast<int>(sheet.count);
  const bool flat = block.y * block.z == 1;
  sheet.cols = !flat                  ? static_cast<int>(block.x)
               : shape.has_matrix_l() ? flat_columns(program, shape.sheets)
                                      : std::min(total, columns_of_flat(sheet.count));
  sheet.rows = (total + sheet.cols - 1) / sheet.cols;
  sheet.pitch = static_cast<std::size_t>(sheet.cols);
  return sheet;
}

void find_matrix_l(StageShape& shape) {
  const auto named = [&shape](const char* name) {
    const auto it = std::find_if(shape.sheets.begin(), shape.sheets.end(),
                                 [name](const Sheet& s) { return s.name == name && !s.wrapped; });
    return it == shape.sheets.end() ? kNoSheet : static_cast<int>(it - shape.sheets.begin());
  };
  const int a = named("A");
  const int b = named("B");
  const int c = named("C");
  if (a == kNoSheet || b == kNoSheet || c == kNoSheet) {
    return;
  }
  const Sheet& sa = shape.sheets[static_cast<std::size_t>(a)];
  const Sheet& sb = shape.sheets[static_cast<std::size_t>(b)];
  const Sheet& sc = shape.sheets[static_cast<std::size_t>(c)];
  if (sa.rows == sc.rows && sb.cols == sc.cols && sa.cols == sb.rows) {
    shape.a = a;
    shape.b = b;
    shape.c = c;
  }
}

}  // namespace

std::size_t cell_index(const Sheet& sheet, CellPlace place) {
  return static_cast<std::size_t>(place.row) * static_cast<std::size_t>(sheet.cols) +
         static_cast<std::size_t>(place.col);
}

CellPlace cell_place(const Sheet& sheet, std::size_t index) {
  const auto cols = static_cast<std::size_t>(sheet.cols);
  return {static_cast<int>(index / cols), static_cast<int>(index % cols)};
}

bool is_beside_l(const StageShape& shape, int sheet) {
  switch (shape.sheets[static_cast<std::size_t>(sheet)].kind) {
    case SheetKind::Buffer:
      return sheet != shape.a && sheet != shape.b && sheet != shape.c;
    case SheetKind::Shared:
      return sheet != shape.left && sheet != shape.top;
    case SheetKind::Threads:
      return false;
  }
  return false;
}

StageShape make_shape(const simt::Program& program, const std::string& accumulator) {
  StageShape shape;
  const problem::Launch& launch = program.launch();
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    shape.sheets.push_back(buffer_sheet(launch.buffers[i], static_cast<std::uint32_t>(i)));
  }
  find_matrix_l(shape);
  const auto allocations = program.allocations();
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].kind == simt::AllocationKind::Shared && allocations[i].bytes > 0) {
      for (const SharedPart& part : shared_parts(program, static_cast<std::uint32_t>(i))) {
        const int at = static_cast<int>(shape.sheets.size());
        if (shape.left == kNoSheet) {
          shape.left = at;
        } else if (shape.top == kNoSheet) {
          shape.top = at;
        }
        shape.sheets.push_back(shared_sheet(program.module(), part));
      }
    }
  }
  if (!shape.has_matrix_l()) {
    std::ranges::for_each(shape.sheets, wrap_to_square);
  }
  // Without shared memory the whole matrices fill the stage, and C shows the accumulators. Without
  // a C, only the threads can show them.
  if (shape.left != kNoSheet || !shape.has_matrix_l()) {
    shape.threads = static_cast<int>(shape.sheets.size());
    shape.sheets.push_back(thread_sheet(program, accumulator, shape));
  }
  return shape;
}

namespace {

// The last sheet that begins at or before the place: those of one allocation are consecutive.
// Before all of them: the first.
int sheet_at(const StageShape& shape, const simt::Place& place, SheetKind kind,
             std::uint32_t index) {
  int found = kNoSheet;
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    const bool is_of_it = sheet.kind == kind && sheet.index == index;
    if (is_of_it &&
        (found == kNoSheet || static_cast<std::int64_t>(sheet.offset) <= place.offset)) {
      found = static_cast<int>(i);
    }
  }
  return found;
}

}  // namespace

std::optional<SheetPlace> sheet_place(const StageShape& shape, const simt::Program& program,
                                      const simt::Place& place) {
  if (place.allocation == simt::kNoAllocation) {
    return std::nullopt;
  }
  const simt::Allocation& allocation = program.allocations()[place.allocation];
  const bool is_buffer = allocation.kind == simt::AllocationKind::Buffer;
  if (!is_buffer && allocation.kind != simt::AllocationKind::Shared) {
    return std::nullopt;
  }
  const int found = sheet_at(shape, place, is_buffer ? SheetKind::Buffer : SheetKind::Shared,
                             is_buffer ? allocation.launch_buffer : place.allocation);
  if (found == kNoSheet) {
    return std::nullopt;
  }
  const Sheet& sheet = shape.sheets[size(found)];
  const auto bytes = static_cast<std::int64_t>(sheet.element_bytes);
  const auto pitch = static_cast<std::int64_t>(std::max<std::size_t>(sheet.pitch, 1));
  // Rounds down also below zero, for accesses before the array.
  const auto floor_div = [](std::int64_t x, std::int64_t y) {
    return x >= 0 ? x / y : -((-x + y - 1) / y);
  };
  const std::int64_t element =
      floor_div(place.offset - static_cast<std::int64_t>(sheet.offset), bytes);
  const std::int64_t row = floor_div(element, pitch);
  const std::int64_t col = element - row * pitch;
  if ((col >= sheet.cols || row >= sheet.rows) && place.inside) {
    return std::nullopt;
  }
  return SheetPlace{found, static_cast<int>(row), static_cast<int>(col), place.inside};
}

std::size_t cell_offset(const Sheet& sheet, CellPlace place) {
  return sheet.offset +
         (static_cast<std::size_t>(place.row) * sheet.pitch + static_cast<std::size_t>(place.col)) *
             sheet.element_bytes;
}

}  // namespace tilestep::ui

#include "insight/names.h"

#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <span>
#include <vector>

namespace tilestep::insight {
namespace {

struct ParsedName {
  std::string name;
  std::vector<std::uint64_t> indices;
};

std::optional<ParsedName> parse(const std::string& text) {
  std::size_t at = text.find('[');
  if (at == 0 || at == std::string::npos) {
    return std::nullopt;
  }
  ParsedName parsed{text.substr(0, at), {}};
  while (at < text.size()) {
    const std::size_t end = text.find(']', at);
    if (text[at] != '[' || end == std::string::npos) {
      return std::nullopt;
    }
    std::uint64_t index = 0;
    const char* const from = text.data() + at + 1;
    const char* const to = text.data() + end;
    const auto [stop, error] = std::from_chars(from, to, index);
    if (error != std::errc() || stop != to) {
      return std::nullopt;
    }
    parsed.indices.push_back(index);
    at = end + 1;
  }
  return parsed;
}

Error out_of_shape(const std::string& text, const std::string& shape) {
  return {tr("{} is out of range: {}.", text, shape)};
}

Result<Cell> buffer_cell(const simt::Program& program, const simt::Allocation& allocation,
                         const std::string& text, const std::vector<std::uint64_t>& indices) {
  const problem::Buffer& buffer = program.launch().buffers[allocation.launch_buffer];
  const auto rows = static_cast<std::uint64_t>(buffer.rows);
  const auto cols = static_cast<std::uint64_t>(buffer.cols);
  const bool is_vector = indices.size() == 1 && buffer.rows == 1;
  if (indices.size() != 2 && !is_vector) {
    return fail(tr("{}: an element of {} needs a row and a column, for example {}[0][0].", text,
                   buffer.name, buffer.name));
  }
  const std::uint64_t row = is_vector ? 0 : indices[0];
  const std::uint64_t col = indices.back();
  if (row >= rows || col >= cols) {
    return tl::unexpected(
        out_of_shape(text, tr("{} has {} rows and {} columns", buffer.name, rows, cols)));
  }
  Cell cell;
  cell.bytes = static_cast<std::uint32_t>(problem::byte_size(buffer.type));
  cell.address =
      allocation.base + (row * static_cast<std::uint64_t>(buffer.pitch) + col) * cell.bytes;
  cell.launch_buffer = allocation.launch_buffer;
  return cell;
}

Result<Cell> shared_cell(const simt::Program& program, const simt::Array& allocation,
                         const std::string& text, const std::vector<std::uint64_t>& indices) {
  const ptx::Module& module = program.module();
  const bool is_view = allocation.is_view();
  ptx::TypeId type = program.type_of(allocation);
  Cell cell;
  cell.shared = true;
  std::uint64_t offset = 0;
  std::span<const std::uint64_t> rest = indices;
  if (is_view) {  // a pointer to elements of this type
    cell.bytes = module.types[type].bytes;
    if (indices.front() >= allocation.bytes / cell.bytes) {
      return tl::unexpected(out_of_shape(
          text, tr("there are {} elements, counted from 0", allocation.bytes / cell.bytes)));
    }
    offset = indices.front() * cell.bytes;
    rest = rest.subspan(1);
  }
  for (const std::uint64_t index : rest) {
    const bool known = type != ptx::kNoType;
    const bool is_array = known && module.types[type].kind == ptx::TypeKind::Array;
    if (known && !is_array) {
      return fail(tr("{}: {} has fewer dimensions. Remove an index.", text, allocation.name));
    }
    if (is_array && module.types[type].count != 0 && index >= module.types[type].count) {
      return tl::unexpected(out_of_shape(
          text, tr("there are {} elements, counted from 0", module.types[type].count)));
    }
    if (is_array) {
      type = module.types[type].element;
    }
    const bool sized = known && type != ptx::kNoType && module.types[type].bytes != 0;
    cell.bytes = sized ? module.types[type].bytes : 4;
    offset += index * cell.bytes;
  }
  if (type != ptx::kNoType && module.types[type].kind == ptx::TypeKind::Array) {
    return fail(tr("{} is a whole row. Add the index of an element.", text));
  }
  cell.address = allocation.base + offset;
  cell.type = type;
  if (offset + cell.bytes > allocation.bytes) {
    return tl::unexpected(
        out_of_shape(text, tr("{} has {} bytes", allocation.name, allocation.bytes)));
  }
  return cell;
}

}  // namespace

std::string coordinates(const problem::Dim3& index, const problem::Launch& launch) {
  if (launch.block.z > 1 || launch.grid.z > 1) {
    return fmt::format("({},{},{})", index.x, index.y, index.z);
  }
  return launch.block.y > 1 || launch.grid.y > 1 ? fmt::format("({},{})", index.x, index.y)
                                                 : fmt::format("{}", index.x);
}

std::string block_name(const problem::Dim3& block, const problem::Launch& launch) {
  return tr("block {}", coordinates(block, launch));
}

std::string thread_name(const problem::Dim3& thread, const problem::Launch& launch) {
  return tr("thread {}", coordinates(thread, launch));
}

std::string thread_of_block(const problem::Dim3& thread, const problem::Dim3& block,
                            const problem::Launch& launch) {
  return tr("thread {} of block {}", coordinates(thread, launch), coordinates(block, launch));
}

const char* verb_of_several(simt::AccessKind kind) {
  switch (kind) {
    case simt::AccessKind::Load:
      return tr("read");
    case simt::AccessKind::Store:
      return tr("store");
    case simt::AccessKind::Atomic:
      return tr("atomically update");
  }
  return "";
}

std::string verb(std::optional<simt::AccessKind> kind) {
  if (!kind) {
    return tr("uses");
  }
  switch (*kind) {
    case simt::AccessKind::Load:
      return tr("reads");
    case simt::AccessKind::Store:
      return tr("stores");
    case simt::AccessKind::Atomic:
      return tr("atomically updates");
  }
  return "";
}

std::string with_verb(const std::string& who, std::optional<simt::AccessKind> kind) {
  return kind ? who + " " + verb(kind) : who;
}

bool looks_like_cell(const std::string& text) {
  return parse(text).has_value();
}

Result<Cell> find_cell(const simt::Program& program, const std::string& text) {
  const std::optional<ParsedName> parsed = parse(text);
  if (!parsed) {
    return fail(tr("{}: write an element like A[1][2] or As[1][2].", text));
  }
  std::vector<std::string> known;
  for (const simt::Array& allocation : program.arrays()) {
    const bool is_buffer = allocation.kind == simt::AllocationKind::Buffer;
    if (!is_buffer && allocation.kind != simt::AllocationKind::Shared) {
      continue;
    }
    if (!is_buffer && allocation.name == text) {  // a piece of an array: "ends[1]"
      return Cell{text, allocation.base, static_cast<std::uint32_t>(allocation.bytes), true,
                  program.type_of(allocation)};
    }
    if (allocation.name != parsed->name) {
      known.push_back(allocation.name);
      continue;
    }
    Result<Cell> cell = is_buffer ? buffer_cell(program, allocation, text, parsed->indices)
                                  : shared_cell(program, allocation, text, parsed->indices);
    if (cell) {
      cell->name = record::place_name(program, program.locate(cell->address, cell->bytes));
    }
    return cell;
  }
  return fail(
      tr("{}: {} does not exist. This launch has {}.", text, parsed->name, fmt::join(known, ", ")));
}

}  // namespace tilestep::insight

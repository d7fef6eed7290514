#include "insight/events/thread_expression.h"

#include "insight/names.h"
#include "problem/tr.h"
#include "ptx/model/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>

namespace tilestep::insight {
namespace {

struct NumberFound {
  double value = 0.0;
  bool is_float = false;
};
// Empty: it has no value now.
using Found = Result<std::optional<NumberFound>>;

std::optional<std::uint32_t> axis_of(const problem::Dim3& dim, std::string_view axis) {
  return axis == "x"   ? std::optional(dim.x)
         : axis == "y" ? std::optional(dim.y)
         : axis == "z" ? std::optional(dim.z)
                       : std::nullopt;
}

std::optional<std::uint32_t> special(const simt::Program& program, std::string_view name,
                                     std::uint32_t block, std::uint32_t thread) {
  const auto warp_size = program.warp_size();
  const std::size_t dot = name.find('.');
  const std::string_view head = name.substr(0, dot);
  const std::string_view axis = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  if (head == "threadIdx") {
    return axis_of(program.thread_index(thread), axis);
  }
  if (head == "blockIdx") {
    return axis_of(program.block_index(block), axis);
  }
  if (head == "blockDim") {
    return axis_of(program.launch().block, axis);
  }
  if (head == "gridDim") {
    return axis_of(program.launch().grid, axis);
  }
  return name == "warpSize" ? std::optional(warp_size)
         : name == "lane"   ? std::optional(thread % warp_size)
         : name == "warp"   ? std::optional(thread / warp_size)
                            : std::nullopt;
}

bool is_position(std::string_view name) {
  return name == "step" || name == "statement";
}

std::string head_of(const std::string& name) {
  return name.substr(0, name.find_first_of(".["));
}

template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

std::optional<NumberFound> number_of(const ptx::Module& module, ptx::TypeId type,
                                     std::span<const std::byte> bytes) {
  using Kind = ptx::TypeKind;
  if (type >= module.types.size() || bytes.size() > 8) {
    return std::nullopt;
  }
  const auto raw = from_bytes<std::uint64_t>(bytes);
  const auto shift = static_cast<int>(64 - 8 * bytes.size());
  switch (module.types[type].kind) {
    case Kind::Float:
      return bytes.size() == 8 ? std::optional(NumberFound{from_bytes<double>(bytes), true})
             : bytes.size() == 4
                 ? std::optional(NumberFound{static_cast<double>(from_bytes<float>(bytes)), true})
                 : std::nullopt;
    case Kind::Bool:
    case Kind::UnsignedInteger:
    case Kind::UnsignedChar:
      return NumberFound{static_cast<double>(raw), false};
    case Kind::SignedInteger:
    case Kind::SignedChar:
    case Kind::Enumeration:
      return NumberFound{static_cast<double>(static_cast<std::int64_t>(raw << shift) >> shift),
                         false};
    default:
      return std::nullopt;
  }
}

Found not_a_number(const std::string& name, const std::string& what) {
  return fail(tr("{} is {}, not a number. Compare one of its elements, or a number.", name, what));
}

// Members and indices of a variable's value: ".x", "[1][2]".
Found part_of(const ptx::Module& module, const std::string& name, const record::Value& value) {
  ptx::TypeId type = value.type;
  std::span<const std::byte> bytes = value.bytes;
  std::size_t at = head_of(name).size();
  while (at < name.size() && type < module.types.size()) {
    const ptx::SourceType& t = module.types[type];
    const bool is_index = name[at] == '[';
    const std::size_t end =
        is_index ? name.find(']', at) : std::min(name.find_first_of(".[", at + 1), name.size());
    const std::string part = name.substr(at + 1, std::min(end, name.size()) - at - 1);
    std::size_t offset = 0;
    if (is_index) {
      std::size_t index = 0;
      const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (end == std::string::npos || error != std::errc{} || stop != part.data() + part.size() ||
          t.kind != ptx::TypeKind::Array || t.element >= module.types.size()) {
        return fail(tr(
            "{}: only an array has an index, and the index must be a number, as in acc[1].", name));
      }
      type = t.element;
      offset = index * module.types[type].bytes;
    } else {
      const auto member =
          std::ranges::find_if(t.members, [&](const ptx::Member& m) { return m.name == part; });
      if (member == t.members.end()) {
        return fail(tr("{}: there is no member {}.", name, part));
      }
      type = member->type;
      offset = member->offset;
    }
    const std::size_t size = module.types[type].bytes;
    if (offset + size > bytes.size()) {
      return fail(tr("{} is outside the variable.", name));
    }
    bytes = bytes.subspan(offset, size);
    at = is_index ? end + 1 : end;
  }
  const auto number = number_of(module, type, bytes);
  return number ? Found(*number) : not_a_number(name, tr("an array, a struct or a pointer"));
}

// An element of a shared array or of a buffer, as the thread sees it.
Found element_in_memory(const record::State& state, const std::string& name, std::uint32_t block,
                        std::uint32_t thread) {
  const simt::Program& program = state.machine().program();
  const Result<Cell> cell = find_cell(program, name);
  if (!cell) {
    return tl::unexpected(cell.error());
  }
  std::vector<std::byte> bytes(cell->bytes);
  if (cell->shared) {
    const std::span<const std::byte> shared = state.shared(block);
    const std::uint64_t offset = cell->address % simt::kWindowBytes;
    if (offset + cell->bytes > shared.size()) {
      return std::optional<NumberFound>();
    }
    std::copy_n(shared.begin() + static_cast<std::ptrdiff_t>(offset), cell->bytes, bytes.begin());
  } else if (const auto read = state.machine().read(block, thread, cell->address, cell->bytes)) {
    bytes = *read;
  } else {
    return std::optional<NumberFound>();
  }
  if (!cell->shared) {
    const problem::ElementType type = program.launch().buffers[cell->launch_buffer].type;
    const bool is_float = type == problem::ElementType::F32 || type == problem::ElementType::F64;
    return NumberFound{problem::load_element(type, bytes.data()), is_float};
  }
  const auto number = number_of(program.module(), cell->type, bytes);
  return number ? *number : NumberFound{static_cast<double>(from_bytes<float>(bytes)), true};
}

bool is_array_in_memory(const simt::Program& program, const std::string& name) {
  const auto& all = program.arrays();
  return std::ranges::any_of(all, [&](const simt::Allocation& allocation) {
    return allocation.name == name && (allocation.kind == simt::AllocationKind::Buffer ||
                                       allocation.kind == simt::AllocationKind::Shared);
  });
}

Found value_of_name(const record::State& state, const std::string& name, std::uint32_t block,
                    std::uint32_t thread) {
  const simt::Program& program = state.machine().program();
  if (const auto index = special(program, name, block, thread)) {
    return NumberFound{static_cast<double>(*index), false};
  }
  if (looks_like_cell(name) &&
      (is_array_in_memory(program, head_of(name)) || is_array_in_memory(program, name))) {
    return element_in_memory(state, name, block, thread);
  }
  const auto value = state.variable(block, thread, head_of(name));
  using Status = record::Value::Status;
  if (value && (value->status == Status::Ok || value->status == Status::ThreadExited)) {
    return part_of(program.module(), name, *value);
  }
  return std::optional<NumberFound>();
}

// Names in all functions: a breakpoint may be in any of them.
std::set<std::string> known_names(const simt::Program& program) {
  std::set<std::string> names;
  for (const ptx::Function& function : program.module().functions) {
    for (const ptx::SourceVariable& variable : function.source_variables) {
      names.insert(variable.name);
    }
  }
  for (const simt::Array& array : program.arrays()) {
    names.insert(array.name);
  }
  names.erase("");
  return names;
}

}  // namespace

Result<ThreadExpression> ThreadExpression::parse(const std::string& text) {
  auto whole = problem::NamedExpression::parse(text, problem::Division::Integer);
  if (!whole) {
    return tl::unexpected(whole.error());
  }
  auto real = problem::NamedExpression::parse(text, problem::Division::Real);
  if (!real) {
    return tl::unexpected(real.error());
  }
  return ThreadExpression(text, std::move(*whole), std::move(*real));
}

std::optional<Error> ThreadExpression::mistake(const simt::Program& program) const {
  const std::set<std::string> known = known_names(program);
  for (const std::string& name : whole_.names()) {
    const bool is_known =
        is_position(name) || special(program, name, 0, 0) || known.contains(head_of(name));
    if (!is_known) {
      return Error{
          tr("\"{}\": the kernel has no variable {}. It has {}; threadIdx.x, blockIdx.x, lane, "
             "warp, step and statement are also known.",
             text_, name, fmt::join(known, ", "))};
    }
  }
  return std::nullopt;
}

Result<std::optional<double>> ThreadExpression::evaluate(const record::Recording& recording,
                                                         const record::State& state,
                                                         std::uint32_t block,
                                                         std::uint32_t thread) {
  std::vector<double> values;
  bool any_float = false;
  for (const std::string& name : whole_.names()) {
    if (is_position(name)) {
      values.push_back(name == "step"
                           ? static_cast<double>(state.step())
                           : static_cast<double>(recording.statement_of(state.step())) + 1.0);
      continue;
    }
    const Found found = value_of_name(state, name, block, thread);
    if (!found) {
      return tl::unexpected(found.error());
    }
    if (!*found) {
      return std::optional<double>();
    }
    values.push_back((*found)->value);
    any_float = any_float || (*found)->is_float;
  }
  const Result<double> value = (any_float ? real_ : whole_).evaluate(values);
  return value ? Result<std::optional<double>>(*value) : tl::unexpected(value.error());
}

std::string expression_value(std::optional<double> value) {
  if (!value) {
    return "no value";
  }
  if (std::isnan(*value)) {
    return "NaN";
  }
  return fmt::format("{}{:g}", *value < 0 ? "−" : "", std::abs(*value));
}

}  // namespace tilestep::insight

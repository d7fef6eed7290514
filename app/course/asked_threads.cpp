#include "course/asked.h"
#include "insight/count/access_layout.h"
#include "insight/events/thread_expression.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

namespace tilestep::course {
namespace {

std::string thread_text(const Spot& spot) {
  return thread_value(spot.program(), spot.block, spot.thread).phrase;
}

// The value of one of the thread's expressions.
Result<Value> held(const Asked& asked, const std::string& what) {
  const auto spot = spot_of(asked);
  auto expression = insight::ThreadExpression::parse(what);
  TILESTEP_RETURN_IF_ERROR(spot);
  TILESTEP_RETURN_IF_ERROR(expression);
  if (const auto mistake = expression->mistake(spot->program())) {
    return tl::unexpected(*mistake);
  }
  const record::State state = spot->recording.state_at(spot->step);
  const auto value = expression->evaluate(spot->recording, state, spot->block, spot->thread);
  TILESTEP_RETURN_IF_ERROR(value);
  if (!*value || !std::isfinite(**value)) {
    return fail(tr("{} of {} has no value at step {}.", what, thread_text(*spot), spot->step));
  }
  return number_value(**value);
}

Result<Value> value_answer(const Asked& asked) {
  return held(asked, asked.call.parts.front().source);
}

Result<Value> cell_answer(const Asked& asked) {
  const std::string& name = name_of(asked, 0);
  const auto spot = spot_of(asked);
  const auto cell = spot ? insight::find_cell(spot->program(), name) : tl::unexpected(spot.error());
  return cell ? held(asked, name) : tl::unexpected(cell.error());
}

Result<Value> writer_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  const auto cell =
      spot ? insight::find_cell(spot->program(), name_of(asked, 0)) : tl::unexpected(spot.error());
  TILESTEP_RETURN_IF_ERROR(cell);
  const record::State state = spot->recording.state_at(spot->step);
  const std::uint64_t word = cell->address % simt::kWindowBytes / 4;
  const record::Writer writer = cell->shared ? state.shared_writer(spot->block, word)
                                             : state.buffer_writer(cell->launch_buffer, word);
  if (!writer.written) {
    return fail(tr("No thread has stored {} by step {}.", cell->name, spot->step));
  }
  return thread_value(spot->program(), writer.block, writer.thread);
}

Result<Value> source_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(spot);
  const auto& origin =
      asked.run().origin({name_of(asked, 0), spot->step, spot->block, spot->thread});
  TILESTEP_RETURN_IF_ERROR(origin);
  if (origin->elements.size() != 1) {
    return fail(tr("{} comes from {} elements at step {}, not from exactly one.", origin->name,
                   origin->elements.size(), spot->step));
  }
  return cell_value(insight::name_of(spot->program(), origin->elements.front()));
}

const simt::Array* find_array(const simt::Program& program, const std::string& name) {
  const auto arrays = program.arrays();
  const auto found = std::ranges::find(arrays, name, &simt::Array::name);
  return found == arrays.end() ? nullptr : &*found;
}

Error no_array(const simt::Program& program, const std::string& name) {
  std::vector<std::string> known;
  for (const simt::Array& array : program.arrays()) {
    known.push_back(array.name);
  }
  return {tr("{} does not exist. This launch has {}.", name, fmt::join(known, ", "))};
}

// The warp's accesses to an array in the previous statement.
Result<std::vector<record::Access>> accesses_to(const Spot& spot, const std::string& name) {
  const simt::Program& program = spot.program();
  if (find_array(program, name) == nullptr) {
    return tl::unexpected(no_array(program, name));
  }
  std::vector<record::Access> all;
  for (record::Access& access : statement_before(spot).accesses) {
    if (access.warp != simt::WarpId{spot.block, spot.warp()} || access.event.mask == 0 ||
        access.event.agent != simt::AccessAgent::Thread) {
      continue;
    }
    const auto lane = static_cast<std::size_t>(std::countr_zero(access.event.mask));
    const simt::Place place =
        program.locate_array(access.event.addresses[lane], access.event.bytes);
    if (place.allocation < program.arrays().size() &&
        program.arrays()[place.allocation].name == name) {
      all.push_back(std::move(access));
    }
  }
  if (all.empty()) {
    return fail(tr("The statement before step {} does not access {} in the warp of {}.", spot.step,
                   name, thread_text(spot)));
  }
  return all;
}

Result<Value> read_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  const auto accesses = spot ? accesses_to(*spot, name_of(asked, 0)) : tl::unexpected(spot.error());
  TILESTEP_RETURN_IF_ERROR(accesses);
  std::set<std::string> cells;
  for (const record::Access& access : *accesses) {
    if (access.event.kind == simt::AccessKind::Load && (access.event.mask >> spot->lane() & 1U)) {
      const std::uint64_t address = access.event.addresses[spot->lane()];
      cells.insert(record::place_name(spot->program(),
                                      spot->program().locate_array(address, access.event.bytes)));
    }
  }
  if (cells.size() != 1) {
    return fail(tr("{} reads {} elements of {} in the previous statement, not exactly one.",
                   thread_text(*spot), cells.size(), name_of(asked, 0)));
  }
  return cell_value(*cells.begin());
}

// The elements of buffers that a thread stores.
class StoresOf final : public simt::Observer {
 public:
  StoresOf(const Spot& spot, std::string buffer) : spot_(spot), buffer_(std::move(buffer)) {}

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    const simt::Program& program = spot_.program();
    if (info.id != simt::WarpId{spot_.block, spot_.warp()} ||
        event.kind != simt::AccessKind::Store || !(event.mask >> spot_.lane() & 1U)) {
      return;
    }
    const simt::Place place = program.locate(event.addresses[spot_.lane()], event.bytes);
    if (place.allocation >= program.allocations().size() || !place.inside) {
      return;
    }
    const simt::Allocation& allocation = program.allocations()[place.allocation];
    if (allocation.kind == simt::AllocationKind::Buffer &&
        (buffer_.empty() || allocation.name == buffer_)) {
      cells_.insert(record::place_name(program, place));
    }
  }
  [[nodiscard]] const std::set<std::string>& cells() const { return cells_; }

 private:
  const Spot& spot_;
  std::string buffer_;
  std::set<std::string> cells_;
};

Result<Value> stored_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(spot);
  StoresOf stores(*spot, argument_count(asked) == 0 ? "" : name_of(asked, 0));
  spot->recording.replay(0, spot->recording.step_count(), stores);
  if (stores.cells().size() != 1) {
    return fail(
        tr("{} stores {} elements, not exactly one.", thread_text(*spot), stores.cells().size()));
  }
  return cell_value(*stores.cells().begin());
}

// The names of an array's elements.
std::vector<std::string> cells_of(const simt::Program& program, const simt::Array& array) {
  std::vector<std::string> names;
  const bool is_buffer = array.kind == simt::AllocationKind::Buffer;
  if (is_buffer) {
    const problem::Buffer& buffer = program.launch().buffers[array.launch_buffer];
    for (int row = 0; row < buffer.rows; ++row) {
      for (int col = 0; col < buffer.cols; ++col) {
        names.push_back(problem::element_name(buffer, row, col));
      }
    }
    return names;
  }
  for (std::uint64_t offset = 0; offset + 4 <= array.bytes; offset += 4) {
    std::string name = record::place_name(program, program.locate_array(array.base + offset, 4));
    if (names.empty() || names.back() != name) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

Result<Value> cells_answer(const Asked& asked) {
  const auto& prepared = asked.run().prepared();
  TILESTEP_RETURN_IF_ERROR(prepared);
  const simt::Array* const array = find_array(*prepared->program, name_of(asked, 0));
  if (array == nullptr) {
    return tl::unexpected(no_array(*prepared->program, name_of(asked, 0)));
  }
  return number_value(static_cast<double>(cells_of(*prepared->program, *array).size()));
}

// Whether the value stored last to a cell is not an element's.
Result<bool> is_constant(Run& run, const Spot& spot, const std::string& name) {
  const auto cell = insight::find_cell(spot.program(), name);
  TILESTEP_RETURN_IF_ERROR(cell);
  const auto& origin = run.origin({name, spot.step, spot.block, spot.thread});
  TILESTEP_RETURN_IF_ERROR(origin);
  return origin->writer && origin->writer->written && origin->elements.empty();
}

Result<Value> constants_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(spot);
  const std::string& name = name_of(asked, 0);
  const simt::Array* const array = find_array(spot->program(), name);
  if (array == nullptr) {
    return tl::unexpected(no_array(spot->program(), name));
  }
  int constants = 0;
  for (const std::string& cell : cells_of(spot->program(), *array)) {
    const auto constant = is_constant(asked.run(), *spot, cell);
    TILESTEP_RETURN_IF_ERROR(constant);
    constants += *constant ? 1 : 0;
  }
  return number_value(constants);
}

// The active lanes of the warp in the previous statement, and the lanes with a thread.
struct LanesOn {
  int on = 0;
  int threads = 0;
};
Result<LanesOn> lanes_on(const Asked& asked) {
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(spot);
  std::uint32_t mask = 0;
  for (const record::Activity::Executed& executed : statement_before(*spot).executed) {
    mask |= executed.warp == simt::WarpId{spot->block, spot->warp()} ? executed.mask : 0;
  }
  if (mask == 0) {
    return fail(tr("The warp of {} executes nothing in the statement before step {}.",
                   thread_text(*spot), spot->step));
  }
  const auto size = static_cast<std::uint32_t>(spot->program().warp_size());
  const std::uint32_t threads = spot->program().threads_per_block() - spot->warp() * size;
  return LanesOn{std::popcount(mask), static_cast<int>(std::min(size, threads))};
}

Result<Value> active_answer(const Asked& asked) {
  const auto lanes = lanes_on(asked);
  return lanes ? Result<Value>(number_value(lanes->on)) : tl::unexpected(lanes.error());
}
Result<Value> masked_answer(const Asked& asked) {
  const auto lanes = lanes_on(asked);
  return lanes ? Result<Value>(number_value(lanes->threads - lanes->on))
               : tl::unexpected(lanes.error());
}

// The layout of the accesses to the array in that statement, which must agree.
Result<Value> layout_answer(const Asked& asked,
                            std::size_t (*count)(const insight::AccessLayout&)) {
  const auto spot = spot_of(asked);
  const auto accesses = spot ? accesses_to(*spot, name_of(asked, 0)) : tl::unexpected(spot.error());
  TILESTEP_RETURN_IF_ERROR(accesses);
  std::set<std::size_t> counts;
  for (const record::Access& access : *accesses) {
    counts.insert(count(insight::lay_out(access.event)));
  }
  if (counts.size() != 1) {
    return fail(tr("The accesses to {} in the previous statement have different counts: {}.",
                   name_of(asked, 0), fmt::join(counts, tr(" and "))));
  }
  return number_value(static_cast<double>(*counts.begin()));
}

Result<Value> sectors_answer(const Asked& asked) {
  return layout_answer(asked,
                       [](const insight::AccessLayout& layout) { return layout.sectors.size(); });
}
Result<Value> passes_answer(const Asked& asked) {
  return layout_answer(
      asked, [](const insight::AccessLayout& layout) { return std::size_t{layout.passes}; });
}

// The line that the thread executes next.
Result<Value> line_answer(const Asked& asked) {
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(spot);
  const std::uint32_t line = spot->recording.state_at(spot->step).line(spot->block, spot->thread);
  if (line == 0) {
    return fail(tr("{} has ended by step {}.", thread_text(*spot), spot->step));
  }
  return line_value(line);
}

// thread(X, Y)
Result<Value> thread_answer(const Asked& asked) {
  const auto x = whole_number_of(asked, 0);
  const auto y = argument_count(asked) > 1 ? whole_number_of(asked, 1) : Result<int>(0);
  const auto spot = spot_of(asked);
  TILESTEP_RETURN_IF_ERROR(x);
  TILESTEP_RETURN_IF_ERROR(y);
  TILESTEP_RETURN_IF_ERROR(spot);
  const problem::Dim3& block = spot->program().launch().block;
  const bool is_there = *x >= 0 && *y >= 0 && static_cast<std::uint32_t>(*x) < block.x &&
                        static_cast<std::uint32_t>(*y) < block.y;
  if (!is_there) {
    return fail(
        tr("There is no thread ({},{}): a block has {}×{} threads.", *x, *y, block.x, block.y));
  }
  return thread_value(spot->program(), spot->block,
                      static_cast<std::uint32_t>(*y) * block.x + static_cast<std::uint32_t>(*x));
}

constexpr std::array kThreadAnswers = std::to_array<AnswerOf>({{"value", value_answer},
                                                               {"cell", cell_answer},
                                                               {"writer", writer_answer},
                                                               {"source", source_answer},
                                                               {"read", read_answer},
                                                               {"stored", stored_answer},
                                                               {"constants", constants_answer},
                                                               {"cells", cells_answer},
                                                               {"active", active_answer},
                                                               {"masked", masked_answer},
                                                               {"sectors", sectors_answer},
                                                               {"passes", passes_answer},
                                                               {"line", line_answer},
                                                               {"thread", thread_answer}});

}  // namespace

std::span<const AnswerOf> thread_answers() {
  return kThreadAnswers;
}

}  // namespace tilestep::course

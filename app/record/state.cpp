#include "record/state.h"

#include "record/tracks.h"

#include <algorithm>
#include <cstring>

namespace tilestep::record {
namespace {

// Whether the thread moves no more: it has exited, or a fault stopped it or its block.
bool has_ended(const StateData& data, const LanePlace& place) {
  const WarpTrack& track = data.tracks.warp(place.id);
  if (track.exit != nullptr && ((track.exit->mask >> place.lane) & 1U) != 0) {
    return true;
  }
  switch (data.machine.block_status(place.id.block)) {
    case simt::BlockStatus::NotStarted:
      return false;
    case simt::BlockStatus::Running:
      return ((data.machine.warp(place.id).live >> place.lane) & 1U) == 0;
    case simt::BlockStatus::Ended:
    case simt::BlockStatus::Stopped:
      return true;
  }
  return true;
}

// Calls f(function, pc, frame, position) for the lane's frames, outermost first.
template <class F>
void for_each_frame(const StateData& data, const LanePlace& place, F&& f) {
  const WarpTrack& track = data.tracks.warp(place.id);
  if (track.frames.empty()) {
    f(data.tables->entry, 0U, 0U, LanePosition{});
    return;
  }
  const LanePosition position = lane_position(data, place);
  struct At {
    std::uint32_t frame;
    std::uint32_t pc;
  };
  std::vector<At> chain{{position.frame, position.pc}};  // innermost first
  while (chain.back().frame != 0) {
    const Frame& callee = track.frames[chain.back().frame];
    chain.push_back({callee.caller, callee.call_pc});
  }
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    f(track.frames[at->frame].function, at->pc, at->frame, position);
  }
}

NamedValue named(const ptx::SourceVariable& variable) {
  return {variable.name, variable.is_parameter, {Value::Status::Unreadable, variable.type, {}}};
}

// Inner variables hide outer ones of the same name.
void add(std::vector<NamedValue>& values, NamedValue value) {
  std::erase_if(values, [&](const NamedValue& v) { return v.name == value.name; });
  values.push_back(std::move(value));
}

std::vector<NamedValue> ended_variables(const StateData& data, const LanePlace& place) {
  const ptx::Module& module = data.tables->program->module();
  const std::shared_ptr<const ExitImage>& exit = data.tracks.warp(place.id).exit;
  if (exit == nullptr || ((exit->mask >> place.lane) & 1U) == 0) {
    return {};  // its block was stopped while it waited: it has no values left
  }
  const ExitImage& image = *exit;
  const std::uint32_t entry = data.tables->entry;
  const auto& variables = data.tables->functions[entry].visible_sets[image.visible];
  const auto& sources = module.functions[entry].source_variables;
  const ExitLayout layout(*data.tables, variables);
  const auto lane = static_cast<std::size_t>(place.lane);
  std::vector<NamedValue> values;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    NamedValue value = named(sources[variables[i]]);
    value.value.status = image.statuses[variables.size() * lane + i];
    if (value.value.status == Value::Status::Ok) {
      const std::byte* const at = image.bytes.data() + layout.at(i, lane);
      value.value.status = Value::Status::ThreadExited;
      value.value.bytes.assign(at, at + layout.size(i));
    }
    add(values, std::move(value));
  }
  return values;
}

void read_live(const StateData& data, const LanePlace& place, const LanePosition& position,
               const LiveVariable& found, Value& value) {
  const ptx::Module& module = data.tables->program->module();
  value.type = module.functions[found.function].source_variables[found.variable].type;
  value.bytes.resize(type_bytes(module, value.type));
  value.status = read_variable(data, place, position, found.frame, found.variable, value.bytes);
  if (value.status != Value::Status::Ok) {
    value.bytes.clear();
  }
}

// The innermost visible variable of that name.
std::optional<LiveVariable> find_live(const StateData& data, const LanePlace& place,
                                      const std::string& name) {
  std::optional<LiveVariable> found;
  for_each_frame(data, place,
                 [&](std::uint32_t function, std::uint32_t pc, std::uint32_t frame, LanePosition) {
                   const FunctionTable& table = data.tables->functions[function];
                   const auto& sources =
                       data.tables->program->module().functions[function].source_variables;
                   for (const std::uint32_t v : table.visible_sets[table.pcs[pc].visible]) {
                     if (sources[v].name == name) {
                       found = LiveVariable{function, v, frame};
                     }
                   }
                 });
  return found;
}

LanePosition position_of(const StateData& data, const LanePlace& place) {
  return data.tracks.warp(place.id).frames.empty() ? LanePosition{} : lane_position(data, place);
}

// A __shared__, __device__ or __constant__ variable of the module.
std::optional<Value> memory_variable(const StateData& data, const LanePlace& place,
                                     const std::string& name) {
  const simt::Program& program = *data.tables->program;
  for (const simt::Allocation& allocation : program.allocations()) {
    if (!allocation.is_variable() || allocation.name != name) {
      continue;
    }
    Value value{Value::Status::Unreadable, program.declared_type(allocation), {}};
    const std::uint32_t thread =
        program.thread_of(place.id, static_cast<std::uint32_t>(place.lane));
    if (auto bytes = data.machine.read(place.id.block, thread, allocation.base, allocation.bytes)) {
      value.status = Value::Status::Ok;
      value.bytes = std::move(*bytes);
    }
    return value;
  }
  return std::nullopt;
}

Writer unpack(const WriterWord& word) {
  return word.step == 0
             ? Writer{}
             : Writer{word.block, word.thread, std::uint64_t{word.step} - 1, word.line, true};
}

using Status = Value::Status;

void store_bits(std::uint64_t bits, std::span<std::byte> out) {
  std::memcpy(out.data(), &bits, std::min(out.size(), sizeof bits));
}

bool has_lane(std::uint32_t mask, int lane) {
  return ((mask >> lane) & 1U) != 0;
}

// The position to read from: one lane in one frame of a running warp.
struct Reader {
  const StateData& state;
  const LanePlace& place;
  const Frame& frame;
  std::uint32_t number;  // of the frame

  [[nodiscard]] std::uint64_t reg(const ptx::Register& r) const {
    return state.machine.register_lane(place.id, r, place.lane, number);
  }
  [[nodiscard]] std::uint32_t thread() const {
    return state.tables->program->thread_of(place.id, static_cast<std::uint32_t>(place.lane));
  }
  [[nodiscard]] Status memory(std::uint64_t address, std::span<std::byte> out) const {
    const std::optional<std::vector<std::byte>> bytes =
        state.machine.read(place.id.block, thread(), address, out.size());
    if (!bytes) {
      return Status::Unreadable;
    }
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return Status::Ok;
  }
};

// Assignments that the lane has arrived at and that the tracker will apply when the instruction
// executes.
struct Pending {
  bool cleared = false;
  const ptx::Register* snapshot = nullptr;
};

Pending pending_at(const FunctionTable& table, std::uint32_t pc, std::uint32_t variable) {
  Pending pending;
  for (const Action& action : table.actions_at(table.pcs[pc])) {
    if (action.variable == variable && action.kind == Action::Kind::Clear) {
      pending = {true, nullptr};
    } else if (action.variable == variable && action.kind == Action::Kind::Snapshot) {
      pending.snapshot = &action.reg;
    }
  }
  return pending;
}

Status read_snapshot(const Reader& reader, const VariableSlot& slot, std::span<std::byte> out) {
  const std::uint32_t* words = reader.frame.words.data() + slot.snapshot;
  std::uint64_t bits = 0;
  if (slot.wide) {
    std::memcpy(&bits, words + 2 * reader.place.lane, sizeof bits);
  } else {
    bits = words[reader.place.lane];
  }
  store_bits(bits, out);
  return Status::Ok;
}

std::optional<std::uint64_t> allocation_base(const simt::Program& program,
                                             std::uint32_t module_variable) {
  for (const simt::Allocation& allocation : program.allocations()) {
    const bool is_variable = allocation.kind == simt::AllocationKind::GlobalVariable ||
                             allocation.kind == simt::AllocationKind::ConstVariable ||
                             allocation.kind == simt::AllocationKind::Shared;
    if (is_variable && allocation.module_variable == module_variable) {
      return allocation.base;
    }
  }
  return std::nullopt;
}

Status read_memory_variable(const Reader& reader, const ptx::SourceVariable& variable,
                            bool assigned, std::span<std::byte> out) {
  const simt::Program& program = *reader.state.tables->program;
  const ptx::MemoryVariable& memory = program.module().variables[variable.variable];
  if (memory.space == ptx::Space::Local) {
    if (!assigned) {
      return Status::NotYetAssigned;
    }
    const std::uint64_t frame =
        reader.state.machine.local_frame(reader.place.id, reader.place.lane, reader.number);
    return frame == 0 ? Status::Unreadable
                      : reader.memory(frame + memory.local_offset + variable.offset, out);
  }
  const std::optional<std::uint64_t> base = allocation_base(program, variable.variable);
  return base ? reader.memory(*base + variable.offset, out) : Status::Unreadable;
}

Status read_param(const Reader& reader, const ptx::SourceVariable& variable,
                  std::span<std::byte> out) {
  const std::vector<std::byte> params =
      reader.state.machine.params(reader.place.id, reader.place.lane, reader.number);
  if (variable.offset + out.size() > params.size()) {
    return Status::Unreadable;
  }
  std::copy_n(params.begin() + variable.offset, out.size(), out.begin());
  return Status::Ok;
}

}  // namespace

State::State(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
State::State(const State& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
State& State::operator=(const State& other) {
  if (this != &other) {
    if (impl_ == nullptr) {
      impl_ = std::make_unique<Impl>(*other.impl_);
    } else {
      *impl_ = *other.impl_;
    }
  }
  return *this;
}
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

std::uint64_t State::step() const {
  return impl_->data.step;
}
const simt::Machine& State::machine() const {
  return impl_->data.machine;
}

std::uint32_t State::line(std::uint32_t block, std::uint32_t thread) const {
  const StateData& data = impl_->data;
  const LanePlace place = lane_place(*data.tables->program, block, thread);
  if (has_ended(data, place)) {
    const auto& exit = data.tracks.warp(place.id).exit;
    return exit != nullptr ? exit->line : 0;
  }
  // Code without lines of its own (built-ins, headers) belongs to the line that called it.
  std::uint32_t line = 0;
  for_each_frame(data, place,
                 [&](std::uint32_t function, std::uint32_t pc, std::uint32_t, LanePosition) {
                   const std::uint32_t own = data.tables->functions[function].pcs[pc].line;
                   line = own != 0 ? own : line;
                 });
  return line;
}

std::vector<NamedValue> State::variables(std::uint32_t block, std::uint32_t thread) const {
  const StateData& data = impl_->data;
  const LanePlace place = lane_place(*data.tables->program, block, thread);
  if (has_ended(data, place)) {
    return ended_variables(data, place);
  }
  std::vector<NamedValue> values;
  for_each_frame(
      data, place,
      [&](std::uint32_t function, std::uint32_t pc, std::uint32_t frame, LanePosition position) {
        const FunctionTable& table = data.tables->functions[function];
        const auto& sources = data.tables->program->module().functions[function].source_variables;
        for (const std::uint32_t v : table.visible_sets[table.pcs[pc].visible]) {
          NamedValue value = named(sources[v]);
          read_live(data, place, position, {function, v, frame}, value.value);
          add(values, std::move(value));
        }
      });
  return values;
}

std::optional<Value> State::variable(std::uint32_t block, std::uint32_t thread,
                                     const std::string& name) const {
  return VariableOfThreads(*this, name).read(block, thread);
}

VariableOfThreads::VariableOfThreads(const State& state, std::string name)
    : state_(state), name_(std::move(name)) {}

const std::optional<Value>& VariableOfThreads::read(std::uint32_t block, std::uint32_t thread) {
  const StateData& data = state_.impl_->data;
  const LanePlace place = lane_place(*data.tables->program, block, thread);
  if (has_ended(data, place)) {
    found_.reset();
    value_.reset();
    for (NamedValue& value : ended_variables(data, place)) {
      if (value.name == name_) {
        value_ = std::move(value.value);
      }
    }
    if (!value_) {
      value_ = memory_variable(data, place, name_);
    }
    return value_;
  }
  const LanePosition position = position_of(data, place);
  const Site site{block, place.id.warp, position.frame, position.pc};
  if (!found_ || site != site_) {
    site_ = site;
    found_ = find_live(data, place, name_);
    if (!found_) {
      return value_ = memory_variable(data, place, name_);
    }
  }
  if (!value_) {
    value_.emplace();
  }
  read_live(data, place, position, *found_, *value_);
  return value_;
}

Writer State::buffer_writer(std::uint32_t launch_buffer, std::uint64_t word) const {
  return unpack(impl_->data.buffer_writers[launch_buffer][word]);
}

Writer State::shared_writer(std::uint32_t block, std::uint64_t word) const {
  return unpack(impl_->data.tracks[block].shared_writers[word]);
}

std::span<const std::byte> State::shared(std::uint32_t block) const {
  const std::span<const std::byte> live = impl_->data.machine.shared(block);
  return live.empty() ? impl_->data.tracks[block].ended_shared : live;
}

bool operator==(const State& a, const State& b) {
  return a.impl_->data == b.impl_->data;
}

std::uint32_t type_bytes(const ptx::Module& module, ptx::TypeId type) {
  return type < module.types.size() ? module.types[type].bytes : 8;
}

Value::Status read_variable(const StateData& state, const LanePlace& place,
                            const LanePosition& position, std::uint32_t number,
                            std::uint32_t variable, std::span<std::byte> out) {
  const WarpTrack& track = state.tracks.warp(place.id);
  if (number >= track.frames.size()) {
    return Status::NotYetAssigned;
  }
  const Frame& frame = track.frames[number];
  const FunctionTable& table = state.tables->functions[frame.function];
  const ptx::SourceVariable& source =
      state.tables->program->module().functions[frame.function].source_variables[variable];
  const Reader reader{state, place, frame, number};
  const Pending pending = position.active && number == position.frame
                              ? pending_at(table, position.pc, variable)
                              : Pending{};
  const VariableSlot& slot = table.slots[variable];
  const bool assigned = !pending.cleared && has_lane(frame.assigned(variable), place.lane);
  const bool snapped = !pending.cleared && has_lane(frame.snapped(variable), place.lane);
  switch (source.kind) {
    case ptx::LocationKind::None:
      return Status::OptimisedOut;
    case ptx::LocationKind::Constant:
      std::copy_n(source.constant.begin(), std::min(source.constant.size(), out.size()),
                  out.begin());
      return Status::Ok;
    case ptx::LocationKind::Register:
      if (assigned) {
        store_bits(reader.reg(source.reg), out);
      }
      return assigned ? Status::Ok : Status::NotYetAssigned;
    case ptx::LocationKind::Events:
      if (pending.snapshot != nullptr) {
        store_bits(reader.reg(*pending.snapshot), out);
        return Status::Ok;
      }
      if (snapped) {
        return read_snapshot(reader, slot, out);
      }
      if (assigned) {
        store_bits(reader.reg(slot.entry_register), out);
      }
      return assigned ? Status::Ok : Status::NotYetAssigned;
    case ptx::LocationKind::Memory:
      return read_memory_variable(reader, source, assigned, out);
    case ptx::LocationKind::RegisterAddress:
      return assigned ? reader.memory(reader.reg(source.reg), out) : Status::NotYetAssigned;
    case ptx::LocationKind::Param:
      return read_param(reader, source, out);
  }
  return Status::Unreadable;
}

}  // namespace tilestep::record

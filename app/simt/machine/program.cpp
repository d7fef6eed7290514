#include "simt/machine/program.h"

#include "problem/tr.h"
#include "simt/bind/bind.h"
#include "simt/state/bound.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

namespace tilestep::simt {
namespace {

[[nodiscard]] Result<void> check_shape(const ptx::Module& module, std::uint32_t entry,
                                       const problem::Launch& launch, int warp_size) {
  constexpr std::uint64_t kMostThreads = 1024;
  constexpr std::uint64_t kMostBlocks = 0x7fffffff;
  constexpr std::uint64_t kMostWarps = 1ULL << 29;
  const auto where = launch.source_name.empty() ? launch.entry : launch.source_name;
  if (entry >= module.functions.size() || !module.functions[entry].is_entry ||
      !module.functions[entry].is_defined) {
    return fail(tr("{}: the compiled source has no kernel {}. Name a __global__ function.", where,
                   launch.entry));
  }
  if (warp_size < 1 || warp_size > kWarpSize ||
      !std::has_single_bit(static_cast<unsigned>(warp_size))) {
    return fail(tr("{}: a warp of {} lanes is not supported. Choose 1, 2, 4, 8, 16 or 32.", where,
                   warp_size));
  }
  if (launch.block.count() == 0 || launch.block.count() > kMostThreads) {
    return fail(tr("{}: a block of {} threads cannot be launched. Choose 1 to {}.", where,
                   launch.block.count(), kMostThreads));
  }
  const std::uint32_t* const promised = module.functions[entry].max_ntid;
  if (const std::uint64_t most = std::uint64_t{promised[0]} * promised[1] * promised[2];
      most > 0 && launch.block.count() > most) {
    return fail(
        tr("{}: a block has {} threads, but the kernel's __launch_bounds__ allows at most "
           "{}. Choose smaller blocks, or raise the bound.",
           where, launch.block.count(), most));
  }
  if (launch.grid.count() == 0 || launch.grid.count() > kMostBlocks) {
    return fail(tr("{}: a grid of {} blocks cannot be simulated. Choose 1 to {}.", where,
                   launch.grid.count(), kMostBlocks));
  }
  const std::uint64_t warps = launch.grid.count() * ((launch.block.count() + 31) / 32);
  if (warps > kMostWarps) {
    return fail(
        tr("{}: {} blocks of {} threads are too many to simulate. Choose a smaller "
           "problem: up to {} warps.",
           where, launch.grid.count(), launch.block.count(), kMostWarps));
  }
  return {};
}

void fill_warp_rows(ProgramData& program) {
  program.warp_rows = AlignedBuffer(std::size_t{program.warps} * kWarpRows);
  const auto size = static_cast<std::uint32_t>(program.warp_size);
  for (std::uint32_t warp = 0; warp < program.warps; ++warp) {
    std::uint32_t rows[4][kLanes] = {};
    for (std::uint32_t lane = 0; lane < size; ++lane) {
      const std::uint32_t thread = warp * size + lane;
      const problem::Dim3 index = program.launch.block.at(thread);
      const bool exists = thread < program.threads;
      rows[0][lane] = exists ? index.x : 0;
      rows[1][lane] = exists ? index.y : 0;
      rows[2][lane] = exists ? index.z : 0;
      rows[3][lane] = warp;
    }
    std::memcpy(program.warp_rows.data() + std::size_t{warp} * kWarpRows, rows, sizeof rows);
  }
}

// Space for frames along the deepest chain of direct calls; recursion counts once (frames grow).
class CallChains {
 public:
  explicit CallChains(const ProgramData& program)
      : program_(program), depth_(program.functions.size()), state_(program.functions.size()) {}

  struct Need {
    std::uint32_t stack = 0;
    std::uint32_t local = 0;
  };

  Need need(std::uint32_t function) {
    if (state_[function] == State::Visiting) {
      return {};
    }
    if (state_[function] == State::Known) {
      return depth_[function];
    }
    state_[function] = State::Visiting;
    Need deepest;
    for (const ptx::Operand& operand : program_.module->functions[function].operands) {
      if (operand.kind == ptx::OperandKind::Function) {
        const Need below = need(operand.index);
        deepest.stack = std::max(deepest.stack, below.stack);
        deepest.local = std::max(deepest.local, below.local);
      }
    }
    const FrameLayout& frame = program_.functions[function].frame;
    depth_[function] = {deepest.stack + frame.bytes, deepest.local + frame.local_bytes};
    state_[function] = State::Known;
    return depth_[function];
  }

 private:
  enum class State : std::uint8_t { Unknown, Visiting, Known };
  const ProgramData& program_;
  std::vector<Need> depth_;
  std::vector<State> state_;
};

void bind_functions(ProgramData& program, const Isa& isa) {
  program.functions.resize(program.module->functions.size());
  Binder binder(program, isa);
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    binder.bind_function(f);
  }
  binder.finish();
  const CallChains::Need need = CallChains(program).need(program.entry);
  program.stack_bytes = need.stack;
  program.local_bytes = need.local;
}

}  // namespace

Program::Program(std::shared_ptr<const ProgramData> data) : data_(std::move(data)) {}
Program::~Program() = default;

Result<std::shared_ptr<const Program>> Program::make(std::shared_ptr<const ptx::Module> module,
                                                     std::uint32_t entry, problem::Launch launch,
                                                     const PackParameters& pack, int warp_size,
                                                     const Isa* isa) {
  if (auto checked = check_shape(*module, entry, launch, warp_size); !checked) {
    return tl::unexpected(checked.error());
  }
  auto data = std::make_shared<ProgramData>();
  data->module = std::move(module);
  data->entry = entry;
  data->launch = std::move(launch);
  data->warp_size = warp_size;
  data->threads = static_cast<std::uint32_t>(data->launch.block.count());
  data->warps = (data->threads + static_cast<std::uint32_t>(warp_size) - 1) /
                static_cast<std::uint32_t>(warp_size);
  data->blocks = static_cast<std::uint32_t>(data->launch.grid.count());
  auto memory = MemoryMap::make(*data->module, entry, data->launch);
  if (!memory) {
    return tl::unexpected(memory.error());
  }
  data->memory = std::move(*memory);
  auto params = pack(data->memory.buffer_addresses());
  if (!params) {
    return tl::unexpected(params.error());
  }
  data->params = std::move(*params);
  data->params.resize(data->module->functions[entry].param_bytes);
  data->memory.add_params(data->params.size());
  fill_warp_rows(*data);
  bind_functions(*data, isa != nullptr ? *isa : best_isa());
  data->memory.add_local(data->local_bytes);
  find_statements(*data);
  std::shared_ptr<Program> program(new Program(std::move(data)));
  for (const Allocation& allocation : program->allocations()) {
    const auto number = static_cast<std::uint32_t>(program->arrays_.size());
    program->arrays_.push_back({allocation, number, ptx::kNoType});
  }
  std::vector<Array> views = find_shared_views(program);
  std::move(views.begin(), views.end(), std::back_inserter(program->arrays_));
  return program;
}

const ptx::Function& Program::entry() const {
  return data_->module->functions[data_->entry];
}

const Array* Program::view_at(const Place& place) const {
  if (place.allocation == kNoAllocation) {
    return nullptr;
  }
  const Allocation& whole = allocations()[place.allocation];
  // Before the allocation its first byte decides, after it its last one.
  const std::int64_t last = static_cast<std::int64_t>(whole.bytes) - 1;
  const std::int64_t offset =
      std::clamp<std::int64_t>(place.offset, 0, std::max<std::int64_t>(last, 0));
  const std::uint64_t address = whole.base + static_cast<std::uint64_t>(offset);
  const auto views = std::span(arrays_).subspan(allocations().size());
  const auto found = std::ranges::find_if(views, [&](const Array& view) {
    return view.allocation == place.allocation && view.base <= address &&
           address < view.base + view.bytes;
  });
  return found == views.end() ? nullptr : &*found;
}

ptx::TypeId Program::declared_type(const Allocation& allocation) const {
  return allocation.is_variable() ? module().variables[allocation.module_variable].type
                                  : ptx::kNoType;
}
ptx::TypeId Program::type_of(const Array& array) const {
  return array.is_view() ? array.element : declared_type(array);
}

Place Program::locate_array(std::uint64_t generic_address, std::uint32_t bytes) const {
  Place place = locate(generic_address, bytes);
  if (const Array* const view = view_at(place)) {
    place.offset -= static_cast<std::int64_t>(view->base - allocations()[view->allocation].base);
    place.allocation = static_cast<std::uint32_t>(view - arrays_.data());
  }
  return place;
}

bool Program::only_memory_connects_blocks() const {
  return !data_->reads_clock && data_->memory.heap_window() == kNoWindow;
}

std::span<const SharedGap> Program::shared_gaps() const {
  return data_->memory.shared_gaps();
}

}  // namespace tilestep::simt

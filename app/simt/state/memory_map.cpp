#include "problem/problem.h"
#include "problem/tr.h"
#include "simt/state/memory.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

constexpr std::uint64_t kSharedGap = 256;  // a multiple of 32 banks of 4 bytes
// In machine code a load of four words may have been made of three.
constexpr std::uint64_t kSpareOfMachineCode = 12;
constexpr std::uint64_t kMostStaticShared = 48 * 1024;  // CUDA C++ Programming Guide, 16.2

[[nodiscard]] std::uint64_t window_number(std::uint64_t address) {
  return (address >> 32) - (kGlobalWindow >> 32);
}

// Functions and variables that can be reached from one function, through operands and through the
// initial bytes of variables (tables of function pointers).
class Reach {
 public:
  explicit Reach(const ptx::Module& module)
      : module_(module), functions_(module.functions.size()), variables_(module.variables.size()) {}

  void visit_function(std::uint32_t index) {
    if (index >= functions_.size() || functions_[index]) {
      return;
    }
    functions_[index] = true;
    pending_.push_back(index);
  }

  void visit_variable(std::uint32_t index) {
    if (index >= variables_.size() || variables_[index]) {
      return;
    }
    variables_[index] = true;
    for (const auto& relocation : module_.variables[index].relocations) {
      if (relocation.is_function) {
        visit_function(relocation.variable);
      } else {
        visit_variable(relocation.variable);
      }
    }
  }

  void run() {
    while (!pending_.empty()) {
      const std::uint32_t index = pending_.back();
      pending_.pop_back();
      for (const ptx::Operand& operand : module_.functions[index].operands) {
        if (operand.kind == ptx::OperandKind::Function) {
          visit_function(operand.index);
        } else if (operand.kind == ptx::OperandKind::Variable ||
                   operand.kind == ptx::OperandKind::MemoryVariable) {
          visit_variable(operand.index);
        }
      }
    }
  }

  [[nodiscard]] bool function(std::uint32_t index) const {
    return index < functions_.size() && functions_[index];
  }
  [[nodiscard]] const std::vector<bool>& variables() const { return variables_; }
  // Whether any of the functions reads an address in the shared memory that the system reserves.
  [[nodiscard]] bool reads_reserved_shared() const {
    for (std::uint32_t i = 0; i < functions_.size(); ++i) {
      if (functions_[i] && std::ranges::any_of(module_.functions[i].operands, names_reserved)) {
        return true;
      }
    }
    return false;
  }

 private:
  static bool names_reserved(const ptx::Operand& operand) {
    using S = ptx::SpecialRegister;
    const auto which = static_cast<S>(operand.index);
    return operand.kind == ptx::OperandKind::Special &&
           (which == S::ReservedSmemOffset || which == S::ReservedSmemBegin ||
            which == S::ReservedSmemEnd || which == S::ReservedSmemCap);
  }

  const ptx::Module& module_;
  std::vector<bool> functions_;
  std::vector<bool> variables_;
  std::vector<std::uint32_t> pending_;
};

// Distance from an access to an allocation; 0: inside.
[[nodiscard]] std::uint64_t distance(const Allocation& allocation, std::uint64_t address,
                                     std::uint64_t bytes) {
  if (address < allocation.base) {
    return allocation.base - address;
  }
  const std::uint64_t end = address - allocation.base + bytes;
  return end <= allocation.bytes ? 0 : end - allocation.bytes;
}

[[nodiscard]] Reach reach_from(const ptx::Module& module, std::uint32_t entry) {
  Reach reach(module);
  reach.visit_function(entry);
  reach.run();
  return reach;
}

// By module variable: whether the entry or the functions it can reach refer to it or declare it.
[[nodiscard]] std::vector<bool> used_variables(const ptx::Module& module, const Reach& reach) {
  std::vector<bool> used = reach.variables();
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    used[i] = used[i] || reach.function(module.variables[i].function);
  }
  return used;
}

}  // namespace

Result<MemoryMap> MemoryMap::make(const ptx::Module& module, std::uint32_t entry,
                                  const problem::Launch& launch) {
  MemoryMap map;
  const Reach reach = reach_from(module, entry);
  const std::vector<bool> used = used_variables(module, reach);
  map.variable_addresses_.assign(module.variables.size(), kNoAddress);
  if (auto placed = map.place_buffers(launch); !placed) {
    return tl::unexpected(placed.error());
  }
  map.place_globals(module, used);
  map.place_heap(module);
  if (reach.reads_reserved_shared() || module.is_machine_code) {
    map.place_reserved_shared();
  }
  if (auto placed = map.place_shared(module, used, launch); !placed) {
    return tl::unexpected(placed.error());
  }
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].space == ptx::Space::Local) {
      map.variable_addresses_[i] = module.variables[i].local_offset;
    }
  }
  map.fill_globals(module);
  return map;
}

Result<void> MemoryMap::place_buffers(const problem::Launch& launch) {
  for (std::uint32_t i = 0; i < launch.buffers.size(); ++i) {
    const problem::Buffer& buffer = launch.buffers[i];
    const std::uint64_t bytes = problem::byte_count(buffer);
    if (bytes >= kWindowBytes) {
      return fail(
          tr("Buffer {}: {} bytes cannot be simulated. Choose sizes that keep it below 4 GiB.",
             buffer.name, bytes));
    }
    Allocation allocation;
    allocation.kind = AllocationKind::Buffer;
    allocation.name = buffer.name;
    allocation.base = kGlobalWindow + windows_.size() * kWindowBytes;
    allocation.bytes = bytes;
    allocation.launch_buffer = i;
    window_allocations_.push_back(static_cast<std::uint32_t>(allocations_.size()));
    allocations_.push_back(std::move(allocation));
    if (buffer.contents.empty()) {
      zeros_.emplace_back(bytes);
      windows_.push_back({{zeros_.back().data(), static_cast<std::size_t>(bytes)}, false, true});
    } else {
      windows_.push_back({buffer.contents, false, false});
    }
  }
  return {};
}

void MemoryMap::place_globals(const ptx::Module& module, const std::vector<bool>& used) {
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const ptx::MemoryVariable& variable = module.variables[i];
    const bool is_const = variable.space == ptx::Space::Const;
    if (!used[i] || !(is_const || variable.space == ptx::Space::Global)) {
      continue;
    }
    Allocation allocation;
    allocation.kind = is_const ? AllocationKind::ConstVariable : AllocationKind::GlobalVariable;
    allocation.name = variable.name;
    allocation.base = kGlobalWindow + windows_.size() * kWindowBytes;
    allocation.bytes = variable.bytes;
    allocation.module_variable = i;
    variable_addresses_[i] = allocation.base;
    window_allocations_.push_back(static_cast<std::uint32_t>(allocations_.size()));
    allocations_.push_back(std::move(allocation));
    windows_.push_back({{}, is_const, false});
    global_bytes_.emplace_back(variable.bytes);
    global_variables_.push_back(i);
  }
}

void MemoryMap::place_heap(const ptx::Module& module) {
  const auto is_malloc = [](const ptx::Function& function) {
    return !function.is_defined && function.symbol == "malloc";
  };
  if (std::ranges::none_of(module.functions, is_malloc)) {
    return;
  }
  heap_window_ = static_cast<std::uint32_t>(windows_.size());
  Allocation allocation;
  allocation.kind = AllocationKind::Heap;
  allocation.name = "malloc's heap";
  allocation.base = kGlobalWindow + windows_.size() * kWindowBytes;
  allocation.bytes = kHeapBytes;
  window_allocations_.push_back(static_cast<std::uint32_t>(allocations_.size()));
  allocations_.push_back(std::move(allocation));
  windows_.push_back({{}, false, false});
}

void MemoryMap::place_reserved_shared() {
  reserved_shared_ = kReservedShared;
  Allocation allocation;
  allocation.kind = AllocationKind::ReservedShared;
  allocation.name = "the system's shared memory";
  allocation.base = kSharedWindow;
  allocation.bytes = kReservedShared;
  allocations_.push_back(std::move(allocation));
}

// Order and alignment as declared; the launch's dynamic shared memory is last, and all extern
// arrays start there (CUDA C++ Programming Guide, "__shared__"). Arrays are further apart than on a
// GPU, so that an index that is too large hits a gap. The gap is a multiple of all banks, so that
// conflicts are the same. Machine code has the addresses in it: no gaps.
Result<void> MemoryMap::place_shared(const ptx::Module& module, const std::vector<bool>& used,
                                     const problem::Launch& launch) {
  const std::uint64_t dynamic = launch.dynamic_shared_bytes;
  std::uint64_t extern_align = 16;
  std::uint64_t end = 0;
  std::uint64_t apart = reserved_shared_;
  const std::uint64_t gap = module.is_machine_code ? 0 : kSharedGap;
  const auto is_shared = [&](std::uint32_t i) {
    return used[i] && module.variables[i].space == ptx::Space::Shared;
  };
  // The offset of the next array.
  const auto next = [&](std::uint64_t align) {
    const std::uint64_t begin = align_up(end, align);
    if (end + apart > 0 && gap > 0) {
      const std::uint64_t gap_begin = end + apart;
      apart = align_up(apart + gap, align);
      shared_gaps_.push_back({gap_begin, begin + apart - gap_begin});
    }
    return begin;
  };
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const ptx::MemoryVariable& variable = module.variables[i];
    if (!is_shared(i)) {
      continue;
    }
    if (variable.is_extern || variable.bytes == 0) {
      extern_align = std::max<std::uint64_t>(extern_align, variable.align);
      continue;
    }
    end = next(variable.align);
    variable_addresses_[i] = end + apart;
    end += variable.bytes;
  }
  if (end > kMostStaticShared) {
    return fail(
        tr("{}: its __shared__ arrays take {} bytes per block, but the limit is {}. Make "
           "them smaller, or use dynamic shared memory, which has a higher limit.",
           launch.source_name, end, kMostStaticShared));
  }
  if (dynamic > 0) {
    end = next(extern_align);
  }
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (!is_shared(i)) {
      continue;
    }
    const ptx::MemoryVariable& variable = module.variables[i];
    const bool is_dynamic = variable.is_extern || variable.bytes == 0;
    variable_addresses_[i] = is_dynamic ? end + apart : variable_addresses_[i];
    Allocation allocation;
    allocation.kind = AllocationKind::Shared;
    allocation.name = variable.name;
    allocation.base = kSharedWindow + variable_addresses_[i];
    allocation.bytes = is_dynamic ? dynamic : variable.bytes;
    allocation.module_variable = i;
    allocations_.push_back(std::move(allocation));
  }
  shared_bytes_ = end + dynamic;
  shared_room_ = shared_bytes_ + apart + (module.is_machine_code ? kSpareOfMachineCode : 0);
  return {};
}

// Initial bytes, then the addresses of other variables and functions in them.
void MemoryMap::fill_globals(const ptx::Module& module) {
  for (std::size_t g = 0; g < global_bytes_.size(); ++g) {
    const ptx::MemoryVariable& variable = module.variables[global_variables_[g]];
    std::vector<std::byte>& bytes = global_bytes_[g];
    std::copy_n(variable.initial.begin(), std::min(variable.initial.size(), bytes.size()),
                bytes.begin());
    for (const auto& relocation : variable.relocations) {
      std::uint64_t address = kCodeWindow + relocation.variable;
      if (!relocation.is_function) {
        address = variable_addresses_[relocation.variable];
        const bool is_shared = module.variables[relocation.variable].space == ptx::Space::Shared;
        address += relocation.generic && is_shared ? kSharedWindow : 0;
      }
      address = (address + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
      for (std::uint32_t b = 0; b < relocation.bytes && relocation.offset + b < bytes.size(); ++b) {
        bytes[relocation.offset + b] = static_cast<std::byte>(address >> (8 * b) & 0xff);
      }
    }
    const auto number = window_number(variable_addresses_[global_variables_[g]]);
    windows_[number].contents = bytes;
  }
}

std::vector<std::uint64_t> MemoryMap::buffer_addresses() const {
  std::vector<std::uint64_t> addresses;
  for (const Allocation& allocation : allocations_) {
    if (allocation.kind == AllocationKind::Buffer) {
      addresses.push_back(allocation.base);
    }
  }
  return addresses;
}

void MemoryMap::add_params(std::uint64_t bytes) {
  Allocation allocation;
  allocation.kind = AllocationKind::Param;
  allocation.name = "parameters";
  allocation.base = kParamWindow;
  allocation.bytes = bytes;
  allocations_.push_back(std::move(allocation));
}

void MemoryMap::add_local(std::uint64_t bytes) {
  Allocation allocation;
  allocation.kind = AllocationKind::Local;
  allocation.name = "local memory";
  allocation.base = kLocalWindow;
  allocation.bytes = bytes;
  allocations_.push_back(std::move(allocation));
}

Place MemoryMap::locate(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t number = window_number(address);
  if (number < window_allocations_.size()) {
    const Allocation& allocation = allocations_[window_allocations_[number]];
    if (distance(allocation, address, bytes) == 0) {
      return {window_allocations_[number], static_cast<std::int64_t>(address - allocation.base),
              true};
    }
  }
  Place best;
  std::uint64_t best_distance = kWindowBytes / 2;  // a pointer farther away was derived from none
                                                   // of them
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    const std::uint64_t d = distance(allocations_[i], address, bytes);
    if (d < best_distance) {
      best_distance = d;
      best = {i, static_cast<std::int64_t>(address - allocations_[i].base), d == 0};
    }
  }
  return best;
}

}  // namespace tilestep::simt

// Finds accesses through an address register that an access before them has gone through already:
// what was found out about its 32 addresses then still holds (memory_shapes.h).
#include "simt/bind/bind_flow.h"

#include <algorithm>
#include <vector>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

// The address registers of one stretch of code.
class KnownStretch {
 public:
  void begin() { held_.clear(); }

  void access(Bound& b) {
    const Slot address = b.in[0];
    const std::uint32_t bytes = ptx::byte_size(b.source->type);
    const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& h) {
      return h.address == address && h.bytes == bytes;
    });
    if (held != held_.end()) {
      b.known = held->place;
      b.follows = true;
    } else if (held_.size() + 1 < kKnownAddresses) {
      held_.push_back({address, bytes, free_place()});
      b.known = held_.back().place;
    }
  }

  void write(Slot slot) {
    held_.erase(std::remove_if(held_.begin(), held_.end(),
                               [slot](const Held& h) { return h.address == slot; }),
                held_.end());
  }

 private:
  struct Held {
    Slot address;
    std::uint32_t bytes = 0;
    std::uint8_t place = 0;
  };

  [[nodiscard]] std::uint8_t free_place() const {
    std::uint8_t place = 1;
    while (std::any_of(held_.begin(), held_.end(),
                       [place](const Held& h) { return h.place == place; })) {
      ++place;
    }
    return place;
  }

  std::vector<Held> held_;
};

// A ld or st of one element through a 64-bit register, for all lanes of the path.
[[nodiscard]] bool is_shared_address(const Bound& b) {
  const ptx::Instruction& i = *b.source;
  return (i.op == O::Ld || i.op == O::St) && i.guard == ptx::kNoGuard && b.elements == 1 &&
         b.detail == nullptr && b.in[0].base == Base::Frame;
}

}  // namespace

void Binder::share_addresses(BoundFunction& function, const ptx::Function& source) const {
  const std::vector<bool> is_entrance = entrances(source);
  KnownStretch stretch;
  for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
    Bound& b = function.code[pc];
    if (is_entrance[pc] || !goes_straight_on(*b.source)) {
      stretch.begin();
    }
    if (is_shared_address(b)) {
      stretch.access(b);
    }
    for (std::uint32_t k = 0; k < b.source->dest_count; ++k) {
      const ptx::Operand& to = source.operands[b.source->first_operand + k];
      if (to.kind == ptx::OperandKind::Register) {
        stretch.write(register_slot(to.reg));
      }
    }
  }
}

}  // namespace tilestep::simt

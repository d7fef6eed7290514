#include "problem/tr.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>

namespace tilestep::simt {
namespace {

// One lane's view of a call: its arguments and its memory.
class CallLane {
 public:
  CallLane(Context& c, const Bound* i, std::uint32_t lane) : c_(c), i_(i), lane_(lane) {}

  [[nodiscard]] std::uint64_t argument(std::uint32_t index, std::uint32_t bytes) const {
    std::uint64_t value = 0;
    std::memcpy(&value, argument_bytes(index, bytes).data(), bytes);
    return value;
  }

  template <class T>
  void put_result(T value) const {
    if (i_->source->dest_count != 0) {
      std::array<std::byte, sizeof value> bytes{};
      std::memcpy(bytes.data(), &value, bytes.size());
      write_interleaved(call_area(), operand(0).index, lane_, bytes.data(), sizeof value);
    }
  }

  // One byte of memory; 0 outside it.
  [[nodiscard]] std::byte byte_at(std::uint64_t address) const {
    const std::uint64_t offset = address & 0xffffffffU;
    if (address >> 32 == kLocalWindow >> 32) {
      std::byte value{};
      if (offset < c_.local_bytes) {
        read_interleaved(c_.local, offset, lane_, &value, 1);
      }
      return value;
    }
    const Region region = load_region(c_, address);
    return region.data != nullptr && offset < region.bytes ? region.data[offset] : std::byte{};
  }

  [[nodiscard]] std::string text_at(std::uint64_t address) const {
    constexpr std::size_t kLongest = 4096;
    std::string text;
    while (text.size() < kLongest) {
      const auto letter = static_cast<char>(byte_at(address + text.size()));
      if (letter == '\0') {
        break;
      }
      text.push_back(letter);
    }
    return text;
  }

  [[nodiscard]] std::uint64_t value_at(std::uint64_t address, std::uint32_t bytes) const {
    std::uint64_t value = 0;
    for (std::uint32_t b = 0; b < bytes; ++b) {
      value |= static_cast<std::uint64_t>(byte_at(address + b)) << (8 * b);
    }
    return value;
  }

 private:
  [[nodiscard]] const ptx::Operand& operand(std::uint32_t k) const {
    const ptx::Function& caller = c_.program.module->functions[c_.frame().function];
    return caller.operands[i_->source->first_operand + k];
  }
  [[nodiscard]] std::byte* call_area() const {
    const auto& layout = c_.program.functions[c_.frame().function].frame;
    return c_.base[static_cast<std::size_t>(Base::Frame)] + layout.call_area;
  }
  [[nodiscard]] std::array<std::byte, 8> argument_bytes(std::uint32_t index,
                                                        std::uint32_t bytes) const {
    std::array<std::byte, 8> value{};
    read_interleaved(call_area(), operand(i_->source->dest_count + 1U + index).index, lane_,
                     value.data(), bytes);
    return value;
  }

  Context& c_;
  const Bound* i_;
  std::uint32_t lane_;
};

[[nodiscard]] std::string formatted(const std::string& specification, auto value) {
  std::array<char, 512> room{};
  const int length = std::snprintf(room.data(), room.size(), specification.c_str(), value);
  return {room.data(), static_cast<std::size_t>(std::max(0, std::min(length, 511)))};
}

// One conversion of a format: its text and its arguments.
struct Conversion {
  std::string flags;  // "%-08.3", without length and letter
  bool is_long = false;
  char letter = '%';
};

class Formatter {
 public:
  Formatter(const CallLane& lane, std::uint64_t arguments) : lane_(lane), next_(arguments) {}

  [[nodiscard]] std::string format(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '%') {
        result.push_back(text[at]);
        continue;
      }
      result += convert(read(text, at));
    }
    return result;
  }

 private:
  [[nodiscard]] Conversion read(const std::string& text, std::size_t& at) {
    Conversion conversion;
    conversion.flags = "%";
    for (++at; at < text.size() && std::strchr("-+ #0123456789.*", text[at]) != nullptr; ++at) {
      if (text[at] == '*') {
        conversion.flags += std::to_string(static_cast<std::int32_t>(take(4)));
      } else {
        conversion.flags.push_back(text[at]);
      }
    }
    for (; at < text.size() && std::strchr("hlLqjzt", text[at]) != nullptr; ++at) {
      conversion.is_long = conversion.is_long || text[at] != 'h';
    }
    conversion.letter = at < text.size() ? text[at] : '%';
    return conversion;
  }

  [[nodiscard]] std::string convert(const Conversion& c) {
    switch (c.letter) {
      case 'd':
      case 'i':
        return c.is_long ? formatted(c.flags + "lld", static_cast<long long>(take(8)))
                         : formatted(c.flags + "d", static_cast<std::int32_t>(take(4)));
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return c.is_long
                   ? formatted(c.flags + "ll" + c.letter, static_cast<unsigned long long>(take(8)))
                   : formatted(c.flags + c.letter, static_cast<std::uint32_t>(take(4)));
      case 'c':
        return formatted(c.flags + "c", static_cast<int>(take(4)));
      case 'p':
        return fmt::format("{:#x}", take(8));
      case 's':
        return formatted(c.flags + "s", lane_.text_at(take(8)).c_str());
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        return formatted(c.flags + c.letter, std::bit_cast<double>(take(8)));
      default:
        return "%";
    }
  }

  // Arguments are consecutive in memory, each aligned to its size.
  [[nodiscard]] std::uint64_t take(std::uint32_t bytes) {
    next_ = (next_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = lane_.value_at(next_, bytes);
    next_ += bytes;
    return value;
  }

  const CallLane& lane_;
  std::uint64_t next_;
};

const Bound* print(Context& c, const Bound* i) {
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(left));
    const CallLane lane(c, i, number);
    if (c.observer != nullptr) {
      Formatter formatter(lane, lane.argument(1, 8));
      c.observer->on_print(step_info(c, i), number,
                           formatter.format(lane.text_at(lane.argument(0, 8))));
    }
    lane.put_result(std::uint32_t{1});
  }
  return i + 1;
}

const Bound* fail_assertion(Context& c, const Bound* i) {
  const CallLane lane(c, i, static_cast<std::uint32_t>(std::countr_zero(c.mask)));
  return stop_warp(
      c, i, FaultKind::Trap,
      fmt::format("{}:{}: {}: assertion `{}` failed", lane.text_at(lane.argument(1, 8)),
                  lane.argument(2, 4), lane.text_at(lane.argument(3, 8)),
                  lane.text_at(lane.argument(0, 8))));
}

const Bound* allocate(Context& c, const Bound* i) {
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const CallLane lane(c, i, static_cast<std::uint32_t>(std::countr_zero(left)));
    const std::uint64_t bytes = lane.argument(0, 8);
    const std::uint64_t address = c.machine.allocate(bytes);
    lane.put_result(address);
    if (address != 0 && c.observer != nullptr) {
      c.observer->on_allocation(step_info(c, i), address, bytes);
    }
  }
  return i + 1;
}

const Bound* release(Context& c, const Bound* i) {
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const CallLane lane(c, i, static_cast<std::uint32_t>(std::countr_zero(left)));
    const std::uint64_t address = lane.argument(0, 8);
    if (address != 0 && !c.machine.release(address)) {
      return stop_warp(c, i, FaultKind::Trap,
                       tr("free() is called with an address that malloc() did not return"));
    }
  }
  return i + 1;
}

}  // namespace

const Bound* call_library(Context& c, const Bound* i, const ptx::Function& callee) {
  const std::uint32_t arguments = i->source->operand_count - i->source->dest_count - 1U;
  if (callee.symbol == "vprintf" && arguments == 2) {
    return print(c, i);
  }
  if (callee.symbol == "__assertfail" && arguments == 5) {
    return fail_assertion(c, i);
  }
  if (callee.symbol == "malloc" && arguments == 1) {
    return allocate(c, i);
  }
  if (callee.symbol == "free" && arguments == 1) {
    return release(c, i);
  }
  return nullptr;
}

}  // namespace tilestep::simt

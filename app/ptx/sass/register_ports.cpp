#include "ptx/sass/register_ports.h"

#include <algorithm>
#include <cstddef>

namespace tilestep::ptx {
namespace {

constexpr std::uint64_t kFfmaOperation = 0x023;
constexpr std::uint64_t kHmmaOperation = 0x03c;
constexpr unsigned kFirstKeptBit = 122 - 64;
constexpr std::array<std::uint32_t, 3> kRegistersOfMatrices{4, 2, 4};

std::uint32_t register_at(std::uint64_t word, unsigned first) {
  return static_cast<std::uint32_t>(word >> first & 0xffU);
}

double beyond_one_each(double reads, double products) {
  return std::max(0.0, reads / kReadsInAClock - products);
}

}  // namespace

double RegisterReads::waits() const {
  return beyond_one_each(static_cast<double>(even) + odd, products) +
         beyond_one_each(of_matrices, matrix_products);
}

std::array<bool, 3> RegisterReader::are_read(const Operands& operands, std::uint64_t high,
                                             bool matrices) {
  const Operands before = kept_of_matrices_ == matrices ? kept_ : Operands{kNone, kNone, kNone};
  std::array<bool, 3> are{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::uint32_t number = operands[i];
    const auto* const here = operands.begin() + i;
    const bool is_kept = number != kNone && before[i] == number;
    // One register that stands at two places is read once.
    are[i] = number != kNone && !is_kept && std::find(operands.begin(), here, number) == here;
    reads_.kept += is_kept && !matrices ? 1 : 0;
    kept_[i] = (high >> (kFirstKeptBit + i) & 1U) != 0 ? number : kNone;
  }
  kept_of_matrices_ = matrices;
  return are;
}

void RegisterReader::add(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t operation = low & 0x1ffU;
  if (operation == kHmmaOperation) {
    const auto are =
        are_read({register_at(low, 24), register_at(low, 32), register_at(high, 0)}, high, true);
    ++reads_.matrix_products;
    for (std::size_t i = 0; i < are.size(); ++i) {
      reads_.of_matrices += are[i] ? kRegistersOfMatrices[i] : 0;
    }
    return;
  }
  if (operation != kFfmaOperation) {
    kept_ = {kNone, kNone, kNone};
    return;
  }
  const auto form = static_cast<unsigned>(low >> 9U & 7U);
  const bool third_is_none = form == 2 || form == 3 || form == 7;
  const std::uint32_t second = form == 1       ? register_at(low, 32)
                               : third_is_none ? register_at(high, 0)
                                               : kNone;
  const Operands operands{register_at(low, 24), second,
                          third_is_none ? kNone : register_at(high, 0)};
  const auto are = are_read(operands, high, false);
  ++reads_.products;
  for (std::size_t i = 0; i < are.size(); ++i) {
    if (are[i]) {
      ++(operands[i] % 2 == 0 ? reads_.even : reads_.odd);
    }
  }
}

}  // namespace tilestep::ptx

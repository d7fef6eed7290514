#include "insight/count/block_domain.h"

#include <cassert>

namespace tilestep::insight {
namespace {

template <class F>
Form combine(const Form& a, const Form& b, std::uint32_t bits, F&& f) {
  Form result;
  if (!a.known || !b.known) {
    return result;
  }
  result.known = true;
  for (std::size_t i = 0; i < kAxes; ++i) {
    result.per_block[i] = wrap(
        f(static_cast<std::uint64_t>(a.per_block[i]), static_cast<std::uint64_t>(b.per_block[i])),
        bits);
  }
  return result;
}

}  // namespace

Form add(const Form& a, const Form& b, std::uint32_t bits) {
  return combine(a, b, bits, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

Form subtract(const Form& a, const Form& b, std::uint32_t bits) {
  return combine(a, b, bits, [](std::uint64_t x, std::uint64_t y) { return x - y; });
}

Form scale(const Form& a, std::uint64_t factor, std::uint32_t bits) {
  return combine(a, a, bits, [&](std::uint64_t x, std::uint64_t) { return x * factor; });
}

bool next_point(const BlockRange& range, AxisPoint& at) {
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (at[i] < range.last[i]) {
      ++at[i];
      return true;
    }
    at[i] = range.first[i];
  }
  return false;
}

// Keeps the blocks with Σ sign · form · Δ <= slack.
void BlockDomain::limit(Wide slack, const Form& form, int sign) {
  assert(slack >= 0);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Wide factor = Wide{form.per_block[i]} * sign;
    if (factor == 0) {
      continue;
    }
    const bool upwards = factor > 0;
    const std::uint32_t here = representative_[i];
    const Wide size = upwards ? factor : -factor;
    Wide reach = upwards ? range_.last[i] - here : here - range_.first[i];
    if (size * reach > slack) {
      reach = slack / size;
      (upwards ? range_.last[i] : range_.first[i]) = upwards
                                                         ? here + static_cast<std::uint32_t>(reach)
                                                         : here - static_cast<std::uint32_t>(reach);
    }
    slack -= size * reach;
  }
}

void BlockDomain::keep_within(Wide value, const Form& form, Wide low, Wide high) {
  assert(form.known);
  limit(high - value, form, 1);
  limit(value - low, form, -1);
}

}  // namespace tilestep::insight

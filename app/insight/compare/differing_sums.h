// Where two runs part: for every element that both store, the first product that only one of them
// adds. Products are told apart by the elements that they multiply and by their values, whatever
// their order.
#pragma once

#include "insight/compare/side.h"

#include <array>
#include <string>
#include <vector>

namespace tilestep::insight {

struct SumDifference {
  std::string element;  // "C[1][0]"
  // Of side 1 and of side 2.
  struct Of {
    std::uint32_t thread = 0;  // that stores the element
    std::size_t product = 0;   // its number in the order it was added, from 0
    std::optional<Term> term;  // nothing: this side has no product in its place
    std::uint64_t step = 0;    // after which it is in the sum; without a term, of the store
    float end = 0.0F;          // what is stored in the end
  };
  std::array<Of, 2> sides;
};

struct SumComparison {
  std::vector<SumDifference> differences;  // as side 2 comes to them
  std::size_t elements = 0;                // that the two blocks both store and follow
  std::size_t products = 0;                // of them, in side 1
};
[[nodiscard]] SumComparison compare_sums(const Side& one, const Side& two);

}  // namespace tilestep::insight

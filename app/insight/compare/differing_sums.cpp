#include "insight/compare/differing_sums.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace tilestep::insight {
namespace {

// Buffers by name: two kernels may have them in another order.
using FactorKey = std::tuple<std::string_view, int, int, std::uint32_t>;
using TermKey = std::tuple<FactorKey, FactorKey, double>;

TermKey key_of(const Term& term, const problem::Launch& launch) {
  const auto factor = [&launch](const Term::Factor& f) {
    const bool is_element = f.launch_buffer < launch.buffers.size();
    return FactorKey{is_element ? launch.buffers[f.launch_buffer].name : std::string_view{}, f.row,
                     f.col, std::bit_cast<std::uint32_t>(f.value)};
  };
  FactorKey a = factor(term.a);
  FactorKey b = factor(term.b);
  if (b < a) {
    std::swap(a, b);
  }
  return {a, b, term.times};
}

struct Terms {
  std::vector<Term> all;
  std::vector<TermKey> keys;
};
Terms terms_of(const Side& side, std::size_t sum) {
  auto all = side.sums.accumulation(sum, side.run.step_count());
  Terms terms{all ? std::move(all->terms) : std::vector<Term>{}, {}};
  for (const Term& term : terms.all) {
    terms.keys.push_back(key_of(term, side.run.program().launch()));
  }
  return terms;
}

// The first of `keys` that is not among `others`, each of which stands for one.
std::size_t first_unmatched(const std::vector<TermKey>& keys, const std::vector<TermKey>& others) {
  std::map<TermKey, std::size_t> left;
  for (const TermKey& other : others) {
    ++left[other];
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = left.find(keys[i]);
    if (found == left.end() || found->second == 0) {
      return i;
    }
    --found->second;
  }
  return keys.size();
}

SumDifference::Of side_of(const Side& side, std::size_t sum, const std::vector<Term>& terms,
                          std::size_t product) {
  const OwnedSum& owned = side.sums.sums()[sum];
  SumDifference::Of of;
  of.thread = owned.thread;
  of.product = product;
  of.end = side.sums.now(sum, side.run.step_count()).value;
  of.step = owned.stored + 1;
  if (product < terms.size()) {
    of.term = terms[product];
    of.step = terms[product].step + 1;
  }
  return of;
}

}  // namespace

SumComparison compare_sums(const Side& one, const Side& two) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < two.sums.sums().size(); ++i) {
    if (two.sums.sums()[i].kind == SumKind::Products) {
      places.emplace(name_of(two.run.program(), two.sums.sums()[i].at), i);
    }
  }
  SumComparison all;
  for (std::size_t i = 0; i < one.sums.sums().size(); ++i) {
    std::string element = name_of(one.run.program(), one.sums.sums()[i].at);
    const auto place = places.find(element);
    if (one.sums.sums()[i].kind != SumKind::Products || place == places.end()) {
      continue;
    }
    const Terms terms = terms_of(one, i);
    const Terms others = terms_of(two, place->second);
    ++all.elements;
    all.products += terms.all.size();
    const std::size_t first = first_unmatched(terms.keys, others.keys);
    const std::size_t second = first_unmatched(others.keys, terms.keys);
    if (first < terms.all.size() || second < others.all.size()) {
      all.differences.push_back(
          {std::move(element),
           {side_of(one, i, terms.all, first), side_of(two, place->second, others.all, second)}});
    }
  }
  std::ranges::stable_sort(all.differences, {},
                           [](const SumDifference& d) { return d.sides[1].step; });
  return all;
}

}  // namespace tilestep::insight

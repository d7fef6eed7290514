#include "insight/compare/compare.h"

#include "insight/names.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace tilestep::insight {
namespace {

// Key of a line's text. Spaces and comments make no difference.
std::uint64_t text_key(std::string_view line) {
  std::string bare;
  for (std::size_t i = 0; i < line.size() && line.substr(i, 2) != "//"; ++i) {
    if (std::isspace(static_cast<unsigned char>(line[i])) == 0) {
      bare += line[i];
    }
  }
  return bare.empty() ? 0 : std::max<std::uint64_t>(std::hash<std::string>{}(bare), 1);
}

// By line number, from 1.
std::vector<std::uint64_t> text_keys(std::string_view source) {
  std::vector<std::uint64_t> keys{0};
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    keys.push_back(text_key(source.substr(0, end)));
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return keys;
}

// A statement of the run in which the block executes something, and its line that the followed
// thread executes; 0: none.
struct Executed {
  std::size_t statement = 0;
  std::uint32_t line = 0;
};

class BlockWatch : public simt::Observer {
 public:
  explicit BlockWatch(const Side& side)
      : program_(side.run.program()), starts_(side.run.statement_starts()) {
    const auto size = program_.warp_size();
    warp_ = {side.block, side.thread / size};
    lane_ = 1U << (side.thread % size);
  }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    while (statement_ + 1 < starts_.size() && starts_[statement_ + 1] <= step_) {
      ++statement_;
    }
    if (info.id.block != warp_.block) {
      return;
    }
    if (executed.empty() || executed.back().statement != statement_) {
      executed.push_back({statement_, 0});
    }
    if (info.id == warp_ && (info.active & lane_) != 0 && executed.back().line == 0) {
      executed.back().line =
          ptx::statement_line(program_.module().functions[info.function], info.pc);
    }
  }
  void after_step(const simt::StepInfo&) override { ++step_; }

  std::vector<Executed> executed;  // in execution order

 private:
  const simt::Program& program_;
  std::span<const std::uint64_t> starts_;
  simt::WarpId warp_;
  std::uint32_t lane_ = 0;
  std::size_t statement_ = 0;
  std::uint64_t step_ = 0;
};

// The statement that contains a step, by the boundaries.
std::size_t statement_at(const BlockStatements& all, std::uint64_t step) {
  const auto after = std::ranges::upper_bound(all.boundaries, step);
  return static_cast<std::size_t>(after - all.boundaries.begin()) - 1;
}

void add_products(const Side& side, BlockStatements& all) {
  if (!side.sum) {
    return;
  }
  std::vector<BlockSums::Product> products = side.sums.products(*side.sum);
  std::ranges::stable_sort(products, {}, &BlockSums::Product::step);
  for (std::size_t i = 0; i < products.size(); ++i) {
    all.keys[statement_at(all, products[i].step)].strong = i + 1;
  }
}

void add_phases(const Side& side, BlockStatements& all) {
  const auto phases = side.run.phases_of(side.block);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    record::StatementKey& key = all.keys[statement_at(all, phases[i].first_step)];
    key.strong = key.strong == 0 ? i + 1 : key.strong;
  }
}

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

// Index of the first of `keys` that has no match in `others`. Each of `others` matches one key.
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

BlockStatements block_statements(const Side& side, record::Alignment alignment) {
  BlockWatch watch(side);
  side.run.replay(0, side.run.step_count(), watch);
  const bool has_lines = alignment == record::Alignment::Statement;
  const std::vector<std::uint64_t> texts = text_keys(side.run.program().launch().source);
  BlockStatements all{{0}, {}};
  for (const Executed& executed : watch.executed) {
    all.boundaries.push_back(side.run.statement_starts()[executed.statement + 1]);
    const bool has_text = has_lines && executed.line < texts.size();
    all.keys.push_back({0, has_text ? texts[executed.line] : 0});
  }
  if (all.boundaries.back() < side.run.step_count()) {  // other blocks continue
    all.boundaries.push_back(side.run.step_count());
    all.keys.emplace_back();
  }
  if (alignment == record::Alignment::Phase) {
    add_phases(side, all);
  } else {
    add_products(side, all);
  }
  return all;
}

std::optional<ThreadOfRun> who_stored(const record::Recording& run, const std::string& element) {
  const simt::Program& program = run.program();
  const Result<Cell> cell = find_cell(program, element);
  if (!cell || cell->launch_buffer >= program.launch().buffers.size()) {
    return std::nullopt;
  }
  const record::State end = run.state_at(run.step_count());
  const record::Writer writer = end.buffer_writer(
      cell->launch_buffer, static_cast<std::uint64_t>(program.locate(cell->address, 4).offset) / 4);
  return writer.written ? std::optional(ThreadOfRun{writer.block, writer.thread}) : std::nullopt;
}

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

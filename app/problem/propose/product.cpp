#include "problem/propose/product.h"

#include "problem/propose/host.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tilestep::problem {
namespace {

using ParameterKind = ParameterType::Kind;

constexpr std::size_t kMostGuesses = 3000;
constexpr std::size_t kMostIntegers = 12;
constexpr std::size_t kMostCombinations = 6561;

constexpr std::pair<Word, Word> kNamedSizes[] = {
    {"m", "M"},           {"n", "N"},           {"k", "K"},           {"ha", "M"},
    {"wa", "K"},          {"hb", "K"},          {"wb", "N"},          {"hc", "M"},
    {"wc", "N"},          {"lda", "K"},         {"ldb", "N"},         {"ldc", "N"},
    {"rows", "M"},        {"height", "M"},      {"cols", "N"},        {"width", "N"},
    {"inner", "K"},       {"depth", "K"},       {"l", "K"},           {"p", "K"},
    {"rowsa", "M"},       {"colsa", "K"},       {"rowsb", "K"},       {"colsb", "N"},
    {"arows", "M"},       {"acols", "K"},       {"brows", "K"},       {"bcols", "N"},
    {"numarows", "M"},    {"numacols", "K"},    {"numacolumns", "K"}, {"numbrows", "K"},
    {"numbcols", "N"},    {"numbcolumns", "N"}, {"numcrows", "M"},    {"numccols", "N"},
    {"numccolumns", "N"}, {"nrows", "M"},       {"ncols", "N"}};
constexpr Word kSizeWords[] = {"M", "N", "K"};
constexpr Word kBatches[] = {"batch",      "batches",   "nbatch",  "batchcount",
                             "numbatches", "batchsize", "batchnum"};
constexpr Word kParts[] = {"split", "splits", "splitk", "ksplit", "nsplit", "slices", "parts"};
constexpr Word kTileEdges[] = {"tile", "ts", "bs", "tilesize", "tilewidth", "tiledim", "blocksize"};
constexpr Word kTileMark = "{tile}";

struct Choice {
  std::array<std::size_t, 3> pointers;  // parameters for A, B, C
  std::array<bool, 3> is_transposed;    // A, B, C column-major
  std::vector<std::string> values;      // of the integers, in order
  std::size_t way = 0;
  std::size_t family = 0;
  int rank = 0;  // distance from what the names suggest
};

// The possible meanings of an integer, each with its distance from what its name suggests.
using Domain = std::vector<std::pair<std::string, int>>;

class ProductGuesser {
 public:
  ProductGuesser(const LaunchSpec& start, const CudaText& text, const KernelInterface& kernel)
      : start_(start), text_(text), interface_(kernel) {}

  std::vector<ProductGuess> run();

 private:
  bool sort_parameters();
  [[nodiscard]] std::string name_of(std::size_t integer) const;
  [[nodiscard]] Domain domain(std::size_t integer, const std::array<bool, 3>& is_transposed) const;
  [[nodiscard]] std::vector<std::pair<std::vector<std::string>, int>> values(
      const std::array<bool, 3>& is_transposed) const;
  [[nodiscard]] std::vector<std::pair<std::array<std::size_t, 3>, int>> orders() const;
  [[nodiscard]] std::vector<Choice> choices() const;
  [[nodiscard]] std::optional<ProductGuess> guess(const Choice& choice) const;
  void set_arguments(const Choice& choice, ProductGuess& found) const;
  void set_sizes(const ProductWay& way, ProductGuess& found) const;
  [[nodiscard]] bool set_launch(const ProductWay& way, LaunchSpec& spec) const;
  [[nodiscard]] BufferSpec buffer(const Choice& choice, std::size_t which) const;
  [[nodiscard]] bool is_square() const { return integers_.size() == 1; }

  const LaunchSpec& start_;
  const CudaText& text_;
  const KernelInterface& interface_;
  const CudaKernel* kernel_ = nullptr;
  HostLaunch host_;
  std::vector<std::size_t> pointers_;
  std::vector<std::size_t> integers_;
  std::vector<std::size_t> reals_;
  std::vector<ProductWay> ways_;
};

bool ProductGuesser::sort_parameters() {
  for (std::size_t i = 0; i < interface_.parameters.size(); ++i) {
    const ParameterType& type = interface_.parameters[i].type;
    const bool is_pointer = type.kind == ParameterKind::Pointer && !type.target.empty() &&
                            type.target.front().kind != ParameterKind::Pointer;
    const bool is_number = type.kind == ParameterKind::Float ||
                           (type.kind == ParameterKind::Structure && type.bytes == 2);  // __half
    if (!is_pointer && type.kind != ParameterKind::Integer && !is_number) {
      return false;
    }
    (is_pointer                            ? pointers_
     : type.kind == ParameterKind::Integer ? integers_
                                           : reals_)
        .push_back(i);
  }
  if (pointers_.size() != 3 || integers_.empty() || integers_.size() > kMostIntegers ||
      reals_.size() > 2) {
    return false;
  }
  const ElementType first =
      element_guess(interface_.parameters[pointers_[0]].type.target.front()).type;
  return std::all_of(pointers_.begin(), pointers_.end(), [&](std::size_t p) {
    const ElementGuess one = element_guess(interface_.parameters[p].type.target.front());
    return one.per_item == 1 && (one.type == first || (is_real(one.type) && is_real(first)));
  });
}

std::string ProductGuesser::name_of(std::size_t integer) const {
  std::string name = bare(interface_.parameters[integers_[integer]].name);
  std::erase(name, '_');
  return name;
}

Domain ProductGuesser::domain(std::size_t integer, const std::array<bool, 3>& is_transposed) const {
  constexpr std::array<Word, 3> kExtents{"M * K", "K * N", "M * N"};
  const std::string word = name_of(integer);
  if (is_square()) {
    return {{"N", 0}};
  }
  if (is_one_of(kBatches, word)) {
    return {{"1", 0}};
  }
  const std::size_t matrix = word.empty() ? Word::npos : Word("abc").find(word.back());
  if (word.starts_with("stride") && word.size() == 7 && matrix < 3) {
    return {{std::string(kExtents[matrix]), 0}};
  }
  if (word.find("offset") != std::string::npos) {
    return {{"0", 0}};
  }
  const std::size_t place = integers_[integer];
  const std::optional<int> passed =
      place < host_.arguments.size() ? host_.arguments[place] : std::nullopt;
  const std::string number = passed ? std::to_string(passed.value_or(0)) : "";
  if (is_one_of(kParts, word)) {
    return {{passed ? number : "1", 0}};
  }
  if (is_one_of(kTileEdges, word)) {
    return {{passed ? number : std::string(kTileMark), 0}};
  }
  const auto found = std::find_if(std::begin(kNamedSizes), std::end(kNamedSizes),
                                  [&](const auto& entry) { return entry.first == word; });
  std::string named(found != std::end(kNamedSizes) ? found->second : kSizeWords[integer % 3]);
  if (word.size() == 3 && word.starts_with("ld") && matrix < 3 && is_transposed[matrix]) {
    named = matrix == 1 ? "K" : "M";
  }
  Domain all;
  for (const Word size : kSizeWords) {
    all.emplace_back(size, size == named ? 0 : 1);
  }
  const bool is_unknown = found == std::end(kNamedSizes) && integers_.size() > 3;
  if (is_unknown) {
    all.emplace_back("1", 2);
  }
  if (is_unknown && passed) {
    all.emplace_back(number, 0);
  }
  return all;
}

// The sizes that the names suggest first; then all others by distance.
std::vector<std::pair<std::vector<std::string>, int>> ProductGuesser::values(
    const std::array<bool, 3>& is_transposed) const {
  std::vector<Domain> domains;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < integers_.size(); ++i) {
    domains.push_back(domain(i, is_transposed));
    combinations *= domains.back().size();
    if (combinations > kMostCombinations) {
      return {};
    }
  }
  std::vector<std::pair<std::vector<std::string>, int>> all;
  for (std::size_t code = 0; code < combinations; ++code) {
    std::vector<std::string> one;
    int rank = 0;
    std::size_t rest = code;
    for (const Domain& domain : domains) {
      const auto& [value, distance] = domain[rest % domain.size()];
      rest /= domain.size();
      one.push_back(value);
      rank += distance;
    }
    const bool has_all = std::all_of(std::begin(kSizeWords), std::end(kSizeWords), [&](Word size) {
      return std::find(one.begin(), one.end(), size) != one.end();
    });
    if (has_all || integers_.size() < 3) {
      all.emplace_back(std::move(one), rank);
    }
  }
  return all;
}

std::vector<std::pair<std::array<std::size_t, 3>, int>> ProductGuesser::orders() const {
  std::array<std::size_t, 3> order{pointers_[0], pointers_[1], pointers_[2]};
  std::sort(order.begin(), order.end());
  std::vector<std::pair<std::array<std::size_t, 3>, int>> all;
  do {
    int rank = order[0] < order[1] ? 0 : 2;
    for (std::size_t which = 0; which < 3; ++which) {
      const ParameterType::Member& parameter = interface_.parameters[order[which]];
      const std::string word = bare(parameter.name);
      const bool is_named = word == "a" || word == "b" || word == "c";
      rank += is_named && word[0] != "abc"[which] ? 2 : 0;
      rank += which == 2 && parameter.type.target.front().points_to_const ? 9 : 0;
    }
    const ParameterType& output = interface_.parameters[order[2]].type;
    const auto element = [&](std::size_t which) {
      return element_guess(interface_.parameters[order[which]].type.target.front()).type;
    };
    if (element(0) != element(1)) {
      continue;
    }
    if (!output.target.front().points_to_const && output.name.find("const ") == std::string::npos) {
      const ParameterUse use = use_of(text_, *kernel_, interface_.parameters[order[2]].name);
      rank += use.is_written || use.is_passed_on ? 0 : 3;
      all.emplace_back(order, rank);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

std::vector<Choice> ProductGuesser::choices() const {
  std::vector<Choice> all;
  std::size_t family = 0;
  for (const auto& [order, order_rank] : orders()) {
    for (int layout = 0; layout < 8; ++layout) {
      const std::array<bool, 3> is_transposed{(layout & 1) != 0, (layout & 2) != 0,
                                              (layout & 4) != 0};
      const int layout_rank =
          layout == 7 ? 1 : is_transposed[0] + is_transposed[1] + 2 * is_transposed[2];
      const auto every_value = values(is_transposed);
      for (std::size_t way = 0; way < ways_.size(); ++way, ++family) {
        for (const auto& [named, value_rank] : every_value) {
          const int way_rank = way == 0 ? 0 : 1 + static_cast<int>(way) / 4;
          const int rank = order_rank + layout_rank + value_rank + way_rank;
          all.push_back({order, is_transposed, named, way, family, rank});
        }
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& a, const Choice& b) { return a.rank < b.rank; });
  all.resize(std::min(all.size(), kMostGuesses));
  return all;
}

// Described as row-major: a column-major matrix is its row-major transpose.
BufferSpec ProductGuesser::buffer(const Choice& choice, std::size_t which) const {
  constexpr std::array<std::pair<Word, Word>, 3> kShapes{{{"M", "K"}, {"K", "N"}, {"M", "N"}}};
  const ParameterType::Member& parameter = interface_.parameters[choice.pointers[which]];
  BufferSpec buffer;
  buffer.name = std::string(1, "ABC"[which]);
  buffer.type = element_guess(parameter.type.target.front()).type;
  buffer.rows = kShapes[which].first;
  buffer.cols = kShapes[which].second;
  if (choice.is_transposed[which]) {
    std::swap(buffer.rows, buffer.cols);
  }
  const ParameterUse use = use_of(text_, *kernel_, parameter.name);
  const bool accumulates = !reals_.empty() || use.is_read || use.is_atomic;
  buffer.role = which < 2     ? BufferRole::Input
                : accumulates ? BufferRole::InOut
                              : BufferRole::Output;
  if (which == 2 && reals_.empty() && accumulates) {
    buffer.input = InputSpec{};
    buffer.input->pattern = Pattern::Constant;
    buffer.input->constant = 0.0F;
  }
  const auto [a, b, c] = choice.is_transposed;
  if (which == 2 && (a || b || c || accumulates)) {
    buffer.expected = ExpectedSpec{};
    // A column-major C is a row-major Bᵀ·Aᵀ.
    const bool first = c ? !b : a;
    const bool second = c ? !a : b;
    buffer.expected->reference =
        first ? (second ? "matmul_tt" : "matmul_tn") : (second ? "matmul_nt" : "matmul");
    buffer.expected->of =
        c ? std::vector<std::string>{"B", "A"} : std::vector<std::string>{"A", "B"};
  }
  return buffer;
}

void ProductGuesser::set_arguments(const Choice& choice, ProductGuess& found) const {
  LaunchSpec& spec = found.spec;
  const ProductWay& way = ways_[choice.way];
  spec.arguments.assign(interface_.parameters.size(), {});
  for (std::size_t which = 0; which < 3; ++which) {
    const BufferSpec& one = spec.buffers[which];
    spec.arguments[choice.pointers[which]] = {ArgumentSpec::Kind::Buffer, one.name, "", {}};
    found.evidence += (which == 0 ? "" : ", ") +
                      tr("{} ({}) is {}×{}", one.name,
                         interface_.parameters[choice.pointers[which]].name, one.rows, one.cols);
  }
  for (std::size_t i = 0; i < integers_.size(); ++i) {
    const std::string& name = interface_.parameters[integers_[i]].name;
    std::string& value = spec.arguments[integers_[i]].expression;
    value = choice.values[i] != kTileMark ? choice.values[i]
            : way.slides                  ? "BLOCK_SIZE"
                                          : std::to_string(way.tiles[0]);
    if (!has_in_body(text_, *kernel_, {name})) {
      found.unused.emplace_back(integers_[i], name);
      continue;
    }
    const bool is_first = found.evidence.find(';') == std::string::npos;
    found.evidence += fmt::format("{}{} = {}", is_first ? "; " : ", ", name, value);
  }
  for (std::size_t i = 0; i < reals_.size(); ++i) {
    const std::string word = lower(interface_.parameters[reals_[i]].name);
    spec.arguments[reals_[i]].expression =
        word == "beta" || (i == 1 && word != "alpha") ? "0.0" : "1.0";
  }
}

bool ProductGuesser::set_launch(const ProductWay& way, LaunchSpec& spec) const {
  spec.block = way.block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    spec.grid[axis] = with_arguments(way.grid[axis], spec);
    if (spec.grid[axis].find('{') != std::string::npos) {
      return false;
    }
  }
  if (!way.shared_bytes.empty()) {
    spec.dynamic_shared_bytes = with_arguments(way.shared_bytes, spec);
    if (spec.dynamic_shared_bytes.find('{') != std::string::npos) {
      return false;
    }
  }
  spec.uses_block_size = way.slides && start_.uses_block_size;
  const auto fix = [&](std::string& text) {
    for (auto at = text.find("BLOCK_SIZE"); at != std::string::npos; at = text.find("BLOCK_SIZE")) {
      text.replace(at, 10, std::to_string(start_.default_block_size));
    }
  };
  if (!way.slides) {
    fix(spec.entry);
    for (auto& [name, value] : spec.defines) {
      fix(value);
    }
    // Drops what the text defines itself.
    std::erase_if(spec.defines, [this](const auto& define) {
      const auto own = text_.constants.find(define.first);
      return own != text_.constants.end() && std::to_string(own->second) == define.second &&
             std::ranges::find(text_.fixed, define.first) != text_.fixed.end();
    });
  }
  return true;
}

void ProductGuesser::set_sizes(const ProductWay& way, ProductGuess& found) const {
  LaunchSpec& spec = found.spec;
  const auto [m, n, k] = way.tiles;
  const int unit = std::max(m, n);
  found.tiles = {unit, unit, k};
  spec.default_problem = Problem{unit, 2 * unit, 3 * k};
  spec.requirements.clear();
  if (is_square()) {
    const int all = 2 * std::max(unit, k);
    spec.default_problem = Problem{all, all, all};
    found.tiles = {all, all, all};
    spec.requirements = {
        {"M == N && N == K",
         fmt::format("{} multiplies square matrices only; choose M = N = K.", kernel_->name)}};
  }
  const auto tile = [&](int size) {
    return spec.uses_block_size ? "BLOCK_SIZE" : std::to_string(size);
  };
  found.multiple =
      fmt::format("M % {} == 0 && N % {} == 0 && K % {} == 0", tile(m), tile(n), tile(k));
}

std::optional<ProductGuess> ProductGuesser::guess(const Choice& choice) const {
  ProductGuess found;
  found.spec = start_;
  found.family = choice.family;
  LaunchSpec& spec = found.spec;
  spec.buffers = {buffer(choice, 0), buffer(choice, 1), buffer(choice, 2)};
  spec.reference = spec.buffers[2].expected ? "" : "matmul";
  set_arguments(choice, found);
  const ProductWay& way = ways_[choice.way];
  if (!set_launch(way, spec)) {
    return std::nullopt;
  }
  set_sizes(way, found);
  return found;
}

std::vector<ProductGuess> ProductGuesser::run() {
  kernel_ = find_kernel(text_, plain_name(start_.entry));
  if (kernel_ == nullptr || !sort_parameters()) {
    return {};
  }
  host_ = host_launch(text_, kernel_->name);
  ways_ = product_ways(start_, text_, *kernel_, interface_);
  std::vector<ProductGuess> all;
  for (const Choice& choice : choices()) {
    if (auto one = guess(choice)) {
      all.push_back(std::move(*one));
    }
  }
  return all;
}

}  // namespace

std::vector<ProductGuess> product_guesses(const LaunchSpec& start, const CudaText& text,
                                          const KernelInterface& kernel) {
  return ProductGuesser(start, text, kernel).run();
}

}  // namespace tilestep::problem

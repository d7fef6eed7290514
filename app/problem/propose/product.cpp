#include "problem/propose/product.h"

#include "problem/propose/host_expression.h"
#include "problem/propose/parameter_use.h"
#include "problem/source/cuda_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

namespace tilestep::problem {
namespace {

using ParameterKind = ParameterType::Kind;
using Sizes = std::array<std::string, 3>;

constexpr std::size_t kMostGuesses = 2000;
constexpr int kLargestTile = 256;

constexpr std::pair<Word, Word> kNamedSizes[] = {
    {"m", "M"},    {"n", "N"},      {"k", "K"},     {"ha", "M"},    {"wa", "K"},    {"hb", "K"},
    {"wb", "N"},   {"hc", "M"},     {"wc", "N"},    {"lda", "K"},   {"ldb", "N"},   {"ldc", "N"},
    {"rows", "M"}, {"height", "M"}, {"cols", "N"},  {"width", "N"}, {"inner", "K"}, {"depth", "K"},
    {"l", "K"},    {"p", "K"},      {"rowsa", "M"}, {"colsa", "K"}, {"colsb", "N"}};

// The number a text starts with; 0 where none fits.
int number_of(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Choice {
  std::array<std::size_t, 3> pointers;  // parameters that are A, B, C
  std::array<bool, 3> is_transposed;    // A, B, C by columns
  std::vector<Word> sizes;              // of the integers, in their order
  std::size_t grid = 0;
  int rank = 0;  // how far from what the names say
};

struct Way {  // of launching it
  Sizes grid;
  Sizes block;
};

class ProductGuesser {
 public:
  ProductGuesser(const LaunchSpec& start, const CudaText& text, const KernelInterface& kernel)
      : start_(start), text_(text), interface_(kernel) {}

  std::vector<ProductGuess> run();

 private:
  bool sort_parameters();
  void find_numbers();
  void find_ways();
  void add_way(const Sizes& grid, const Sizes& block);
  [[nodiscard]] std::vector<std::pair<std::vector<Word>, int>> sizes(
      const std::array<bool, 3>& is_transposed) const;
  [[nodiscard]] std::vector<std::pair<std::array<std::size_t, 3>, int>> orders() const;
  [[nodiscard]] std::vector<Choice> choices() const;
  [[nodiscard]] std::optional<ProductGuess> guess(const Choice& choice) const;
  [[nodiscard]] BufferSpec buffer(const Choice& choice, std::size_t which) const;
  [[nodiscard]] int number(std::initializer_list<Word> names, int otherwise) const;
  [[nodiscard]] int edge() const;

  const LaunchSpec& start_;
  const CudaText& text_;
  const KernelInterface& interface_;
  const CudaKernel* kernel_ = nullptr;
  std::vector<std::size_t> pointers_;
  std::vector<std::size_t> integers_;
  std::vector<std::size_t> reals_;
  std::map<std::string, int> numbers_;  // template arguments and constants by name
  std::vector<Way> ways_;
  std::array<int, 3> tiles_{16, 16, 16};  // that M, N, K are multiples of
};

bool ProductGuesser::sort_parameters() {
  for (std::size_t i = 0; i < interface_.parameters.size(); ++i) {
    const ParameterType& type = interface_.parameters[i].type;
    const bool is_pointer = type.kind == ParameterKind::Pointer && !type.target.empty() &&
                            type.target.front().kind != ParameterKind::Pointer;
    if (!is_pointer && type.kind != ParameterKind::Integer && type.kind != ParameterKind::Float) {
      return false;
    }
    (is_pointer                            ? pointers_
     : type.kind == ParameterKind::Integer ? integers_
                                           : reals_)
        .push_back(i);
  }
  if (pointers_.size() != 3 || integers_.empty() || integers_.size() > 6 || reals_.size() > 2) {
    return false;
  }
  const auto element = [&](std::size_t which) {
    return element_guess(interface_.parameters[pointers_[which]].type.target.front());
  };
  return std::all_of(pointers_.begin(), pointers_.end(), [&](std::size_t p) {
    const ElementGuess one = element_guess(interface_.parameters[p].type.target.front());
    return one.per_item == 1 && one.type == element(0).type;
  });
}

void ProductGuesser::find_numbers() {
  numbers_ = {text_.constants.begin(), text_.constants.end()};
  for (const auto& [name, value] : start_.defines) {
    numbers_[name] = value == "BLOCK_SIZE" ? start_.default_block_size : number_of(value);
  }
  std::string list = start_.entry.substr(std::min(start_.entry.find('<'), start_.entry.size()));
  for (const CudaParameter& parameter : kernel_->template_parameters) {
    list.erase(0, list.find_first_not_of("<, "));
    int value = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), value);
    if (error == std::errc{}) {
      numbers_[parameter.name] = value;
    } else if (list.starts_with("BLOCK_SIZE")) {
      numbers_[parameter.name] = start_.default_block_size;
    }
    list.erase(0, std::min(list.find(','), list.size()));
  }
}

int ProductGuesser::number(std::initializer_list<Word> names, int otherwise) const {
  for (const Word name : names) {
    if (const auto found = numbers_.find(std::string(name)); found != numbers_.end()) {
      return found->second;
    }
  }
  return otherwise;
}

// Of a square tile, as template argument, constant or macro.
int ProductGuesser::edge() const {
  for (const CudaParameter& parameter : kernel_->template_parameters) {
    const bool is_only = kernel_->template_parameters.size() == 1;
    if (const auto found = numbers_.find(parameter.name); is_only && found != numbers_.end()) {
      return found->second;
    }
  }
  for (const Word name : kBlockNames) {
    if (const auto found = numbers_.find(std::string(name)); found != numbers_.end()) {
      return found->second;
    }
  }
  return number({"TS", "BS", "TILE_DIM", "TILESIZE", "tile_size", "TILE_SZ", "WARPSIZE"}, kEdge);
}

void ProductGuesser::add_way(const Sizes& grid, const Sizes& block) {
  ways_.push_back({grid, block});
}

void ProductGuesser::find_ways() {
  const HostLaunch host = host_launch(text_, kernel_->name);
  const bool has_y = has_in_body(text_, *kernel_, {"threadIdx", ".", "y"});
  const int square = edge();
  const int bm = number({"BM", "BLOCK_M", "TILE_M", "BLOCK_SIZE_M", "MT", "bm"}, square);
  const int bn = number({"BN", "BLOCK_N", "TILE_N", "BLOCK_SIZE_N", "NT", "bn"}, square);
  const int bk = number({"BK", "BLOCK_K", "TILE_K", "BLOCK_SIZE_K", "KT", "bk"}, square);
  const int tm = number({"TM", "THREAD_SIZE_Y", "WPT", "COARSE"}, 1);
  const int tn = number({"TN", "THREAD_SIZE_X"}, 1);
  const Dim3 bounds = interface_.launch_bounds;
  const int threads = number({"NUM_THREADS"}, std::max(1, bm * bn / std::max(1, tm * tn)));
  Sizes block = has_y ? Sizes{std::to_string(bn / tn), std::to_string(bm / tm), "1"}
                      : Sizes{std::to_string(std::min(threads, 1024)), "1", "1"};
  tiles_ = {bm, bn, bk};
  if (bounds.x > 1 && !has_y) {
    block = {std::to_string(bounds.count()), "1", "1"};
  }
  if (host.block) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      block[axis] = std::to_string((*host.block)[axis]);
    }
  }
  if (!start_.buffers.empty()) {  // the textbook's, with the slider
    add_way(start_.grid, start_.block);
    add_way({start_.grid[1], start_.grid[0], "1"}, start_.block);
    tiles_.fill(start_.default_block_size);
    return;
  }
  if (host.grid_expressions) {
    add_way(*host.grid_expressions, block);
  }
  const auto tiled = [](const char* size, int tile) {
    return fmt::format("ceil_div({}, {})", size, tile);
  };
  add_way({tiled("N", bn), tiled("M", bm), "1"}, block);
  add_way({tiled("M", bm), tiled("N", bn), "1"}, block);
  const int x = number_of(block[0]);
  const int y = number_of(block[1]);
  add_way({tiled("N", x), tiled("M", y), "1"}, block);
  add_way({tiled("M", x), tiled("N", y), "1"}, block);
  add_way({tiled("M * N", x), "1", "1"}, block);
}

// The names' own sizes first; then every other way, the nearer to them the earlier.
std::vector<std::pair<std::vector<Word>, int>> ProductGuesser::sizes(
    const std::array<bool, 3>& is_transposed) const {
  constexpr std::array<Word, 3> kAll{"M", "N", "K"};
  const std::size_t count = integers_.size();
  if (count == 1) {
    return {{{"N"}, 0}};
  }
  std::vector<Word> named;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word = lower(interface_.parameters[integers_[i]].name);
    const auto found = std::find_if(std::begin(kNamedSizes), std::end(kNamedSizes),
                                    [&](const auto& entry) { return entry.first == word; });
    const std::size_t leading =
        word.size() == 3 && word.starts_with("ld") ? Word("abc").find(word[2]) : Word::npos;
    if (leading < 3 && is_transposed[leading]) {
      named.emplace_back(leading == 1 ? "K" : "M");
      continue;
    }
    named.push_back(found != std::end(kNamedSizes) ? found->second : kAll[i % 3]);
  }
  std::vector<std::pair<std::vector<Word>, int>> all;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < count; ++i) {
    combinations *= 3;
  }
  for (std::size_t code = 0; code < combinations; ++code) {
    std::vector<Word> one;
    int changes = 0;
    for (std::size_t i = 0, rest = code; i < count; ++i, rest /= 3) {
      one.push_back(kAll[rest % 3]);
      changes += one.back() == named[i] ? 0 : 1;
    }
    const bool has_all = std::all_of(kAll.begin(), kAll.end(), [&](Word size) {
      return std::find(one.begin(), one.end(), size) != one.end();
    });
    if (has_all || count < 3) {
      all.emplace_back(std::move(one), changes);
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
  for (const auto& [order, order_rank] : orders()) {
    for (int layout = 0; layout < 8; ++layout) {
      const std::array<bool, 3> is_transposed{(layout & 1) != 0, (layout & 2) != 0,
                                              (layout & 4) != 0};
      const int layout_rank =
          layout == 7 ? 1 : is_transposed[0] + is_transposed[1] * 1 + 2 * is_transposed[2];
      const auto every_size = sizes(is_transposed);
      for (std::size_t way = 0; way < ways_.size(); ++way) {
        for (const auto& [named, size_rank] : every_size) {
          const int rank = order_rank + layout_rank + size_rank + (way == 0 ? 0 : 1);
          all.push_back({order, is_transposed, named, way, rank});
        }
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& a, const Choice& b) { return a.rank < b.rank; });
  all.resize(std::min(all.size(), kMostGuesses));
  return all;
}

// Row-major as it lies in memory: a matrix by columns is its transpose by rows.
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
    // C by columns is Bᵀ·Aᵀ by rows.
    const bool first = c ? !b : a;
    const bool second = c ? !a : b;
    buffer.expected->reference =
        first ? (second ? "matmul_tt" : "matmul_tn") : (second ? "matmul_nt" : "matmul");
    buffer.expected->of =
        c ? std::vector<std::string>{"B", "A"} : std::vector<std::string>{"A", "B"};
  }
  return buffer;
}

// "{2}" becomes the size that stands for the third parameter; nothing where that is no integer.
std::optional<std::string> with_sizes(std::string text,
                                      const std::vector<ArgumentSpec>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string mark = fmt::format("{{{}}}", i);
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      if (arguments[i].kind != ArgumentSpec::Kind::Scalar) {
        return std::nullopt;
      }
      text.replace(at, mark.size(), arguments[i].expression);
    }
  }
  return text.find('{') == std::string::npos ? std::optional(text) : std::nullopt;
}

std::optional<ProductGuess> ProductGuesser::guess(const Choice& choice) const {
  ProductGuess found{start_, "", ""};
  LaunchSpec& spec = found.spec;
  spec.buffers = {buffer(choice, 0), buffer(choice, 1), buffer(choice, 2)};
  spec.reference = spec.buffers[2].expected ? "" : "matmul";
  spec.arguments.assign(interface_.parameters.size(), {});
  for (std::size_t which = 0; which < 3; ++which) {
    spec.arguments[choice.pointers[which]] = {
        ArgumentSpec::Kind::Buffer, spec.buffers[which].name, "", {}};
    const BufferSpec& one = spec.buffers[which];
    found.evidence +=
        fmt::format("{}{} ({}) is {}×{}", which == 0 ? "" : ", ", one.name,
                    interface_.parameters[choice.pointers[which]].name, one.rows, one.cols);
  }
  for (std::size_t i = 0; i < integers_.size(); ++i) {
    spec.arguments[integers_[i]].expression = choice.sizes[i];
    found.evidence += fmt::format("{}{} = {}", i == 0 ? "; " : ", ",
                                  interface_.parameters[integers_[i]].name, choice.sizes[i]);
  }
  for (std::size_t i = 0; i < reals_.size(); ++i) {
    const std::string word = lower(interface_.parameters[reals_[i]].name);
    spec.arguments[reals_[i]].expression =
        word == "beta" || (i == 1 && word != "alpha") ? "0.0" : "1.0";
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto size = with_sizes(ways_[choice.grid].grid[axis], spec.arguments);
    if (!size) {
      return std::nullopt;
    }
    spec.grid[axis] = *size;
  }
  spec.block = ways_[choice.grid].block;
  spec.uses_block_size = start_.uses_block_size && !start_.buffers.empty();
  const auto [m, n, k] = tiles_;
  const int unit = std::max(m, n);
  spec.default_problem = Problem{unit, 2 * unit, 3 * k};
  if (integers_.size() == 1) {
    const int all = 2 * std::max(unit, k);
    spec.default_problem = Problem{all, all, all};
    spec.requirements = {
        {"M == N && N == K",
         fmt::format("{} multiplies square matrices only; choose M = N = K.", kernel_->name)}};
  }
  const bool slides = spec.uses_block_size;
  const auto tile = [&](int size) { return slides ? "BLOCK_SIZE" : std::to_string(size); };
  found.multiple =
      fmt::format("M % {} == 0 && N % {} == 0 && K % {} == 0", tile(m), tile(n), tile(k));
  if (!interface_.extern_shared.empty()) {
    spec.dynamic_shared_bytes = std::to_string((m + n) * k * 4);
  }
  return found;
}

std::vector<ProductGuess> ProductGuesser::run() {
  kernel_ = find_kernel(text_, plain_name(start_.entry));
  if (kernel_ == nullptr || !sort_parameters()) {
    return {};
  }
  find_numbers();
  find_ways();
  if (std::any_of(tiles_.begin(), tiles_.end(), [](int t) { return t < 1 || t > kLargestTile; })) {
    return {};
  }
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

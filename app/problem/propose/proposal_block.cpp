#include "problem/propose/proposal_block.h"

#include "problem/propose/host_launch.h"
#include "problem/propose/product_ways.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace tilestep::problem {
namespace {

constexpr int kThreads = 64;  // of a one-dimensional block that nothing is known about
constexpr Word kBlocks[] = {"threadblocksize",
                            "threadsperblock",
                            "numthreads",
                            "nthreads",
                            "blocksize",
                            "blockdim",
                            "tilewidth",
                            "tilesize",
                            "tiledim",
                            "tile",
                            "bdim",
                            "block",
                            "threads",
                            "tpb",
                            "blockdimx"};

class BlockGuesser {
 public:
  BlockGuesser(const LaunchSpec& start, const CudaText& text, const CudaKernel& kernel,
               const KernelInterface& interface)
      : text_(text),
        kernel_(kernel),
        interface_(interface),
        host_(host_launch(text, kernel.name)),
        numbers_(kernel_numbers(start, text, kernel)) {}

  [[nodiscard]] BlockGuess run() const;

 private:
  [[nodiscard]] std::string name_of(const std::string& plain) const;
  [[nodiscard]] int shared_elements() const;

  const CudaText& text_;
  const CudaKernel& kernel_;
  const KernelInterface& interface_;
  const HostLaunch host_;
  const std::map<std::string, int> numbers_;  // by plain names
};

// As the text writes a name that is known by its plain one.
std::string BlockGuesser::name_of(const std::string& plain) const {
  for (const auto& [name, value] : text_.constants) {
    if (plain_size_name(name) == plain) {
      return name;
    }
  }
  for (const CudaParameter& parameter : kernel_.template_parameters) {
    if (plain_size_name(parameter.name) == plain) {
      return parameter.name;
    }
  }
  return plain;
}

// Threads of a block: what the file's own launch says, or the kernel's bounds, or a constant that
// is called so.
BlockGuess BlockGuesser::run() const {
  std::array<int, 3> block{1, 1, 1};
  int step = 0;
  const bool has_z = has_in_body(text_, kernel_, {"threadIdx", ".", "z"});
  const bool has_y = has_in_body(text_, kernel_, {"threadIdx", ".", "y"});
  block = has_z                                        ? std::array<int, 3>{8, 8, 4}
          : has_y                                      ? std::array<int, 3>{kEdge, kEdge, 1}
          : has_in_body(text_, kernel_, {"threadIdx"}) ? std::array<int, 3>{kThreads, 1, 1}
                                                       : std::array<int, 3>{1, 1, 1};
  std::string why = tr("guess: threads per block along x, y, z");
  const auto named = [&](bool in_body) -> const std::pair<const std::string, int>* {
    for (const Word name : kBlocks) {
      for (const auto& number : numbers_) {
        const bool is_called =
            number.first == name || (name.size() > 8 && number.first.ends_with(name));
        if (is_called && number.second > 0 && number.second <= (has_y ? kLargestBlockSize : 1024) &&
            (!in_body || has_in_body(text_, kernel_, {name_of(number.first)}))) {
          return &number;
        }
      }
    }
    return nullptr;
  };
  const auto* const own = named(true);
  if (const auto* const size = own != nullptr ? own : named(false)) {
    block = {size->second, has_y ? size->second : 1, 1};
    why = tr("from {}", name_of(size->first));
  }
  const auto rows = text_.constants.find("BLOCK_ROWS");
  if (has_y && rows != text_.constants.end() && rows->second < block[1]) {
    step = block[1];  // rows of the grid, whatever the threads
    block[1] = rows->second;
  }
  if (const int elements = shared_elements(); !has_y && elements > 0) {
    block = {elements, 1, 1};
    why = tr("one thread per element of {}", interface_.shared.front().name);
  }
  if (interface_.launch_bounds.x > 0) {
    const Dim3 bounds = interface_.launch_bounds;
    block = {static_cast<int>(bounds.x), static_cast<int>(bounds.y), static_cast<int>(bounds.z)};
    why = tr("the maximum of __launch_bounds__");
  }
  if (host_.block) {
    block = *host_.block;
    why = tr("from the launch in this file");
  }
  if (static_cast<std::int64_t>(block[0]) * block[1] * block[2] > 1024) {
    block = {kThreads, 1, 1};
  }
  return {block, step, why};
}

// Of the first shared array, where it has one dimension and a thread for each element is likely.
int BlockGuesser::shared_elements() const {
  if (interface_.shared.empty()) {
    return 0;
  }
  const KernelInterface::Variable& array = interface_.shared.front();
  const bool has_one_dimension = std::count(array.type.begin(), array.type.end(), '[') == 1;
  const std::uint64_t bytes = array.element ? byte_size(*array.element) : 4;
  const std::uint64_t elements = array.bytes / bytes;
  return has_one_dimension && elements >= 32 && elements <= 1024 && elements % 32 == 0
             ? static_cast<int>(elements)
             : 0;
}

}  // namespace

BlockGuess block_guess(const LaunchSpec& start, const CudaText& text, const CudaKernel& kernel,
                       const KernelInterface& interface) {
  return BlockGuesser(start, text, kernel, interface).run();
}

}  // namespace tilestep::problem

// The origin of any floating-point value, and the uses of any element of a buffer: read from the
// executed instructions, at any step of a recording.
//
// Followed are float32 and float64 values, through registers, calls, shared, local and global
// memory of one block (docs/insight/sums.md). Integers, addresses and half precision are not.
#pragma once

#include "insight/names.h"
#include "record/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

// The origin of a value, read from the executed instructions, not from the source.

// One product of an accumulation: A[1][4]·B[4][6].
struct Term {
  struct Factor {
    std::uint32_t launch_buffer = 0;  // 0xffffffff: a constant (padding 0, a literal)
    int row = 0;
    int col = 0;
    float value = 0.0F;
    std::string via;              // "As[1][0]" if it passed through shared memory
    std::uint32_t loaded_by = 0;  // thread (linear) that loaded it from global memory
  };
  Factor a;
  Factor b;
  double times = 1.0;      // how often it is in the sum; negative: subtracted
  std::uint64_t step = 0;  // the step that added it
};

// Products that cancel out are no terms: the rounding error that a compensated sum keeps ((t - sum)
// - y) has none, and the sum has each product once.
struct Accumulation {
  std::string variable;     // "acc"
  std::vector<Term> terms;  // in the order they were added
  float value = 0.0F;       // the machine's value
  float initial = 0.0F;     // sum of its constants
  // False: the value is more than `initial` plus the terms (a single element is added).
  bool complete = true;
};

struct ElementRef {
  std::uint32_t launch_buffer = 0;
  int row = 0;
  int col = 0;

  friend bool operator==(const ElementRef&, const ElementRef&) = default;
};
[[nodiscard]] std::string name_of(const simt::Program& program, const ElementRef& element);

struct Origin {
  std::string name;  // "acc", "%f3", "As[2][3]"
  float value = 0.0F;
  // Cells: the last thread that stored to it. Empty: it holds its initial value.
  std::optional<record::Writer> writer;
  // The elements of buffers that it was computed from, in the order in which they entered.
  std::vector<ElementRef> elements;
  std::optional<Accumulation> sum;  // if it adds up products: the sum as executed
};

// The value of a thread's variable ("acc") or PTX register ("%f3"), a block's shared cell
// ("As[2][3]") or a global cell ("C[1][2]") after `step` steps. Cells of shared memory are those of
// `block`; `thread` (linear) is for variables and registers. Fails with a sentence if there is no
// such thing, or its value is not followed.
struct Question {
  std::string what;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
[[nodiscard]] Result<Origin> origin_of(const record::Recording& recording,
                                       const Question& question);

// All uses of one element of a buffer, by block and in execution order.
struct ElementUses {
  struct Load {  // from global memory
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    std::uint64_t step = 0;
    std::uint32_t line = 0;
  };
  struct Put {  // into a cell of shared memory
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    std::uint64_t step = 0;
    std::string cell;
  };
  struct Product {
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    std::uint64_t step = 0;
    std::string via;    // the cell of shared memory it was read from; empty: none
    Term::Factor with;  // the other factor
  };
  struct Output {  // a store to global memory of a value that was computed from it
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    std::uint64_t step = 0;
    std::string cell;
  };
  ElementRef element;
  std::vector<Load> loads;
  std::vector<Put> puts;
  std::vector<Product> products;
  std::vector<Output> outputs;
};

// `element`: "A[1][2]". Fails with a sentence if there is no such element.
[[nodiscard]] Result<ElementUses> uses_of(const record::Recording& recording,
                                          const std::string& element);

}  // namespace tilestep::insight

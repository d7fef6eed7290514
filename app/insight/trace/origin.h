// Where any floating-point value came from, and where any element of a buffer went: read off the
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

// Where a value came from: read off the executed instructions, not from the source.

// One product of an accumulation: A[1][4]·B[4][6].
struct Term {
  struct Factor {
    std::uint32_t launch_buffer = 0;  // 0xffffffff: a constant (padding 0, a literal)
    int row = 0;
    int col = 0;
    float value = 0.0F;
    std::string via;              // "As[1][0]" when it came through shared memory
    std::uint32_t loaded_by = 0;  // thread (linear) that brought it from global memory
  };
  Factor a;
  Factor b;
  double times = 1.0;      // how often it is in the sum; negative: subtracted
  std::uint64_t step = 0;  // the step that added it
};

// Products that cancel out are no terms: what a compensated sum keeps of its rounding errors
// ((t - sum) - y) has none, and the sum has each product once.
struct Accumulation {
  std::string variable;     // "acc"
  std::vector<Term> terms;  // in the order they were added
  float value = 0.0F;       // what the machine holds
  float initial = 0.0F;     // the constants in it
  // False: the value is more than `initial` plus the terms (an element by itself, a factor that was
  // itself computed).
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
  // Cells: who wrote it last. Not written: it holds what the launch began with.
  std::optional<record::Writer> writer;
  // The elements of buffers that it was computed from, in the order in which they entered.
  std::vector<ElementRef> elements;
  std::optional<Accumulation> sum;  // where it adds up products: the sum as executed
};

// What a thread's variable ("acc") or PTX register ("%f3"), a block's shared cell ("As[2][3]") or a
// global cell ("C[1][2]") held after `step` steps. Cells of shared memory are those of `block`;
// `thread` (linear) is for variables and registers. Fails with a sentence where there is no such
// thing, or its value is not followed.
struct Question {
  std::string what;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
[[nodiscard]] Result<Origin> origin_of(const record::Recording& recording,
                                       const Question& question);

// Everything that happened with one element of a buffer, by blocks and in execution order.
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
    std::string via;    // the cell of shared memory it was read from, if any
    Term::Factor with;  // the other factor
  };
  struct Output {  // a store to global memory of a value that it is part of
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

// `element`: "A[1][2]". Fails with a sentence where there is no such element.
[[nodiscard]] Result<ElementUses> uses_of(const record::Recording& recording,
                                          const std::string& element);

}  // namespace tilestep::insight

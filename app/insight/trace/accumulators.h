// The sums that the threads of a block compute, found from their final stores to buffers.
//
// A thread has one sum for each element it stores: `tiled` has one, `register_tile_2d` 4×4. The
// provenance of the stored value has every value of the sum. The place that held those values (a
// variable, an element of a local array, a component of a vector, a register of a fast build) is
// looked up afterwards and is only a name.
#pragma once

#include "insight/trace/origin.h"
#include "record/recording.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::insight {

// The role of a value in a product of two matrices.

// Role of an array's or variable's contents, by the origin of its values. None: neither, or
// several.
enum class ValueRole : std::uint8_t { None, A, B, Sum };

enum class SumKind : std::uint8_t {
  Products,  // a sum of products
  Other,     // computed in another way
  Untraced,  // not followed: integers, half precision, results of matrix instructions
};

// The place that holds a sum while it grows.
struct SumHome {
  enum class Kind : std::uint8_t { None, Variable, Register, Shared, Buffer };
  Kind kind = Kind::None;
  std::string name;          // "acc", "acc[1][2]", "sum.x", "%f12", "s[3]"; empty for None
  std::string variable;      // if Variable: "acc"
  std::uint64_t offset = 0;  // … and the offset in it, in bytes

  friend bool operator==(const SumHome&, const SumHome&) = default;
};

// A sum and the element it is stored to.
struct OwnedSum {
  std::uint32_t thread = 0;
  ElementRef at;
  std::uint64_t stored = 0;  // step of this thread's last store to the element
  SumKind kind = SumKind::Untraced;
  bool atomic = false;       // an atomic operation adds it to the element: it is a part of the
                             // element's value
  bool overwritten = false;  // another thread, of this block or another, stored there later
  SumHome home;              // of most of its values; at a step: BlockSums::home()
  SumHome compensation;      // of a compensated sum, otherwise None
};

// A sum at one step.
struct SumNow {
  bool assigned = false;  // false: there is no sum yet
  float value = 0.0F;
  // Step that computed the value. For the start and for a compensated sum: step that assigned it.
  std::uint64_t step = 0;
  // Thread that computed it. For the start: thread that stores the sum. The two differ if threads
  // exchange their sums.
  std::uint32_t thread = 0;
  std::size_t values = 0;  // values since its start
  bool grown = false;      // it has its final value
  bool stored = false;     // … and the thread has stored it
  // Rounding error that the kernel keeps; empty: none, or none yet.
  std::optional<float> compensation;
};

// The operation that computed a sum's newest value: 71 + -27 = 44.
struct SumOperation {
  char sign = ' ';  // '+', '-', '*'; ' ': not a followed operation
  float left = 0.0F;
  float right = 0.0F;
  float value = 0.0F;
  std::uint64_t step = 0;
};

// Executes the block once, alone if possible, and then answers quickly for every thread and step.
// Steps are counted as in a recording: at k, steps 0 … k - 1 have been executed.
class BlockSums {
 public:
  // Follows at most `most_values` products, sums and loads: 2,000,000 take about 150 MB while they
  // are followed, and about 70 MB afterwards. If `cancel` is set meanwhile, there are no sums.
  static constexpr std::size_t kMostValues = 2'000'000;
  BlockSums(const record::Recording& recording, std::uint32_t block,
            std::size_t most_values = kMostValues, const std::atomic<bool>* cancel = nullptr);
  ~BlockSums();
  BlockSums(BlockSums&&) noexcept;
  BlockSums& operator=(BlockSums&&) noexcept;
  BlockSums(const BlockSums&) = delete;
  BlockSums& operator=(const BlockSums&) = delete;

  [[nodiscard]] std::uint32_t block() const;
  // Whether the block computes more values than are followed. Then there are no sums, but
  // common_name() is known.
  [[nodiscard]] bool is_too_large() const;
  // By thread, buffer, row and column. The functions below take an index into them.
  [[nodiscard]] std::span<const OwnedSum> sums() const;
  // [first, last) of a thread's sums.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };
  [[nodiscard]] Range of_thread(std::uint32_t thread) const;
  // Sum `number` of a thread, or its last one; empty if the thread has none.
  [[nodiscard]] std::optional<std::size_t> of_thread(std::uint32_t thread, int number) const;

  // The place that holds its value at a step; None for a value that is only in a register between
  // two others.
  [[nodiscard]] SumHome home(std::size_t sum, std::uint64_t step) const;
  // The name of that home. "sum" if it has none and for registers, which hold several values in
  // turn; "result" if it is not a sum of products.
  [[nodiscard]] std::string name(std::size_t sum, std::uint64_t step) const;
  [[nodiscard]] SumNow now(std::size_t sum, std::uint64_t step) const;
  // Its terms at a step, with `variable` set to its name. Empty before its first value and if it is
  // not followed.
  [[nodiscard]] std::optional<Accumulation> accumulation(std::size_t sum, std::uint64_t step) const;
  // The last product that was added to it.
  [[nodiscard]] std::optional<Term> latest(std::size_t sum, std::uint64_t step) const;
  [[nodiscard]] SumOperation operation(std::size_t sum, std::uint64_t step) const;
  // Other sums that have begun and will be added to it: a warp's partial sums before the shuffle,
  // the second of two accumulators.
  struct Part {
    std::uint32_t thread = 0;
    float value = 0.0F;
    std::uint64_t joins = 0;     // step that adds it
    std::size_t values = 0;      // values so far
    std::uint64_t step = 0;      // step that computed the value
    std::optional<Term> latest;  // its last product by then
  };
  [[nodiscard]] std::vector<Part> parts(std::size_t sum, std::uint64_t step) const;

  // The variable or array that holds the sums ("acc" for acc[1][2]), or the one that holds most of
  // them; empty: none.
  [[nodiscard]] std::string common_name() const;

  // The products of elements of two buffers in a sum, including other threads' parts of it. `step`
  // multiplied them.
  struct Product {
    ElementRef a;
    ElementRef b;
    std::uint32_t step = 0;
  };
  [[nodiscard]] std::vector<Product> products(std::size_t sum) const;

  // The buffers of the products' first and second factors; empty if the block multiplies no
  // elements of two buffers.
  struct Factors {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  [[nodiscard]] std::optional<Factors> factors() const;
  // Role of a buffer, a shared array, a local array or a variable by name. Indices and members in
  // the name are ignored.
  [[nodiscard]] ValueRole role_of(const std::string& name) const;
  // Role of the value that a 4-byte word of the block's shared memory holds at a step: memory may
  // hold tiles first and sums later. None for constants.
  [[nodiscard]] ValueRole role_of_shared(std::size_t word, std::uint64_t step) const;

  // An element of a buffer that a thread stored unchanged in the block's shared memory, at any
  // later step after its load; for an asynchronous copy, the step of its issue. Ordered by step;
  // empty for a block that is too large.
  struct Brought {
    std::uint64_t step = 0;
    std::uint64_t address = 0;  // generic
    std::uint32_t thread = 0;
    ElementRef from;
  };
  [[nodiscard]] std::span<const Brought> brought() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::insight

// What the threads of a block add up, found from what they store to buffers in the end.
//
// A thread has one sum for each element it stores: `tiled` has one, `register_tile_2d` 4×4. The
// stored value's provenance gives every value that the sum went through; where those were kept (a
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

// Whose number it is, to a product of two matrices.

// What an array or a variable holds, by where its values came from. None: neither, or several.
enum class ValueRole : std::uint8_t { None, A, B, Sum };

enum class SumKind : std::uint8_t {
  Products,  // a sum of products
  Other,     // computed in another way
  Untraced,  // not followed: integers, half precision, what a matrix instruction makes
};

// Where a sum lives while it grows.
struct SumHome {
  enum class Kind : std::uint8_t { None, Variable, Register, Shared, Buffer };
  Kind kind = Kind::None;
  std::string name;          // "acc", "acc[1][2]", "sum.x", "%f12", "s[3]"; empty for None
  std::string variable;      // of Variable: "acc"
  std::uint64_t offset = 0;  // … and where in it, in bytes

  friend bool operator==(const SumHome&, const SumHome&) = default;
};

// A sum and the element it is stored to.
struct OwnedSum {
  std::uint32_t thread = 0;
  ElementRef at;
  std::uint64_t stored = 0;  // the step of the last store there by this thread
  SumKind kind = SumKind::Untraced;
  bool atomic = false;       // added to the element by an atomic operation: a part of what is there
  bool overwritten = false;  // another thread, of this block or another, stored there later
  SumHome home;              // of most of its values; at a step: BlockSums::home()
  SumHome compensation;      // of a compensated sum, else None
};

// A sum at one step.
struct SumNow {
  bool assigned = false;  // else there is no sum yet
  float value = 0.0F;
  // That computed the value; of the start and of a compensated sum, that assigned it.
  std::uint64_t step = 0;
  // Who computed it; of the start, who stores the sum. Others than who stores it where threads
  // exchange their sums.
  std::uint32_t thread = 0;
  std::size_t values = 0;  // that it has had after its start
  bool grown = false;      // it has the value that is stored in the end
  bool stored = false;     // …  and has been stored
  // What was lost to rounding, as the kernel keeps it; nothing where it keeps none, or none yet.
  std::optional<float> compensation;
};

// The operation that gave a sum its newest value: 71 + -27 = 44.
struct SumOperation {
  char sign = ' ';  // '+', '-', '*'; ' ': no operation that is followed
  float left = 0.0F;
  float right = 0.0F;
  float value = 0.0F;
  std::uint64_t step = 0;
};

// Executes the block once, by itself where it can, and then answers for every thread and step in
// next to no time. Steps are counted as in a recording: at k, steps 0 … k - 1 have been executed.
class BlockSums {
 public:
  // Follows no more than `most_values` products, sums and loads: 2,000,000 take some 150 MB while
  // they are followed, and some 70 MB from then on. Where `cancel` is set meanwhile, there are no
  // sums.
  static constexpr std::size_t kMostValues = 2'000'000;
  BlockSums(const record::Recording& recording, std::uint32_t block,
            std::size_t most_values = kMostValues, const std::atomic<bool>* cancel = nullptr);
  ~BlockSums();
  BlockSums(BlockSums&&) noexcept;
  BlockSums& operator=(BlockSums&&) noexcept;
  BlockSums(const BlockSums&) = delete;
  BlockSums& operator=(const BlockSums&) = delete;

  [[nodiscard]] std::uint32_t block() const;
  // The block computes more values than are followed: there are no sums, but common_name() is
  // known.
  [[nodiscard]] bool is_too_large() const;
  // By thread, buffer, row and column. An index into them names a sum below.
  [[nodiscard]] std::span<const OwnedSum> sums() const;
  // [first, last) of a thread's sums.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };
  [[nodiscard]] Range of_thread(std::uint32_t thread) const;
  // Number `number` of a thread's sums, or its last; nothing where it has none.
  [[nodiscard]] std::optional<std::size_t> of_thread(std::uint32_t thread, int number) const;
  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t thread, const ElementRef& at) const;

  // Where the value that it has at a step is kept; None for a value that only stands in a register
  // between two others.
  [[nodiscard]] SumHome home(std::size_t sum, std::uint64_t step) const;
  // That home's name. "sum" where it has none and for registers, which hold one value after
  // another; "result" of what is no sum of products.
  [[nodiscard]] std::string name(std::size_t sum, std::uint64_t step) const;
  [[nodiscard]] SumNow now(std::size_t sum, std::uint64_t step) const;
  // Its terms at a step, with `variable` set to its name. Nothing before its first value and where
  // it is not followed.
  [[nodiscard]] std::optional<Accumulation> accumulation(std::size_t sum, std::uint64_t step) const;
  // The product that it took latest.
  [[nodiscard]] std::optional<Term> latest(std::size_t sum, std::uint64_t step) const;
  [[nodiscard]] SumOperation operation(std::size_t sum, std::uint64_t step) const;
  // Other sums that will be added to it and have begun: a warp's partial sums before the shuffle,
  // the second of two accumulators.
  struct Part {
    std::uint32_t thread = 0;
    float value = 0.0F;
    std::uint64_t joins = 0;     // the step that adds it
    std::size_t values = 0;      // that it has had
    std::uint64_t step = 0;      // that computed the value
    std::optional<Term> latest;  // the product that it took then
  };
  [[nodiscard]] std::vector<Part> parts(std::size_t sum, std::uint64_t step) const;

  // The variable or array that the sums live in ("acc" for acc[1][2]), where there is one; empty
  // else. Where several do, the one that most live in.
  [[nodiscard]] std::string common_name() const;
  // The sum that a variable holds, whatever becomes of it.
  [[nodiscard]] std::optional<Accumulation> held(std::uint64_t step, std::uint32_t thread,
                                                 const std::string& variable) const;

  // The products of elements of two buffers that a sum takes, other threads' parts of it included;
  // `step` multiplied them.
  struct Product {
    ElementRef a;
    ElementRef b;
    std::uint32_t step = 0;
  };
  [[nodiscard]] std::vector<Product> products(std::size_t sum) const;

  // The buffers of the products' first and second factors; none where the block multiplies no
  // elements of two buffers.
  struct Factors {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  [[nodiscard]] std::optional<Factors> factors() const;
  // Of a buffer, a shared array, a local array or a variable by name; indices and members in the
  // name are left out of account.
  [[nodiscard]] ValueRole role_of(const std::string& name) const;
  // Of what a 4-byte word of the block's shared memory holds at a step: memory may serve for tiles
  // first and for sums later. None for constants.
  [[nodiscard]] ValueRole role_of_shared(std::size_t word, std::uint64_t step) const;

  // An element of a buffer that a thread stored in the block's shared memory just as it had loaded
  // it, at whichever step; an asynchronous copy when it was issued. By step; none of a block that
  // is too large.
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

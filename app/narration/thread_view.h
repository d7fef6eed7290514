// One thread's variables and memory at one step, as numbers, by the names in its source.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "narration/source_map.h"
#include "record/recording.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilestep::narration {

struct Number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0.0;

  [[nodiscard]] double as_real() const { return is_real ? real : static_cast<double>(integer); }
  [[nodiscard]] bool is_true() const { return as_real() != 0.0; }
  friend bool operator==(const Number&, const Number&) = default;
};
// For integers, booleans and real numbers; empty for other types.
[[nodiscard]] std::optional<Number> decoded(const ptx::SourceType& type,
                                            const std::vector<std::byte>& bytes);
[[nodiscard]] inline Number whole(std::int64_t value) {
  return {false, value, 0.0};
}
[[nodiscard]] inline Number real_number(double value) {
  return {true, 0, value};
}

// "−3", "0.5": shortened if the number has many digits. The minus is U+2212.
[[nodiscard]] std::string number_text(const Number& number);

// A place in the source: its type, its bytes, its address in memory.
struct Spot {
  ptx::TypeId type = ptx::kNoType;
  std::vector<std::byte> bytes;
  std::optional<std::uint64_t> address;
};

class ThreadView {
 public:
  // All arguments must outlive it.
  ThreadView(const record::Recording& recording, const SourceMap& source,
             const record::State& state, std::uint32_t block, std::uint32_t thread);

  [[nodiscard]] const record::State& state() const { return state_; }
  [[nodiscard]] const record::Recording& recording() const { return recording_; }
  [[nodiscard]] const SourceMap& source() const { return source_; }
  [[nodiscard]] std::uint32_t block() const { return block_; }
  [[nodiscard]] std::uint32_t thread() const { return thread_; }

  // Variables that are in scope and have a value.
  [[nodiscard]] const std::vector<record::NamedValue>& variables() const { return variables_; }
  [[nodiscard]] const record::NamedValue* find(const std::string& name) const;
  // For an expression that names a place: a variable, an element, a member, *pointer.
  [[nodiscard]] std::optional<Spot> spot(const Expression& expression) const;
  // The value of an expression, as a number.
  [[nodiscard]] std::optional<Number> number(const Expression& expression) const;
  [[nodiscard]] std::optional<Number> number(const Spot& spot) const;
  // threadIdx.x, BLOCK_SIZE, warpSize: values without a variable.
  [[nodiscard]] std::optional<Number> built_in(const Expression& expression) const;
  [[nodiscard]] std::optional<Number> constant(const std::string& name) const;

 private:
  [[nodiscard]] std::optional<Spot> element(const Spot& base, std::int64_t index) const;
  [[nodiscard]] std::optional<Spot> at_address(std::uint64_t address, ptx::TypeId type) const;
  [[nodiscard]] const ptx::SourceType* type(ptx::TypeId id) const;

  const record::Recording& recording_;
  const SourceMap& source_;
  const record::State& state_;
  std::uint32_t block_;
  std::uint32_t thread_;
  std::vector<record::NamedValue> variables_;
};

// Expressions with this run's numbers inserted: "t * BLOCK_SIZE + tx" is "1·4 + 2". The printed
// text is verified: it is computed and compared with the machine's value.

// The role of a name's value.
using HueOf = std::function<Hue(const std::string& name)>;

struct Printed {
  Pieces pieces;
  Number value;
  int binding = 11;  // of the outermost printed operator; 11: none
  bool is_number = true;
  bool rounds = false;  // an integer division with a remainder
};

// With a thread's values at a step. Empty if a part of it has no known value.
[[nodiscard]] std::optional<Printed> printed(const Expression& expression, const ThreadView& view,
                                             const HueOf& hue);
[[nodiscard]] std::optional<Number> value_of(const Expression& expression, const ThreadView& view);
// The name that determines an expression's role: "As" of "As[ty][e]".
[[nodiscard]] std::string base_name(const Expression& expression);

// The value of a printed text, by the rules of C: "1·4 + 2" is 6.
[[nodiscard]] std::optional<Number> computed(const std::string& text);

// The relation of a printed text and a number.
enum class Holds : std::uint8_t { Not, Nearly, Exactly };
[[nodiscard]] Holds holds(const std::string& text, const Number& result);

// "acc = 71 + (−3)·9 = 44" for an assignment; "acc = 44" if the sum would not hold or adds nothing.
// `target`: the name of the left side; `after`: its new value.
[[nodiscard]] Pieces equation(const Assignment& assignment, const std::string& target,
                              const Number& after, const ThreadView& before, const HueOf& hue);

// The role of a target, or else of the value assigned to it.
[[nodiscard]] Hue hue_of(const Expression& expression, const HueOf& hue);

// The roles of the values of arrays and variables, and which variables are sums. Found from the
// origins of values (insight/trace/accumulators.h), never from names.

[[nodiscard]] Hue hue_of_role(insight::ValueRole role);

class Roles {
 public:
  // `sums`: of the block; null if they are not ready: then nothing has a hue. `source`: the
  // kernel's; must outlive this object.
  Roles(const record::Recording& recording, const insight::BlockSums* sums,
        const SourceMap& source);

  // Role of an array of the launch or of a block.
  [[nodiscard]] Hue hue(const std::string& name) const;
  // Role of a name in a line of the source. A parameter of a device function has none, because each
  // call may pass another value.
  [[nodiscard]] Hue hue(const std::string& name, std::uint32_t line) const;
  [[nodiscard]] HueOf hue_of(std::uint32_t line) const;
  // "As, Bs[1] and s", each in its hue.
  [[nodiscard]] Pieces arrays(const std::set<std::string>& names) const;
  // The variable with the rounding error of a compensated sum: "y"; empty if there is none.
  [[nodiscard]] const std::string& compensation() const { return compensation_; }
  // Whether the block multiplies elements of two buffers.
  [[nodiscard]] bool is_product() const { return sums_ != nullptr && sums_->factors().has_value(); }
  [[nodiscard]] bool is_output(std::uint32_t launch_buffer) const;
  // The destination element of a thread's sum in a place ("acc[1][2]"), if the thread has several
  // sums.
  [[nodiscard]] std::optional<std::string> element_of(std::uint32_t thread,
                                                      const std::string& place) const;

  // The change of the first of a thread's sums between two steps.
  struct Growth {
    std::string element;  // "C[1][6]"
    double before = 0.0;  // 0 if it had not begun
    double after = 0.0;
    std::uint64_t products_before = 0;
    std::uint64_t products = 0;  // in it at the end
    bool stored = false;         // in these steps
  };
  [[nodiscard]] std::optional<Growth> growth(std::uint32_t thread, std::uint64_t first,
                                             std::uint64_t last) const;

 private:
  const record::Recording& recording_;
  const insight::BlockSums* sums_;
  const SourceMap& source_;
  // Parameters by their arguments (the kernel may call A what the launch calls d_in), and the
  // buffers of a kernel that is not a product.
  std::map<std::string, Hue> hues_;
  std::string compensation_;
};

}  // namespace tilestep::narration

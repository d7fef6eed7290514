// One thread's variables and memory at one step, as numbers, by the names of its source.
#pragma once

#include "narration/source_map.h"
#include "record/recording.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
// Of integers, truths and real numbers; nothing of other types.
[[nodiscard]] std::optional<Number> decoded(const ptx::SourceType& type,
                                            const std::vector<std::byte>& bytes);
[[nodiscard]] inline Number whole(std::int64_t value) {
  return {false, value, 0.0};
}
[[nodiscard]] inline Number real_number(double value) {
  return {true, 0, value};
}

// "−3", "0.5": few digits where the number has many. The minus is U+2212.
[[nodiscard]] std::string number_text(const Number& number);

// What a place in the source holds: its type, its bytes, where it is in memory.
struct Spot {
  ptx::TypeId type = ptx::kNoType;
  std::vector<std::byte> bytes;
  std::optional<std::uint64_t> address;
};

class ThreadView {
 public:
  // All must outlive it.
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
  // Of an expression that names a place: a variable, an element, a member, *pointer.
  [[nodiscard]] std::optional<Spot> spot(const Expression& expression) const;
  // What stands there, as a number.
  [[nodiscard]] std::optional<Number> number(const Expression& expression) const;
  [[nodiscard]] std::optional<Number> number(const Spot& spot) const;
  // threadIdx.x, BLOCK_SIZE, warpSize: what no variable holds.
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

}  // namespace tilestep::narration

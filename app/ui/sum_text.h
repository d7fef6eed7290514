// A thread's sum of products in words and numbers.
#pragma once

#include "insight/trace/accumulators.h"
#include "insight/trace/origin.h"
#include "problem/launch/launch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// The sum in pieces, so that lines can break and terms can be left out between them.
struct SumText {
  std::string head;                // "acc ="
  std::vector<std::string> terms;  // "6·2", "+ 4·5": all but the last term
  std::string last;                // "+ As[1][2]·Bs[2][2]"
  std::string result;              // "= 78 + (−1)·5 = 73"
  // The parts of the latest product: "As[1][2]", "−2", "(−2)·(−4) = 8", "33 + 8 = 41". Equations
  // that do not hold in float are empty.
  struct Latest {
    std::string a_place, a_value, b_place, b_value, product, addition;
  };
  std::optional<Latest> latest;
  std::string last_numbers;   // "+ (−1)·5"
  std::string step;           // "78 + (−1)·5 = 73"; empty if last and result are better
  std::string value;          // "73"
  bool from_a_and_b = false;  // first factors are from A, second ones from B

  // The latest term in numbers; the value if there are no products.
  [[nodiscard]] const std::string& latest_term() const {
    return last_numbers.empty() ? last : last_numbers;
  }
};
// The latest product is shown by its places while they hold its factors, afterwards in numbers.
enum class LatestProduct { ByPlace, InNumbers };
// Shows no equation that does not hold: "≈" if rounding of the terms gives another number than the
// thread holds, and no last step if not all of the sum is products.
[[nodiscard]] SumText sum_text(const insight::Accumulation& accumulation,
                               const problem::Launch& launch,
                               LatestProduct shown = LatestProduct::ByPlace);

// All of it in numbers, in one line: "acc = 6·2 + 4·5 = 32".
[[nodiscard]] std::string sum_line(const insight::Accumulation& accumulation);

// Columns of a text in a monospaced font: an ideograph takes two.
[[nodiscard]] std::size_t sum_columns(const std::string& utf8);

inline constexpr const char* kSumEllipsis = "+ … ";

// A row of boxes, one per product. In characters: a box's padding around its number, the distance
// of two boxes, and a box without a number.
inline constexpr float kSumBoxPad = 1.0F;
inline constexpr float kSumSignRoom = 1.8F;
inline constexpr float kSumComingBox = 2.2F;
// The boxes that are drawn in a row.
struct SumBoxes {
  std::size_t front = 0;     // number from the front of SumText::terms
  std::size_t back = 0;      // number of the latest terms
  std::size_t coming = 0;    // boxes of later products
  bool says_coming = false;  // "5 to come" after them
  bool cut_short = false;    // "+ …" after them, where these words have no room
};
// The boxes that fit into `budget` characters beside the latest product: added products before
// later ones; "61 to come" has room if not every later product has a box, unless the latest product
// leaves none.
[[nodiscard]] SumBoxes fit_boxes(const SumText& sum, std::size_t to_come, std::size_t budget);
// "61 to come"; after the boxes of some: "and 57 more".
[[nodiscard]] std::string to_come(std::size_t count, std::size_t boxes = 0);

// The text of the strip below the stage about the focus thread's sums. Pure.

// The text about one thread's sums at one step.
struct SumStory {
  std::string title;           // "acc[1][1] → C[5][6] · 6 of 16"; empty: the thread has no sum
  std::string element;         // "C[5][6]"
  std::string progress;        // "3 of 8 products"; empty: it has none
  std::size_t to_come = 0;     // products
  std::optional<SumText> sum;  // the chosen one, if it adds products
  std::string sentence;        // otherwise, a sentence about it
  std::string also;            // "lost so far 2e-08": a further fact; may be empty
  struct Other {
    std::size_t sum = 0;  // as SumQuestion::chosen
    std::string text;     // in short: "acc[0][0] 78"
  };
  std::vector<Other> others;  // the thread's other sums that have a value
};
// `sums`: of the focus block; null: unknown yet. `chosen`: one of the thread's; nullopt: it has
// none.
struct SumQuestion {
  const record::Recording& recording;
  const insight::BlockSums* sums = nullptr;
  std::optional<std::size_t> chosen;
  std::uint32_t thread = 0;
  std::uint64_t step = 0;
  std::optional<std::size_t> products = std::nullopt;  // in total, if already known
  const record::State* state = nullptr;  // at the step: shows whether places still hold the factors
};
// The products that its thread adds in it before other sums are added or it is scaled; 0 if none.
// Takes as long as the rest of a story.
[[nodiscard]] std::size_t count_products(const SumQuestion& question);
[[nodiscard]] SumStory sum_story(const SumQuestion& question);

}  // namespace tilestep::ui

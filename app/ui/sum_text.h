// A thread's sum of products in words and numbers.
#pragma once

#include "insight/trace/origin.h"
#include "problem/launch/launch.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// The sum in pieces, so that lines can be broken and terms left out between them.
struct SumText {
  std::string head;                // "acc ="
  std::vector<std::string> terms;  // "6·2", "+ 4·5": all but the last
  std::string last;                // "+ As[1][2]·Bs[2][2]"
  std::string result;              // "= 78 + (−1)·5 = 73"
  // The latest product, taken apart: "As[1][2]", "−2", "(−2)·(−4) = 8", "33 + 8 = 41". Equations
  // that do not hold in float are empty.
  struct Latest {
    std::string a_place, a_value, b_place, b_value, product, addition;
  };
  std::optional<Latest> latest;
  std::string last_numbers;   // "+ (−1)·5"
  std::string step;           // "78 + (−1)·5 = 73"; empty where last and result say it better
  std::string value;          // "73"
  bool from_a_and_b = false;  // first factors are from A, second ones from B

  // In numbers; where there are no products, the value.
  [[nodiscard]] const std::string& latest_term() const {
    return last_numbers.empty() ? last : last_numbers;
  }
};
// The latest product stands by its places, while they hold its factors; in numbers afterwards.
enum class LatestProduct { ByPlace, InNumbers };
// No equation that does not hold: "≈" stands where rounding makes another number of the terms than
// what the thread holds, and nothing is said of the last step where not all of the sum is products.
[[nodiscard]] SumText sum_text(const insight::Accumulation& accumulation,
                               const problem::Launch& launch,
                               LatestProduct shown = LatestProduct::ByPlace);

// All of it in numbers, in one line: "acc = 6·2 + 4·5 = 32".
[[nodiscard]] std::string sum_line(const insight::Accumulation& accumulation);

// Columns of a text, for a font in which all characters are equally wide: an ideograph takes two.
[[nodiscard]] std::size_t sum_columns(const std::string& utf8);

inline constexpr const char* kSumEllipsis = "+ … ";

// A row of boxes, one for each product: in characters, what a box has beside its number, what
// stands between two boxes, and a box without a number.
inline constexpr float kSumBoxPad = 1.0F;
inline constexpr float kSumSignRoom = 1.8F;
inline constexpr float kSumComingBox = 2.2F;
struct SumBoxes {
  std::size_t front = 0;     // of SumText::terms
  std::size_t back = 0;      // the latest of them
  std::size_t coming = 0;    // boxes of products that are to come
  bool says_coming = false;  // "5 to come" behind them
};
// What fits into `budget` characters beside the latest product: all products that were added before
// any that is to come; "61 to come" has room where not every one of those has a box, unless the
// latest product leaves none.
[[nodiscard]] SumBoxes fit_boxes(const SumText& sum, std::size_t to_come, std::size_t budget);
// "61 to come"; after boxes of some "and 57 more".
[[nodiscard]] std::string to_come(std::size_t count, std::size_t boxes = 0);

}  // namespace tilestep::ui

// What the strip below the stage says of the focus thread's sums. Pure.
#pragma once

#include "insight/trace/accumulators.h"
#include "ui/sum_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

struct SumStory {
  std::string title;           // "acc[1][1] → C[5][6] · 6 of 16"; empty: the thread has no sum
  std::string element;         // "C[5][6]"
  std::string progress;        // "3 of 8 products"; empty: it takes none
  std::size_t to_come = 0;     // products
  std::optional<SumText> sum;  // the chosen one, where it adds up products
  std::string sentence;        // else what is to be said of it
  std::string also;            // "lost so far 2e-08", what else is true of it; may be empty
  struct Other {
    std::size_t sum = 0;  // as SumQuestion::chosen
    std::string text;     // in short: "acc[0][0] 78"
  };
  std::vector<Other> others;  // the thread's, as far as they have a value
};
// `sums`: of the focus block; null: not known yet. `chosen`: one of the thread's, nothing where it
// has none.
struct SumQuestion {
  const record::Recording& recording;
  const insight::BlockSums* sums = nullptr;
  std::optional<std::size_t> chosen;
  std::uint32_t thread = 0;
  std::uint64_t step = 0;
  std::optional<std::size_t> products = std::nullopt;  // in all, where that is known already
  const record::State* state = nullptr;  // at the step: whether places still hold the factors
};
// The products that its thread adds up in it, before other sums join it or it is scaled; 0 where it
// adds up none. Takes as long as all the rest of a story.
[[nodiscard]] std::size_t count_products(const SumQuestion& question);
[[nodiscard]] SumStory sum_story(const SumQuestion& question);

}  // namespace tilestep::ui

// The focus thread's accumulation as a sum: "acc = 6·2 + 4·5 + … + As[1][2]·Bs[2][2] = 78 + -1·5 =
// 73".
#pragma once

#include "insight/trace/provenance.h"
#include "ui/panel.h"

#include <string>
#include <vector>

namespace tilestep::ui {

// The sum in pieces, so that lines can be broken and terms left out between them.
struct SumText {
  std::string head;                // "acc ="
  std::vector<std::string> terms;  // "6·2", "+ 4·5": all but the last
  std::string last;                // "+ As[1][2]·Bs[2][2]"
  std::string result;              // "= 78 + -1·5 = 73"
};
[[nodiscard]] SumText sum_text(const insight::Accumulation& accumulation,
                               const problem::Launch& launch);

// How many terms from the front and from the back fit into `budget` characters, an ellipsis
// included when some are left out.
struct Elision {
  std::size_t front = 0;
  std::size_t back = 0;
};
[[nodiscard]] Elision elide(const std::vector<std::string>& terms, std::size_t budget);

// `note`: "thread (1,2) of block (1,0) → C[1][6]".
void draw_sum_strip(const Context& context, const std::string& note, ImVec2 from, ImVec2 size);

// Height the strip wants for a height of a line of text.
[[nodiscard]] float sum_strip_height(float font);

}  // namespace tilestep::ui

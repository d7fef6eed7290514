// What the view of a source keeps from frame to frame: its lines, and the values at their ends.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/roles.h"
#include "problem/source/syntax_check.h"
#include "ui/panel.h"
#include "ui/source_lines.h"
#include "workspace/generation.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::ui {

// All of it can be computed again.
struct CodeMemory {
  std::string text;
  std::vector<std::string> lines;
  std::vector<std::vector<TokenAt>> tokens;  // of each
  std::vector<std::size_t> code;             // of each: characters without a comment at its end
  std::vector<problem::BarrierLine> barriers;
  bool has_barriers = false;
  std::size_t header = 0;
  std::unique_ptr<narration::SourceMap> source;
  float top = 0.0F;  // row
  int followed = 0;  // the line that was brought into view last
  float room = 0.0F;
  std::size_t rows = 0;
  bool words_shown = false;  // of the header
  // Values at the ends of lines, and when they were computed.
  std::map<int, LineValue> values;
  std::string language;
  std::string veil;  // course::AnswerMask::key() of what they do not tell
  const insight::BlockSums* sums = nullptr;
  std::unique_ptr<narration::Roles> roles;
  workspace::Generation generation;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};

void refresh_text(const std::string& text, CodeMemory& memory);
void refresh_values(const Context& context, CodeMemory& memory);

}  // namespace tilestep::ui

#include "ui/line_links.h"

#include <cstddef>
#include <cstdint>

namespace tilestep::ui {

void LineLinks::add(int source, int made) {
  if (source > 0) {
    made_of[source].insert(made);
    source_of[made] = source;
  }
}

std::set<int> LineLinks::lines_made_of(int source) const {
  const auto found = made_of.find(source);
  return found == made_of.end() ? std::set<int>{} : found->second;
}

int LineLinks::source_line_of(int made) const {
  const auto found = source_of.find(made);
  return found == source_of.end() ? 0 : found->second;
}

LineLinks ptx_links(const ptx::Module& module) {
  LineLinks links;
  for (const ptx::Function& function : module.functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      links.add(static_cast<int>(ptx::statement_line(function, pc)),
                static_cast<int>(function.instructions[pc].text));
    }
  }
  return links;
}

LineLinks sass_links(const ptx::SassListing& listing) {
  LineLinks links;
  for (std::size_t i = 0; i < listing.lines.size(); ++i) {
    links.add(static_cast<int>(listing.lines[i]), static_cast<int>(i) + 1);
  }
  return links;
}

}  // namespace tilestep::ui

#include "ptx/model/scopes.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace tilestep::ptx {

std::uint32_t innermost_scope(const Function& function, std::uint32_t pc) {
  // Scopes stand before the scopes in them, and those of one parent do not overlap.
  for (auto i = static_cast<std::uint32_t>(function.scopes.size()); i-- > 1;) {
    const Scope& scope = function.scopes[i];
    if (pc >= scope.low_pc && pc < scope.high_pc) {
      return i;
    }
  }
  return 0;
}

std::span<const AssignmentEvent> events_at(const Function& function, std::uint32_t pc) {
  auto begin = std::lower_bound(
      function.events.begin(), function.events.end(), pc,
      [](const AssignmentEvent& event, std::uint32_t place) { return event.pc < place; });
  auto end = begin;
  while (end != function.events.end() && end->pc == pc) {
    ++end;
  }
  return {begin, end};
}

std::vector<std::uint32_t> scopes_entered_at(const Function& function, std::uint32_t pc) {
  std::vector<std::uint32_t> entered;
  for (std::uint32_t i = 1; i < function.scopes.size(); ++i) {
    if (function.scopes[i].low_pc == pc) {
      entered.push_back(i);
    }
  }
  return entered;
}

void sort_variables(Function& function, Scope& scope) {
  std::stable_sort(scope.variables.begin(), scope.variables.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const SourceVariable& x = function.source_variables[a];
                     const SourceVariable& y = function.source_variables[b];
                     if (x.is_parameter != y.is_parameter) {
                       return x.is_parameter;
                     }
                     return !x.is_parameter && x.decl_line < y.decl_line;
                   });
}

std::vector<std::uint32_t> visible_variables(const Function& function, std::uint32_t pc) {
  std::vector<std::uint32_t> path;  // innermost first
  if (!function.scopes.empty()) {
    for (std::uint32_t scope = innermost_scope(function, pc); scope != 0;
         scope = function.scopes[scope].parent) {
      path.push_back(scope);
    }
    path.push_back(0);
  }
  std::vector<std::uint32_t> visible;  // innermost first, last declared first
  std::set<std::string_view> names;
  for (std::uint32_t scope : path) {
    const std::vector<std::uint32_t>& variables = function.scopes[scope].variables;
    for (std::size_t i = variables.size(); i-- > 0;) {
      if (names.insert(function.source_variables[variables[i]].name).second) {
        visible.push_back(variables[i]);
      }
    }
  }
  std::reverse(visible.begin(), visible.end());
  return visible;
}

}  // namespace tilestep::ptx

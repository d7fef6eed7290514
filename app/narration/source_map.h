// The statements of a kernel's source by line: assignments, loops, conditions, calls, and the
// enclosing statements. Read from the text alone. If it misreads the text, the sentence is plainer
// but never has a wrong number: values are the machine's.
#pragma once

#include "narration/expression.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::narration {

inline constexpr int kNoStatement = -1;

struct Assignment {
  Expression target;  // a name, an element, a member
  std::string op;     // "=", "+=", …; "++" and "--" have no value
  std::optional<Expression> value;
  bool declares = false;
  std::uint32_t line = 0;  // line of its start
};

enum class StatementKind : std::uint8_t { Simple, For, While, If, Return, Block, Function };

struct SourceStatement {
  StatementKind kind = StatementKind::Simple;
  int parent = kNoStatement;
  bool in_else = false;          // of its parent, an If
  std::uint32_t first_line = 0;  // of its head: for a loop everything between its brackets
  std::uint32_t last_line = 0;
  std::uint32_t end_line = 0;           // with its body
  std::string name;                     // Function
  std::vector<std::string> parameters;  // Function
  std::vector<Assignment> assignments;  // Simple; For: at its start
  std::vector<Assignment> steps;        // For: after each pass
  std::optional<Expression> condition;  // If, For, While; Return: the value
  std::string written;                  // If, For, While: the condition's text, even if it is not
                                        // parsed
  std::vector<Expression> others;       // Simple: expressions that are no assignment
};

class SourceMap {
 public:
  explicit SourceMap(const std::string& source);

  [[nodiscard]] const std::vector<SourceStatement>& statements() const { return statements_; }
  // Statements whose head includes the line, in order.
  [[nodiscard]] const std::vector<int>& at(std::uint32_t line) const;
  // The enclosing loop, condition or function; kNoStatement at the outermost level.
  [[nodiscard]] int enclosing(int statement, StatementKind kind) const;
  // The innermost function whose text contains the line.
  [[nodiscard]] int function_at(std::uint32_t line) const;
  [[nodiscard]] const SourceStatement& operator[](int i) const {
    return statements_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool contains(int statement, std::uint32_t line) const;

  // `#define X 16` by name.
  [[nodiscard]] const std::map<std::string, Expression>& macros() const { return macros_; }
  // Names of the template parameters of a function, in order.
  [[nodiscard]] const std::vector<std::string>& template_parameters(const std::string& name) const;

 private:
  friend class SourceReader;
  std::vector<SourceStatement> statements_;
  std::map<std::uint32_t, std::vector<int>> by_line_;
  std::map<std::string, Expression> macros_;
  std::map<std::string, std::vector<std::string>> templates_;
};

// Calls f(const Expression&) for an expression and all of its parts, outermost first.
template <class F>
void for_each_part(const Expression& expression, F&& f) {
  f(expression);
  for (const Expression& part : expression.parts) {
    for_each_part(part, f);
  }
}

}  // namespace tilestep::narration

#include "narration/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tilestep::narration {
namespace {

using problem::is_identifier;

constexpr std::array<std::string_view, 22> kOperators{
    "<<=", ">>=", "->", "::", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};

constexpr int kMaxDepth = 200;  // of nested brackets: deeper expressions do not fit in a sentence

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::array<std::string_view, 26> kTypeWords{
    "int",      "unsigned", "signed", "long",     "short", "char",   "bool",   "float",   "double",
    "size_t",   "float2",   "float3", "float4",   "int2",  "int4",   "uint",   "int32_t", "int64_t",
    "uint32_t", "uint64_t", "const",  "volatile", "half",  "__half", "float1", "void"};

bool is_type_word(const std::string& word) {
  return std::ranges::find(kTypeWords, word) != kTypeWords.end();
}

std::optional<Expression> number(const std::string& text) {
  Expression e;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const bool real = !hex && text.find_first_of(".eEfF") != std::string::npos;
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != '\''; });
  if (real) {
    e.kind = Form::Real;
    e.real = std::strtod(digits.c_str(), nullptr);
    return e;
  }
  const char* begin = digits.data() + (hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(begin, digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end == begin) {
    return std::nullopt;
  }
  e.integer = static_cast<std::int64_t>(value);
  return e;
}

class Parser {
 public:
  explicit Parser(Tokens tokens) : tokens_(tokens) {}

  std::optional<Expression> all() {
    std::optional<Expression> e = ternary();
    return e && at_ == tokens_.size() ? std::move(e) : std::nullopt;
  }

 private:
  [[nodiscard]] const std::string& word(std::size_t ahead = 0) const {
    static const std::string none;
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : none;
  }
  bool take(std::string_view text) {
    const bool there = word() == text;
    at_ += there ? 1 : 0;
    return there;
  }

  std::optional<Expression> ternary() {
    ++depth_;
    std::optional<Expression> e = depth_ > kMaxDepth ? std::nullopt : choice();
    --depth_;
    return e;
  }

  std::optional<Expression> choice() {
    std::optional<Expression> condition = binary(1);
    if (!condition || !take("?")) {
      return condition;
    }
    std::optional<Expression> yes = ternary();
    if (!yes || !take(":")) {
      return std::nullopt;
    }
    std::optional<Expression> no = ternary();
    if (!no) {
      return std::nullopt;
    }
    Expression e;
    e.kind = Form::Ternary;
    e.parts = {std::move(*condition), std::move(*yes), std::move(*no)};
    return e;
  }

  std::optional<Expression> binary(int least) {
    std::optional<Expression> left = unary();
    while (left && precedence(word()) >= least) {
      const std::string op = word();
      ++at_;
      std::optional<Expression> right = binary(precedence(op) + 1);
      if (!right) {
        return std::nullopt;
      }
      Expression e;
      e.kind = Form::Binary;
      e.text = op;
      e.parts = {std::move(*left), std::move(*right)};
      left = std::move(e);
    }
    return left;
  }

  std::optional<Expression> unary() {
    ++depth_;
    std::optional<Expression> e = depth_ > kMaxDepth ? std::nullopt : prefixed();
    --depth_;
    return e;
  }

  std::optional<Expression> prefixed() {
    for (const char* op : {"-", "+", "!", "~", "*", "&"}) {
      if (word() == op) {
        ++at_;
        return wrap(Form::Unary, op, unary());
      }
    }
    if (word() == "(" && is_type_word(word(1))) {
      const std::optional<std::string> type = type_until(")");
      return type ? wrap(Form::Cast, *type, unary()) : std::nullopt;
    }
    return postfix();
  }

  static std::optional<Expression> wrap(Form kind, std::string text,
                                        std::optional<Expression> part) {
    if (!part) {
      return std::nullopt;
    }
    Expression e;
    e.kind = kind;
    e.text = std::move(text);
    e.parts.push_back(std::move(*part));
    return e;
  }

  // After the opening bracket at the current place: the words up to the closing one.
  std::optional<std::string> type_until(std::string_view close) {
    std::string type;
    int angles = 0;
    for (++at_; at_ < tokens_.size(); ++at_) {
      if (word() == close && angles == 0) {
        ++at_;
        return type;
      }
      angles += word() == "<" ? 1 : word() == ">" ? -1 : 0;
      if (word() == ";" || word() == "{") {
        break;
      }
      type += (type.empty() || word() == "*" ? "" : " ") + word();
    }
    return std::nullopt;
  }

  std::optional<Expression> postfix() {
    std::optional<Expression> e = primary();
    while (e) {
      if (take("[")) {
        std::optional<Expression> index = ternary();
        if (!index || !take("]")) {
          return std::nullopt;
        }
        e = wrap(Form::Subscript, {}, std::move(e));
        e->parts.push_back(std::move(*index));
      } else if (word() == "." || word() == "->") {
        ++at_;
        const std::string name = word();
        ++at_;
        e = wrap(Form::Member, name, std::move(e));
      } else {
        return e;
      }
    }
    return e;
  }

  std::optional<Expression> primary() {
    const std::string text = word();
    if (text.empty()) {
      return std::nullopt;
    }
    if (take("(")) {
      std::optional<Expression> inner = ternary();
      return inner && take(")") ? std::move(inner) : std::nullopt;
    }
    if (is_digit(text[0])) {
      ++at_;
      return number(text);
    }
    if (!is_identifier(text)) {
      return std::nullopt;
    }
    ++at_;
    if (text.ends_with("_cast") && word() == "<") {
      const std::optional<std::string> type = type_until(">");
      if (!type || !take("(")) {
        return std::nullopt;
      }
      std::optional<Expression> inner = ternary();
      return inner && take(")") ? wrap(Form::Cast, *type, std::move(inner)) : std::nullopt;
    }
    return named(text);
  }

  std::optional<Expression> named(std::string text) {
    while (word() == "::") {
      at_ += 1;
      text = word();
      ++at_;
    }
    skip_template_arguments();
    Expression e;
    e.kind = Form::Name;
    e.text = std::move(text);
    if (!take("(")) {
      return e;
    }
    e.kind = Form::Call;
    while (!take(")")) {
      std::optional<Expression> argument = ternary();
      if (!argument || (word() != "," && word() != ")")) {
        return std::nullopt;
      }
      e.parts.push_back(std::move(*argument));
      take(",");
    }
    return e;
  }

  // "f<4, true>(": only if a call follows.
  void skip_template_arguments() {
    if (word() != "<") {
      return;
    }
    std::size_t end = at_ + 1;
    while (end < tokens_.size() && tokens_[end].text != ">" && tokens_[end].text != "(" &&
           tokens_[end].text != "&&" && tokens_[end].text != ";") {
      ++end;
    }
    if (end + 1 < tokens_.size() && tokens_[end].text == ">" && tokens_[end + 1].text == "(") {
      at_ = end + 1;
    }
  }

  Tokens tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& source) {
  const problem::CudaWords words = problem::scan_cuda(source);
  std::vector<Token> tokens;
  std::uint32_t line = 1;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < words.code.size();) {
    const std::size_t offset = words.code[i].offset;
    line += static_cast<std::uint32_t>(
        std::count(source.begin() + static_cast<std::ptrdiff_t>(counted),
                   source.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted = offset;
    std::size_t length = 1;
    std::string text(words.code[i].text);
    for (const std::string_view op : kOperators) {
      if (std::string_view(source).substr(offset).starts_with(op)) {
        text = op;
        length = op.size();
        break;
      }
    }
    tokens.push_back({std::move(text), line});
    i += length;
  }
  return tokens;
}

Expression name_expression(const std::string& name) {
  Expression e;
  e.kind = Form::Name;
  e.text = name;
  return e;
}

std::optional<Expression> parse_expression(Tokens tokens) {
  return Parser(tokens).all();
}

int precedence(const std::string& op) {
  constexpr std::array<std::pair<std::string_view, int>, 18> kBinding{{{"||", 1},
                                                                       {"&&", 2},
                                                                       {"|", 3},
                                                                       {"^", 4},
                                                                       {"&", 5},
                                                                       {"==", 6},
                                                                       {"!=", 6},
                                                                       {"<", 7},
                                                                       {">", 7},
                                                                       {"<=", 7},
                                                                       {">=", 7},
                                                                       {"<<", 8},
                                                                       {">>", 8},
                                                                       {"+", 9},
                                                                       {"-", 9},
                                                                       {"*", 10},
                                                                       {"/", 10},
                                                                       {"%", 10}}};
  for (const auto& [text, binding] : kBinding) {
    if (text == op) {
      return binding;
    }
  }
  return 0;
}

std::string spelled(const Expression& e) {
  const auto inner = [&](const Expression& part, int least) {
    const bool bracket =
        part.is(Form::Ternary) || (part.is(Form::Binary) && precedence(part.text) < least);
    return bracket ? "(" + spelled(part) + ")" : spelled(part);
  };
  switch (e.kind) {
    case Form::Integer:
      return fmt::format("{}", e.integer);
    case Form::Real:
      return fmt::format("{}", e.real);
    case Form::Name:
      return e.text;
    case Form::Member:
      return spelled(e.parts[0]) + "." + e.text;
    case Form::Subscript:
      return spelled(e.parts[0]) + "[" + spelled(e.parts[1]) + "]";
    case Form::Call: {
      std::string text = e.text + "(";
      for (std::size_t i = 0; i < e.parts.size(); ++i) {
        text += (i == 0 ? "" : ", ") + spelled(e.parts[i]);
      }
      return text + ")";
    }
    case Form::Unary:
      return e.text + inner(e.parts[0], 11);
    case Form::Binary:
      return inner(e.parts[0], precedence(e.text)) + " " + e.text + " " +
             inner(e.parts[1], precedence(e.text) + 1);
    case Form::Ternary:
      return inner(e.parts[0], 1) + " ? " + spelled(e.parts[1]) + " : " + spelled(e.parts[2]);
    case Form::Cast:
      return spelled(e.parts[0]);
  }
  return {};
}

}  // namespace tilestep::narration

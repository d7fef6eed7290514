#include "equations.h"

#include <regex>

namespace tilestep::test {
namespace {

bool agree(const Value& a, const Value& b, bool nearly) {
  const double size = std::max(std::abs(a.number), std::abs(b.number));
  return std::abs(a.number - b.number) <= (nearly ? 1e-3 : 1e-9) * size;
}

// The longest expression that ends at the end of `text`.
std::optional<Value> expression_before(const std::string& text) {
  const std::size_t from = text.rfind(" = ");
  return from == std::string::npos ? std::nullopt : Calculator(text.substr(from + 3)).all();
}

std::optional<Value> number_at(const std::string& text) {
  static const std::regex number("^((?:−)?[0-9.e-]*[0-9])");
  std::smatch match;
  return std::regex_search(text, match, number) ? Calculator(match[1].str()).all() : std::nullopt;
}

void chained(const std::string& sentence, std::vector<Equation>& all) {
  for (const std::string sign : {" = ", " ≈ "}) {
    for (std::size_t at = sentence.find(sign); at != std::string::npos;
         at = sentence.find(sign, at + 1)) {
      const std::string before = sentence.substr(0, at);
      const std::string after = sentence.substr(at + sign.size());
      const std::optional<Value> left = expression_before(before);
      const std::optional<Value> right = number_at(after);
      if (left && right) {
        all.push_back({before.substr(before.rfind(" = ") + 3) + sign + after.substr(0, 12),
                       agree(*left, *right, sign == " ≈ ")});
      }
    }
  }
}

void added(const std::string& sentence, std::vector<Equation>& all) {
  static const std::regex form(
      "(adds|takes) (.*) (to|away from) ((?:−)?[0-9.e-]+)(, for [^:]*)?: [^ ]+ (=|≈) "
      "((?:−)?[0-9.e-]*[0-9])");
  std::smatch match;
  if (!std::regex_search(sentence, match, form)) {
    return;
  }
  const std::string sum =
      match[4].str() + (match[1] == "adds" ? " + (" : " − (") + match[2].str() + ")";
  const std::optional<Value> left = Calculator(sum).all();
  const std::optional<Value> right = Calculator(match[7].str()).all();
  all.push_back({match[0].str(), left && right && agree(*left, *right, match[6] == "≈")});
}

}  // namespace

std::vector<Equation> equations_in(const std::string& text) {
  static const std::regex exponent("([0-9])e−([0-9])");
  const std::string sentence = std::regex_replace(text, exponent, "$1e-$2");
  std::vector<Equation> all;
  chained(sentence, all);
  added(sentence, all);
  return all;
}

}  // namespace tilestep::test

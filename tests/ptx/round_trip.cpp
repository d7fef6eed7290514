#include "ptx/round_trip.h"

#include "ptx/text/assemble.h"
#include "ptx/text/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace tilestep::ptx::test {
namespace {

// Listed here independently, not taken from the tables under test.
constexpr std::array kDropped = {"ca", "cg", "cs", "cv",      "lu",   "wb",
                                 "wt", "L1", "L2", "aligned", "noftz"};

struct Parts {
  std::string opcode;                 // first word
  std::multiset<std::string> words;   // the other words of the opcode
  std::vector<std::string> operands;  // without blanks and braces
};

std::string without_guard(std::string text) {
  if (!text.starts_with('@')) {
    return text;
  }
  std::size_t start = text.find_first_not_of("@! \t");
  start = text.find_first_of(" \t", start);
  return text.substr(text.find_first_not_of(" \t", start));
}

// "shared::cta" → "shared", "param::entry" → "param", "L1::no_allocate" → "".
std::string plain(const std::string& word) {
  const std::size_t scope = word.find("::");
  if (word.starts_with("L1::") || word.starts_with("L2::")) {
    return "";
  }
  return word.substr(0, scope);
}

void add_words(std::string_view opcode, Parts& parts) {
  for (std::size_t start = 0; start <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', start), opcode.size());
    const std::string word = plain(std::string(opcode.substr(start, end - start)));
    const bool dropped = std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end();
    if (start == 0) {
      parts.opcode = word;
    } else if (!dropped && !word.empty()) {
      parts.words.insert(word);
    }
    start = end + 1;
  }
}

void add_operands(std::string_view text, Parts& parts) {
  std::string operand;
  const auto flush = [&] {
    if (!operand.empty()) {
      parts.operands.push_back(operand);
    }
    operand.clear();
  };
  for (const char c : text) {
    if (c == ',' || c == '|') {
      flush();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '{' && c != '}' &&
               c != '(' && c != ')') {
      operand += c;
    }
  }
  flush();
}

Parts split(const std::string& text) {
  Parts parts;
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  add_words(std::string_view(text).substr(0, end), parts);
  add_operands(std::string_view(text).substr(end), parts);
  return parts;
}

std::optional<std::int64_t> number(const std::string& text) {
  const bool negative = text.starts_with('-');
  const auto literal = parse_literal(negative ? text.substr(1) : text);
  if (!literal) {
    return text == "WARP_SZ" ? std::optional<std::int64_t>(32) : std::nullopt;
  }
  return negative ? -literal->bits : literal->bits;
}

// Numbers agree in the bits of some width; addresses in base and offset.
bool operands_agree(const std::string& original, const std::string& assembled) {
  if (original == assembled) {
    return true;
  }
  // Parameters are shown by their position; decimal floats are left to the golden files.
  const bool is_place = assembled.starts_with("param@") || assembled.starts_with("call@");
  const bool is_expression = original.find_first_of("*<>?~.") != std::string::npos;
  if (is_place || is_expression) {
    return true;
  }
  const auto a = number(original);
  const auto b = number(assembled);
  if (a && b) {
    const auto difference = static_cast<std::uint64_t>(*a ^ *b);
    return difference == 0 || (difference & 0xffffffffU) == 0 || (difference & 0xffffU) == 0 ||
           (*a != 0 && *b == -1);
  }
  // "[%SP+0]" and "[%SP]", "[%rd1+-4]" and "[%rd1-4]", "[0x1000]" and "[4096]"
  std::string same = original;
  if (const std::size_t zero = same.find("+0]"); zero != std::string::npos) {
    same.erase(zero, 2);
  }
  if (const std::size_t minus = same.find("+-"); minus != std::string::npos) {
    same.erase(minus, 1);
  }
  if (same.starts_with('[') && !same.empty() && std::isdigit(static_cast<unsigned char>(same[1]))) {
    const auto address = number(same.substr(1, same.size() - 2));
    return address && assembled == "[" + std::to_string(*address) + "]";
  }
  return same == assembled;
}

// Words with two spellings, or implied by the opcode.
void use_one_spelling(Parts& parts, Opcode op) {
  if (op == Opcode::Fma && parts.opcode == "mad") {
    parts.opcode = "fma";
  } else if (op == Opcode::Prefetch) {
    parts.opcode = "prefetch";
  } else if (op == Opcode::Bar) {
    parts.opcode = "bar";
    parts.words.erase("cta");  // bar.cta.sync
  } else {
    parts.words.erase("sync");
  }
  if (op == Opcode::CpAsync) {
    parts.words.erase("global");  // the source's space is always this
  } else if (op == Opcode::Szext || op == Opcode::Bmsk) {
    parts.words.erase("clamp");  // the default without .wrap
  } else if (op == Opcode::Ret) {
    parts.words.erase("uni");
  } else if (op == Opcode::Vabsdiff4) {
    parts.words.erase("u32");  // three times in one, twice in the other
  } else if (op == Opcode::Ldmatrix || op == Opcode::Stmatrix) {
    parts.words.erase("x1");
  } else if (parts.words.erase("satfinite") != 0) {
    parts.words.insert("sat");
  }
}

bool is_compared(Opcode op) {
  return op != Opcode::Unknown && op != Opcode::Call && op != Opcode::BrxIdx && op != Opcode::Tex &&
         op != Opcode::Suld && op != Opcode::Sust && op != Opcode::Bra &&
         op != Opcode::Griddepcontrol;
}

}  // namespace

std::string round_trip_difference(const Module& module, const Function& function,
                                  const Instruction& instruction) {
  const std::string original(instruction_text(module, instruction));
  // Constant expressions are left to the golden files.
  if (!is_compared(instruction.op) || original == "}" || original.find('(') != original.npos) {
    return {};
  }
  const std::string assembled = assemble(module, function, instruction);
  Parts a = split(without_guard(original));
  Parts b = split(without_guard(assembled));
  use_one_spelling(a, instruction.op);
  use_one_spelling(b, instruction.op);
  // The last operand of an access with a cache policy is dropped.
  if (original.find("L2::cache_hint") != std::string::npos) {
    a.operands.pop_back();
  }
  const bool guards_agree = original.starts_with('@') == assembled.starts_with('@');
  const bool operands = std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                                   b.operands.end(), operands_agree);
  if (guards_agree && operands && a.opcode == b.opcode && a.words == b.words) {
    return {};
  }
  return original + "  <>  " + assembled;
}

}  // namespace tilestep::ptx::test

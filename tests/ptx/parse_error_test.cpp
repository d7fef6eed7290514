// Wrong text: a sentence with its line, never a crash.
#include "ptx/invariants.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"
#include "ptx/text/parsed_text.h"
#include "ptx/text_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tilestep::ptx::test {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader = ".version 9.0\n.target sm_80\n.address_size 64\n";

std::string kernel(const std::string& body) {
  return std::string(kHeader) + ".visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n" + body +
         "\n}\n";
}

std::string error_of(const std::string& text) {
  const Result<ParsedText> parsed = parse_text(text);
  return parsed ? "no error" : parsed.error().message;
}

struct Case {
  std::string name;
  std::string text;
  std::string message;
};

class WrongPtx : public testing::TestWithParam<Case> {};

TEST_P(WrongPtx, IsRefusedWithLineAndReason) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Sentences, WrongPtx,
    testing::Values(
        Case{"EmptyText", "",
             "PTX line 1: expected '.version' at the start of the PTX, but the text ends here."},
        Case{"NotPtx", "hello world",
             "PTX line 1: expected '.version' at the start of the PTX, but found 'hello'."},
        Case{"BinaryFile",
             std::string("\x7f"
                         "ELF\x02\x01",
                         6),
             "PTX line 1: expected '.version' at the start of the PTX, but found '?'."},
        Case{"NoTarget", ".version 9.0\n.address_size 64\n",
             "PTX line 2: expected '.target' after '.version', but found '.address_size'."},
        Case{"ThirtyTwoBits", ".version 9.0\n.target sm_80\n.address_size 32\n",
             "PTX line 3: only 64-bit PTX is read: compile without -m32."},
        Case{"UnknownDirective", std::string(kHeader) + ".frobnicate 3;\n",
             "PTX line 4: unknown directive '.frobnicate'."},
        Case{"UndeclaredRegister", kernel("\tmov.u32 %r1, %r4;"),
             "PTX line 7: '%r4' is not declared here."},
        Case{"RegisterOfAClosedBlock", kernel("\t{\n\t.reg .b32 t;\n\t}\n\tmov.u32 %r1, t;"),
             "PTX line 10: 't' is not declared here."},
        Case{"UnknownLabel", kernel("\tbra.uni nowhere;"),
             "PTX line 7: label 'nowhere' is not defined in this function."},
        Case{"LabelOfAnotherBlock", kernel("\t{\nL:\n\t}\n\tbra.uni L;"),
             "PTX line 10: label 'L' is not defined in this function."},
        Case{"LabelTwice", kernel("L:\nL:\n\tret;"),
             "PTX line 8: duplicate label 'L' in a function."},
        Case{"GuardThatIsNoPredicate", kernel("\t@%r1 ret;"),
             "PTX line 7: '%r1' is not a predicate declared here."},
        Case{"RegisterTwice", kernel("\t.reg .b32 %r<9>;"),
             "PTX line 7: '%r<>' is declared twice."},
        Case{"MissingSemicolon", kernel("\tmov.u32 %r1, 0\n\tmov.u32 %r2, 0;"),
             "PTX line 8: expected ';' after the operands of an instruction, but found 'mov.u32'."},
        Case{"UnknownCallee", kernel("\tcall.uni nobody, ();"),
             "PTX line 7: 'nobody' is not declared here."},
        Case{"UnknownPrototype", kernel("\t.reg .b64 f;\n\tcall f, (), nothing;"),
             "PTX line 8: 'nothing' is not declared here."},
        Case{
            "UnclosedBody", std::string(kHeader) + ".entry k()\n{\n\tret;\n",
            "PTX line 7: expected the closing brace of a function's body, but the text ends here."},
        Case{"UnclosedComment", std::string(kHeader) + "/* for ever\n",
             "PTX line 4: this comment is not closed: the file is truncated."},
        Case{"UnclosedString", std::string(kHeader) + ".file 1 \"a.cu\n",
             "PTX line 4: this string is not closed: the file is truncated."},
        Case{"FunctionTwice",
             std::string(kHeader) + ".func f()\n{\nret;\n}\n.func f()\n{\nret;\n}\n",
             "PTX line 8: function 'f' is defined twice."},
        Case{"VariableTwice", std::string(kHeader) + ".global .u32 x;\n.global .u64 x;\n",
             "PTX line 5: 'x' is declared twice."},
        Case{"InitialiserTooLong", std::string(kHeader) + ".global .u8 x[2] = {1, 2, 3};\n",
             "PTX line 4: an initializer is longer than its array."},
        Case{"InitialiserOfAnotherKind", std::string(kHeader) + ".global .f32 x = 3;\n",
             "PTX line 4: an initializer does not fit the type of its array."},
        Case{"InitialiserNamesNothing", std::string(kHeader) + ".global .u64 x = nothing;\n",
             "PTX line 4: 'nothing' in an initializer is not declared."},
        Case{"DivisionByZero", std::string(kHeader) + ".global .u32 x = 1 / (2 - 2);\n",
             "PTX line 4: a constant expression divides by zero."},
        Case{"OddAlignment", std::string(kHeader) + ".global .align 3 .u32 x;\n",
             "PTX line 4: an alignment is a power of two up to 65536, not 3."},
        Case{"RegisterParameter", std::string(kHeader) + ".func f(.reg .u32 a)\n{\nret;\n}\n",
             "PTX line 4: expected .param (functions take no registers under the calling "
             "convention), but found '.reg'."},
        Case{"AliasOfNothing", std::string(kHeader) + ".func f();\n.alias f, g;\n",
             "PTX line 5: function 'g' is not declared."},
        Case{"BranchTargetsMissing", kernel("\tbrx.idx %r1, %r2;"),
             "PTX line 7: '%r2' is not a list of branch targets."},
        Case{"HugeArray", std::string(kHeader) + ".global .u8 x[99999999999][99999999999];\n",
             "PTX line 4: this array is too large."},
        Case{"HugeRegisterFile", kernel("\t.reg .b64 %q<4000000000>;"),
             "PTX line 7: this function has too many registers."},
        Case{"SectionWithoutEnd", std::string(kHeader) + ".section .debug_info {\n.b8 1\n",
             "PTX line 6: expected '}' at the end of a section, but the text ends here."}),
    [](const auto& tested) { return tested.param.name; });

TEST(WrongPtx, DeepNestingIsAnErrorAndNoStackOverflow) {
  EXPECT_THAT(error_of(kernel(std::string(100000, '{'))), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(kHeader) + ".global .u32 x = " + std::string(100000, '(')),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(kHeader) + ".global .u32 x = " + std::string(100000, '{')),
              HasSubstr("more levels"));
  std::string conditionals = std::string(kHeader) + ".global .u32 x = ";
  for (int i = 0; i < 100000; ++i) {
    conditionals += "1 ? ";
  }
  EXPECT_THAT(error_of(conditionals), HasSubstr("nested too deeply"));
}

// Reads a damaged text; the result is a valid module or an error with its line.
void expect_survives(const std::string& text) {
  const Result<Module> module = parse(text);
  if (!module) {
    EXPECT_THAT(module.error().message, HasSubstr("PTX"));
  } else {
    EXPECT_EQ(broken_invariant(*module), "") << text;
  }
}

class DamagedPtx : public testing::TestWithParam<std::string> {};

TEST_P(DamagedPtx, CutAnywhereIsAnErrorOrAModule) {
  const std::string text = golden_input(GetParam());
  const std::size_t step = std::max<std::size_t>(1, text.size() / 400);
  for (std::size_t size = 0; size < text.size(); size += step) {
    expect_survives(text.substr(0, size));
  }
}

TEST_P(DamagedPtx, WithBytesChangedIsAnErrorOrAModule) {
  const std::string text = golden_input(GetParam());
  std::mt19937 random(20261121);
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = text;
    for (std::uint32_t i = 0; i <= random() % 4; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    }
    expect_survives(damaged);
  }
}

// Damage that keeps the words whole gets further in the reader than stray bytes do.
TEST_P(DamagedPtx, WithWordsExchangedIsAnErrorOrAModule) {
  const std::string text = golden_input(GetParam());
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n,;[]{}()", start + 1), text.size());
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  std::mt19937 random(20261122);
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::string> shuffled = words;
    for (std::uint32_t i = 0; i <= random() % 6; ++i) {
      std::swap(shuffled[random() % shuffled.size()], shuffled[random() % shuffled.size()]);
    }
    std::string damaged;
    for (const std::string& word : shuffled) {
      damaged += word;
    }
    expect_survives(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedPtx,
                         testing::Values("tiled_step", "tiled_fast", "submatrix_step", "calls",
                                         "initialisers", "control_flow", "scopes", "lines",
                                         "barriers", "matrices", "header_asm"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tilestep::ptx::test
